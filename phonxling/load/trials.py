"""Trials of listeners who identify sounds: a row a trial, whose number in the table is its id.

Of the rating of goodness, the lowest of the table is the confidence 0, and the highest 1; each response then lasts from
0 to 1, because confidences need times.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.load.building import TranscriptBuilder, built
from phonxling.load.field_names import listed
from phonxling.load.reading import Reading, rows_where
from phonxling.load.tables import csv_rows
from phonxling.load.text import is_number, read_lines


def trials_of(path: Path, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Return the line and the cells of each row of a TSV or CSV, by column; DataError where a column is not there."""
    csv = path.suffix.lower() == ".csv"
    rows = iter(csv_rows(path) if csv else [(line, text.split("\t")) for line, text in read_lines(path)])
    first, header = next(rows, (1, []))
    if missing := [name for name in columns if name not in header]:
        raise DataError(f"{path}:{first}: no column {', '.join(missing)}; the file has: {listed(header)}")
    for line, row in (each := list(rows)):
        if len(row) != len(header):
            raise DataError(f"{path}:{line}: {len(row)} cells, but the header has {len(header)}")
    return [(line, dict(zip(header, map(str.strip, row), strict=True))) for line, row in each]


def rating_range(path: Path, column: str, answer: str) -> tuple[float, float]:
    """Return the lowest and the highest rating of the answers in a table."""
    found = []
    for line, row in trials_of(path, (column, answer)):
        if row[answer]:
            if not is_number(row[column]):
                raise DataError(f"{path}:{line}: the rating is no number: '{shown(row[column])}'")
            found.append(float(row[column]))
    return min(found, default=0.0), max(found, default=0.0)


@built
def load_trials(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read one column of trials: stimuli, or responses, of which some may be missing, with their ratings."""
    at: Mapping[str, str] = reading.columns
    phones, rating, speaker = at.get("phones", "phones"), at.get("confidence"), at.get("speaker")
    low, high = rating_range(path, rating, phones) if rating else (0.0, 0.0)
    trials = trials_of(path, [name for name in (phones, speaker, *reading.where) if name])
    numbered = ((line, (f"trial{number}", row)) for number, (line, row) in enumerate(trials, start=1))
    for line, (name, row) in rows_where(str(path), numbered, reading.where, lambda pair, column: pair[1][column]):
        said, spoken_by = row[phones], row[speaker] if speaker else ""
        if speaker and not said:
            raise builder.fault(line, f"no {phones}, which says what was played")
        if rating and said:
            good = (float(row[rating]) - low) / (high - low) if high > low else 1.0
            builder.add_interval(name, said, line, (0.0, 1.0), confidence=good, speaker=spoken_by)
        elif rating:
            builder.add_empty(name, line, spoken_by, scored=True)
        else:
            builder.add_utterance(name, [said] if said else [], line, spoken_by)
