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
from phonxling.load.reading import Reading
from phonxling.load.text import read_lines
from phonxling.load.transcripts.records import Row, load_records

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
