"""What a caller gives in Python: transcripts and speakers as a path, or data, read by the same rules as files."""

# Data are lists, mappings, tables of pandas, records. Items are counted from 0. In tables of pandas a missing cell is
# an empty one, as in TSV; in records it is null, as in JSONL. What has a method `tolist` (arrays, tensors) is a list.

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from phonxling.core.errors import ConfigurationError, DataError, quote
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.load.building import Line, Row, TranscriptBuilder, complete_transcript, wrong_kind
from phonxling.load.columns import ROLES, list_columns, names_fields, recognise_fields
from phonxling.load.formats import fields_of, load_transcript
from phonxling.load.resources import load_speakers, speakers_of
from phonxling.load.tables import SAMPLE, RecordReader, refuse_lists
from phonxling.load.text import is_file

Data: TypeAlias = Transcript | Mapping[Any, Any] | Iterable[Any]  # of which pandas' tables and columns are some
Source: TypeAlias = str | PathLike[str]
Speakers: TypeAlias = Source | Data
_Columns = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GivenData:
    """What a caller gave; `numbered` without ids, `letters` the first symbols of texts that are all single phones."""

    content: Transcript | PhoneSequences
    numbered: bool = False
    letters: tuple[str, ...] = ()


def read_side(
    data: Source | Data | PhoneSequences, side: str, *, form: str | None, tier: str | None, columns: _Columns
) -> GivenData:
    """Return a side's symbols, or its phones where they are given; a file is named after what the caller gave."""
    if isinstance(data, str | PathLike):
        text = os.fspath(data)
        # px.score("k a t", "k a t"): phones where a path is meant are the commonest first try.
        if len(text.split()) > 1 and not set(text) & set("/\\.*?[") and not os.path.exists(text):  # noqa: PTH110 - never raises
            msg = f"{side}: there is no file '{quote(text)}'; phones in memory are a list, one text per utterance"
            raise DataError(f'{msg}: {side}=["{quote(text)}"]')
        return GivenData(load_transcript(Path(data), form, columns or None, tier, side=side))
    unused = [name for name, value in (("format", form), ("tier", tier)) if value is not None]
    if isinstance(data, PhoneSequences | Transcript) and columns:
        unused.append("columns")
    if unused:
        raise ConfigurationError(f"{side}: {' and '.join(unused)} cannot be given for {type(data).__name__}; leave out")
    if isinstance(data, PhoneSequences):
        return GivenData(replace(data, source=data.source or side))
    return read_data(data, side, columns)


def check_sides(gold: GivenData, predicted: GivenData, *, joined: bool) -> None:
    first, second = gold.content.source, predicted.content.source
    # ["k", "a", "t"] is one utterance to most who write it, and three to these rules: nobody but the caller knows.
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


def match_speakers(speakers: Speakers, utterances: tuple[str, ...]) -> tuple[str, ...]:
    """Return the speaker of each utterance, from a path, a mapping or Series by id, a DataFrame, or a list."""
    if isinstance(speakers, str | PathLike):
        return speakers_of(utterances, load_speakers(Path(speakers)), str(speakers))
    ids, names = _split_owners(speakers)
    if ids is None and len(names) != len(utterances):
        msg = f"speakers: a list of {len(names)} for {len(utterances)} utterances"
        raise DataError(f"{msg}; give one each, in their order, or a mapping {{id: speaker}}")
    where = TranscriptBuilder("speakers", "utterance").where
    ids = _as_texts(where, list(range(len(utterances))) if ids is None else ids, "utterance id")
    speaker_of: dict[str, str] = {}
    for utterance, speaker in zip(ids, _as_texts(where, names, "speaker", ids), strict=True):
        if speaker_of.setdefault(utterance, speaker) != speaker:
            raise DataError(f"{where(utterance)}: has a second speaker")
    return speakers_of(utterances, speaker_of, "speakers")


def digest_of(content: Any) -> str:  # noqa: ANN401 - columns, posteriors, or whatever `match_speakers` takes
    """Return the sha256 of what was given, whatever its form: symbols or frames by utterance, or speakers."""
    sha256 = hashlib.sha256()
    if isinstance(content, Transcript):
        for name in ("utterances", "symbols", "offsets", "codes", "start", "end", "confidence", "speakers"):
            sha256.update(_as_bytes(getattr(content, name)))
    elif hasattr(content, "read"):
        sha256.update(_as_bytes((*content.utterances, content.frame_shift, getattr(content, "labels", None))))
        for utterance in content.utterances:
            sha256.update(_as_bytes(content.read(utterance)))
    else:
        sha256.update(_as_bytes(_split_owners(content)))
    return sha256.hexdigest()


