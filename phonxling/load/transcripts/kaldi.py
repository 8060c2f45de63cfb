"""Kaldi's `text`: an utterance a line, its id first, then its phones."""

from pathlib import Path

from phonxling.core.sequences import Transcript
from phonxling.load.reading import Reading
from phonxling.load.text import read_lines
from phonxling.load.transcripts.build import TranscriptBuilder


def load_kaldi_text(path: Path, _: Reading) -> Transcript:
    """Return the transcript of a file in Kaldi's text format: `utterance phone phone …`, an id alone has no phones.

    Raises
    ------
    DataError
        If the file holds no utterance, or an id occurs twice.
    """
    builder = TranscriptBuilder(str(path))
    for line, text in read_lines(path):
        utterance, *phones = text.split()
        builder.add_utterance(utterance, phones, line)
    return builder.finish()
