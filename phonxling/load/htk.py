"""HTK's labels: `[start end] label [score]` a line, in units of 100 ns; one utterance a .lab, or many in an MLF.

Scores are log-likelihoods, no confidences: they are left out, as are labels of further levels and comments, which
follow on the line. A .lab file whose lines have no times is plain text: phones (or words) separated by white space.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.text import document_lines, read_lines

UNITS = 10_000_000  # a second
HEADER = "#!MLF!#"
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")
_Line = tuple[int, str]


def load_lab(path: Path, reading: Reading) -> Transcript:
    """Return the transcript of a label file, with times when its lines have them."""
    builder = TranscriptBuilder(str(path))
    _add(builder, reading.utterance, list(document_lines(path)), reading.speaker)
    return builder.finish()


def load_mlf(path: Path, _: Reading) -> Transcript:
    """Return the transcript of a master label file; ids are the quoted names without folders and suffix."""
    builder = TranscriptBuilder(str(path))
    for line, name, labels in _entries(path, read_lines(path)):
        utterance = PurePosixPath(name.replace("\\", "/")).stem
        if set(utterance) & set("*?"):
            raise DataError(f'{path}:{line}: the name "{shown(name)}" stands for many files; give each its own labels')
        _add(builder, utterance, labels, first=line)
    return builder.finish()


def _entries(path: Path, lines: Iterator[_Line]) -> Iterator[tuple[int, str, list[_Line]]]:
    if next(lines, (0, ""))[1].strip() != HEADER:
        raise DataError(f"{path}:1: a master label file begins with {HEADER}")
    for line, text in lines:
        quoted = re.fullmatch(r'\s*"([^"]+)"\s*', text)
        if quoted is None:
            raise DataError(
                f'{path}:{line}: here stands the quoted name of a label file, such as "*/u1.lab"; found: {shown(text)}'
            )
        yield line, quoted[1], list(_until_stop(path, line, lines))


def _until_stop(path: Path, begun: int, lines: Iterator[_Line]) -> Iterator[_Line]:
    for line, text in lines:
        if text.strip() == ".":
            return
        yield line, text
    raise DataError(f"{path}:{begun}: the entry that begins here does not end with a full stop; the file is cut off")


def _add(builder: TranscriptBuilder, utterance: str, lines: Sequence[_Line], speaker: str = "", first: int = 1) -> None:
    rows = [(line, text.split()) for line, text in lines]
    _refuse_others(builder.source, rows)
    timed = [_is_timed(fields) for _, fields in rows]
    if not any(timed):
        builder.add_utterance(utterance, [_plain(field) for _, fields in rows for field in fields], first, speaker)
        return
    for (line, fields), with_times in zip(rows, timed, strict=True):
        if not with_times:
            msg = f"a line without `start end label`, though others have times; found: {shown(' '.join(fields))}"
            raise DataError(f"{builder.source}:{line}: {msg}")
        times = float(fields[0]) / UNITS, float(fields[1]) / UNITS
        builder.add_interval(utterance, _plain(fields[2]), line, times, speaker=speaker)


def _is_timed(fields: Sequence[str]) -> bool:
    return len(fields) >= 3 and fields[0].isdecimal() and fields[1].isdecimal()


def _refuse_others(source: str, rows: Sequence[tuple[int, list[str]]]) -> None:
    """Raise DataError when lines begin with numbers that are not HTK's: their labels would be taken for phones."""
    for line, fields in rows:
        if "///" in fields:
            raise DataError(f"{source}:{line}: alternatives (///) are not read; keep one of them")
        if len(fields) >= 3 and _seconds(fields[:2]):
            msg = f"times are whole numbers of 100 ns in this format; found: {shown(' '.join(fields))}"
            raise DataError(f"{source}:{line}: {msg}. Seconds belong into a TSV (utterance, start, end, phone)")


def _seconds(fields: Sequence[str]) -> bool:
    return all(map(_NUMBER.fullmatch, fields)) and not all(map(str.isdecimal, fields))


def _plain(label: str) -> str:
    r"""Return a label with letters in place of the octal bytes that HTK writes for all that is not ASCII."""
    return _OCTAL.sub(_letters, label)


def _letters(found: re.Match[str]) -> str:
    codes = [int(part, 8) for part in found[0].split("\\")[1:]]
    try:
        return bytes(codes).decode() if min(codes) > 127 else found[0]
    except ValueError:  # no bytes, or not of UTF-8
        return found[0]
