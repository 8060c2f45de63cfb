"""TIMIT's .phn files: `start end label` in samples of 16 kHz, one file an utterance."""

from itertools import chain
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.text import document_lines

SAMPLE_RATE = 16_000


def load_phn(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a .phn file; an empty one is an utterance without phones."""
    builder = TranscriptBuilder(str(path))
    lines = document_lines(path)
    first = next(lines, None)
    if first is None:
        builder.add_utterance(reading.utterance, (), 1, reading.speaker)
    for line, text in chain(filter(None, [first]), lines):
        start, end, label = _fields(path, line, text)
        times = (start / SAMPLE_RATE, end / SAMPLE_RATE)
        builder.add_interval(reading.utterance, label, line, times, speaker=reading.speaker)
    return builder.finish()


def _fields(file: Path, line: int, text: str) -> tuple[float, float, str]:
    fields = text.split()
    if len(fields) != 3 or not (fields[0].isdecimal() and fields[1].isdecimal()):
        raise DataError(f"{file}:{line}: a .phn line is: start end label, in samples; found: {shown(text.strip())}")
    return float(fields[0]), float(fields[1]), fields[2]
