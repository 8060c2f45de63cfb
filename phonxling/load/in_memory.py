"""Speakers of utterances, given in Python.

Transcripts of data in Python, read by the same rules as files: lists, mappings, tables of pandas, records.

Items are counted from 0. In tables of pandas a missing cell is an empty one, as in TSV; in records it is null, as in
JSONL. What has a method `tolist` (arrays, tensors) is a list.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.load.building import Line, TranscriptBuilder, wrong_kind
from phonxling.load.field_names import ROLES, columns_of, listed, sides
from phonxling.load.records import RecordReader
from phonxling.load.tables import without_lists
from phonxling.load.text import is_number

# What callers give as lists and texts of Python's own: columns of pandas, arrays, missing values.

Data: TypeAlias = Transcript | Mapping[Any, Any] | Iterable[Any]  # of which pandas' tables and columns are some
NUMBERS = ("start", "end", "confidence")


def is_pandas(data: object, kind: str) -> bool:
    """Return whether data are of a type of pandas; without an import, which takes a third of a second."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, kind))


def items_of(side: str, data: Any) -> Sequence[Any] | Iterator[Any]:  # noqa: ANN401 - anything can be given
    """Return the items of what is not a mapping, as they are if they are a list; DataError when there are none."""
    for method in ("to_dicts", "to_pylist"):  # tables of polars and of pyarrow
        data = getattr(data, method, lambda data=data: data)()
    if isinstance(data, str | bytes | set | frozenset) or not hasattr(data, "__iter__"):
        known = "lists of phones, texts of spaced phones, a mapping by id, a DataFrame, or records"
        raise DataError(f"{side}: a path is needed, or phones in memory ({known}), not {type(data).__name__}")
    return data if isinstance(data, list | tuple) else iter(data)


def as_texts(
    where: Callable[[Line], str], values: Iterable[Any], what: str, lines: Sequence[Line] | None = None
) -> list[str]:
    """Return ids or speakers as texts: whole numbers are written out, anything else is refused."""
    listed = list(values)
    if set(map(type, listed)) <= {str}:
        return listed
    plain = [as_python(value) for value in listed]
    for line, value in zip(plain if lines is None else lines, plain, strict=True):
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise wrong_kind(where(line), f"the {what}", value, "a text or a whole number")
    return list(map(str, plain))


def row_labels(data: Any) -> list[Any] | None:  # noqa: ANN401 - pandas' Series and DataFrame
    """Return the labels of the rows; None when they are the mere count of the rows."""
    index = data.index
    counted = index.name is None and type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
    return None if counted else list(index.tolist())


