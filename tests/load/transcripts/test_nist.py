"""CTM, STM and TRN."""

from pathlib import Path

import numpy as np
import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.load.formats import load_transcript


def refusal(path: Path, columns: dict[str, str] | None = None) -> str:
    with pytest.raises(DataError) as caught:
        load_transcript(path, columns=columns)
    return str(caught.value)


def test_ctm_with_confidence_comments_and_equal_start_times(tmp_path: Path) -> None:
    lines = ";; made by hand\nu1 1 0.50 0.25 b 0.75\nu1 1 0.50 0.00 a 1\n  ;; more\n\nu2\tA\t0\t0.5\tc\t0\n"
    path = write(tmp_path / "out.ctm", lines)
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"u1": ["b", "a"], "u2": ["c"]}
    assert read.start is not None
    assert read.end is not None
    assert read.confidence is not None
    assert read.start.tolist() == [0.5, 0.5, 0.0]
    np.testing.assert_allclose(read.end, [0.75, 0.5, 0.5])
    assert read.confidence.tolist() == [0.75, 1.0, 0.0]
    assert read.speakers is None
    assert read.places == (f"{path}:2", f"{path}:3", f"{path}:6")


def test_ctm_without_confidence(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "out.ctm", "u1 1 0 0.1 a\r\nu1 1 0.1 0.1 nan\r\n"))
    assert symbols_by_utterance(read) == {"u1": ["a", "nan"]}
    assert read.confidence is None


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("u1 1 0 1\n", ":1: 4 fields; a CTM line is"),
        ("u1 1 0 1 a 1 lex\n", ":1: 7 fields; a CTM line is"),
        (";; x\nu1 1 zero 1 a\n", ":2: not numbers: zero 1"),
        ("u1 1 0 1 a high\n", ":1: not numbers: 0 1 high"),
        ("u1 1 0 -1 a\n", ":1: a duration must be ≥ 0"),
        ("u1 1 0 1 a 1.5\n", ":1: a duration must be ≥ 0 and a confidence lie in 0 … 1"),
        ("u1 1 0 1 a nan\n", ":1: a duration must be ≥ 0 and a confidence lie in 0 … 1"),
        ("u1 1 nan 1 a\n", ":1: an interval must not end"),
        ("u1 1 0 1 a\nu2 1 0 1 a\nu1 1 1 1 b\n", ":3: utterance 'u1' occurs again (first at line 1)"),
        ("u1 A 0 1 a\nu1 B 0 1 b\n", ":2: utterance 'u1' has the channels A and B"),
        ("u1 1 0 1 a 0.5\nu1 1 1 1 b\n", ": 1 of 2 intervals have a confidence; give all or none"),
        ("", ": holds no utterance"),
        (";; only a comment\n", ": holds no utterance"),
    ],
)
def test_what_is_wrong_with_a_ctm(tmp_path: Path, lines: str, complaint: str) -> None:
    path = write(tmp_path / "out.ctm", lines)
    assert refusal(path).startswith(str(path) + complaint)


def test_stm_with_and_without_labels_and_empty(tmp_path: Path) -> None:
    lines = ";; x\nu1 1 anna 0.0 1.5 <o,f0,female> a b\nu2 1 ben 0 1 a < c\nu3 1 ben 1 2\nu4 1 ben 1 2 <o,f0,male>\n"
    read = load_transcript(write(tmp_path / "gold.stm", lines))
    assert symbols_by_utterance(read) == {"u1": ["a", "b"], "u2": ["a", "<", "c"], "u3": [], "u4": []}
    assert read.speakers == ("anna", "ben", "ben", "ben")


def test_segments_of_one_recording_are_utterances_of_their_own(tmp_path: Path) -> None:
    lines = "talk 1 anna 12.345 15 a b\ntalk 1 ben 15 16.5 c\nalone 1 cleo 0 1 d\n"
    read = load_transcript(write(tmp_path / "gold.stm", lines))
    assert symbols_by_utterance(read) == {
        "talk-0001234-0001500": ["a", "b"],
        "talk-0001500-0001650": ["c"],
        "alone": ["d"],
    }
    assert read.speakers == ("anna", "ben", "cleo")


def test_the_order_of_a_ctm_is_that_of_its_lines(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "out.ctm", "u1 1 0.5 0.1 b\nu1 1 0.1 0.1 a\n"))
    assert symbols_by_utterance(read) == {"u1": ["b", "a"]}
    assert read.start is not None
    assert read.start.tolist() == [0.5, 0.1]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("u1 1 anna 0\n", ":1: an STM line is:"),
        ("u1 1 anna 0 one a\n", ":1: not numbers: 0 one"),
        ("u1 1 x 0 1 a\nu1 2 y 0 1 b\n", ":2: utterance 'u1-0000000-0000100' occurs again (first at line 1)"),
        ("u1 1 x 0 1 IGNORE_TIME_SEGMENT_IN_SCORING\n", ":1: a segment that is left out of scoring"),
        ("u1 1 x 0 1 { a / b } c\n", ":1: alternatives in braces are not read"),
        ("", ": holds no utterance"),
    ],
)
def test_what_is_wrong_with_an_stm(tmp_path: Path, lines: str, complaint: str) -> None:
    path = write(tmp_path / "gold.stm", lines)
    assert refusal(path).startswith(str(path) + complaint)


def test_trn_with_brackets_among_the_phones(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "gold.trn", "a (x) b (anna-1)\n(ben_2)\nc(u3)  \r\n"))
    assert symbols_by_utterance(read) == {"anna-1": ["a", "(x)", "b"], "ben_2": [], "u3": ["c"]}


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("a b (u1)\na b u2\n", ":2: a TRN line ends with the utterance id in brackets"),
        ("a (u1)\nb (u2)\nc (u1)\n", ":3: utterance 'u1' occurs again (first at line 1)"),
        ("\n\n", ": holds no utterance"),
    ],
)
def test_what_is_wrong_with_a_trn(tmp_path: Path, lines: str, complaint: str) -> None:
    path = write(tmp_path / "gold.trn", lines)
    assert refusal(path).startswith(str(path) + complaint)


@pytest.mark.parametrize(
    ("name", "lines"),
    [("a.ctm", "u1 1 0 1 a\n"), ("a.stm", "u1 1 x 0 1 a\n"), ("a.trn", "a (u)\n"), ("a.phn", "0 1 a\n")],
)
def test_formats_without_columns_refuse_names_for_them(tmp_path: Path, name: str, lines: str) -> None:
    path = write(tmp_path / name, lines)
    with pytest.raises(ConfigurationError, match="`columns` is for the formats tsv, csv, jsonl, json, parquet, "):
        load_transcript(path, columns={"utterance": "id"})
    with pytest.raises(ConfigurationError, match="`tier` is for the formats textgrid, eaf, cha; "):
        load_transcript(path, tier="phones")
