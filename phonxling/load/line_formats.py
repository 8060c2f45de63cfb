"""Formats of lines: Kaldi's text, NIST's, TIMIT's, HTK's, phones with times of other tools, and scoring reports.

The order of lines is the order of phones: real CTM files hold phones with equal start times. Of HTK's label files,
scores (log-likelihoods, no confidences), labels of further levels and comments are left out; a .lab file whose lines
have no times is plain text: phones (or words) separated by white space. Scoring reports hold each utterance's gold and
predicted symbols, `ref` and `hyp`: `columns` says which is meant, {phones: ref} or {phones: hyp}.
"""

import ast
import math
import re
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath

from phonxling.core.errors import DataError, shown
from phonxling.load.building import Interval, Reading, TranscriptBuilder, built
from phonxling.load.tables import Rows, csv_rows, phones_of
from phonxling.load.text import check_length, document_lines, is_number, read_lines, read_text, split_lines

_Line = tuple[int, str]


@built
def load_kaldi_text(builder: TranscriptBuilder, path: Path, _: Reading) -> None:
    """Read Kaldi's `text`: `utterance phone phone …`; an id alone has no phones."""
    for line, text in read_lines(path):
        utterance, *phones = text.split(maxsplit=1)
        builder.add_utterance(utterance, phones_of(*phones) if phones else (), line)


@built
def load_lines(builder: TranscriptBuilder, path: Path, _: Reading) -> None:
    """Read phones of an utterance on each line, whose number is its id; an empty line has none."""
    lines = split_lines(read_text(path))
    if not lines[-1].strip():
        del lines[-1]
    for number, line in enumerate(lines, start=1):
        check_length(path, number, line)
        builder.add_utterance(f"{number}-of-{len(lines)}", line.split(), number)


# NIST's CTM (a timed phone a line), STM (an utterance a line) and TRN (phones, then the id in brackets).


@built
def load_ctm(builder: TranscriptBuilder, path: Path, _: Reading) -> None:
    """Read CTM: `utterance channel start duration phone [confidence]`, comments after `;;`."""
    channels: dict[str, str] = {}
    shape = "a CTM line is: utterance channel start duration phone [confidence]"
    for line, fields in _fields(builder, _content(path), {5, 6}, shape):
        start, length, *scores = _numbers(builder, line, [*fields[2:4], *fields[5:]])
        if length < 0 or not all(0 <= score <= 1 for score in scores):
            raise builder.fault(line, "a duration must be ≥ 0 and a confidence lie in 0 … 1")
        channel = channels.setdefault(fields[0], fields[1])
        if channel != fields[1]:
            msg = f"utterance '{shown(fields[0])}' has the channels {shown(channel)} and {shown(fields[1])}"
            raise builder.fault(line, f"{msg}; give each channel an utterance id of its own")
        score = scores[0] if scores else None
        builder.add_interval(fields[0], fields[4], line, (start, start + length), confidence=score)


@built
def load_stm(builder: TranscriptBuilder, path: Path, _: Reading) -> None:
    """Read STM: `recording channel speaker start end [<labels>] phones…`; segments of one recording are utterances."""
    segments = Counter(text.split(maxsplit=1)[0] for _, text in _content(path))
    shape = "an STM line is: utterance channel speaker start end [<labels>] phones…"
    for line, fields in _fields(builder, _content(path), range(5, sys.maxsize), shape):
        start, end = _numbers(builder, line, fields[3:5])
        if not (math.isfinite(start) and math.isfinite(end)) or end < start:
            raise builder.fault(line, f"a segment must not end ({end:g}) before it starts ({start:g})")
        labelled = len(fields) > 5 and fields[5].startswith("<") and "," in fields[5]
        phones = fields[6 if labelled else 5 :]
        if phones == ["IGNORE_TIME_SEGMENT_IN_SCORING"]:
            raise builder.fault(line, "a segment that is left out of scoring; remove the line, and its predictions")
        if "{" in phones and "/" in phones and "}" in phones:
            raise builder.fault(line, "alternatives in braces are not read; write one of them")
        name = fields[0] if segments[fields[0]] == 1 else f"{fields[0]}-{100 * start:07.0f}-{100 * end:07.0f}"
        builder.add_utterance(name, phones, line, fields[2])


@built
def load_trn(builder: TranscriptBuilder, path: Path, _: Reading) -> None:
    """Read TRN: `phones… (utterance)` on each line."""
    for line, text in _content(path):
        phones, bracket, utterance = text.rstrip().removesuffix(")").rpartition("(")
        if not text.rstrip().endswith(")") or not bracket or ")" in utterance or utterance.split() != [utterance]:
            raise builder.fault(line, "a TRN line ends with the utterance id in brackets: phones… (id)")
        builder.add_utterance(utterance, phones.split(), line)


