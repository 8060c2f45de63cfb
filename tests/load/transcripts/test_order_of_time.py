"""Phones stand in the order of their times, in every format; times that cannot be are noted or refused."""

from pathlib import Path

import pandas as pd
import pytest
from made_tables import KINDS, save_rows
from support import refusal, symbols_by_utterance, write

from phonxling.load.formats import load_transcript
from phonxling.load.in_memory import read_data

SORTED = "rows of utterance u were not in the order of their times, and were sorted"
HEADER = ("utterance", "start", "end", "phone")
ROWS = [
    dict(zip(HEADER, row, strict=True)) for row in (("u", 0.5, 1.0, "b"), ("u", 0.0, 0.5, "a"), ("u", 0.5, 0.5, "c"))
]
TEXTS = {
    **{f"u.{kind}": "" for kind in KINDS},
    "u.phn": "8000 16000 b\n0 8000 a\n8000 8000 c\n",
    "u.lab": "5000000 10000000 b\n0 5000000 a\n5000000 5000000 c\n",
    "u.TextGrid": '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "p" 0 1 3 .5 1 "b" 0 .5 "a" .5 .5 "c"',
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_format_is_sorted_by_starts_and_equal_ones_stay(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    read = load_transcript(write(path, TEXTS[name]) if TEXTS[name] else save_rows(path, ROWS))
    assert symbols_by_utterance(read) == {"u": ["a", "b", "c"]}
    assert (read.start.tolist(), read.end.tolist()) == ([0, 0.5, 0.5], [0.5, 1, 0.5])
    assert read.notes == (SORTED,)


def test_confidences_move_with_their_phones() -> None:
    read = read_data(pd.DataFrame(ROWS).assign(confidence=[0.1, 0.2, 0.3]), "gold", {}).content
    assert symbols_by_utterance(read) == {"u": ["a", "b", "c"]}
    assert read.confidence.tolist() == [0.2, 0.1, 0.3]


def intervals(spans: list[tuple[float, float]]) -> str:
    rows = [f"u,{start!r},{end!r},{phone}\n" for (start, end), phone in zip(spans, "abcdef", strict=False)]
    return "utterance,start,end,phone\n" + "".join(rows)


OVERLAPS = [
    ([(0, 0), (0, 0), (0, 0)], True),  # one time for all
    ([(0, 90), (1, 2), (2, 3), (3, 4)], True),
    ([(n / 10, n / 10 + 3) for n in range(6)], True),
    ([(0, 0.1), (0.1, 0.1), (0.1, 0.1), (0.1, 0.2)], False),  # phones that last no time
    ([(0, 0.03), (0.02, 0.05), (0.04, 0.07)], False),  # rounded
    ([(0, 400), (400, 401), (401, 402)], False),  # silence may last long
]


@pytest.mark.parametrize(("spans", "noted"), OVERLAPS)
def test_times_that_overlap_heavily_are_noted(tmp_path: Path, spans: list[tuple[float, float]], noted: bool) -> None:
    notes = load_transcript(write(tmp_path / "x.csv", intervals(spans))).notes
    assert ["overlap in time: do not rely on what is measured by times" in note for note in notes] == [True] * noted


def test_an_interval_longer_than_a_day_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", intervals([(0, 1), (1, 1e6), (2, 3)]))
    complaint = ": utterance 'u' has an interval of 999,999 s, longer than a day; times are in seconds"
    assert refusal(load_transcript, path) == complaint
