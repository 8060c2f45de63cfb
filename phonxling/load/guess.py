"""The format of a file, guessed from its ending or else from its first lines."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from phonxling.core.errors import DataError, shown
from phonxling.load.foreign import TOP_PHONES, looks_like
from phonxling.load.paths import files_below, has_ending, is_folder, is_glob, matching, shown_endings
from phonxling.load.text import binary, decode, is_number, read_head, split_lines
from phonxling.load.tools import ALIGN_HEADER, ICEFALL, SPEECHBRAIN

Endings = Mapping[str, tuple[str, ...]]
_HEAD = 65_536  # bytes
_LINES = 50
_BEGINNINGS = {
    "#!MLF!#": "mlf",
    'File type = "ooTextFile': "textgrid",
    '"ooTextFile': "textgrid",
    "Begin,End,Label,Type,Speaker": "mfa-csv",
}
_TITLES = frozenset({"utterance", "phones"})
_SHORT, _LONG = 50_000, 80_000  # a mean length between the two is no phone's, in samples nor in units of 100 ns


def guessed(path: Path, endings: Endings, columns: Mapping[str, str]) -> str:
    """Return the name of the format of a file, or of the files of a folder or glob."""
    folder = is_folder(path)
    files = [*files_below(path)] if folder else matching(path, ())[1] if is_glob(path) else [path]
    counts = Counter(name for file in files for name in _by_ending(file, endings))
    if not folder and not counts:
        return _by_content(files[0], endings, columns)
    name = _of_folder(path, counts, endings) if folder else next(iter(counts))
    if len(counts) > 1:
        raise DataError(f"{path}: could be {_shown(counts, len(files) > 1)}; give format: (--format)")
    if name == "csv" and not columns and _is_aligner_csv(next(one for one in files if has_ending(one.name, (".csv",)))):
        return "mfa-csv"
    return name


def _is_aligner_csv(path: Path) -> bool:
    data = read_head(path, 100).removeprefix(b"\xef\xbb\xbf")
    return bool(data) and data.splitlines()[0] == b"Begin,End,Label,Type,Speaker"


def _of_folder(path: Path, counts: Counter[str], endings: Endings) -> str:
    if not counts:
        known = shown_endings([ending for each in endings.values() for ending in each])
        msg = f"{path}: the folder holds no file with a known ending; looked for {known}"
        raise DataError(f"{msg}. For other endings, give format: (--format), {_choice(endings)}")
    if len(counts) > 1:
        msg = f"{path}: the folder holds files of several formats: {_shown(counts, several=True)}"
        raise DataError(f"{msg}; give format: (--format), or a glob such as {path}/*{endings[min(counts)][0]}")
    return next(iter(counts))


def _by_ending(file: Path, endings: Endings) -> list[str]:
    return [name for name, each in endings.items() if has_ending(file.name, each)]


def _shown(counts: Counter[str], several: bool) -> str:
    return ", ".join(f"{name} ({count})" if several else name for name, count in sorted(counts.items()))


def _by_content(path: Path, endings: Endings, columns: Mapping[str, str]) -> str:
    data = read_head(path, _HEAD)
    if data[:4] == b"PAR1":
        return "parquet"
    if what := binary(path, data):
        raise DataError(f"{path}: looks like {what}")
    lines = _lines(path, data)
    names = _by_first(lines, columns) or sorted(_by_all(lines))
    if not names and (what := looks_like(lines)):
        raise DataError(f"{path}: looks like {shown(what, 1500)}")
    if len(names) != 1:
        raise DataError(_undecided(path, names, lines, endings))
    return names[0]


def _lines(path: Path, data: bytes) -> list[str]:
    """Return the first whole lines that are neither blank nor NIST's comments."""
    whole = data if len(data) < _HEAD else data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]
    wide = data[:2] in {b"\xff\xfe", b"\xfe\xff"}
    text = data.decode("utf-16", errors="ignore") if wide else decode(path, whole, wide=True)
    lines = [line.strip("\r ") for line in split_lines(text)]
    return [line for line in lines if line.strip() and not line.lstrip().startswith(";;")][:_LINES]


