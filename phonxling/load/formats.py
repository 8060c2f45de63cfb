"""The formats of transcripts, and which of them reads a file: by its ending, or else by its first lines.

Where none fits, a message says what the file seems to be. Other distributions add formats by the entry-point group
`phonxling.loaders`.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from statistics import mean
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError, join_alike, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import (
    Format,
    Loader,
    NoRowsError,
    Reading,
    Where,
    advice,
    join,
    listed,
    meanings,
    no_rows,
)
from phonxling.load.tables import RECORDING, TASK, load_records
from phonxling.load.text import (
    binary,
    decode,
    files_below,
    find_files,
    has_ending,
    is_folder,
    is_glob,
    is_number,
    matching,
    read_bytes,
    shown_endings,
    split_lines,
)

Endings = Mapping[str, tuple[str, ...]]
_Lines = Sequence[str]
_HEAD, _FIRST = 65_536, 50  # bytes and lines that are looked at
_MFA = "Begin,End,Label,Type,Speaker"
_BEGINNINGS = {"#!MLF!#": "mlf", 'File type = "ooTextFile': "textgrid", '"ooTextFile': "textgrid", _MFA: "mfa-csv"}
_SHORT, _LONG = 50_000, 80_000  # a mean length between the two is no phone's, in samples nor in units of 100 ns


def guessed(path: Path, endings: Endings, columns: Mapping[str, str]) -> str:
    """Return the name of the format of a file, or of the files of a folder or glob."""
    folder = is_folder(path)
    files = [*files_below(path)] if folder else matching(path, ())[1] if is_glob(path) else [path]
    counts = Counter(name for file in files for name, each in endings.items() if has_ending(file.name, each))
    if not counts and not folder:
        return _by_content(files[0], endings, columns)
    if not counts:
        known = shown_endings([ending for each in endings.values() for ending in each])
        msg = f"{path}: the folder holds no file with a known ending; looked for {known}"
        raise DataError(f"{msg}. For other endings, give format: (--format), {_choice(endings)}")
    if len(counts) > 1:
        several = folder or len(files) > 1
        found = ", ".join(f"{name} ({count})" if several else name for name, count in sorted(counts.items()))
        if not folder:
            raise DataError(f"{path}: could be {found}; give format: (--format)")
        msg = f"{path}: the folder holds files of several formats: {found}; give format: (--format)"
        raise DataError(f"{msg}, or a glob such as {path}/*{endings[min(counts)][0]}")
    name = next(iter(counts))
    if name == "csv" and not columns:
        data = read_bytes(next(one for one in files if has_ending(one.name, (".csv",))), 100)
        if data.removeprefix(b"\xef\xbb\xbf").splitlines()[:1] == [_MFA.encode()]:
            return "mfa-csv"
    return name


def _by_content(path: Path, endings: Endings, columns: Mapping[str, str]) -> str:
    data = read_bytes(path, _HEAD)
    if data[:4] == b"PAR1":
        return "parquet"
    if what := binary(path, data):
        raise DataError(f"{path}: looks like {what}")
    lines = _lines(path, data)
    names = _by_first(lines, columns) or sorted(_by_all(lines))
    if not names and lines and (what := _looks_like(lines)):
        raise DataError(f"{path}: looks like {shown(what, 1500)}")
    if len(names) != 1:
        raise DataError(f"{path}: {_undecided(names, lines, endings)}")
    return names[0]


def _lines(path: Path, data: bytes) -> list[str]:
    """Return the first whole lines that are neither blank nor NIST's comments."""
    whole = data if len(data) < _HEAD else data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]
    wide = data[:2] in {b"\xff\xfe", b"\xfe\xff"}
    text = data.decode("utf-16", errors="ignore") if wide else decode(path, whole, wide=True)
    lines = [line.strip("\r ") for line in split_lines(text)]
    return [line for line in lines if line.strip() and not line.lstrip().startswith(";;")][:_FIRST]


