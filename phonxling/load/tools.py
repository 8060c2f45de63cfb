"""What scoring tools write beside their error rates: each utterance's gold and predicted symbols, `ref` and `hyp`.

Kaldi's `per_utt`, icefall's `recogs-….txt` and SpeechBrain's `wer.txt`. `columns` says which side is meant:
{phones: ref} or {phones: hyp}.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.records import Row, load_records
from phonxling.load.tables import csv_rows
from phonxling.load.text import document_lines, is_number, read_lines

Rows = Iterator[tuple[int, Row]]
FIELDS = ("utterance", "ref", "hyp")
_Side = tuple[int, str, str, list[str]]  # line, utterance, ref or hyp, symbols
_GAPS = frozenset({"<eps>", "***"})  # where one side has no symbol; Kaldi’s recipes write ***
ICEFALL = re.compile(r"(\S.*?):\t(ref|hyp|timestamp_ref|timestamp_hyp)=(.*)")
SPEECHBRAIN = re.compile(r"(.+), %WER \S+ \[ \d+ / \d+, \d+ ins, \d+ del, \d+ sub \]")
_QUOTED = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\"""")
_RULE = "=" * 80


def loader(rows: Callable[[Path], Rows]) -> Callable[[Path, Reading], Transcript]:
    """Return what loads a report, from what yields its rows."""
    return lambda path, reading: load_records(str(path), rows(path), reading.columns)


def per_utt_rows(path: Path) -> Rows:
    """Yield the utterances of Kaldi's `per_utt`; DataError when a line is of another kind, or a side is missing."""
    return _paired(path, _per_utt(path))


def recogs_rows(path: Path) -> Rows:
    """Yield the utterances of icefall's `recogs`; DataError when a line is of another kind, or a side is missing."""
    return _paired(path, _recogs(path))


def wer_rows(path: Path) -> Rows:
    """Yield the utterances of SpeechBrain's `wer.txt`; DataError when an utterance has not its three lines."""
    blocks = [[*lines] for rule, lines in groupby(read_lines(path), lambda line: line[1] == _RULE) if not rule]
    for (line, head), *lines in blocks:
        if not (match := SPEECHBRAIN.fullmatch(head)):
            continue  # the totals, the description of the format, the worst utterances
        cells = [[cell.strip() for cell in text.split(" ; ")] for _, text in lines]
        if len(cells) not in {0, 3} or len({len(each) for each in cells}) > 1:
            msg = "an utterance has three lines (reference, operations, hypothesis) of as many cells, between ` ; `"
            raise DataError(f"{path}:{line}: {msg}")
        gold, _, predicted = cells or [[], [], []]
        yield line, {"utterance": match[1], "ref": _without_gaps(gold), "hyp": _without_gaps(predicted)}


def _per_utt(path: Path) -> Iterator[_Side]:
    for line, text in read_lines(path):
        words = text.split()
        kind = words[1] if len(words) > 1 else ""
        if kind in {"ref", "hyp"}:
            yield line, words[0], kind, _without_gaps(words[2:])
        elif kind not in {"op", "#csid"}:
            msg = "a line of per_utt is an id, then ref, hyp, op or #csid"
            raise DataError(f"{path}:{line}: {msg}: {shown(text.strip(), 100)}")


def _recogs(path: Path) -> Iterator[_Side]:
    for line, text in read_lines(path):
        match = ICEFALL.fullmatch(text)
        if not match:
            raise DataError(f"{path}:{line}: a line of recogs is id:<tab>ref=[…] or hyp=[…]: {shown(text, 100)}")
        if match[2] in {"ref", "hyp"}:
            yield line, match[1], match[2], _listed(f"{path}:{line}", match[3])


def _listed(where: str, text: str) -> list[str]:
    """Return the symbols of a list as Python prints it, or of a text."""
    if not text.startswith("["):
        return text.split()
    quoted = _QUOTED.findall(text)
    try:
        if f"[{', '.join(quoted)}]" == text:
            return [str(ast.literal_eval(each)) if "\\" in each else each[1:-1] for each in quoted]
    except (ValueError, SyntaxError):  # an escape that is none
        pass
    raise DataError(f"{where}: not a list of symbols such as ['a', 'b']: {shown(text, 100)}")


def _paired(path: Path, sides: Iterable[_Side]) -> Rows:
    """Yield one row for the two sides of each utterance, which stand together."""
    for utterance, group in groupby(sides, lambda side: side[1]):
        (line, *_), *_ = both = [*group]
        kinds = sorted(kind for _, _, kind, _ in both)
        if kinds != ["hyp", "ref"]:
            msg = f"utterance '{shown(utterance)}' has the lines {', '.join(kinds[:5])}; it needs one ref and one hyp"
            raise DataError(f"{path}:{line}: {msg}, next to each other")
        yield line, {"utterance": utterance, **{kind: symbols for _, _, kind, symbols in both}}


def _without_gaps(symbols: Iterable[str]) -> list[str]:
    return [symbol for symbol in symbols if symbol not in _GAPS]


# Phones with times as other tools write them: the Montreal aligner's CSV, allosaurus, ZeroSpeech's alignments.

MFA_HEADER = ["Begin", "End", "Label", "Type", "Speaker"]
ALIGN_HEADER = ["#file", "onset", "offset", "#phone"]


def load_mfa_csv(path: Path, reading: Reading) -> Transcript:
    """Return the phones of a CSV that the Montreal aligner wrote: rows whose type is `phones`; a file an utterance."""
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
    """Return the phones that allosaurus wrote with `--timestamp`: lines `start duration phone`; a file an utterance."""
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
    """Return a ZeroSpeech alignment's transcript: lines `file onset offset phone` below the header, in seconds."""
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
