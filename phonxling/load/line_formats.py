"""Formats of lines: Kaldi's text, NIST's, TIMIT's, HTK's, phones with times of other tools, and scoring reports."""

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, takewhile
from pathlib import Path, PurePosixPath

from phonxling.core.errors import DataError, quote
from phonxling.core.sequences import Transcript
from phonxling.load.building import Interval, LoaderOptions, TranscriptBuilder, build_transcript
from phonxling.load.tables import AT_ONCE, Rows, csv_rows, load_records, phones_of
from phonxling.load.text import check_length, is_number, read_lines, read_text, split_lines

_Line = tuple[int, str]


@build_transcript
def load_kaldi_text(builder: TranscriptBuilder, path: Path, _: LoaderOptions) -> None:
    """Read Kaldi's `text`: `utterance phone phone …`; an id alone has no phones."""
    # https://kaldi-asr.org/doc/data_prep.html. An empty prediction is a line with the id alone, which is no fault.
    for line, text in read_lines(path):
        utterance, *phones = text.split(maxsplit=1)
        builder.add_utterance(utterance, phones_of(*phones) if phones else (), line)


@build_transcript
def load_lines(builder: TranscriptBuilder, path: Path, _: LoaderOptions) -> None:
    """Read phones of an utterance on each line, whose number is its id; an empty line has none."""
    lines = [*split_lines(read_text(path))]
    if not lines[-1].strip():  # what follows the last line end is no utterance; other empty lines are
        del lines[-1]
    for number, line in enumerate(lines, start=1):
        check_length(path, number, line)
    # With the number of lines in the id, files of other lengths pair nowhere, instead of shifted by a line.
    for start in range(0, len(lines), AT_ONCE):
        texts = lines[start : start + AT_ONCE]
        numbers = range(start + 1, start + 1 + len(texts))
        builder.add_texts(numbers, [f"{number}-of-{len(lines)}" for number in numbers], texts)


# NIST's CTM (a timed phone a line), STM (an utterance a line) and TRN (phones, then the id in brackets):
# https://github.com/usnistgov/SCTK/blob/master/doc/infmts.htm


@build_transcript
def load_ctm(builder: TranscriptBuilder, path: Path, _: LoaderOptions) -> None:
    """Read CTM: `utterance channel start duration phone [confidence]`, comments after `;;`."""
    channels: dict[str, str] = {}
    shape = "a CTM line is: utterance channel start duration phone [confidence]"
    lines = _read_content(builder, path)
    for line, fields in _split_fields(builder, lines, shape, lambda fields: len(fields) in {5, 6}):
        start, length, *scores = _parse_numbers(builder, line, [*fields[2:4], *fields[5:]])
        # Decoders round to frames, so that phones of no duration are common and stay.
        if length < 0 or not all(0 <= score <= 1 for score in scores):
            found = quote(" ".join(fields[3:]))
            raise builder.fault(line, f"a duration must be ≥ 0 and a confidence lie in 0 … 1; found: {found}")
        # Both sides of a telephone call have one name, and their phones would be shuffled together by time.
        channel = channels.setdefault(fields[0], fields[1])
        if channel != fields[1]:
            msg = f"utterance '{quote(fields[0])}' has the channels {quote(channel)} and {quote(fields[1])}"
            raise builder.fault(line, f"{msg}; give each channel an utterance id of its own")
        score = scores[0] if scores else None
        builder.add_interval(fields[0], fields[4], line, (start, start + length), confidence=score)


# The ids of a segment's categories, as <O,F0,M>; a single id is short, for <sil> and <UNK> are symbols.
_STM_LABELS = re.compile(r"<(\w*,[\w,]*|[A-Za-z]\w?)>")


@build_transcript
def load_stm(builder: TranscriptBuilder, path: Path, _: LoaderOptions) -> None:
    """Read STM: `recording channel speaker start end [<labels>] phones…`; segments of one recording are utterances."""
    lines = _read_content(builder, path)
    segments = Counter(text.split(maxsplit=1)[0] for _, text in lines)
    shape = "an STM line is: utterance channel speaker start end [<labels>] phones…"
    for line, fields in _split_fields(builder, lines, shape, lambda fields: len(fields) > 4):
        start, end = _parse_numbers(builder, line, fields[3:5])
        if not (math.isfinite(start) and math.isfinite(end)) or end < start:
            raise builder.fault(line, f"a segment must not end ({end:g}) before it starts ({start:g})")
        phones = fields[6 if len(fields) > 5 and _STM_LABELS.fullmatch(fields[5]) else 5 :]
        # sclite leaves out what any prediction has in this span of time; without times of predictions nobody can.
        if [phone.upper() for phone in phones] == ["IGNORE_TIME_SEGMENT_IN_SCORING"]:
            raise builder.fault(line, "a segment that is left out of scoring; remove the line, and its predictions")
        # As Kaldi's recipe for Switchboard names segments: with start and end in hundredths of a second.
        name = fields[0] if segments[fields[0]] == 1 else f"{fields[0]}-{100 * start:07.0f}-{100 * end:07.0f}"
        builder.add_utterance(name, phones, line, fields[2])


