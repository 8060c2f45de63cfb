"""Standard output without room: one error, as for any other file."""

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", ["schema", "--help"])
def test_what_cannot_be_printed_is_one_error(command: str) -> None:
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(  # noqa: S603 - ourselves
            [sys.executable, "-m", "phonxling", command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: standard output or a temporary file: cannot be written: No space left on device"
    ]
