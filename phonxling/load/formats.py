"""The list of formats of transcripts, and which of them reads a file: the one given, or by name or first lines."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from phonxling.core.errors import ConfigurationError, DataError, join_alike
from phonxling.core.sequences import Transcript
from phonxling.load.building import join
from phonxling.load.chat import load_cha
from phonxling.load.eaf import load_eaf
from phonxling.load.field_names import sides
from phonxling.load.guess import guessed
from phonxling.load.htk import load_lab, load_mlf
from phonxling.load.kaldi import load_kaldi_text, load_lines
from phonxling.load.nist import load_ctm, load_stm, load_trn
from phonxling.load.parquet import load_parquet, parquet_fields
from phonxling.load.paths import find_files
from phonxling.load.plugins import plugged, plugged_format
from phonxling.load.reading import Format, Loader, Reading
from phonxling.load.records import json_rows, jsonl_rows, load_json, load_jsonl
from phonxling.load.tables import csv_header, load_csv, load_tsv, tsv_header
from phonxling.load.textgrid import load_textgrid
from phonxling.load.timit import load_phn
from phonxling.load.tools import (
    FIELDS,
    Rows,
    load_align,
    load_allosaurus,
    load_mfa_csv,
    loader,
    per_utt_rows,
    recogs_rows,
    wer_rows,
)

_SHOWN = 5  # problems of a folder's files
_COLUMNS, _TIER = frozenset({"columns"}), frozenset({"tier"})


def _by_columns(load: Callable[[Path, Mapping[str, str]], Transcript]) -> Loader:
    return lambda path, reading: load(path, reading.columns)


def _scored(name: str, rows: Callable[[Path], Rows], *endings: str) -> Format:
    return Format(name, loader(rows), endings or (".txt",), _COLUMNS, shared=not endings, fields=lambda _: [*FIELDS])


def _fields_of(rows: Callable[[Path], Rows]) -> Callable[[Path], list[str]]:
    return lambda path: next((list(map(str, row)) for _, row in rows(path)), [])


BUILT_IN: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("tsv", _by_columns(load_tsv), (".tsv",), _COLUMNS, fields=tsv_header),
        Format("csv", _by_columns(load_csv), (".csv",), _COLUMNS, fields=csv_header),
        Format("jsonl", load_jsonl, (".jsonl", ".ndjson"), _COLUMNS, fields=_fields_of(jsonl_rows)),
        Format("json", load_json, (".json",), _COLUMNS, fields=_fields_of(json_rows)),
        Format("parquet", load_parquet, (".parquet",), _COLUMNS, library="pyarrow", fields=parquet_fields),
        Format("trn", load_trn, (".trn",)),
        Format("ctm", load_ctm, (".ctm",)),
        Format("stm", load_stm, (".stm",)),
        Format("kaldi-text", load_kaldi_text, ("text",)),
        Format("lines", load_lines, (".txt",), shared=True),
        _scored("kaldi-per-utt", per_utt_rows, "per_utt"),
        _scored("icefall-recogs", recogs_rows),
        _scored("speechbrain-wer", wer_rows),
        Format("phn", load_phn, (".phn",), by_speaker=True),
        Format("lab", load_lab, (".lab",), by_speaker=True),
        Format("mlf", load_mlf, (".mlf",)),
        Format("textgrid", load_textgrid, (".textgrid",), _TIER, by_speaker=True),
        Format("mfa-csv", load_mfa_csv, (".csv",), shared=True),
        Format("allosaurus", load_allosaurus, (".txt",), shared=True),
        Format("zerospeech-align", load_align, (".align",)),
        Format("eaf", load_eaf, (".eaf",), _TIER),
        Format("cha", load_cha, (".cha",), _TIER),
    )
}


def load_transcript(
    path: Path, form: str | None = None, columns: Mapping[str, str] | None = None, tier: str | None = None
) -> Transcript:
    """Return the transcript of a file, a folder or a glob; the format is guessed from name and content unless given."""
    chosen = format_of(path, form, columns)
    _check_options(path, chosen, Reading(columns or {}, tier))
    files = find_files(path, chosen.endings)
    folders = chosen.by_speaker and all(name != file.stem for name, file in files)
    parts: list[Transcript] = []
    problems: list[DataError] = []
    for name, file in files:
        reading = Reading(columns or {}, tier, name, file.parent.name if folders else "")
        try:
            parts.append(chosen.load(file, reading))
        except DataError as error:
            problems.append(error)
    if problems:
        raise _summary(path, problems, len(files))
    return join(str(path), parts)


def format_names() -> tuple[str, ...]:
    """Return the names of all formats: the built-in ones, which no plug-in replaces, then those of plug-ins."""
    return (*BUILT_IN, *(name for name in sorted(plugged()) if name not in BUILT_IN))


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


def _check_options(path: Path, chosen: Format, reading: Reading) -> None:
    """Raise ConfigurationError when a format is given options that it has no use for."""
    hints = {"columns": "", "tier": ". For score: --tier 'phones;' is for gold alone, ';phones' for predicted"}
    for option, value in (("columns", reading.columns or None), ("tier", reading.tier)):
        if value is not None and option not in chosen.takes:
            users = ", ".join(name for name, each in BUILT_IN.items() if option in each.takes)
            msg = f"{path}: `{option}` is for the formats {users}; {chosen.name} takes none"
            raise ConfigurationError(f"{msg}{hints[option]}")


def _format(path: Path, name: str) -> Format:
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name not in format_names():
        msg = f"{path}: no format is called '{name}'; there are: {', '.join(sorted(format_names()))}"
        raise DataError(msg)
    return plugged_format(plugged()[name])


@cache
def _endings(names: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Return the endings that speak for a format."""
    return {name: _endings_of(name) for name in sorted(names)}


def _endings_of(name: str) -> tuple[str, ...]:
    try:
        chosen = _format(Path(), name)
        return () if chosen.shared else chosen.endings
    except DataError:  # a broken plug-in matters to those alone who use it
        return (f".{name}",)


def _summary(path: Path, problems: list[DataError], files: int) -> DataError:
    if len(problems) == 1:
        return problems[0]
    headline = f"{path}: {len(problems)} of {files} files cannot be read:"
    return DataError(join_alike(headline, map(str, problems), limit=_SHOWN))