def _content(path: Path) -> Iterator[_Line]:
    return ((line, text) for line, text in read_lines(path) if not text.lstrip().startswith(";;"))


def _fields(
    builder: TranscriptBuilder, lines: Iterator[_Line], numbers: Container[int], shape: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line; DataError when there are not so many."""
    for line, text in lines:
        fields = text.split()
        if len(fields) not in numbers:
            raise builder.fault(line, f"{shape}; found: {shown(text.strip())}")
        yield line, fields


def _numbers(builder: TranscriptBuilder, line: int, texts: list[str]) -> list[float]:
    if not all(map(is_number, texts)):
        raise builder.fault(line, f"not numbers: {shown(' '.join(texts))}")
    return list(map(float, texts))


# TIMIT's .phn and HTK's labels: whole numbers of samples of 16 kHz, or of 100 ns.

_SAMPLE_RATE, _HTK_RATE = 16_000, 10_000_000
_MLF = "#!MLF!#"
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")


@built
def load_phn(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read TIMIT: `start end label` a line, a file an utterance."""
    shape = "a .phn line is: start end label, in samples"

    def intervals() -> Iterator[Interval]:
        for line, fields in _fields(builder, document_lines(path), {3}, shape):
            if not _timed(fields):
                raise builder.fault(line, f"{shape}; found: {shown(' '.join(fields), 100)}")
            yield line, fields[2], (float(fields[0]) / _SAMPLE_RATE, float(fields[1]) / _SAMPLE_RATE)

    builder.add_timed(reading.utterance, intervals(), reading.speaker)


@built
def load_lab(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read HTK's label file: `[start end] label [score]` a line, an utterance a file."""
    _add_labels(builder, reading.utterance, document_lines(path), reading.speaker)


@built
def load_mlf(builder: TranscriptBuilder, path: Path, _: Reading) -> None:
    """Read HTK's master label file; ids are the quoted names without folders and suffix."""
    lines = read_lines(path)
    if next(lines, (0, ""))[1].strip() != _MLF:
        raise builder.fault(1, f"a master label file begins with {_MLF}")
    for line, text in lines:
        quoted = re.fullmatch(r'\s*"([^"]+)"\s*', text)
        if quoted is None:
            msg = 'here stands the quoted name of a label file, such as "*/u1.lab"; found: '
            raise builder.fault(line, msg + shown(text))
        labels = list(_until_stop(builder, line, lines))
        utterance = PurePosixPath(quoted[1].replace("\\", "/")).stem
        if set(utterance) & set("*?"):
            raise builder.fault(line, f'the name "{shown(quoted[1])}" stands for many files; give each its own labels')
        _add_labels(builder, utterance, labels, first=line)


def _until_stop(builder: TranscriptBuilder, begun: int, lines: Iterator[_Line]) -> Iterator[_Line]:
    for line, text in lines:
        if text.strip() == ".":
            return
        yield line, text
    raise builder.fault(begun, "the entry that begins here does not end with a full stop; the file is cut off")


def _add_labels(
    builder: TranscriptBuilder, utterance: str, lines: Iterable[_Line], speaker: str = "", first: int = 1
) -> None:
    rows = [(line, text.split()) for line, text in lines]
    for line, fields in rows:
        if "///" in fields:
            raise builder.fault(line, "alternatives (///) are not read; keep one of them")
        numbers = [re.fullmatch(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?", field) for field in fields[:2]]
        if len(fields) > 2 and all(numbers) and not _timed(fields):
            msg = f"times are whole numbers of 100 ns in this format; found: {shown(' '.join(fields))}"
            raise builder.fault(line, f"{msg}. Seconds belong into a TSV (utterance, start, end, phone)")
    if not any(_timed(fields) for _, fields in rows):
        builder.add_utterance(utterance, [_plain(field) for _, fields in rows for field in fields], first, speaker)
        return
    if others := [(line, fields) for line, fields in rows if not _timed(fields)]:
        line, fields = others[0]
        msg = "a line without `start end label`, though others have times; found: "
        raise builder.fault(line, msg + shown(" ".join(fields)))
    times = ((float(fields[0]) / _HTK_RATE, float(fields[1]) / _HTK_RATE) for _, fields in rows)
    labels = ((line, _plain(fields[2])) for line, fields in rows)
    builder.add_timed(utterance, ((*label, span) for label, span in zip(labels, times, strict=True)), speaker)


def _timed(fields: Sequence[str]) -> bool:
    return len(fields) >= 3 and fields[0].isdecimal() and fields[1].isdecimal()


def _plain(label: str) -> str:
    r"""Return a label with letters in place of the octal bytes that HTK writes for all that is not ASCII."""

    def letters(found: re.Match[str]) -> str:
        codes = [int(part, 8) for part in found[0].split("\\")[1:]]
        try:
            return bytes(codes).decode() if min(codes) > 127 else found[0]
        except ValueError:  # no bytes, or not of UTF-8
            return found[0]

    return _OCTAL.sub(letters, label)


# Phones with times as other tools write them: the Montreal aligner's CSV, allosaurus.

_MFA_HEADER = ["Begin", "End", "Label", "Type", "Speaker"]


@built
def load_mfa_csv(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read the Montreal aligner's CSV: rows whose type is `phones`; a file an utterance."""
    rows = csv_rows(path)
    if next((row for _, row in rows), []) != _MFA_HEADER:
        raise builder.fault(1, f"the header of the Montreal aligner's CSV is {','.join(_MFA_HEADER)}")
    empty, speaker = True, ""
    for line, row in rows:
        if len(row) != len(_MFA_HEADER):
            raise builder.fault(line, f"{len(row)} cells, but the header has {len(_MFA_HEADER)}")
        begin, end, label, kind, speaker = row
        if kind == "phones":
            start, stop = _numbers(builder, line, [begin, end])
            builder.add_interval(reading.utterance, label.strip(), line, (start, stop), speaker=speaker)
            empty = False
    if empty:
        builder.add_utterance(reading.utterance, (), 1, speaker)


@built
def load_allosaurus(builder: TranscriptBuilder, path: Path, reading: Reading) -> None:
    """Read what allosaurus writes with `--timestamp`: lines `start duration phone`, or such below `#u1.wav`."""
    name, said = reading.utterance, dict[str, list[Interval]]()
    for line, text in read_lines(path):
        fields = text.split()
        if text.startswith("#") and text[1:].strip() not in said:
            said[name := text[1:].strip()] = []
        elif len(fields) == 3 and all(map(is_number, fields[:2])):
            times = float(fields[0]), float(fields[0]) + float(fields[1])
            said.setdefault(name, []).append((line, fields[2], times))
        else:
            msg = "a line is start duration phone, as allosaurus writes with --timestamp=True, without --topk"
            raise builder.fault(line, f"{msg}: {shown(text.strip(), 100)}")
    for utterance, intervals in (said or {name: []}).items():
        builder.add_timed(utterance, intervals)


# Scoring reports: Kaldi's `per_utt` and icefall's `recogs-….txt`.

_Side = tuple[int, str, str, list[str]]  # line, utterance, ref or hyp, symbols
_GAPS = frozenset({"<eps>", "***"})  # where one side has no symbol; Kaldi’s recipes write ***
ICEFALL = re.compile(r"(\S.*?):\t(ref|hyp|timestamp_ref|timestamp_hyp)=(.*)")
_QUOTED = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\"""")


def report_fields(_: Path) -> list[str]:
    return ["utterance", "ref", "hyp"]


def per_utt_rows(path: Path) -> Rows:
    """Yield the utterances of Kaldi's `per_utt`."""

    def sides() -> Iterator[_Side]:
        for line, text in read_lines(path):
            words = text.split()
            kind = words[1] if len(words) > 1 else ""
            if kind in {"ref", "hyp"}:
                yield line, words[0], kind, _without_gaps(words[2:])
            elif kind not in {"op", "#csid"}:
                msg = "a line of per_utt is an id, then ref, hyp, op or #csid"
                raise DataError(f"{path}:{line}: {msg}: {shown(text.strip(), 100)}")

    return _paired(path, sides())


def recogs_rows(path: Path) -> Rows:
    """Yield the utterances of icefall's `recogs`."""

    def sides() -> Iterator[_Side]:
        for line, text in read_lines(path):
            match = ICEFALL.fullmatch(text)
            if not match:
                raise DataError(f"{path}:{line}: a line of recogs is id:<tab>ref=[…] or hyp=[…]: {shown(text, 100)}")
            if match[2] in {"ref", "hyp"}:
                yield line, match[1], match[2], _listed(f"{path}:{line}", match[3])

    return _paired(path, sides())


def _listed(where: str, text: str) -> list[str]:
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
    for utterance, group in groupby(sides, lambda side: side[1]):
        (line, *_), *_ = both = [*group]
        kinds = sorted(kind for _, _, kind, _ in both)
        if kinds != ["hyp", "ref"]:
            msg = f"utterance '{shown(utterance)}' has the lines {', '.join(kinds[:5])}; it needs one ref and one hyp"
            raise DataError(f"{path}:{line}: {msg}, next to each other")
        yield line, {"utterance": utterance, **{kind: symbols for _, _, kind, symbols in both}}


def _without_gaps(symbols: Iterable[str]) -> list[str]:
    return [symbol for symbol in symbols if symbol not in _GAPS]
