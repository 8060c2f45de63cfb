"""The formats of transcripts, built in or added by other distributions, and which of them reads a file.

Other distributions add formats by the entry-point group `phonxling.loaders`.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from phonxling.core.errors import ConfigurationError, DataError, join_alike
from phonxling.core.sequences import Transcript
from phonxling.load import line_formats as lines, records, tables, tiers
from phonxling.load.building import Format, NoRowsError, Reading, Where, join, no_rows, sides
from phonxling.load.guess import guessed
from phonxling.load.line_formats import Rows
from phonxling.load.posteriors import arrow_fields, load_arrow
from phonxling.load.tables import load_trials
from phonxling.load.text import find_files

_GROUP = "phonxling.loaders"
_SHOWN = 5  # problems of a folder's files
_COLUMNS, _TIER = frozenset({"columns", "where"}), frozenset({"tier"})


def _records(name: str, rows: Callable[[Path], Rows], *endings: str) -> Format:
    def fields(path: Path) -> list[str]:
        return next((list(map(str, row)) for _, row in rows(path)), [])

    return Format(name, lines.report_loader(rows), endings, _COLUMNS, fields=fields)


def _report(name: str, rows: Callable[[Path], Rows], *endings: str) -> Format:
    shared, load = not endings, lines.report_loader(rows)
    return Format(name, load, endings or (".txt",), _COLUMNS, shared=shared, fields=lambda _: [*lines.FIELDS])


BUILT_IN: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("tsv", tables.load_tsv, (".tsv",), _COLUMNS, fields=tables.tsv_header),
        Format("csv", tables.load_csv, (".csv",), _COLUMNS, fields=tables.csv_header),
        _records("jsonl", records.jsonl_rows, ".jsonl", ".ndjson"),
        _records("json", records.json_rows, ".json"),
        Format("parquet", load_arrow, (".parquet",), _COLUMNS, library="pyarrow", fields=arrow_fields),
        Format("arrow", load_arrow, (".arrow",), _COLUMNS, library="pyarrow", fields=arrow_fields),
        Format("trn", lines.load_trn, (".trn",)),
        Format("ctm", lines.load_ctm, (".ctm",)),
        Format("stm", lines.load_stm, (".stm",)),
        Format("kaldi-text", lines.load_kaldi_text, ("text",)),
        Format("lines", lines.load_lines, (".txt",), shared=True),
        _report("kaldi-per-utt", lines.per_utt_rows, "per_utt"),
        _report("icefall-recogs", lines.recogs_rows),
        _report("speechbrain-wer", lines.wer_rows),
        Format("phn", lines.load_phn, (".phn",), by_speaker=True),
        Format("lab", lines.load_lab, (".lab",), by_speaker=True),
        Format("mlf", lines.load_mlf, (".mlf",)),
        Format("textgrid", tiers.load_textgrid, (".textgrid",), _TIER, by_speaker=True),
        Format("mfa-csv", lines.load_mfa_csv, (".csv",), shared=True),
        Format("allosaurus", lines.load_allosaurus, (".txt",), shared=True),
        Format("zerospeech-align", lines.load_align, (".align",)),
        Format("trials", load_trials, (".tsv", ".csv"), _COLUMNS, shared=True),
        Format("eaf", tiers.load_eaf, (".eaf",), _TIER),
        Format("cha", tiers.load_cha, (".cha",), _TIER),
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
    """Return the values of a column of a table, the most frequent first."""
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


def both_sides(path: Path, form: str | None = None) -> tuple[str, str] | None:
    """Return the column of gold and the column of predicted phones of a file that seems to hold one of each."""
    return sides(fields_of(path, form))


def known_endings(form: str | None = None) -> tuple[str, ...]:
    """Return the endings of a format's files; of all formats where none is given, or none has that name."""
    if form and form in BUILT_IN:
        return BUILT_IN[form].endings
    known = _endings(frozenset(format_names()))
    return known.get(form or "") or tuple(dict.fromkeys(ending for each in known.values() for ending in each))


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
    """Return the endings that speak for each format."""
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
    """Return the name and version of the distribution that an entry point comes with."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