def _by_first(lines: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    first = lines[0] if lines else ""
    named = [name for beginning, name in _BEGINNINGS.items() if first.startswith(beginning)]
    named += [_json_kind(first)] if first[:1] in {"{", "["} else []
    named += [name for name, fits in _REPORTS.items() if lines and fits(lines)]
    named += ["eaf"] if any("<ANNOTATION_DOCUMENT" in line for line in lines[:5]) else []
    named += ["cha"] if first in {"@UTF8", "@Begin"} else []
    titles = _TITLES | set(columns.values())
    tables = [name for name, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")) if titles & set(first.split(mark))]
    return named or (tables[:1] if len(first.split()) > 1 or {",", ";"} & set(first) else [])


def _json_kind(first: str) -> str:
    """Return whether a first line is an object of JSON lines, or the beginning of a JSON file; "" when of neither."""
    try:
        return "jsonl" if isinstance(json.loads(first), dict) else "json"
    except (ValueError, RecursionError):
        return "json"


def _is_per_utt(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and all({*line.split()[1:2]} & {"ref", "hyp", "op", "#csid"} for line in lines)


_REPORTS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "kaldi-per-utt": _is_per_utt,
    "icefall-recogs": lambda lines: bool(ICEFALL.fullmatch(lines[0])),
    "zerospeech-align": lambda lines: lines[0].split() == ALIGN_HEADER,
    "speechbrain-wer": lambda lines: any(SPEECHBRAIN.fullmatch(line) for line in lines),
}


def _by_all(lines: Sequence[str]) -> set[str]:
    """Return the formats that every line speaks for."""
    if not lines:
        return set()
    names = set.intersection(*(_of_line(line) for line in lines))
    if "allosaurus" in names and (len(lines) < 2 or len({line.split()[1] for line in lines}) > 1):
        names -= {"allosaurus"}  # whose phones all have one duration
    return names - _wrong_unit(lines) if names == {"phn", "lab"} else names


def _of_line(line: str) -> set[str]:
    fields = line.split()
    numbers = [is_number(field) for field in fields[:5]]
    shapes = {
        "trn": line.endswith(")") and "(" in line and not TOP_PHONES.search(line),
        "ctm": len(fields) in {5, 6} and numbers[2:4] == [True, True],
        "stm": len(fields) >= 5 and numbers[3:5] == [True, True] and not numbers[2],
        "phn": len(fields) == 3 and fields[0].isdecimal() and fields[1].isdecimal(),
        "allosaurus": len(fields) == 3 and numbers == [True, True, False] and all("." in each for each in fields[:2]),
        "lab": len(fields) >= 3 and fields[0].isdecimal() and fields[1].isdecimal(),
    }
    return {name for name, fits in shapes.items() if fits}


def _wrong_unit(lines: Iterable[str]) -> set[str]:
    """Return which of phn (samples) and lab (100 ns) the intervals' mean length rules out; both when neither fits."""
    length = mean(float(end) - float(start) for start, end, *_ in map(str.split, lines))
    return {"lab"} if length < _SHORT else {"phn"} if length > _LONG else set()


def _undecided(path: Path, names: Sequence[str], lines: Sequence[str], endings: Endings) -> str:
    if not lines:
        return (
            f"{path}: holds nothing; its name tells no format either. Give it (--format or format:), {_choice(endings)}"
        )
    if names:
        return f"{path}: its lines could be {' or '.join(names)}; say which (--format or format:)"
    msg = f"{path}: neither its name nor its first lines tell the format"
    if "\t" in lines[0] or "," in lines[0]:
        return f"{msg}; give it (--format or format:), {_choice(endings)}"
    kinds = "an id and its phones (kaldi-text), or phones alone, in the order of the other side’s lines (lines)"
    return f"{msg}. Give it (--format or format:): a line is {kinds}; or the file is one utterance (lab)"


def _choice(endings: Endings) -> str:
    return f"one of: {', '.join(sorted(endings))}"
