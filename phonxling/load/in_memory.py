"""What a caller gives in Python: transcripts and speakers as a path, or data, read by the same rules as files.

Data are lists, mappings, tables of pandas, records. Items are counted from 0. In tables of pandas a missing cell is an
empty one, as in TSV; in records it is null, as in JSONL. What has a method `tolist` (arrays, tensors) is a list.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from phonxling.core.errors import ConfigurationError, DataError, shown
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.load.building import ROLES, Line, TranscriptBuilder, columns_of, listed, sides, wrong_kind
from phonxling.load.formats import load_transcript
from phonxling.load.resources import load_speakers, speakers_of
from phonxling.load.tables import RecordReader, Row, without_lists

Data: TypeAlias = Transcript | Mapping[Any, Any] | Iterable[Any]  # of which pandas' tables and columns are some
Source: TypeAlias = str | PathLike[str]
Speakers: TypeAlias = Source | Data
_Columns = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller gave; `numbered` without ids, `letters` the first symbols of texts that are all single phones."""

    content: Transcript | PhoneSequences
    numbered: bool = False
    letters: tuple[str, ...] = ()


def read_side(
    data: Source | Data | PhoneSequences,
    side: str,
    *,
    form: str | None,
    tier: str | None,
    columns: _Columns,
) -> Given:
    """Return a side's symbols, or its phones where they are given; a file is named after what the caller gave."""
    if isinstance(data, str | PathLike):
        text = os.fspath(data)
        missing = not os.path.exists(text)  # noqa: PTH110 - no error for long names
        if len(text.split()) > 1 and not set(text) & set("/\\.*?[") and missing:
            msg = f"{side}: there is no file '{shown(text)}'; phones in memory come in a list, a text an utterance"
            raise DataError(f'{msg}: {side}=["{shown(text)}"]')
        return Given(load_transcript(Path(data), form, columns or None, tier))
    unused = [name for name, value in (("format", form), ("tier", tier)) if value is not None]
    if isinstance(data, PhoneSequences | Transcript) and columns:
        unused.append("columns")
    if unused:
        raise ConfigurationError(f"{side}: {' and '.join(unused)} cannot be given for {type(data).__name__}; leave out")
    if isinstance(data, PhoneSequences):
        return Given(replace(data, source=data.source or side))
    return read_data(data, side, columns)


def check_sides(gold: Given, predicted: Given, *, joined: bool) -> None:
    """Raise DataError where the two sides have no ids in common because one has none, or positions do not pair them."""
    first, second = gold.content.source, predicted.content.source
    if gold.letters and predicted.letters and not joined:
        one = f'["{" ".join(gold.letters)} …"]'
        msg = f"{first} and {second}: every text is a single phone, so each would be an utterance of its own"
        raise DataError(f"{msg}. If they are one utterance, give {first}={one}; if not, lists: [[…], […]]")
    if gold.numbered != predicted.numbered:
        without, named = (first, second) if gold.numbered else (second, first)
        msg = f"{without} has no ids and {named} has; give {without} as a mapping {{id: phones}}"
        raise DataError(f"{msg}, or as a table with a column of ids")
    sizes = len(gold.content), len(predicted.content)
    if gold.numbered and sizes[0] != sizes[1]:
        msg = f"{first} has {sizes[0]} utterances and {second} has {sizes[1]}; without ids they are paired by position"
        raise DataError(f"{msg}, so give as many (an utterance without phones is an empty list), or a mapping by id")


def speakers_given(speakers: Speakers, utterances: tuple[str, ...]) -> tuple[str, ...]:
    """Return the speaker of each utterance, from a path, a mapping or Series by id, a DataFrame, or a list."""
    if isinstance(speakers, str | PathLike):
        return speakers_of(utterances, load_speakers(Path(speakers)), str(speakers))
    ids, names = _owners(speakers)
    if ids is None and len(names) != len(utterances):
        msg = f"speakers: a list of {len(names)} for {len(utterances)} utterances"
        raise DataError(f"{msg}; give one each, in their order, or a mapping {{id: speaker}}")
    where = TranscriptBuilder("speakers", "utterance").where
    ids = _texts(where, list(range(len(utterances))) if ids is None else ids, "utterance id")
    speaker_of: dict[str, str] = {}
    for utterance, speaker in zip(ids, _texts(where, names, "speaker", ids), strict=True):
        if speaker_of.setdefault(utterance, speaker) != speaker:
            raise DataError(f"{where(utterance)}: has a second speaker")
    return speakers_of(utterances, speaker_of, "speakers")


