"""NIST's formats: CTM (one timed phone a line), STM (one utterance a line), TRN (phones, then the id in brackets).

The order of lines is the order of phones: real CTM files hold phones with equal start times.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load.build import TranscriptBuilder
from phonxling.load.text import read_lines

_TRN = re.compile(r"^(?P<phones>.*?)\s*\((?P<utterance>[^()\s]+)\)\s*$")


def load_ctm(path: Path, columns: Mapping[str, str]) -> Transcript:
    """Return a CTM file's transcript: `utterance channel start duration phone [confidence]`, comments after `;;`.

    Raises
    ------
    DataError
        If a line has another number of fields, or a time or a confidence is no number or out of range.
        If the lines of an utterance do not stand together, or are of two channels.
    """
    _no_columns(path, columns)
    builder = TranscriptBuilder(str(path))
    channels: dict[str, str] = {}
    for line, text in _content(path):
        fields = text.split()
        if len(fields) not in {5, 6}:
            msg = "a CTM line is: utterance channel start duration phone [confidence]"
            raise DataError(f"{path}:{line}: {len(fields)} fields; {msg}")
        start, length, *rest = _numbers(path, line, [*fields[2:4], *fields[5:]])
        score = rest[0] if rest else None
        if length < 0 or not 0 <= (score or 0.0) <= 1:
            raise DataError(f"{path}:{line}: a duration must be ≥ 0 and a confidence lie in 0 … 1")
        if channels.setdefault(fields[0], fields[1]) != fields[1]:
            msg = f"utterance '{fields[0]}' has the channels {channels[fields[0]]} and {fields[1]}"
            raise DataError(f"{path}:{line}: {msg}; give each channel an utterance id of its own")
        builder.add_interval(fields[0], fields[4], line, (start, start + length), score)
    return builder.finish()


def load_stm(path: Path, columns: Mapping[str, str]) -> Transcript:
    """Return an STM file's transcript: `utterance channel speaker start end [<labels>] phones…`, one line an utterance.

    Raises
    ------
    DataError
        If a line is too short or its times are no numbers.
        If an utterance id occurs twice (an STM that cuts a file into several segments).
    """
    _no_columns(path, columns)
    builder = TranscriptBuilder(str(path))
    for line, text in _content(path):
        fields = text.split()
        if len(fields) < 5:
            raise DataError(f"{path}:{line}: an STM line is: utterance channel speaker start end [<labels>] phones…")
        _numbers(path, line, fields[3:5])
        labelled = len(fields) > 5 and fields[5].startswith("<") and "," in fields[5]
        builder.add_utterance(fields[0], fields[6 if labelled else 5 :], line, fields[2])
    return builder.finish()


def load_trn(path: Path, columns: Mapping[str, str]) -> Transcript:
    """Return a TRN file's transcript: `phones… (utterance)` on each line.

    Raises
    ------
    DataError
        If a line does not end with an id in brackets, or an id occurs twice.
    """
    _no_columns(path, columns)
    builder = TranscriptBuilder(str(path))
    for line, text in _content(path):
        found = _TRN.match(text)
        if found is None:
            raise DataError(f"{path}:{line}: a TRN line ends with the utterance id in brackets: phones… (id)")
        builder.add_utterance(found["utterance"], found["phones"].split(), line)
    return builder.finish()


def _content(path: Path) -> list[tuple[int, str]]:
    return [(line, text) for line, text in read_lines(path) if not text.lstrip().startswith(";;")]


def _numbers(path: Path, line: int, texts: list[str]) -> list[float]:
    try:
        return [float(text) for text in texts]
    except ValueError:
        raise DataError(f"{path}:{line}: not numbers: {' '.join(texts)}") from None


def _no_columns(path: Path, columns: Mapping[str, str]) -> None:
    if columns:
        raise DataError(f"{path}: `columns` is for TSV and CSV; this format has no named columns")
