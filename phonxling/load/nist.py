"""NIST's formats: CTM (one timed phone a line), STM (one utterance a line), TRN (phones, then the id in brackets).

The order of lines is the order of phones: real CTM files hold phones with equal start times.
"""

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.text import read_lines


def load_ctm(path: Path, _: Reading) -> Transcript:
    """Return a CTM file's transcript: `utterance channel start duration phone [confidence]`, comments after `;;`."""
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
            two_channels = f"{shown(channels[fields[0]])} and {shown(fields[1])}"
            msg = f"utterance '{shown(fields[0])}' has the channels {two_channels}"
            raise DataError(f"{path}:{line}: {msg}; give each channel an utterance id of its own")
        builder.add_interval(fields[0], fields[4], line, (start, start + length), confidence=score)
    return builder.finish()


def load_stm(path: Path, _: Reading) -> Transcript:
    """Return an STM file's transcript: `recording channel speaker start end [<labels>] phones…`, a segment a line."""
    lines = Counter(text.split(maxsplit=1)[0] for _, text in _content(path))
    builder = TranscriptBuilder(str(path))
    for line, text in _content(path):
        recording, speaker, (start, end), phones = _segment(path, line, text)
        segment = f"{recording}-{100 * start:07.0f}-{100 * end:07.0f}"
        builder.add_utterance(segment if lines[recording] > 1 else recording, phones, line, speaker)
    return builder.finish()


def _segment(path: Path, line: int, text: str) -> tuple[str, str, list[float], list[str]]:
    fields = text.split()
    if len(fields) < 5:
        raise DataError(f"{path}:{line}: an STM line is: utterance channel speaker start end [<labels>] phones…")
    times = _numbers(path, line, fields[3:5])
    if not all(map(math.isfinite, times)) or times[1] < times[0]:
        raise DataError(f"{path}:{line}: a segment must not end ({times[1]:g}) before it starts ({times[0]:g})")
    labelled = len(fields) > 5 and fields[5].startswith("<") and "," in fields[5]
    phones = fields[6 if labelled else 5 :]
    if phones == ["IGNORE_TIME_SEGMENT_IN_SCORING"]:
        raise DataError(f"{path}:{line}: a segment that is left out of scoring; remove the line, and its predictions")
    if "{" in phones and "/" in phones and "}" in phones:
        raise DataError(f"{path}:{line}: alternatives in braces are not read; write one of them")
    return fields[0], fields[2], times, phones


def load_trn(path: Path, _: Reading) -> Transcript:
    """Return a TRN file's transcript: `phones… (utterance)` on each line."""
    builder = TranscriptBuilder(str(path))
    for line, text in _content(path):
        phones, bracket, utterance = text.rstrip().removesuffix(")").rpartition("(")
        if not text.rstrip().endswith(")") or not bracket or ")" in utterance or utterance.split() != [utterance]:
            raise DataError(f"{path}:{line}: a TRN line ends with the utterance id in brackets: phones… (id)")
        builder.add_utterance(utterance, phones.split(), line)
    return builder.finish()


def _content(path: Path) -> Iterator[tuple[int, str]]:
    return ((line, text) for line, text in read_lines(path) if not text.lstrip().startswith(";;"))


def _numbers(path: Path, line: int, texts: list[str]) -> list[float]:
    try:
        return [float(text) for text in texts]
    except ValueError:
        raise DataError(f"{path}:{line}: not numbers: {shown(' '.join(texts))}") from None
