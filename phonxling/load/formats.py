"""The list of formats of transcripts, and which of them reads a file: the one given, or by name or first lines."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.sequences import Transcript
from phonxling.load.guess import guessed
from phonxling.load.paths import find_files
from phonxling.load.plugins import plugged, plugged_format
from phonxling.load.reading import Format, Loader, Reading
from phonxling.load.transcripts.build import join
from phonxling.load.transcripts.chat import load_cha
from phonxling.load.transcripts.eaf import load_eaf
from phonxling.load.transcripts.htk import load_lab, load_mlf
from phonxling.load.transcripts.kaldi import load_kaldi_text
from phonxling.load.transcripts.nist import load_ctm, load_stm, load_trn
from phonxling.load.transcripts.parquet import load_parquet
from phonxling.load.transcripts.records import load_jsonl
from phonxling.load.transcripts.tables import load_csv, load_tsv
from phonxling.load.transcripts.textgrid import load_textgrid
from phonxling.load.transcripts.timit import load_phn

_SHOWN = 5  # problems of a folder's files
_COLUMNS, _TIER = frozenset({"columns"}), frozenset({"tier"})


def _by_columns(load: Callable[[Path, Mapping[str, str]], Transcript]) -> Loader:
    return lambda path, reading: load(path, reading.columns)


BUILT_IN: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("tsv", _by_columns(load_tsv), (".tsv",), _COLUMNS),
        Format("csv", _by_columns(load_csv), (".csv",), _COLUMNS),
        Format("jsonl", load_jsonl, (".jsonl", ".ndjson"), _COLUMNS),
        Format("parquet", load_parquet, (".parquet",), _COLUMNS, library="pyarrow"),
        Format("trn", load_trn, (".trn",)),
        Format("ctm", load_ctm, (".ctm",)),
        Format("stm", load_stm, (".stm",)),
        Format("kaldi-text", load_kaldi_text, ("text",)),
        Format("phn", load_phn, (".phn",), by_speaker=True),
        Format("lab", load_lab, (".lab",), by_speaker=True),
        Format("mlf", load_mlf, (".mlf",)),
        Format("textgrid", load_textgrid, (".textgrid",), _TIER, by_speaker=True),
        Format("eaf", load_eaf, (".eaf",), _TIER),
        Format("cha", load_cha, (".cha",), _TIER),
    )
}


def load_transcript(
    path: Path, form: str | None = None, columns: Mapping[str, str] | None = None, tier: str | None = None
) -> Transcript:
    """Return the transcript of a file, a folder or a glob; the format is guessed from name and content unless given.

    The utterances of several files stand in the order of the files' names. In formats of one utterance a file, its id
    is the path below the folder without the suffix, "/" written "_".

    Raises
    ------
    DataError
        If nothing is there, the format is unknown or cannot be told, or a file is not of that format: the first
        problems of a folder's files are shown and all counted.
        If two files hold the same utterance, or only some have times, confidences or speakers.
    ConfigurationError
        If the format has no use for `columns`, or for `tier`.
    """
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


def known_endings(form: str | None = None) -> tuple[str, ...]:
    """Return the endings of a format's files; of all formats where none is given, or none has that name."""
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
    return {name: _endings_of(name) for name in sorted(names)}


def _endings_of(name: str) -> tuple[str, ...]:
    try:
        return _format(Path(), name).endings
    except DataError:  # a broken plug-in matters to those alone who use it
        return (f".{name}",)


def _summary(path: Path, problems: list[DataError], files: int) -> DataError:
    if len(problems) == 1:
        return problems[0]
    headline = f"{path}: {len(problems)} of {files} files cannot be read:"
    return DataError(join_problems(headline, map(str, problems), limit=_SHOWN))
