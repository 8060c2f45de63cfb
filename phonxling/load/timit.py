"""TIMIT's .phn files: `start end label` in samples of 16 kHz, one file an utterance."""

from collections.abc import Mapping
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load.build import TranscriptBuilder
from phonxling.load.text import find_files, read_lines

SAMPLE_RATE = 16_000


def load_phn(path: Path, columns: Mapping[str, str]) -> Transcript:
    """Return the transcript of a .phn file, a folder of them (at any depth), or a glob.

    The utterance id is the path below the folder without its suffix, "/" written "_" (TIMIT has the same file names
    for every speaker: fcjf0/sa1.phn is fcjf0_sa1); the speaker is the folder that holds the file. An empty file is an
    utterance without phones.

    Raises
    ------
    DataError
        If there is no such file, a line is not `start end label`, or two files would have the same id.
    """
    if columns:
        raise DataError(f"{path}: `columns` is for TSV and CSV; this format has no named columns")
    builder = TranscriptBuilder(str(path))
    for utterance, file in find_files(path, ".phn"):
        builder.source = str(file)
        speaker = file.parent.name if utterance != file.stem else ""
        lines = list(read_lines(file))
        if not lines:
            builder.add_utterance(utterance, (), 1, speaker)
        for line, text in lines:
            start, end, label = _fields(file, line, text)
            builder.add_interval(utterance, label, line, (start / SAMPLE_RATE, end / SAMPLE_RATE), speaker=speaker)
    builder.source = str(path)
    return builder.finish()


def _fields(file: Path, line: int, text: str) -> tuple[int, int, str]:
    fields = text.split()
    if len(fields) != 3 or not (fields[0].isdecimal() and fields[1].isdecimal()):
        raise DataError(f"{file}:{line}: a .phn line is: start end label, in samples; found: {text.strip()}")
    return int(fields[0]), int(fields[1]), fields[2]