@build_transcript
def load_trn(builder: TranscriptBuilder, path: Path, _: LoaderOptions) -> None:
    """Read TRN: `phones… (utterance)` on each line."""
    # The id is in the last brackets: phones such as (a) may stand in brackets before it, and are refused with a remedy.
    for line, text in _read_content(builder, path, lambda text: text.rpartition("(")[0]):
        phones, bracket, utterance = text.rstrip().removesuffix(")").rpartition("(")
        if not text.rstrip().endswith(")") or not bracket or ")" in utterance or utterance.split() != [utterance]:
            raise builder.fault(line, "a TRN line ends with the utterance id in brackets: phones… (id)")
        builder.add_utterance(utterance, phones.split(), line)


_OPTIONAL = re.compile(r"(?<!\S)\(%?\w[^()\s]*\)(?!\S)")  # (%HESITATION)


def _read_content(builder: TranscriptBuilder, path: Path, spoken: Callable[[str], str] = str) -> list[_Line]:
    # NIST's scorer takes what fits the predictions best of what is left open, which one side alone does not show.
    lines = [(line, text) for line, text in read_lines(path) if not text.lstrip().startswith(";;")]
    for is_open, what, remedy in (
        (_has_alternatives, "alternatives ({ a / b } or <ALT>)", "write one of them"),
        (_OPTIONAL.search, "phones in brackets, which may be left out,", "write them without brackets, or not at all"),
    ):
        if open_lines := [line for line, text in lines if is_open(spoken(text))]:
            number = len(open_lines) - 1
            more = f", nor in {number} more line{'s' * (number > 1)}" if number else ""
            raise builder.fault(open_lines[0], f"{what} are not read here{more}; {remedy}")
    return lines


def _has_alternatives(text: str) -> bool:
    if "<ALT" in text and not {"<ALT>", "<ALT_BEGIN>", "<ALT_END>"}.isdisjoint(text.split()):
        return True
    # The words {, / and }, one after the other, as `{` alone is X-SAMPA's æ.
    words = iter(text.split() if "{" in text and "}" in text else ())
    return "{" in words and "/" in words and "}" in words


def _split_fields(
    builder: TranscriptBuilder, lines: Iterable[_Line], shape: str, fits: Callable[[list[str]], bool]
) -> Iterator[tuple[int, list[str]]]:
    for line, text in lines:
        if not fits(fields := text.split()):
            raise builder.fault(line, f"{shape}; found: {quote(text.strip())}")
        yield line, fields


def _parse_numbers(builder: TranscriptBuilder, line: int, texts: list[str]) -> list[float]:
    if not all(map(is_number, texts)):
        raise builder.fault(line, f"not numbers: {quote(' '.join(texts))}")
    return list(map(float, texts))


# TIMIT's .phn (https://catalog.ldc.upenn.edu/LDC93S1) and HTK's labels ("The HTK Book", chapter "Transcriptions and
# Label Files", https://htk.eng.cam.ac.uk): whole numbers of samples of 16 kHz, or of 100 ns. Of HTK's label files,
# scores (log-likelihoods, no confidences), labels of further levels and comments are left out; a .lab file whose lines
# have no times is plain text: phones (or words) separated by white space.

_SAMPLE_RATE, _HTK_RATE = 16_000, 10_000_000
_MLF = "#!MLF!#"
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")


@build_transcript
def load_phn(builder: TranscriptBuilder, path: Path, options: LoaderOptions) -> None:
    """Read TIMIT: `start end label` a line, a file an utterance."""
    shape = "a .phn line is: start end label, in samples"
    rows = _split_fields(builder, read_lines(path), shape, lambda fields: len(fields) == 3 and _has_times(fields))
    builder.add_timed(options.utterance, _make_intervals(rows, _SAMPLE_RATE), options.speaker)