def _by_first(lines: _Lines, columns: Mapping[str, str]) -> list[str]:
    first = lines[0] if lines else ""
    named = [name for beginning, name in _BEGINNINGS.items() if first.startswith(beginning)]
    named += [_json_kind(first)] if first[:1] in {"{", "["} else []
    named += [name for name, fits in _REPORTS.items() if lines and fits(lines)]
    named += ["eaf"] if any("<ANNOTATION_DOCUMENT" in line for line in lines[:5]) else []
    named += ["cha"] if first in {"@UTF8", "@Begin"} else []
    titles = {"utterance", "phones", *columns.values()}
    tables = [name for name, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")) if titles & set(first.split(mark))]
    return named or (tables[:1] if len(first.split()) > 1 or {",", ";"} & set(first) else [])


def _json_kind(first: str) -> str:
    try:
        return "jsonl" if isinstance(json.loads(first), dict) else "json"
    except (ValueError, RecursionError):
        return "json"


_REPORTS: Mapping[str, Callable[[_Lines], bool]] = {
    "kaldi-per-utt": lambda lines: (
        len(lines) > 1 and all({*line.split()[1:2]} & {"ref", "hyp", "op", "#csid"} for line in lines)
    ),
    "allosaurus": lambda lines: lines[0].startswith("#") and bool(RECORDING.fullmatch(lines[0][1:])),
    "icefall-recogs": lambda lines: bool(_named("line_formats", "ICEFALL").fullmatch(lines[0])),
}


def _by_all(lines: _Lines) -> set[str]:
    if not lines:
        return set()
    names = set.intersection(*map(_of_line, lines))
    if "allosaurus" in names and (len(lines) < 2 or len({line.split()[1] for line in lines}) > 1):
        names -= {"allosaurus"}  # whose phones all have one duration
    if names == {"phn", "lab"}:  # samples or 100 ns: the intervals' mean length rules one out, or both
        length = mean(float(end) - float(start) for start, end, *_ in map(str.split, lines))
        names -= {"lab"} if length < _SHORT else {"phn"} if length > _LONG else set()
    return names


def _of_line(line: str) -> set[str]:
    fields = line.split()
    numbers = [is_number(field) for field in fields[:5]]
    whole = len(fields) >= 3 and fields[0].isdecimal() and fields[1].isdecimal()
    shapes = {
        "trn": line.endswith(")") and "(" in line and not _TOP_PHONES.search(line),
        "ctm": len(fields) in {5, 6} and numbers[2:4] == [True, True],
        "stm": len(fields) >= 5 and numbers[3:5] == [True, True] and not numbers[2],
        "phn": whole and len(fields) == 3,
        "allosaurus": len(fields) == 3 and numbers == [True, True, False] and all("." in each for each in fields[:2]),
        "lab": whole,
        "kaldi-text": not any(numbers[1:]) and (bool(RECORDING.fullmatch(fields[0])) or TASK in line),
    }
    return {name for name, fits in shapes.items() if fits}


def _undecided(names: _Lines, lines: _Lines, endings: Endings) -> str:
    if not lines:
        return f"holds nothing, and its name says no format. Give it (--format or format:), {_choice(endings)}"
    if names:
        return f"its lines could be {' or '.join(names)}; say which (--format or format:)"
    msg = "neither its name nor its first lines show the format"
    if "\t" in lines[0] or "," in lines[0]:
        return f"{msg}; give it (--format or format:), {_choice(endings)}"
    kinds = "an id and its phones (kaldi-text), or phones alone, in the order of the other side’s lines (lines)"
    return f"{msg}. Give it (--format or format:): a line is {kinds}; or the file is one utterance (lab)"


def _choice(endings: Endings) -> str:
    return f"one of: {', '.join(sorted(endings))}"


# What texts look like that are of no format read here, and what to do.

_TOP_PHONES = re.compile(r"\((?:0?\.\d+|1\.0*)\)$")  # a probability after a phone
_LABEL = re.compile(r"\s*\d+\.\d+\s+\d+\.\d+\s+\S")
_ROOT = re.compile(r"(?:<\?.*\?>)?\s*<(?![?!])\s*([\w:.-]+)")


def _looks_like(lines: _Lines) -> str:
    """Return what a text seems to be that no format's reader takes, "" when nothing can be said."""
    if lines[0].startswith("#file onset offset #"):
        return "ZeroSpeech's list of phones: write the alignment as a TSV (utterance, start, end, phone)"
    if any(line.startswith("%WER ") for line in lines):
        return "error rates, of Kaldi or SpeechBrain: give Kaldi's per_utt, or a TSV (utterance, phones) of each side"
    if all(_TOP_PHONES.search(line.strip()) for line in lines):
        return "allosaurus with several phones for each place: run it without --topk"
    if all(map(_LABEL.match, lines)):
        kind = "labels of one recording (start, end, label), as of Audacity"
        return f"{kind}: write them as a TSV (utterance, start, end, phone)"
    if root := _ROOT.match("".join(lines)):
        return f"XML (<{root[1]}>) of no format that is read here: export it as a TextGrid or a TSV"
    if len({line.count("|") for line in lines} - {0}) == 1:
        header = "a first line that names the columns: utterance<tab>phones"
        return f"a table with columns between |: write it as a TSV, with {header}"
    tabs = {line.count("\t") for line in lines}
    if 0 not in tabs and len(lines) > 1 and (len(tabs) > 1 or tabs == {1}) and not meanings(lines[0].split("\t")):
        what = "a pronunciation dictionary (a word, then its phones), which is no transcript"
        return f"{what}; if it is one, give it the header `utterance<tab>phones` and format: tsv"
    for mark, form in (("\t", "tsv"), (",", "csv")):
        if len(lines) > 1 and all(mark in line for line in lines):
            fields = lines[0].split(mark)
            what = f"a table with the columns {listed(fields)}; give format: {form} (--format {form})"
            return f"{what}, and name the columns. {advice(fields)}"
    return ""


_GROUP = "phonxling.loaders"
_SHOWN = 5  # problems of a folder's files
_COLUMNS, _TIER = frozenset({"columns", "where"}), frozenset({"tier"})


def _named(module: str, name: str) -> Any:  # noqa: ANN401 - a function, or what it reads
    """Return what a module of this folder calls so; modules are imported when one of their formats is used."""
    return getattr(import_module(f"phonxling.load.{module}"), name)


def _call(module: str, name: str, **options: str) -> Callable[..., Any]:
    return lambda *arguments: _named(module, name)(*arguments, **options)


def _of_rows(module: str, rows: str) -> Loader:
    return lambda path, reading: load_records(str(path), _named(module, rows)(path), reading)


def _table(name: str) -> Format:
    load, header = _call("tables", "load_table", form=name), _call("tables", "header_of", form=name)
    return Format(name, load, (f".{name}",), _COLUMNS, fields=header)


def _json(name: str, *endings: str) -> Format:
    load = _of_rows("records", f"{name}_rows")
    return Format(name, load, endings, _COLUMNS, fields=_call("records", "json_fields", form=name))


def _arrow(name: str) -> Format:
    load, fields = _call("records", "load_arrow"), _call("records", "arrow_fields")
    return Format(name, load, (f".{name}",), _COLUMNS, library="pyarrow", fields=fields)


def _report(name: str, rows: str, *endings: str) -> Format:
    load, fields = _of_rows("line_formats", rows), _call("line_formats", "report_fields")
    return Format(name, load, endings or (".txt",), _COLUMNS, shared=not endings, fields=fields)


def _of_lines(name: str, ending: str, *, by_speaker: bool = False, shared: bool = False) -> Format:
    load = _call("line_formats", f"load_{name.replace('-', '_')}")
    return Format(name, load, (ending,), by_speaker=by_speaker, shared=shared)


def _of_tiers(name: str, *, by_speaker: bool = False) -> Format:
    return Format(name, _call("tiers", f"load_{name}"), (f".{name}",), _TIER, by_speaker=by_speaker)


BUILT_IN: Mapping[str, Format] = {
    each.name: each
    for each in (
        _table("tsv"),
        _table("csv"),
        _json("jsonl", ".jsonl", ".ndjson"),
        _json("json", ".json"),
        _arrow("parquet"),
        _arrow("arrow"),
        _of_lines("trn", ".trn"),
        _of_lines("ctm", ".ctm"),
        _of_lines("stm", ".stm"),
        _of_lines("kaldi-text", "text"),
        _of_lines("lines", ".txt", shared=True),
        _report("kaldi-per-utt", "per_utt_rows", "per_utt"),
        _report("icefall-recogs", "recogs_rows"),
        _of_lines("phn", ".phn", by_speaker=True),
        _of_lines("lab", ".lab", by_speaker=True),
        _of_lines("mlf", ".mlf"),
        _of_tiers("textgrid", by_speaker=True),
        _of_lines("mfa-csv", ".csv", shared=True),
        _of_lines("allosaurus", ".txt", shared=True),
        _of_tiers("eaf"),
        _of_tiers("cha"),
    )
}


def load_transcript(
    path: Path,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    tier: str | None = None,
    where: Where | None = None,
    *,
    side: str = "",
) -> Transcript:
    """Return the transcript of a file, a folder or a glob; the format is guessed from name and content unless given."""
    chosen = format_of(path, form, columns)
    for option, value, hint in (
        ("columns", columns or None, ""),
        ("where", where or None, ""),
        ("tier", tier, ". For score: --tier 'phones;' is for gold alone, ';phones' for predicted"),
    ):
        if value is not None and option not in chosen.takes:
            users = ", ".join(name for name, each in BUILT_IN.items() if option in each.takes)
            msg = f"{path}: `{option}` is for the formats {users}; {chosen.name} takes none"
            raise ConfigurationError(f"{msg}{hint}")
    files = find_files(path, chosen.endings)
    folders = chosen.by_speaker and all(name != file.stem for name, file in files)
    parts: list[Transcript] = []
    problems: list[DataError] = []
    for name, file in files:
        reading = Reading(columns or {}, tier, name, file.parent.name if folders else "", where or {}, side)
        try:
            parts.append(chosen.load(file, reading))
        except DataError as error:
            problems.append(error)
    absent = [error for error in problems if isinstance(error, NoRowsError)]
    if parts:  # of several tables, some may have no such row
        problems = [error for error in problems if error not in absent]
    elif where and len(absent) == len(problems) > 1:
        raise no_rows(str(path), where, {name: sum((each.seen[name] for each in absent), Counter()) for name in where})
    if len(problems) == 1:
        raise problems[0]
    if problems:
        headline = f"{path}: {len(problems)} of {len(files)} files cannot be read:"
        raise DataError(join_alike(headline, map(str, problems), limit=_SHOWN))
    return join(str(path), parts)


def values_in(path: Path, form: str | None, columns: Mapping[str, str], column: str) -> list[str]:
    try:
        load_transcript(path, form, columns or None, where={column: ()})
    except NoRowsError as error:
        return [value for value, _ in error.seen[column].most_common() if value]
    return []


def format_names() -> tuple[str, ...]:
    """Return the names of all formats: the built-in ones, which no plug-in replaces, then those of plug-ins."""
    return (*BUILT_IN, *(name for name in sorted(_plugged()) if name not in BUILT_IN))


def format_of(path: Path, form: str | None = None, columns: Mapping[str, str] | None = None) -> Format:
    """Return the format that reads a path; errors as for `load_transcript`."""
    return _format(path, form or guess_format(path, columns))


def guess_format(path: Path, columns: Mapping[str, str] | None = None) -> str:
    """Return the name of the format that a path's endings or else its first lines speak for; DataError when none."""
    return guessed(path, _endings(frozenset(format_names())), columns or {})


def fields_of(path: Path, form: str | None = None) -> list[str]:
    """Return what the columns of a file, or of the first of a path's files, are called; none for other formats."""
    chosen = format_of(path, form)
    return chosen.fields(find_files(path, chosen.endings)[0][1]) if chosen.fields else []


def known_endings() -> tuple[str, ...]:
    """Return the endings of all formats' files."""
    every = _endings(frozenset(format_names())).values()
    return tuple(dict.fromkeys(ending for each in every for ending in each))


def transcript_files(path: Path, form: str | None = None, columns: Mapping[str, str] | None = None) -> list[Path]:
    """Return the files that `load_transcript` would read."""
    return [file for _, file in find_files(path, format_of(path, form, columns).endings)]


def _format(path: Path, name: str) -> Format:
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name not in format_names():
        raise DataError(f"{path}: no format is called '{name}'; there are: {', '.join(sorted(format_names()))}")
    return _plugged_format(_plugged()[name])


@cache
def _endings(names: frozenset[str]) -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        try:
            chosen = _format(Path(), name)
            known[name] = () if chosen.shared else chosen.endings
        except DataError:  # a broken plug-in matters to those alone who use it
            known[name] = (f".{name}",)
    return known


@cache  # looking through all that is installed takes 10 ms
def _plugged() -> Mapping[str, EntryPoint]:
    """Return the entry points by format name, nothing imported yet; DataError when two distributions claim a name."""
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=_GROUP):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            msg = f"the format '{point.name}' is claimed by two installed packages, {_owner(other)} and {_owner(point)}"
            raise DataError(f"{msg}; uninstall one")
    return points


def _plugged_format(point: EntryPoint) -> Format:
    """Return the format behind an entry point: a `Format`, or a loader for files that end in the format's name."""
    try:
        loaded = point.load()
    except Exception as error:  # whatever a stranger's module does when it is imported
        raise DataError(f"the loader of '{point.name}' ({_owner(point)}) cannot be imported: {error}") from error
    library = point.dist.name if point.dist is not None else None
    if isinstance(loaded, Format):
        return replace(loaded, name=point.name, library=library)
    if not callable(loaded):
        msg = f"the loader of '{point.name}' ({_owner(point)}) is no loader: {point.value} is a {type(loaded).__name__}"
        raise DataError(msg)
    return Format(point.name, loaded, (f".{point.name}",), frozenset({"columns"}) | _TIER, library=library)


def _owner(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
