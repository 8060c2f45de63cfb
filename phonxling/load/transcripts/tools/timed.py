"""Phones with times as other tools write them: the Montreal aligner's CSV, allosaurus, ZeroSpeech's alignments."""

from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.reading import Reading
from phonxling.load.text import document_lines, is_number, read_lines
from phonxling.load.transcripts.build import TranscriptBuilder
from phonxling.load.transcripts.tables import csv_rows

MFA_HEADER = ["Begin", "End", "Label", "Type", "Speaker"]
ALIGN_HEADER = ["#file", "onset", "offset", "#phone"]


def load_mfa_csv(path: Path, reading: Reading) -> Transcript:
    """Return the phones of a CSV that the Montreal aligner wrote: rows whose type is `phones`; a file an utterance.

    Raises
    ------
    DataError
        If the header is not the aligner's, a time is no number, or the phones are those of several speakers.
    """
    builder = TranscriptBuilder(str(path))
    rows = csv_rows(path)
    header = next((row for _, row in rows), [])
    if header != MFA_HEADER:
        raise DataError(f"{path}:1: the header of the Montreal aligner's CSV is {','.join(MFA_HEADER)}")
    empty, speaker = True, ""
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(f"{path}:{line}: {len(row)} cells, but the header has {len(header)}")
        begin, end, label, kind, speaker = row
        if kind == "phones":
            times = _times(f"{path}:{line}", begin, end)
            builder.add_interval(reading.utterance, label.strip(), line, times, speaker=speaker)
            empty = False
    if empty:
        builder.add_utterance(reading.utterance, (), 1, speaker)
    return builder.finish()


def load_allosaurus(path: Path, reading: Reading) -> Transcript:
    """Return the phones that allosaurus wrote with `--timestamp`: lines `start duration phone`; a file an utterance.

    Raises
    ------
    DataError
        If a line is not of this form: with `--topk`, one phone a line is no longer the answer.
    """
    builder = TranscriptBuilder(str(path))
    empty = True
    for line, text in document_lines(path):
        fields = text.split()
        if len(fields) != 3 or not all(map(is_number, fields[:2])):
            msg = "a line is start duration phone, as allosaurus writes with --timestamp=True, without --topk"
            raise DataError(f"{path}:{line}: {msg}: {shown(text.strip(), 100)}")
        start, length = float(fields[0]), float(fields[1])
        builder.add_interval(reading.utterance, fields[2], line, (start, start + length))
        empty = False
    if empty:
        builder.add_utterance(reading.utterance, (), 1)
    return builder.finish()


def load_align(path: Path, _: Reading) -> Transcript:
    """Return a ZeroSpeech alignment's transcript: lines `file onset offset phone` below the header, in seconds.

    Raises
    ------
    DataError
        If the header is another, a line has not four fields, or a time is no number.
    """
    builder = TranscriptBuilder(str(path))
    lines = read_lines(path)
    header = next((text for _, text in lines), "")
    if header.split() != ALIGN_HEADER:
        raise DataError(f"{path}:1: the header of a ZeroSpeech alignment is {' '.join(ALIGN_HEADER)}")
    for line, text in lines:
        fields = text.split()
        if len(fields) != 4:
            raise DataError(f"{path}:{line}: {len(fields)} fields; a line is: file onset offset phone")
        builder.add_interval(fields[0], fields[3], line, _times(f"{path}:{line}", *fields[1:3]))
    return builder.finish()


def _times(where: str, start: str, end: str) -> tuple[float, float]:
    if not (is_number(start) and is_number(end)):
        raise DataError(f"{where}: not times in seconds: {shown(start, 40)}, {shown(end, 40)}")
    return float(start), float(end)