def _as_bytes(value: Any) -> bytes:  # noqa: ANN401 - arrays, texts, numbers
    if not hasattr(value, "tobytes"):
        return repr(value).encode()
    return f"{value.dtype.str}{value.shape}".encode() + bytes(value.tobytes())


def _split_owners(data: Any) -> tuple[list[Any] | None, list[Any]]:  # noqa: ANN401
    if isinstance(data, Mapping):
        return list(data), list(data.values())
    if _is_pandas(data, "Series"):
        return _list_row_labels(data), list(data)
    if not _is_pandas(data, "DataFrame"):
        return None, _as_items("speakers", data)
    table = _split_frame("speakers", data, {name: name for name in ROLES})
    if missing := [name for name in ("utterance", "speaker") if name not in table]:
        raise DataError(f"speakers: no column {', '.join(missing)}; the table has: {list_columns(table)}")
    return list(table["utterance"]), list(table["speaker"])


# Lists, and values of Python's own, from columns of pandas, arrays, missing values.


def _is_pandas(data: object, kind: str) -> bool:
    """Return whether data are of a type of pandas; without an import, which takes a third of a second."""
    # What nobody has imported, nobody can have made.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, kind))


def _as_items(side: str, data: Any) -> list[Any]:  # noqa: ANN401 - anything can be given
    for method in ("to_dicts", "to_pylist"):  # tables of polars and of pyarrow
        data = getattr(data, method, lambda data=data: data)()
    if isinstance(data, str | bytes | set | frozenset) or not hasattr(data, "__iter__"):
        known = "lists of phones, texts of spaced phones, a mapping by id, a DataFrame, or records"
        raise DataError(f"{side}: a path is needed, or phones in memory ({known}), not {type(data).__name__}")
    return list(data)


def _as_texts(
    where: Callable[[Line], str], values: Iterable[Any], what: str, lines: Sequence[Line] | None = None
) -> list[str]:
    # Whole numbers are written out, anything else is refused.
    plain = [_as_python(value) for value in values]
    for line, value in zip(plain if lines is None else lines, plain, strict=True):
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise wrong_kind(where(line), f"the {what}", value, "a text or a whole number")
    return list(map(str, plain))


def _list_row_labels(data: Any) -> list[Any] | None:  # noqa: ANN401 - pandas' Series and DataFrame
    # None when they are the mere count of the rows.
    index = data.index
    # A RangeIndex from 0 is what pandas gives to rows without labels; after a filter its numbers are labels, as they
    # jump.
    counted = index.name is None and type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
    return None if counted else list(index.tolist())


def _split_frame(side: str, frame: Any, titles: _Columns) -> dict[str, Any]:  # noqa: ANN401
    table = {str(name): frame[name] for name in frame.columns}
    if len(table) < len(frame.columns):
        raise DataError(f"{side}: a column name occurs twice: {quote(', '.join(map(str, frame.columns)), 400)}")
    return {str(frame.index.name): frame.index, **table} if frame.index.name in {titles["utterance"], "id"} else table


def _as_python(value: Any) -> Any:  # noqa: ANN401
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value)  # of NumPy's texts, Python's
    # Of lists the first item decides: lists of phones by the million would take seconds to copy.
    if isinstance(value, list | tuple):
        records = value and not isinstance(value[0], str) and isinstance(value[0], Mapping)
        return [_as_python(each) for each in value] if records else value
    if isinstance(value, Mapping):
        return {name: _as_python(each) for name, each in value.items()}
    plain = value.tolist() if hasattr(value, "tolist") else value
    # pandas' missing values are known by their types' names, so that pandas need not be imported to know them.
    missing = (isinstance(plain, float) and plain != plain) or type(plain).__name__ in {"NAType", "NaTType"}
    return None if missing else plain


# Transcripts.


