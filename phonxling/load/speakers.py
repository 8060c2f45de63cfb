"""Speakers of utterances: a TSV or CSV with the columns `utterance` and `speaker`."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from phonxling.core.errors import DataError
from phonxling.load.text import check_plain, read_text


def load_speakers(
    path: Path, columns: Mapping[str, str] | None = None, form: Literal["tsv", "csv"] | None = None
) -> dict[str, str]:
    """Return the speaker of each utterance; the format follows from the name unless given.

    Raises
    ------
    DataError
        If the file is missing, lacks a column, has a row of another length, or names an utterance twice.
    """
    names = {"utterance": "utterance", "speaker": "speaker", **(columns or {})}
    comma = form == "csv" if form else path.suffix.lower() == ".csv"
    style = {"delimiter": ","} if comma else {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    reader = csv.reader(io.StringIO(read_text(path), newline=""), **style)
    header = next(reader, [])
    missing = [names[name] for name in ("utterance", "speaker") if names[name] not in header]
    if missing:
        raise DataError(f"{path}:1: no column {', '.join(missing)}; the file has: {', '.join(header) or 'nothing'}")
    utterance, speaker = header.index(names["utterance"]), header.index(names["speaker"])
    found: dict[str, str] = {}
    for row in reader:
        if row and len(row) != len(header):
            raise DataError(f"{path}:{reader.line_num}: {len(row)} cells, but the header has {len(header)}")
        if row:
            check_plain(row[speaker], "speaker", f"{path}:{reader.line_num}")
        if row and found.setdefault(row[utterance], row[speaker]) != row[speaker]:
            raise DataError(f"{path}:{reader.line_num}: utterance '{row[utterance]}' has a second speaker")
    return found
