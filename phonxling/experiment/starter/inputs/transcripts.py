"""Files of text → the phones in them: by what their lines are, whatever they are called."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.experiment.starter.inputs.names import Role
from phonxling.experiment.starter.inputs.sides import Side
from phonxling.experiment.starter.inputs.symbols import written
from phonxling.experiment.starter.inputs.tables import Reading, by_role, of_one_side, remark_on
from phonxling.load.formats import fields_of, guess_format, load_transcript
from phonxling.load.text import read_head

LARGE, _HEAD = 20_000_000, 1_000_000  # bytes: of a larger file the first whole lines are looked at
_WHOLE = (".parquet", ".eaf", ".json")  # files that cannot be cut after a line


def sides_of(path: Path, key: tuple[str, ...], role: Role) -> list[Side]:
    """Return what a file holds of phones: nothing when it holds none, two sides when it holds gold and predicted.

    DataError when it is of no format, or cannot be read as the format that it is.
    """
    with _beginning(path) as head:
        form, needs_form = _form(head, role)
        fields = fields_of(head, form)
        sides = [side for readings in by_role(fields) for side in _first(head, form, readings)]
        sides = sides or _first(head, form, of_one_side(fields) if fields else [Reading()])
    written_form = form if needs_form else ""
    whole, remark = head == path, remark_on(fields)
    return [
        replace(side, path=path, key=key, role=side.role or role, form=written_form, whole=whole, remark=remark)
        for side in sides
    ]


def _first(path: Path, form: str, readings: Iterable[Reading]) -> list[Side]:
    """Return the side of the first reading that gives phones; none when none does."""
    return [*islice(filter(None, (_side(path, form, reading) for reading in readings)), 1)]


def _side(path: Path, form: str, reading: Reading) -> Side | None:
    """Return a side as one reading has it; None when these are no phones, or no utterances with their ids."""
    try:
        transcript = load_transcript(path, form, reading.columns or None)
    except DataError:
        if reading.columns:
            return None
        raise
    counts = tokens(transcript)
    best = written(counts)
    if not best.plausible:
        return None
    timed, confident = transcript.start is not None, transcript.confidence is not None
    return Side(
        path=path,
        role=reading.role,
        key=(),
        ids=ends(transcript),
        counts=counts,
        columns=reading.columns,
        timed=timed,
        confident=confident,
        known=best.share,
    )


def tokens(transcript: Transcript) -> Counter[str]:
    """Return the number of tokens of each raw symbol."""
    return Counter(dict(zip(transcript.symbols, transcript.counts.tolist(), strict=True)))


def ends(transcript: Transcript) -> dict[str, float]:
    """Return where each utterance ends, NaN where that is not known."""
    if transcript.end is None:
        return dict.fromkeys(transcript.utterances, math.nan)
    last = [part.max(initial=-math.inf) for part in np.split(transcript.end, transcript.offsets[1:-1])]
    return {name: float(end) if end > 0 else math.nan for name, end in zip(transcript.utterances, last, strict=True)}


def _form(path: Path, role: Role) -> tuple[str, bool]:
    """Return a file's format, and whether the configuration has to name it."""
    try:
        return guess_format(path), False
    except DataError:
        if path.suffix.lower() in {"", ".txt"} and (form := _plain_form(path, role)):
            return form, True
        raise


def _plain_form(path: Path, role: Role) -> str:
    """Return the format of plain lines: those that begin with an id each, or those of a side that have none."""
    lines = [line.split() for line in read_head(path, 1 << 16).decode("utf-8", errors="replace").split("\n")[:-1]]
    rows = [row for row in lines if row]
    ids = {row[0] for row in rows}
    if len(ids) == len(rows) and sum(len(row) > 2 for row in rows) > len(rows) / 2:
        return "kaldi-text"
    return "lines" if role and len(rows) > 1 else ""


@contextmanager
def _beginning(path: Path) -> Iterator[Path]:
    """Yield the file, or a copy of its first lines under the same name where it is large."""
    if path.stat().st_size <= LARGE or path.suffix.lower() in _WHOLE:
        yield path
        return
    data = read_head(path, _HEAD)
    with TemporaryDirectory(prefix="phonxling-") as folder:
        head = Path(folder) / path.name
        head.write_bytes(data[: data.rfind(b"\n") + 1])
        yield head