def digest_of(content: Any) -> str:  # noqa: ANN401 - columns, posteriors, or whatever `speakers_given` takes
    """Return the sha256 of what was given, whatever its form: symbols or frames by utterance, or speakers."""
    sha256 = hashlib.sha256()
    if isinstance(content, Transcript):
        for name in ("utterances", "symbols", "offsets", "codes", "start", "end", "confidence", "speakers"):
            sha256.update(_bytes_of(getattr(content, name)))
    elif hasattr(content, "read"):
        sha256.update(_bytes_of((*content.utterances, content.frame_shift, getattr(content, "labels", None))))
        for utterance in content.utterances:
            sha256.update(_bytes_of(content.read(utterance)))
    else:
        sha256.update(_bytes_of(_owners(content)))
    return sha256.hexdigest()


def _bytes_of(value: Any) -> bytes:  # noqa: ANN401 - arrays, texts, numbers
    if not hasattr(value, "tobytes"):
        return repr(value).encode()
    return f"{value.dtype.str}{value.shape}".encode() + bytes(value.tobytes())


def _owners(data: Any) -> tuple[list[Any] | None, list[Any]]:  # noqa: ANN401
    """Return ids (None where data have none) and speakers."""
    if isinstance(data, Mapping):
        return list(data), list(data.values())
    if _is_pandas(data, "Series"):
        return _row_labels(data), list(data)
    if not _is_pandas(data, "DataFrame"):
        return None, _items_of("speakers", data)
    table = _columns_of_frame("speakers", data, {name: name for name in ROLES})
    if missing := [name for name in ("utterance", "speaker") if name not in table]:
        raise DataError(f"speakers: no column {', '.join(missing)}; the table has: {listed(table)}")
    return list(table["utterance"]), list(table["speaker"])


# Lists, and values of Python's own, from columns of pandas, arrays, missing values.


