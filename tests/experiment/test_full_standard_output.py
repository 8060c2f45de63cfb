"""Standard output without room: one error, as for any other file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_what_cannot_be_printed_is_one_error() -> None:
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "phonxling", "schema"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: standard output or a temporary file: cannot be written: No space left on device"
    ]


@pytest.mark.parametrize("asked", ["score gold.tsv predicted.tsv", "schema"])
def test_output_that_nobody_reads_is_one_error(tmp_path: Path, asked: str) -> None:
    for side, phones in (("gold", "a b"), ("predicted", "a p")):
        (tmp_path / f"{side}.tsv").write_text(f"utterance\tphones\n1\t{phones}\n", encoding="utf-8")
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "phonxling", *asked.split()]
    done = subprocess.run(command, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
    os.close(write)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: standard output was closed, so not all was printed")