@build_transcript
def load_lab(builder: TranscriptBuilder, path: Path, options: LoaderOptions) -> None:
    """Read HTK's label file: `[start end] label [score]` a line, an utterance a file."""
    _add_labels(builder, options.utterance, read_lines(path), options.speaker)


@build_transcript
def load_mlf(builder: TranscriptBuilder, path: Path, _: LoaderOptions) -> None:
    """Read HTK's master label file; ids are the quoted names without folders and suffix."""
    lines = read_lines(path)
    if next(lines, (0, ""))[1].strip() != _MLF:
        raise builder.fault(1, f"a master label file begins with {_MLF}")
    for line, text in lines:
        if (quoted := re.fullmatch(r'\s*"([^"]+)"\s*', text)) is None:
            msg = 'here stands the quoted name of a label file, such as "*/u1.lab"; found: '
            raise builder.fault(line, msg + quote(text))
        labels = [*takewhile(lambda entry: entry[1].strip() != ".", chain(lines, [(0, "")]))]
        if labels and not labels[-1][0]:
            raise builder.fault(line, "the entry that begins here does not end with a full stop; the file is cut off")
        utterance = PurePosixPath(quoted[1].replace("\\", "/")).stem  # HTK on Windows writes backslashes
        # "*/u1.lab" stands for u1 in any folder, but "*" for all files that have no entry of their own.
        if set(utterance) & set("*?"):
            raise builder.fault(line, f'the name "{quote(quoted[1])}" stands for many files; give each its own labels')
        _add_labels(builder, utterance, labels, first=line)


def _add_labels(
    builder: TranscriptBuilder, utterance: str, lines: Iterable[_Line], speaker: str = "", first: int = 1
) -> None:
    rows = [(line, text.split()) for line, text in lines]
    timed = any(_has_times(fields) for _, fields in rows)
    for line, fields in rows:
        if _has_times(fields) and len(fields) > 3 and re.fullmatch(r"s\d+", fields[2]):  # 0 9 s2 -60.1 sil -200.3
            raise builder.fault(line, "states of HTK's; write an alignment of phones (HVite without -f)")
        if "///" in fields:
            raise builder.fault(line, "alternatives (///) are not read; keep one of them")
        # HTK may leave out the end, or write seconds as a float; both look like labels, and would become phones.
        if not _has_times(fields) and (timed or (len(fields) > 2 and all(map(is_number, fields[:2])))):
            msg = f"times are whole numbers of 100 ns, start end label; found: {quote(' '.join(fields))}"
            raise builder.fault(line, f"{msg}. Seconds belong into a TSV (utterance, start, end, phone)")
    if timed:
        builder.add_timed(utterance, _make_intervals(rows, _HTK_RATE), speaker)
    else:
        phones = [_decode_octal(field) for _, fields in rows for field in fields]
        builder.add_utterance(utterance, phones, first, speaker)


def _make_intervals(rows: Iterable[tuple[int, list[str]]], rate: int) -> Iterator[Interval]:
    for line, fields in rows:
        yield line, _decode_octal(fields[2]), (float(fields[0]) / rate, float(fields[1]) / rate)


def _has_times(fields: Sequence[str]) -> bool:
    return len(fields) > 2 and fields[0].isdecimal() and fields[1].isdecimal()


def _decode_octal(label: str) -> str:
    # HTK writes octal bytes for all that is not ASCII.
    def letters(match: re.Match[str]) -> str:
        codes = [int(part, 8) for part in match[0].split("\\")[1:]]
        # A run of escapes is one text: the letters of UTF-8 take several bytes, each of them escaped (\311\233 is ɛ).
        try:
            return bytes(codes).decode() if min(codes) > 127 else match[0]
        except ValueError:  # no bytes, or not of UTF-8
            return match[0]

    return _OCTAL.sub(letters, label)


# Phones with times as other tools write them: the Montreal aligner's CSV
# (https://montreal-forced-aligner.readthedocs.io), allosaurus (https://github.com/xinjli/allosaurus).

_MFA_HEADER = ["Begin", "End", "Label", "Type", "Speaker"]


def load_mfa_csv(path: Path, options: LoaderOptions) -> Transcript:
    """Read the Montreal aligner's CSV: rows whose type is `phones`; a file an utterance."""
    (_, header), *rows = [*csv_rows(path)] or [(1, [])]
    if header != _MFA_HEADER:
        raise DataError(f"{path}:1: the header of the Montreal aligner's CSV is {','.join(_MFA_HEADER)}")
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(f"{path}:{line}: {len(row)} cells, but the header has {len(header)}")
    names = ("start", "end", "phone", "type", "speaker")
    named = [(line, {"utterance": options.utterance, **dict(zip(names, row, strict=True))}) for line, row in rows]
    # A recording in which the aligner found nothing has rows of words alone, or none: an utterance without phones.
    none = 1, {"utterance": options.utterance, "phones": "", "speaker": rows[-1][1][-1] if rows else ""}
    phones = [(line, row) for line, row in named if row["type"] == "phones"]
    return load_records(str(path), iter(phones or [none]), options)