def read_data(data: Any, side: str, columns: _Columns) -> GivenData:  # noqa: ANN401
    if isinstance(data, Transcript):
        return GivenData(replace(data, source=data.source or side))
    reader = RecordReader(TranscriptBuilder(side, "row"), columns, side)
    if _is_pandas(data, "Series"):
        ids, values = _list_row_labels(data), [_fill_cell(value) for value in data]
        return _read_phones(reader, zip(range(len(values)) if ids is None else ids, values, strict=True), ids is None)
    if _is_pandas(data, "DataFrame"):
        table = _split_frame(side, data, reader.titles)
        return _read_records(reader, _make_rows(side, table), _list_row_labels(data), _fill_cell)
    if isinstance(data, Mapping):
        if columns.keys() & {"phones", "phone"} or names_fields(data):
            table = {str(name): list(values) for name, values in data.items()}
            return _read_records(reader, _make_rows(side, table), None, _fill_cell)
        reader.builder.item = "utterance"
        return _read_phones(reader, data.items(), numbered=False)
    reader.builder.item = "item"
    items = _as_items(side, data)
    first = items[0] if items else None
    if isinstance(first, PathLike) or (isinstance(first, str) and "." in first and is_file(Path(first))):
        raise DataError(f"{side}: is a list of files; give one file, a folder of them, or a glob such as data/*.tsv")
    if isinstance(first, Mapping):
        return _read_records(reader, items, None, _as_python)
    return _read_phones(reader, enumerate(items), numbered=True)


def _fill_cell(cell: Any) -> Any:  # noqa: ANN401
    plain = _as_python(cell)
    return "" if plain is None else plain


def _make_rows(side: str, table: Mapping[str, Any]) -> list[Row]:
    if len({*map(len, table.values())}) > 1:
        sizes = ", ".join(f"{name} {len(values)}" for name, values in table.items())
        raise DataError(f"{side}: the columns differ in length: {quote(sizes, 400)}")
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def _read_phones(reader: RecordReader, pairs: Iterable[tuple[Any, Any]], numbered: bool) -> GivenData:
    held = [(_as_python(name), _as_python(phones)) for name, phones in pairs]
    ids, texts, by_key = reader.titles["utterance"], reader.titles["phones"], reader.builder.item == "utterance"
    read = reader.read(
        (repr(name) if by_key else place, {ids: name, texts: phones}) for place, (name, phones) in enumerate(held)
    )
    single = numbered and len(read) > 1 == read.lengths.max() and all(isinstance(phones, str) for _, phones in held)
    return GivenData(complete_transcript(refuse_lists(read), reader.side), numbered, read.symbols[:3] if single else ())


def _read_records(
    reader: RecordReader, rows: Sequence[Any], index: Sequence[Any] | None, plain: Callable[[Any], Any]
) -> GivenData:
    """Return utterances or intervals with named fields; `index` names the rows where no field does."""
    if not rows:
        raise DataError(f"{reader.builder.source}: holds no utterance")
    fields = [*map(str, rows[0])]
    alike = (row for row in rows[:SAMPLE] if isinstance(row, Mapping) and [*row] == fields)
    try:
        titles = reader.choose(fields, [[*map(plain, row.values())] for row in alike], needs_ids=False).titles
    except DataError as error:
        raise DataError(f"{reader.builder.source}: {error}") from None
    unnamed, ids = "utterance" not in titles, titles.get("utterance", "utterance")
    wanted = {*titles.values(), *reader.titles.values(), "id"}  # all else, such as sound, is left as it is

    def records() -> Iterator[tuple[Line, Row]]:
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise wrong_kind(reader.builder.where(number), "this", row, "a record (a mapping), as item 0 is one")
            if unnamed and {ids, "id"} & row.keys():
                raise reader.builder.fault(number, "has an id, but item 0 has none; give all or none")
            known = {str(name): plain(row[name]) if name in wanted else None for name in row}
            yield number, {**known, ids: number if index is None else _as_python(index[number])} if unnamed else known

    return GivenData(complete_transcript(refuse_lists(reader.read(records())), reader.side), unnamed and index is None)


def has_both_sides(data: Any, form: str | None = None) -> bool:  # noqa: ANN401 - a path, or data of any kind
    if isinstance(data, str | PathLike):
        fields = fields_of(Path(data), form)
    elif _is_pandas(data, "DataFrame") or isinstance(data, Mapping):
        fields = [*map(str, data)]
    else:
        first = next(iter(_as_items("gold", data)), None)
        fields = [*map(str, first)] if isinstance(first, Mapping) else []
    return {"gold", "predicted"} <= recognise_fields(fields).keys()
