"""The command line as an installed command, and as `python -m phonxling`, which profilers and debuggers need."""

import os
import sys

# Matrix products are computed by one thread each, so that their sums have the same bits everywhere: further threads of
# OpenBLAS, which it starts when it is imported, would only take memory.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def script() -> None:
    """Run the command line; Ctrl-C is one line from the first import on."""
    try:
        from phonxling.cli import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    script()