def columns_of_frame(side: str, frame: Any, titles: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401
    """Return the columns of a DataFrame by name, and its index where that has the name of the ids."""
    names = list(map(str, frame.columns))
    if len(set(names)) < len(names):
        raise DataError(f"{side}: a column name occurs twice: {shown(', '.join(names), 400)}")
    table = {str(name): frame[name] for name in frame.columns}
    named = frame.index.name in {titles["utterance"], "id"}
    return {str(frame.index.name): frame.index, **table} if named else table


def columns_of_mapping(side: str, data: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """Return a mapping's columns by name; DataError when they differ in length."""
    table = {str(name): list(values) for name, values in data.items()}
    if len(set(map(len, table.values()))) > 1:
        sizes = ", ".join(f"{name} {len(values)}" for name, values in table.items())
        raise DataError(f"{side}: the columns differ in length: {shown(sizes, 400)}")
    return table


def cells_of(column: Any, name: str) -> list[Any]:  # noqa: ANN401 - a Series or a list
    """Return the cells of a column: what is missing is empty, and a number as text is a number, as in a TSV."""
    listed = list(column)
    plain = listed if set(map(type, listed)) <= {str, list} else list(map(as_python, listed))
    if name in NUMBERS:
        return [float(value) if isinstance(value, str) and is_number(value) else value for value in plain]
    return ["" if value is None else value for value in plain]


def as_python(value: Any) -> Any:  # noqa: ANN401
    """Return a value as Python's own: arrays as lists, missing ones as None."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value)  # of NumPy's texts, Python's
    if isinstance(value, Mapping):
        return {name: as_python(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_python(each) for each in value] if value and isinstance(value[0], Mapping) else value
    plain = value.tolist() if hasattr(value, "tolist") else value
    missing = (isinstance(plain, float) and plain != plain) or type(plain).__name__ in {"NAType", "NaTType"}
    return None if missing else plain


def read_speakers(data: Data, utterances: int) -> dict[str, str]:
    """Return the speaker of each utterance."""
    ids, names = _owners(data)
    if ids is None and len(names) != utterances:
        msg = f"speakers: a list of {len(names)} for {utterances} utterances"
        raise DataError(f"{msg}; give one each, in their order, or a mapping {{id: speaker}}")
    where = TranscriptBuilder("speakers", "utterance").where
    ids = as_texts(where, list(range(utterances)) if ids is None else ids, "utterance id")
    speaker_of: dict[str, str] = {}
    for utterance, speaker in zip(ids, as_texts(where, names, "speaker", ids), strict=True):
        if speaker_of.setdefault(utterance, speaker) != speaker:
            raise DataError(f"{where(utterance)}: has a second speaker")
    return speaker_of


def _owners(data: Any) -> tuple[list[Any] | None, list[Any]]:  # noqa: ANN401
    """Return ids (None where data have none) and speakers."""
    if isinstance(data, Mapping):
        return list(data), list(data.values())
    if is_pandas(data, "Series"):
        return row_labels(data), list(data)
    if not is_pandas(data, "DataFrame"):
        return None, list(items_of("speakers", data))
    table = columns_of_frame("speakers", data, {name: name for name in ROLES})
    if missing := [name for name in ("utterance", "speaker") if name not in table]:
        raise DataError(f"speakers: no column {', '.join(missing)}; the table has: {listed(table)}")
    return list(table["utterance"]), list(table["speaker"])


# Transcripts of data in Python, read by the same rules as files: lists, mappings, tables of pandas, records.

_Titles = Mapping[str, str]
_Cells = Mapping[str, list[Any]]
_AT_ONCE = 4096  # utterances, or intervals
_NEEDED = "a text or a list; an utterance without phones is an empty one"


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller gave."""

    content: Transcript | PhoneSequences
    numbered: bool = False
    letters: tuple[str, ...] = ()


def read_data(data: Data, side: str, columns: Mapping[str, str]) -> Given:
    """Return the symbols of data in memory; `side` names it in messages, `columns` renames columns and fields."""
    if isinstance(data, Transcript):
        return Given(replace(data, source=data.source or side))
    given = _read(data, side, columns)
    if isinstance(given.content, Transcript):
        without_lists(given.content)
    return given


def _read(data: Data, side: str, columns: Mapping[str, str]) -> Given:
    titles = {name: columns.get(name, name) for name in ROLES}
    if is_pandas(data, "Series"):
        return _read_pairs(side, columns, row_labels(data), cells_of(data, "phones"), item="row")
    if is_pandas(data, "DataFrame"):
        return _read_table(side, columns, columns_of_frame(side, data, titles), row_labels(data))
    if isinstance(data, Mapping) and _is_table(data, columns, titles):
        return _read_table(side, columns, columns_of_mapping(side, data), None)
    if isinstance(data, Mapping):
        return _read_pairs(side, columns, list(data), data.values(), item="utterance")
    return _read_items(side, columns, items_of(side, data))


def _read_items(side: str, columns: Mapping[str, str], items: Sequence[Any] | Iterator[Any]) -> Given:
    first = list(islice(items, 1))
    items = chain(first, items) if isinstance(items, Iterator) else items
    if not first or not isinstance(first[0], Mapping):
        return _read_pairs(side, columns, None, items, item="item")
    reader = RecordReader(TranscriptBuilder(side, "item"), columns, _remedy)
    ids = {reader.titles["utterance"], "id"}
    numbered = "utterance" not in columns and not ids & first[0].keys() and reader.titles["phone"] not in first[0]
    wanted = {*reader.titles.values(), "id"}
    for number, row in enumerate(items):
        if not isinstance(row, Mapping):
            raise wrong_kind(reader.builder.where(number), "this", row, "a record (a mapping), as item 0 is one")
        if numbered and ids & row.keys():
            raise DataError(f"{reader.builder.where(number)}: has an id, but item 0 has none; give all or none")
        if numbered and reader.titles["phones"] not in row:
            msg = f"{reader.builder.where(number)}: no field {reader.titles['phones']}; the row has: {listed(row)}"
            raise DataError(f"{msg}. {_remedy(list(row))}")
        known = {name: as_python(row[name]) if name in wanted else None for name in row}
        reader.add(number, {**known, reader.titles["utterance"]: str(number)} if numbered else known)
    return Given(reader.builder.finish(), numbered)


def _read_pairs(
    side: str, columns: Mapping[str, str], ids: Sequence[Any] | None, values: Iterable[Any], *, item: str
) -> Given:
    """Return utterances of these phones, whole or as intervals; without ids, positions are the ids."""
    reader = RecordReader(TranscriptBuilder(side, item), columns, _remedy)

    def place(number: int) -> Line:
        return repr(ids[number]) if ids is not None and item == "utterance" else number

    def names_of(numbers: range) -> list[str]:
        if ids is None:
            return list(map(str, numbers))
        chosen = ids[numbers.start : numbers.stop]
        return as_texts(reader.builder.where, chosen, "utterance id", list(map(place, numbers)))

    remaining, texts, number = iter(values), ids is None, 0
    while batch := list(islice(remaining, _AT_ONCE)):
        numbers = range(number, number := number + len(batch))
        texts = texts and all(isinstance(value, str) for value in batch)
        _add(reader, names_of(numbers), batch, list(map(place, numbers)), [""] * len(batch))
    transcript = reader.builder.finish()
    return Given(transcript, ids is None, _letters(transcript, texts=texts))


def _letters(transcript: Transcript, *, texts: bool) -> tuple[str, ...]:
    """Return the first symbols of several texts when none has more than one phone."""
    alone = texts and len(transcript) > 1 and transcript.lengths.max() == 1
    return transcript.symbols[:3] if alone else ()


def _add(reader: RecordReader, ids: list[str], values: list[Any], lines: Sequence[Line], speakers: list[str]) -> None:
    """Add utterances whose phones are texts, lists, or intervals."""
    phones = values
    if not set(map(type, values)) <= {list, tuple}:
        phones = [_phones(reader, line, value) for line, value in zip(lines, values, strict=True)]
    heads = {type(row) if isinstance(row, Mapping) else type(row[0]) for row in phones if row}
    if not any(issubclass(kind, Mapping) for kind in heads):
        reader.builder.add_utterances(ids, phones, lines, speakers=speakers)
        return
    for name, row, line, speaker in zip(ids, phones, lines, speakers, strict=True):
        titled = {"utterance": name, "phones": as_python(row), "speaker": speaker}
        reader.add(line, {reader.titles[key]: value for key, value in titled.items()})


def _phones(reader: RecordReader, line: Line, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return value.split()
    plain = value if isinstance(value, list | tuple | Mapping) else as_python(value)
    if isinstance(plain, str):
        return plain.split()
    if not isinstance(plain, list | tuple | Mapping):
        raise wrong_kind(reader.builder.where(line), "phones", plain, _NEEDED)
    return plain


def _read_table(side: str, columns: Mapping[str, str], table: Mapping[str, Any], index: list[Any] | None) -> Given:
    """Return the transcript of columns by name; `index` names the rows where no column does."""
    reader = RecordReader(TranscriptBuilder(side, "row"), columns, _remedy)
    titles = {name: title for name, title in reader.titles.items() if title in table}
    if "utterance" not in {*titles, *columns} and "id" in table:
        titles["utterance"] = "id"
    if "times" not in columns:
        titles.pop("times", None)
    whole = "phone" not in titles
    missing = [title for name, title in columns.items() if name not in titles]
    needed = ("phones",) if whole else ("utterance", "start", "end")
    missing += [reader.titles[name] for name in needed if name not in {*titles, *columns}]
    if missing:
        raise DataError(
            f"{side}: no column {', '.join(missing)}; the table has: {listed(table)}. {_remedy(list(table))}"
        )
    cells = {name: cells_of(table[title], name) for name, title in titles.items()}
    numbered = "utterance" not in cells and index is None
    size = len(next(iter(cells.values())))
    if whole and not {"speaker", "start", "times"} & set(cells):
        return _read_pairs(side, columns, cells.get("utterance", index), cells["phones"], item="row")
    cells.setdefault("utterance", list(map(str, range(size))) if index is None else index)
    timed = whole and ("times" in cells or any(isinstance(value, list) for value in cells.get("start", ())))
    add = _add_rows if timed else _add_whole if whole else _add_intervals
    for begin in range(0, size, _AT_ONCE):
        batch = {name: values[begin : begin + _AT_ONCE] for name, values in cells.items()}
        lines = range(begin, begin + len(batch["utterance"]))
        batch["utterance"] = as_texts(reader.builder.where, batch["utterance"], "utterance id", lines)
        batch["speaker"] = as_texts(reader.builder.where, batch.get("speaker", [""] * len(lines)), "speaker", lines)
        add(reader, batch, lines)
    return Given(reader.builder.finish(), numbered)


def _add_whole(reader: RecordReader, cells: _Cells, lines: Sequence[int]) -> None:
    _add(reader, cells["utterance"], cells["phones"], lines, cells["speaker"])


def _add_intervals(reader: RecordReader, cells: _Cells, lines: Sequence[int]) -> None:
    """Add intervals at once where nothing is new or odd, else one by one."""
    try:
        start, end, *scores = (np.array(cells[name], float) for name in NUMBERS if name in cells)
        symbols = [phone.strip() for phone in cells["phone"]]
    except (TypeError, ValueError, AttributeError):
        _add_rows(reader, cells, lines)
        return
    score = scores[0] if scores else None
    fine = score is None or bool(((score >= 0) & (score <= 1)).all())
    add: Callable[..., bool] = reader.builder.add_intervals
    owners, speakers = cells["utterance"], cells["speaker"]
    if not (fine and add(owners, symbols, lines, (start, end), confidence=score, speakers=speakers)):
        _add_rows(reader, cells, lines)


def _add_rows(reader: RecordReader, cells: _Cells, lines: Sequence[int]) -> None:
    titles = [reader.titles[name] for name in cells]
    for line, row in zip(lines, zip(*cells.values(), strict=True), strict=True):
        reader.add(line, dict(zip(titles, row, strict=True)))


def _remedy(names: Sequence[str]) -> str:
    """Return what to give as `columns` for a table that lacks the columns that are read."""
    if pair := sides(names):
        return f"It seems to hold both sides: give columns={pair}"
    guess = columns_of(names)
    known = {*guess, *names}
    lacks = {
        "utterance": "phone" in known and not known & {"utterance", "id"},
        "phones": not known & {"phones", "phone"},
    }
    return f"Give columns={ ({name: '…' for name, is_lacking in lacks.items() if is_lacking} | guess) }"


def _is_table(data: Mapping[Any, Any], columns: Mapping[str, str], titles: _Titles) -> bool:
    """Return whether a mapping is one of columns: it names its ids, or the caller named its phones."""
    named = titles["utterance"] in data or "id" in data or {"phones", "phone"} & set(columns)
    return bool(named) and (titles["phones"] in data or titles["phone"] in data)
