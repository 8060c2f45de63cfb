"""An utterance a line: Kaldi's `text`, the id first, then its phones; and phones alone, with the line as the id."""

from pathlib import Path

from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.text import check_length, read_lines, read_text, split_lines


def load_kaldi_text(path: Path, _: Reading) -> Transcript:
    """Return the transcript of a file in Kaldi's text format: `utterance phone phone …`, an id alone has no phones."""
    builder = TranscriptBuilder(str(path))
    for line, text in read_lines(path):
        utterance, *phones = text.split()
        builder.add_utterance(utterance, phones, line)
    return builder.finish()


def load_lines(path: Path, _: Reading) -> Transcript:
    """Return the transcript of a file with the phones of an utterance on each line; an empty line has none."""
    builder = TranscriptBuilder(str(path))
    lines = split_lines(read_text(path))
    if not lines[-1].strip():
        del lines[-1]
    for number, line in enumerate(lines, start=1):
        check_length(path, number, line)
        builder.add_utterance(f"{number}-of-{len(lines)}", line.split(), number)
    return builder.finish()
