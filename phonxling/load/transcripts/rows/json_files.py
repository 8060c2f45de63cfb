"""JSON and JSON lines: records of utterances, one a line, in an array, or by their ids.

PRiSM's inference writes {key: {"pred": [{field: text}], "passthrough": {field: value}}}: both are fields of one record,
and the id is the passthrough's `utt_id`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.field_names import ROLES, sides
from phonxling.load.reading import Reading
from phonxling.load.text import lines_of, read_text
from phonxling.load.transcripts.records import Row, load_records

_WORDS = "write its phones as a TSV (utterance, start, end, phone); words and letters are no phones"
_FOREIGN = {
    "chunks": f"timestamps of words or letters, from a pipeline of Hugging Face: {_WORDS}",
    "segments": f"timestamps of words, from Whisper or WhisperX: {_WORDS}",
    "tiers": "the tiers of a TextGrid as JSON: export it as .TextGrid",
}


def load_jsonl(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a JSONL file; one object a line.

    Raises
    ------
    DataError
        If a line is no JSON object, or names a key twice; and as for `load_records`.
    """
    return load_records(str(path), jsonl_rows(path), reading.columns)


def load_json(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a JSON file: an array of records, or a mapping from ids to records, texts or lists.

    Raises
    ------
    DataError
        If it is no JSON, or of another shape; and as for `load_records`, records numbered from 1.
    """
    return load_records(str(path), json_rows(path), reading.columns)


def jsonl_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the records of a JSONL file with the numbers of their lines."""
    return _rows_of_lines(path, read_text(path))


def json_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the records of a JSON file with their numbers; of lines that are objects, those of JSONL."""
    text = read_text(path)
    try:
        value = json.loads(text, object_pairs_hook=_without_doubles)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise DataError(f"{path}:{error.lineno}: no JSON: {shown(error.msg)}") from error
        yield from _rows_of_lines(path, text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: no JSON: {shown(str(error))}") from error
    else:
        yield from enumerate(_records(path, value), start=1)


def _rows_of_lines(path: Path, text: str) -> Iterator[tuple[int, Row]]:
    for line, one in lines_of(path, text):
        try:
            row = json.loads(one, object_pairs_hook=_without_doubles)
        except (ValueError, RecursionError) as error:
            hint = "; a file of one array is format: json (--format json)" if one.lstrip()[:1] == "[" else ""
            raise DataError(f"{path}:{line}: no JSON object: {shown(str(error))}{hint}") from error
        if not isinstance(row, dict):
            msg = f"{path}:{line}: a line of JSONL is one object {{…}}, not a {type(row).__name__}"
            raise DataError(f"{msg}; a file of one array is format: json (--format json)")
        by_id = row and all(isinstance(value, dict) for value in row.values())
        yield from ((line, each) for each in (_by_id(row) if by_id else [row]))


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = (key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"a key occurs twice: {next(twice)}")
    return values


def _records(path: Path, value: object) -> Iterator[Row]:
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return iter(value)
    if isinstance(value, dict) and not value.keys() & _FOREIGN.keys():
        kinds = {type(each) for each in value.values()}
        if value.keys() & {"id", *ROLES} or sides(value):
            return iter([value])
        if kinds == {dict}:
            return _by_id(value)
        if kinds and kinds <= {str, list}:
            return ({"utterance": key, "phones": phones} for key, phones in value.items())
    foreign = [_FOREIGN[key] for key in _FOREIGN if isinstance(value, dict) and key in value]
    if foreign:
        raise DataError(f"{path}: looks like {foreign[0]}")
    shapes = "an array of records [{…}, {…}], or ids with their records {id: {…}} or phones {id: phones}"
    raise DataError(f"{path}: JSON of another shape than {shapes}; write it so, or as a TSV (utterance, phones)")


def _by_id(records: Mapping[str, Any]) -> Iterator[Row]:
    for key, record in records.items():
        passed, predicted = record.get("passthrough"), record.get("pred")
        if isinstance(passed, dict) and isinstance(predicted, list) and predicted and isinstance(predicted[0], dict):
            yield {"utterance": passed.get("utt_id", key), **passed, **predicted[0]}
        else:
            yield {**record, "utterance": record.get("utterance", key)}