def _is_pandas(data: object, kind: str) -> bool:
    """Return whether data are of a type of pandas; without an import, which takes a third of a second."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, kind))


def _items_of(side: str, data: Any) -> list[Any]:  # noqa: ANN401 - anything can be given
    """Return the items of what is not a mapping; DataError when there are none."""
    for method in ("to_dicts", "to_pylist"):  # tables of polars and of pyarrow
        data = getattr(data, method, lambda data=data: data)()
    if isinstance(data, str | bytes | set | frozenset) or not hasattr(data, "__iter__"):
        known = "lists of phones, texts of spaced phones, a mapping by id, a DataFrame, or records"
        raise DataError(f"{side}: a path is needed, or phones in memory ({known}), not {type(data).__name__}")
    return list(data)


def _texts(
    where: Callable[[Line], str], values: Iterable[Any], what: str, lines: Sequence[Line] | None = None
) -> list[str]:
    """Return ids or speakers as texts: whole numbers are written out, anything else is refused."""
    plain = [_as_python(value) for value in values]
    for line, value in zip(plain if lines is None else lines, plain, strict=True):
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise wrong_kind(where(line), f"the {what}", value, "a text or a whole number")
    return list(map(str, plain))


def _row_labels(data: Any) -> list[Any] | None:  # noqa: ANN401 - pandas' Series and DataFrame
    """Return the labels of the rows; None when they are the mere count of the rows."""
    index = data.index
    counted = index.name is None and type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
    return None if counted else list(index.tolist())


def _columns_of_frame(side: str, frame: Any, titles: _Columns) -> dict[str, Any]:  # noqa: ANN401
    table = {str(name): frame[name] for name in frame.columns}
    if len(table) < len(frame.columns):
        raise DataError(f"{side}: a column name occurs twice: {shown(', '.join(map(str, frame.columns)), 400)}")
    named = frame.index.name in {titles["utterance"], "id"}
    return {str(frame.index.name): frame.index, **table} if named else table


def _as_python(value: Any) -> Any:  # noqa: ANN401
    """Return a value as Python's own: arrays as lists, missing ones as None."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value)  # of NumPy's texts, Python's
    if isinstance(value, Mapping):
        return {name: _as_python(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_python(each) for each in value] if value and isinstance(value[0], Mapping) else value
    plain = value.tolist() if hasattr(value, "tolist") else value
    missing = (isinstance(plain, float) and plain != plain) or type(plain).__name__ in {"NAType", "NaTType"}
    return None if missing else plain


# Transcripts.


def read_data(data: Data, side: str, columns: _Columns) -> Given:
    """Return the symbols of data in memory; `side` names it in messages, `columns` renames columns and fields."""
    if isinstance(data, Transcript):
        return Given(replace(data, source=data.source or side))
    given = _read(data, side, columns)
    if isinstance(given.content, Transcript):
        without_lists(given.content)
    return given


def _read(data: Data, side: str, columns: _Columns) -> Given:
    titles = {name: columns.get(name, name) for name in ROLES}
    phones = titles["phones"]
    if _is_pandas(data, "Series"):
        return _read_table(_reader(side, columns, "row"), {phones: data}, columns, _row_labels(data))
    if _is_pandas(data, "DataFrame"):
        table = _columns_of_frame(side, data, titles)
        return _read_table(_reader(side, columns, "row"), table, columns, _row_labels(data))
    if not isinstance(data, Mapping):
        return _read_items(_reader(side, columns, "item"), columns, _items_of(side, data))
    of_ids = titles["utterance"] in data or "id" in data or {"phones", "phone"} & set(columns)
    if not of_ids or not {phones, titles["phone"]} & data.keys():
        by_id = zip(data, data.values(), strict=True)
        return _read_rows(_reader(side, columns, "utterance"), ((repr(name), name, row) for name, row in by_id))
    table = {str(name): list(values) for name, values in data.items()}
    if len(set(map(len, table.values()))) > 1:
        sizes = ", ".join(f"{name} {len(values)}" for name, values in table.items())
        raise DataError(f"{side}: the columns differ in length: {shown(sizes, 400)}")
    return _read_table(_reader(side, columns, "row"), table, columns, None)


def _reader(side: str, columns: _Columns, item: str) -> RecordReader:
    return RecordReader(TranscriptBuilder(side, item), columns, _remedy)


def _read_rows(reader: RecordReader, rows: Iterable[tuple[Line, Any, Any]], *, numbered: bool = False) -> Given:
    """Return utterances (place, id, phones), which are texts, lists, or intervals."""
    held = [(line, _as_python(name), _as_python(value)) for line, name, value in rows]
    names = reader.titles["utterance"], reader.titles["phones"]
    transcript = reader.read((line, dict(zip(names, row, strict=True))) for line, *row in held)
    letters = numbered and len(transcript) > 1 == transcript.lengths.max()
    letters = letters and all(isinstance(value, str) for *_, value in held)
    return Given(transcript, numbered, transcript.symbols[:3] if letters else ())


def _read_items(reader: RecordReader, columns: _Columns, items: list[Any]) -> Given:
    if not items or not isinstance(items[0], Mapping):
        return _read_rows(reader, ((number, number, row) for number, row in enumerate(items)), numbered=True)
    ids, fault, titles = {reader.titles["utterance"], "id"}, reader.builder.fault, reader.titles
    numbered = "utterance" not in columns and not ids & items[0].keys() and titles["phone"] not in items[0]
    wanted = {*titles.values(), "id"}

    def records() -> Iterator[tuple[Line, Row]]:
        for number, row in enumerate(items):
            if not isinstance(row, Mapping):
                raise wrong_kind(reader.builder.where(number), "this", row, "a record (a mapping), as item 0 is one")
            if numbered and ids & row.keys():
                raise fault(number, "has an id, but item 0 has none; give all or none")
            if numbered and titles["phones"] not in row:
                lacking = f"no field {titles['phones']}; the row has: {listed(row)}"
                raise fault(number, f"{lacking}. {_remedy(list(row))}")
            known = {name: _as_python(row[name]) if name in wanted else None for name in row}
            yield number, {**known, titles["utterance"]: number} if numbered else known

    return Given(reader.read(records()), numbered)


def _read_table(reader: RecordReader, table: Mapping[str, Any], columns: _Columns, index: list[Any] | None) -> Given:
    """Return the transcript of columns by name; `index` names the rows where no column does."""
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
        has = f"the table has: {listed(table)}. {_remedy(list(table))}"
        raise DataError(f"{reader.builder.source}: no column {', '.join(missing)}; {has}")
    cells = {
        name: ["" if (cell := _as_python(value)) is None else cell for value in table[title]]
        for name, title in titles.items()
    }
    if whole and not any(isinstance(value, list) for value in cells.get("start", ())):  # the utterances' own times
        cells = {name: values for name, values in cells.items() if name not in {"start", "end", "confidence"}}
    size = len(next(iter(cells.values())))
    ids = cells.pop("utterance", None) or (list(range(size)) if index is None else index)
    numbered = "utterance" not in titles and index is None
    if [*cells] == ["phones"]:
        rows = zip(range(size), ids, cells["phones"], strict=True)
        return _read_rows(reader, rows, numbered=numbered)
    cells["utterance"] = list(map(_as_python, ids))
    names = [reader.titles[name] for name in cells]
    values = zip(*cells.values(), strict=True)
    rows_of = ((line, dict(zip(names, row, strict=True))) for line, row in enumerate(values))
    return Given(reader.read(rows_of), numbered)


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
