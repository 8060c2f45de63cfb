"""Data in memory mean what they mean in files: every shape against the route by TSV."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from support import transcript

from phonxling.core.errors import DataError
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.load.building import LoaderOptions
from phonxling.load.in_memory import read_data
from phonxling.load.tables import load_table

Rows = dict[str, list[str]]
ROWS: Rows = {"u1": ["p", "a", "t͡ʃ", "ẽ"], "u 2": [], "3": ["a", "a"]}
PHONES = st.lists(st.sampled_from(["p", "a", "t͡ʃ", "ẽ", "e\u0303", "NA", "nan", '"a', "á"]), max_size=6)
IDS = st.text("abc 019_ũ-", min_size=1, max_size=5).filter(lambda name: name == name.strip())


def through_tsv(folder: Path, rows: Rows) -> Transcript:
    """Return what the careful reader makes of a TSV of rows, which this test writes."""
    return load_table(transcript(folder / "rows.tsv", rows), LoaderOptions())


def equal(one: Transcript | PhoneSequences, other: Transcript) -> None:
    """Fail where two transcripts differ in anything but the names of places."""
    assert isinstance(one, Transcript)
    assert {*map(type, (*one.utterances, *one.symbols, *(one.speakers or ())))} <= {str}
    assert (one.utterances, one.symbols, one.speakers) == (other.utterances, other.symbols, other.speakers)
    for name in ("offsets", "codes", "start", "end", "confidence"):
        first, second = getattr(one, name), getattr(other, name)
        assert (first is None) == (second is None), name
        if first is not None:
            assert first.dtype == second.dtype, name
            assert first.tobytes() == second.tobytes(), name
            assert not first.flags.writeable


def table(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame({"utterance": list(rows), "phones": [" ".join(row) for row in rows.values()]})


class Dataset:
    """What iterates over dicts, as a data set of Hugging Face does: neither a list nor a mapping."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for name, row in self._rows.items():
            yield {"id": name, "phones": row, "audio": object()}


SHAPES: dict[str, Callable[[Rows], Any]] = {
    "a mapping of lists": lambda rows: rows,
    "a mapping of texts": lambda rows: {name: " ".join(row) for name, row in rows.items()},
    "a mapping of tuples and arrays": lambda rows: {
        name: np.array(row, dtype=str) if number % 2 else tuple(row) for number, (name, row) in enumerate(rows.items())
    },
    "records": lambda rows: [{"utterance": name, "phones": row} for name, row in rows.items()],
    "records by id, once": lambda rows: iter([{"id": name, "phones": " ".join(row)} for name, row in rows.items()]),
    "a data set": Dataset,
    "a DataFrame of texts": table,
    "a DataFrame of lists": lambda rows: pd.DataFrame({"id": list(rows), "phones": list(rows.values())}),
    "a DataFrame with an index": lambda rows: table(rows).set_index("utterance"),
    "a Series": lambda rows: table(rows).set_index("utterance")["phones"],
    "columns": lambda rows: {"utterance": list(rows), "phones": list(rows.values())},
}


@pytest.mark.parametrize("shape", SHAPES)
@given(rows=st.dictionaries(IDS, PHONES, min_size=1, max_size=5))
@settings(max_examples=8)
def test_every_shape_is_what_the_tsv_is(tmp_path_factory: pytest.TempPathFactory, shape: str, rows: Rows) -> None:
    wanted = through_tsv(tmp_path_factory.getbasetemp(), rows)
    found = read_data(SHAPES[shape](rows), "gold", {})
    equal(found.content, wanted)
    assert found.content.source == "gold"
    assert not found.numbered


UNNAMED: dict[str, Callable[[Rows], Any]] = {
    "lists": lambda rows: list(rows.values()),
    "texts": lambda rows: [" ".join(row) for row in rows.values()],
    "a Series": lambda rows: table(rows)["phones"],
    "a DataFrame": lambda rows: table(rows)[["phones"]],
    "records": lambda rows: [{"phones": row} for row in rows.values()],
}


@pytest.mark.parametrize("shape", UNNAMED)
@given(rows=st.lists(PHONES, min_size=1, max_size=5))
@settings(max_examples=8)
def test_positions_are_the_ids_of_data_without(
    tmp_path_factory: pytest.TempPathFactory, shape: str, rows: list[list[str]]
) -> None:
    named = {str(number): row for number, row in enumerate(rows)}
    found = read_data(UNNAMED[shape](named), "gold", {})
    equal(found.content, through_tsv(tmp_path_factory.getbasetemp(), named))
    assert found.numbered


TIMED = pd.DataFrame(
    {
        "utterance": ["u1", "u1", "u2", "u3"],
        "start": [0.1, 0.25, 1 / 3, np.nan],
        "end": [0.25, 0.5, 2 / 3, np.nan],
        "phone": ["a", "ẽ", "", None],
        "confidence": [0.5, 1.0, 0.1, np.nan],
        "speaker": ["x", "x", "y", "y"],
    }
)
INTERVALS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "a DataFrame": lambda rows: rows,
    "a DataFrame of anything": lambda rows: rows.astype(object),
    "a DataFrame of texts": lambda rows: rows.astype(object).map(lambda cell: cell if pd.isna(cell) else str(cell)),
    "records": lambda rows: rows.to_dict("records"),
    "records of NumPy": lambda rows: [
        {name: np.array(cell)[()] if cell is not None else cell for name, cell in row.items()}
        for row in rows.to_dict("records")
    ],
}


@pytest.mark.parametrize("shape", INTERVALS)
def test_intervals_are_what_the_tsv_is(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "intervals.tsv"
    TIMED.to_csv(path, sep="\t", index=False)
    equal(read_data(INTERVALS[shape](TIMED), "gold", {}).content, load_table(path, LoaderOptions()))


FAULTS: dict[str, tuple[Any, str]] = {
    "a number": (5, r"gold: a path is needed, or phones in memory \(lists of phones, .*, not int"),
    "a list for a phone": ([["a", ["b"]]], "gold, item 0: phone must be a text, not list"),
    "two ids alike": ({1: "a", "1": "b"}, r"gold, utterance '1': utterance '1' occurs again \(first at utterance 1\)"),
    "nothing at all": ([], "gold: holds no utterance"),
    "a table without rows": (TIMED.iloc[:0], "gold: holds no utterance"),
    "files": ([Path(__file__)], r"gold: is a list of files; give one file, a folder of them, or a glob"),
    "names of files": ([__file__] * 2, "gold: is a list of files"),
    "intervals without ids": (TIMED.drop(columns="utterance"), "gold: no column utterance; the table has: start"),
    "two of one side": (
        pd.DataFrame({"ref": ["a"], "gt": ["b"]}),
        r"gold: no column phones; the table has: ref, gt. Give columns: {phones: ref} .*, or another of ref, gt",
    ),
    "lists as texts": (
        pd.DataFrame({"phones": ["['a', 'b']"]}),
        "gold, row 0: a list of Python, not phones",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_named_with_its_place(fault: str) -> None:
    data, message = FAULTS[fault]
    with pytest.raises(DataError, match=message):
        read_data(data, "gold", {})


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, "", "  "])
def test_rows_without_an_id_are_counted(missing: object) -> None:
    table = pd.DataFrame({"id": ["u1", missing, "u2", missing], "phones": ["a", "b", "c", "d"]})
    for data, place in ((table, "row"), (table.to_dict("records"), "item")):
        with pytest.raises(DataError, match=f"gold, {place} 1: the utterance id is empty, as in 1 more {place}: 3"):
            read_data(data, "gold", {})
