"""Phones stand in the order of their times, in every format; times that cannot be are noted or refused."""

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq
from support import refusal, symbols_by_utterance, write

from phonxling.load.formats import load_transcript
from phonxling.load.in_memory import read_data

SORTED = "rows of utterance u were not in the order of their times, and were sorted"
ROWS = [("u", 0.5, 1.0, "b"), ("u", 0.0, 0.5, "a"), ("u", 0.5, 0.5, "c")]
HEADER = ("utterance", "start", "end", "phone")
TEXTS = {
    "u.tsv": "\n".join("\t".join(map(str, row)) for row in (HEADER, *ROWS)),
    "u.csv": "\n".join(",".join(map(str, row)) for row in (HEADER, *ROWS)),
    "u.jsonl": "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS),
    "u.ctm": "u 1 0.5 0.5 b\nu 1 0 0.5 a\nu 1 0.5 0 c\n",
    "u.phn": "8000 16000 b\n0 8000 a\n8000 8000 c\n",
    "u.lab": "5000000 10000000 b\n0 5000000 a\n5000000 5000000 c\n",
    "u.TextGrid": '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "p" 0 1 3 .5 1 "b" 0 .5 "a" .5 .5 "c"',
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_format_is_sorted_by_starts_and_equal_ones_stay(tmp_path: Path, name: str) -> None:
    read = load_transcript(write(tmp_path / name, TEXTS[name]))
    assert symbols_by_utterance(read) == {"u": ["a", "b", "c"]}
    assert (read.start.tolist(), read.end.tolist()) == ([0, 0.5, 0.5], [0.5, 1, 0.5])
    assert read.notes == (SORTED,)


def test_tables_in_memory_and_parquet_too(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS, columns=[*HEADER]).assign(confidence=[0.1, 0.2, 0.3])
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "u.parquet")
    for read in (read_data(frame, "gold", {}).content, load_transcript(tmp_path / "u.parquet")):
        assert symbols_by_utterance(read) == {"u": ["a", "b", "c"]}
        assert read.confidence.tolist() == [0.2, 0.1, 0.3]
        assert read.notes == (SORTED,)


def intervals(spans: list[tuple[float, float]]) -> str:
    rows = [f"u,{start!r},{end!r},{phone}\n" for (start, end), phone in zip(spans, "abcdef", strict=False)]
    return "utterance,start,end,phone\n" + "".join(rows)


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 0), (0, 0), (0, 0)],  # one time for all
        [(0, 90), (1, 2), (2, 3), (3, 4)],
        [(0, 1), (1, 2), (2, 3), (3, 90), (4, 5)],
        [(n / 10, n / 10 + 3) for n in range(6)],
    ],
)
def test_times_that_overlap_heavily_are_noted(tmp_path: Path, spans: list[tuple[float, float]]) -> None:
    read = load_transcript(write(tmp_path / "x.csv", intervals(spans)))
    assert len(read.notes) == 1
    assert "overlap in time: do not rely on what is measured by times" in read.notes[0]


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 0.1), (0.1, 0.1), (0.1, 0.1), (0.1, 0.2)],  # phones that last no time
        [(0, 0.03), (0.02, 0.05), (0.04, 0.07)],  # rounded
        [(0, 400), (400, 401), (401, 402)],  # silence may last long
    ],
)
def test_small_overlaps_are_not(tmp_path: Path, spans: list[tuple[float, float]]) -> None:
    assert load_transcript(write(tmp_path / "x.csv", intervals(spans))).notes == ()


@pytest.mark.parametrize("end", [1e6, 1e308])
def test_an_interval_longer_than_a_day_is_refused(tmp_path: Path, end: float) -> None:
    path = write(tmp_path / "x.csv", intervals([(0, 1), (1, end), (2, 3)]))
    complaint = f": utterance 'u' has an interval of {end - 1:,g} s, longer than a day; times are in seconds"
    assert refusal(load_transcript, path) == complaint