@build_transcript
def load_allosaurus(builder: TranscriptBuilder, path: Path, options: LoaderOptions) -> None:
    """Read what allosaurus writes with `--timestamp`: lines `start duration phone`, or such below `#u1.wav`."""
    name, recordings = options.utterance, dict[str, list[Interval]]()
    for line, text in read_lines(path):
        fields = text.split()
        if text.startswith("#") and text[1:].strip() not in recordings:
            recordings[name := text[1:].strip()] = []
        elif len(fields) == 3 and all(map(is_number, fields[:2])):
            times = float(fields[0]), float(fields[0]) + float(fields[1])
            recordings.setdefault(name, []).append((line, fields[2], times))
        else:
            msg = "a line is start duration phone, as allosaurus writes with --timestamp=True, without --topk"
            raise builder.fault(line, f"{msg}: {quote(text.strip(), 100)}")
    for utterance, intervals in (recordings or {name: []}).items():
        builder.add_timed(utterance, intervals)


# Scoring reports: Kaldi's `per_utt` (egs/wsj/s5/utils/scoring/wer_per_utt_details.pl) and icefall's `recogs-….txt`.
# They hold each utterance's gold and predicted symbols, `ref` and `hyp`: `columns` says which is meant, {phones: ref}
# or {phones: hyp}.

_Side = tuple[int, str, str, list[str]]  # line, utterance, ref or hyp, symbols
_GAPS = frozenset({"<eps>", "***"})  # where one side has no symbol; Kaldi’s recipes write ***
_ICEFALL = re.compile(r"(\S.*?):\t(ref|hyp|timestamp_ref|timestamp_hyp)=(.*)")
_QUOTED_FIELD = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\"""")


def _pair_sides(sides: Callable[[Path], Iterator[_Side]]) -> Callable[[Path], Rows]:
    def rows(path: Path) -> Rows:
        for utterance, group in groupby(sides(path), lambda side: side[1]):
            (line, *_), *_ = both = [*group]
            kinds = sorted(kind for _, _, kind, _ in both)
            if kinds != ["hyp", "ref"]:
                msg = f"utterance '{quote(utterance)}' has the lines {', '.join(kinds[:5])}"
                raise DataError(f"{path}:{line}: {msg}; it needs one ref and one hyp, next to each other")
            yield line, {"utterance": utterance, **{kind: symbols for _, _, kind, symbols in both}}

    return rows


@_pair_sides
def per_utt_rows(path: Path) -> Iterator[_Side]:
    for line, text in read_lines(path):
        words = text.split()
        kind = words[1] if len(words) > 1 else ""
        if kind in {"ref", "hyp"}:
            yield line, words[0], kind, [symbol for symbol in words[2:] if symbol not in _GAPS]
        elif kind not in {"op", "#csid"}:
            msg = "a line of per_utt is an id, then ref, hyp, op or #csid"
            raise DataError(f"{path}:{line}: {msg}: {quote(text.strip(), 100)}")


@_pair_sides
def recogs_rows(path: Path) -> Iterator[_Side]:
    for line, text in read_lines(path):
        if not (match := _ICEFALL.fullmatch(text)):
            raise DataError(f"{path}:{line}: a line of recogs is id:<tab>ref=[…] or hyp=[…]: {quote(text, 100)}")
        if match[2] not in {"ref", "hyp"}:
            continue
        text, symbols = match[3], match[3].split()
        # icefall prints Python lists. Evaluating a whole line of a stranger's file could take any time and memory, so
        # each string is found first, and those alone are evaluated that hold escapes.
        if text.startswith("["):
            quoted = _QUOTED_FIELD.findall(text)
            try:
                symbols = [str(ast.literal_eval(each)) if "\\" in each else each[1:-1] for each in quoted]
            except (ValueError, SyntaxError):  # an escape that is none
                quoted = []
            if f"[{', '.join(quoted)}]" != text:
                raise DataError(f"{path}:{line}: not a list of symbols such as ['a', 'b']: {quote(text, 100)}")
        yield line, match[1], match[2], symbols
