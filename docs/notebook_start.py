"""What each notebook of the documentation begins with: the project's data beside it, and shell cells shown whole."""

import os
import subprocess
from pathlib import Path

from IPython import get_ipython

import phonxling

os.environ.pop("FORCE_COLOR", None)  # a kernel sets it; output is for a page, not for a terminal
for _name in ("configs", "data", "scripts"):
    Path(_name).symlink_to(Path(phonxling.__file__).parents[1] / _name)


def sh(_line: str, cell: str) -> None:
    """Run a cell in the shell and print its output at once; an error ends the build."""
    done = subprocess.run(["sh", "-ec", cell], capture_output=True, text=True, check=False)  # noqa: S603, S607 - our own text
    print(done.stdout, end="")  # noqa: T201 - a cell's output
    if done.returncode:
        raise RuntimeError(done.stderr)


get_ipython().register_magic_function(sh, "cell")
