"""Among intervals, an utterance without phones has one row with empty cells."""

from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript

HEADER = "utterance\tstart\tend\tphone\tconfidence\tspeaker"


@pytest.mark.parametrize("separator", ["\t", ","])
def test_an_utterance_may_have_no_interval(tmp_path: Path, separator: str) -> None:
    rows = [HEADER, "u1\t0\t1\ta\t0.5\ts", "u2\t\t\t\t\tt", "u3\t1\t2\tb\t0.25\ts"]
    path = write(tmp_path / "x", "\n".join(rows).replace("\t", separator))
    read = load_transcript(path, "tsv" if separator == "\t" else "csv")
    assert symbols_by_utterance(read) == {"u1": ["a"], "u2": [], "u3": ["b"]}
    assert read.speakers == ("s", "t", "s")
    assert read.confidence is not None
    assert read.confidence.tolist() == [0.5, 0.25]


def test_a_file_of_such_utterances_alone_still_has_times(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "x.tsv", f"{HEADER}\nu1\t\t\t\t\ts\n"))
    assert read.start is not None
    assert read.confidence is not None
    assert (len(read), len(read.codes), len(read.start), len(read.confidence)) == (1, 0, 0, 0)
    read = load_transcript(write(tmp_path / "y.tsv", "utterance\tstart\tend\tphone\nu1\t\t\t\n"))
    assert read.start is not None
    assert read.confidence is None


@pytest.mark.parametrize("rows", ["u1\t\t\t\nu1\t0\t1\ta", "u1\t0\t1\ta\nu1\t\t\t", "u1\t\t\t\nu1\t\t\t"])
def test_it_has_no_other_row(tmp_path: Path, rows: str) -> None:
    path = write(tmp_path / "x.tsv", f"utterance\tstart\tend\tphone\n{rows}\n")
    with pytest.raises(DataError, match=r"x\.tsv:3: utterance 'u1' occurs again \(first at line 2\)"):
        load_transcript(path)


@pytest.mark.parametrize("row", ["u1\t0\t\t", "u1\t\t\ta", "u1\t\t1\ta"])
def test_a_row_that_is_partly_empty_is_refused(tmp_path: Path, row: str) -> None:
    path = write(tmp_path / "x.tsv", f"utterance\tstart\tend\tphone\n{row}\n")
    with pytest.raises(DataError, match=r"x\.tsv:2: (start|end) is no number: ''"):
        load_transcript(path)
