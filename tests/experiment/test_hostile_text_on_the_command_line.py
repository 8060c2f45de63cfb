"""The command itself: data with escape sequences, and a file without an end, give one clear line and a code."""

import os
import subprocess
from pathlib import Path

import pytest
from running import python
from support import write

ROOT = Path(__file__).resolve().parent.parent.parent


def score(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return python("-m", "phonxling", "score", *map(str, arguments), env=environment, text=False)


@pytest.mark.slow
def test_escape_sequences_and_line_ends_in_data_are_shown_not_obeyed(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.tsv", "utterance\tphones\nu1\ta b\n")
    done = score(gold, write(tmp_path / "heard.csv", '"\x1b[2J\nerror: x",phones\nu1,a\n'))
    assert done.returncode == 1
    assert rb"the table has: \x1b[2J\nerror: x, phones." in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr + done.stdout


@pytest.mark.slow
def test_a_name_that_is_no_utf8_is_printed(tmp_path: Path) -> None:
    done = score(tmp_path / os.fsdecode(b"\xff.tsv"), "/dev/zero")
    assert done.returncode == 1
    assert rb"\udcff.tsv: cannot be read: no such file" in done.stderr
