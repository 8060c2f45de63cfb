"""JSON lines: one object a line."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.messages import shown
from phonxling.core.sequences import Transcript
from phonxling.load.reading import Reading
from phonxling.load.text import read_lines
from phonxling.load.transcripts.records import Row, load_records


def load_jsonl(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a JSONL file; see `records` for what an object may hold.

    Raises
    ------
    DataError
        If a line is no JSON object, or names a key twice; and as for `load_records`.
    """
    return load_records(str(path), _rows(path), reading.columns)


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    for line, text in read_lines(path):
        try:
            row = json.loads(text, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            hint = "; a file of one array is no JSONL: write one object a line" if text.lstrip()[:1] == "[" else ""
            raise DataError(f"{path}:{line}: no JSON object: {shown(str(error))}{hint}") from error
        if not isinstance(row, dict):
            raise DataError(f"{path}:{line}: a line of JSONL is one object {{…}}, not a {type(row).__name__}")
        yield line, row


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = (key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"a key occurs twice: {next(twice)}")
    return found
