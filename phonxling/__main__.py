"""The command line as an installed command, and as `python -m phonxling`, which profilers and debuggers need."""

from phonxling.cli import main
from phonxling.exits import run_as_process


def script() -> None:
    run_as_process(main)


if __name__ == "__main__":  # processes that draw import this module again
    main()
