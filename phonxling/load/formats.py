"""The formats of transcripts, and which of them reads a file: by its ending, or else by its first lines."""

# Where none fits, a message says what the file seems to be. Other distributions add formats by the entry-point group
# `phonxling.loaders`.

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError, join_alike, quote
from phonxling.core.sequences import Transcript
from phonxling.load.building import Format, LoaderOptions, NoRowsError, Where, join, refuse_empty
from phonxling.load.columns import RECORDING, choose_table_columns, list_columns, recognise_fields
from phonxling.load.tables import TASK, header_of, load_records, load_table, refuse_lists
from phonxling.load.text import (
    decode,
    detect_binary,
    files_below,
    find_files,
    has_ending,
    is_folder,
    is_glob,
    is_number,
    list_endings,
    matching_files,
    read_bytes,
    split_lines,
)

_Lines = Sequence[str]
_HEAD, _FIRST = 65_536, 50  # bytes and lines that are looked at
_MFA = "Begin,End,Label,Type,Speaker"
# Below 50,000 units of 100 ns phones would last less than 5 ms, so that they are samples (TIMIT); above 80,000 samples
# of 16 kHz they would last more than 5 s, so that they are such units (HTK). Between the two the format has to be
# given.
_SHORT, _LONG = 50_000, 80_000


def guess_format(path: Path, columns: Mapping[str, str] | None = None) -> str:
    """Return the name of the format that a path's endings or else its first lines speak for; DataError when none."""
    folder, held = is_folder(path), _match_endings(path)
    if not held and not folder:
        return _guess_by_content(matching_files(path, ())[1][0], columns or {})
    if not held:
        msg = f"{path}: the folder holds no file with a known ending; looked for {list_endings(known_endings())}"
        raise DataError(f"{msg}{_explain_endings(path)}")
    name, files = max(held.items(), key=lambda item: len(item[1]))
    others = sum(map(len, held.values())) - len(files)
    # A folder with a stray README or word list is read by the majority, and says so; a glob was meant to match alike.
    if others and not (folder and len(files) > others):
        counts = ", ".join(f"{each} ({len(own)})" for each, own in sorted(held.items()))
        msg = f"{path}: holds files of several formats: {counts}; give format: (--format)"
        raise DataError(f"{msg}, or a glob such as {path if folder else path.parent}/*{_list_endings()[min(held)][0]}")
    # The Montreal aligner's CSV shares the ending of all others, so that its header alone shows it.
    head = read_bytes(files[0], 100).removeprefix(b"\xef\xbb\xbf") if name == "csv" and not columns else b""
    return "mfa-csv" if head.splitlines()[:1] == [_MFA.encode()] else name


def _find_files(path: Path, endings: Sequence[str]) -> list[tuple[str, Path]]:
    if is_folder(path) and not any(has_ending(file.name, endings) for file in files_below(path)):
        raise DataError(f"{path}: holds no {list_endings(endings)} file{_explain_endings(path)}")
    return find_files(path, endings)


def _explain_endings(folder: Path) -> str:
    if not (endings := Counter(file.suffix for file in files_below(folder) if file.suffix)):
        return ""
    other = f"give a glob for other endings, such as '{folder}/**/*{endings.most_common(1)[0][0]}'"
    return f"; {other}, and a format: (--format) if their lines do not show it"


def _match_endings(path: Path) -> dict[str, list[Path]]:
    endings = _list_endings().items()
    held: dict[str, list[Path]] = {}
    for file in files_below(path) if is_folder(path) else matching_files(path, ())[1] if is_glob(path) else [path]:
        for name, each in endings:
            if has_ending(file.name, each):
                held.setdefault(name, []).append(file)
    return held


def _guess_by_content(path: Path, columns: Mapping[str, str]) -> str:
    data = read_bytes(path, _HEAD)
    if data[:4] == b"PAR1":
        return "parquet"
    if what := detect_binary(path, data):
        raise DataError(f"{path}: looks like {what}")
    # The first whole lines that are neither blank nor NIST's comments.
    texts = [*split_lines(decode(path, data, whole=len(data) < _HEAD))]
    texts = [line.strip("\r ") for line in (texts if len(data) < _HEAD else texts[:-1])]
    lines = [line for line in texts if line.strip() and not line.lstrip().startswith(";;")][:_FIRST]
    names = _match_first_line(lines, columns) or sorted(_match_all_lines(lines)) or _match_columns(lines, columns)
    if not names and lines and (what := _explain_foreign(lines)):
        raise DataError(f"{path}: looks like {quote(what, 1500)}")
    if len(names) == 1:
        return names[0]
    fault = "neither its name nor its first lines show the format. Give it (--format or format:)"
    if names:
        fault = f"its lines could be {' or '.join(names)}; say which (--format or format:)"
    elif not lines:
        fault = f"holds nothing, and its name says no format. Give it (--format or format:), {_list_formats()}"
    elif "\t" in lines[0] or "," in lines[0]:
        fault = f"{fault}, {_list_formats()}"
    else:
        kinds = "an id and its phones (kaldi-text), or phones alone, in the order of the other side’s lines (lines)"
        fault = f"{fault}: a line is {kinds}; or the file is one utterance (lab)"
    raise DataError(f"{path}: {fault}")


def _match_first_line(lines: _Lines, columns: Mapping[str, str]) -> list[str]:
    # Marks that no other format begins with go before shapes of lines: a header may fit several shapes by chance.
    first = lines[0] if lines else ""
    words = [{*line.split()[1:2]} for line in lines]
    shapes = {
        "mlf": first.startswith("#!MLF!#"),
        "textgrid": first.startswith(('File type = "ooTextFile', '"ooTextFile')),
        "mfa-csv": first.startswith(_MFA),
        "jsonl": first.startswith("{") and first.endswith("}"),
        "json": first.startswith("[") or (first.startswith("{") and not first.endswith("}")),
        "kaldi-per-utt": len(lines) > 1 and all(word & {"ref", "hyp", "op", "#csid"} for word in words),
        "allosaurus": first.startswith("#") and RECORDING.fullmatch(first[1:]),
        "icefall-recogs": re.match(r"\S.*?:\t(ref|hyp|timestamp_ref|timestamp_hyp)=", first),
        "eaf": any("<ANNOTATION_DOCUMENT" in line for line in lines[:5]),
        "cha": first in {"@UTF8", "@Begin"},
    }
    titles = {"utterance", "phones", *columns.values()}
    tables = [name for name, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")) if titles & set(first.split(mark))]
    named = [name for name, fits in shapes.items() if fits]
    return named or (tables[:1] if len(first.split()) > 1 or {",", ";"} & set(first) else [])


def _match_all_lines(lines: _Lines) -> set[str]:
    if not lines:
        return set()
    names = set.intersection(*map(_match_line, lines))
    if "allosaurus" in names and (len(lines) < 2 or len({line.split()[1] for line in lines}) > 1):
        names -= {"allosaurus"}  # it gives every phone of a recording the same duration
    if names == {"phn", "lab"}:  # samples or 100 ns: the intervals' mean length rules one out, or both
        length = mean(float(end) - float(start) for start, end, *_ in map(str.split, lines))
        names -= {"lab"} if length < _SHORT else {"phn"} if length > _LONG else set()
    return names


def _match_line(line: str) -> set[str]:
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


def _list_formats() -> str:
    return f"one of: {', '.join(sorted(format_names()))}"


# What texts look like that are of no format read here, and what to do.

_TOP_PHONES = re.compile(r"\((?:0?\.\d+|1\.0*)\)$")  # a probability after a phone
_LABEL = re.compile(r"\s*\d+\.\d+\s+\d+\.\d+\s+\S")
_ROOT = re.compile(r"(?:<\?.*\?>)?\s*<(?![?!])\s*([\w:.-]+)")


def _explain_foreign(lines: _Lines) -> str:
    if lines[0].startswith("#file onset offset #"):
        return "ZeroSpeech's list of phones: write the alignment as a TSV (utterance, start, end, phone)"
    if any(line.startswith("%WER ") for line in lines):
        return "error rates, of Kaldi or SpeechBrain: give Kaldi's per_utt, or a TSV (utterance, phones) of each side"
    if all(_TOP_PHONES.search(line.strip()) for line in lines):
        return "allosaurus with several phones for each place: run it without --topk"
    if all(map(_LABEL.match, lines)):
        how = "write them as a TSV (utterance, start, end, phone)"
        return f"labels of one recording (start, end, label), as of Audacity: {how}"
    if root := _ROOT.match("".join(lines)):
        return f"XML (<{root[1]}>) of no format that is read here: export it as a TextGrid or a TSV"
    if len({line.count("|") for line in lines} - {0}) == 1:
        header = "a first line that names the columns: utterance<tab>phones"
        return f"a table with columns between |: write it as a TSV, with {header}"
    tabs = {line.count("\t") for line in lines}
    titles = recognise_fields(lines[0].split("\t"))
    if 0 not in tabs and len(lines) > 1 and (len(tabs) > 1 or tabs == {1}) and not titles:
        what = "a pronunciation dictionary (a word, then its phones), which is not a transcript"
        return f"{what}; if it is one, give it the header `utterance<tab>phones` and format: tsv"
    for form, rows in _split_tables(lines):
        try:
            columns = choose_table_columns(rows)
        except DataError as error:
            return f"a table ({form}), but {error}"
        return f"a table with the columns {list_columns(columns.fields)}; give format: {form} (--format {form})"
    return ""


def _match_columns(lines: _Lines, columns: Mapping[str, str]) -> list[str]:
    for form, rows in _split_tables(lines):
        with suppress(DataError):
            chosen = choose_table_columns(rows, columns, "gold")  # or whatever phones there are
            return [form] if "utterance" in recognise_fields(chosen.fields) and not chosen.headless else []
    return []


def _split_tables(lines: _Lines) -> Iterator[tuple[str, list[list[str]]]]:
    for mark, form in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        if len(lines) > 1 and all(mark in line for line in lines):
            yield form, [*csv.reader(lines, delimiter=mark)] if form == "csv" else [line.split(mark) for line in lines]


_GROUP = "phonxling.loaders"
_SHOWN_LINES = 5  # problems of a folder's files
_COLUMNS, _TIER = frozenset({"columns", "where"}), frozenset({"tier"})


def _import_later(module: str, name: str) -> Callable[..., Any]:
    # Most runs read one format or two; importing all readers would be felt before a score is shown.

    def call(*arguments: object) -> Any:  # noqa: ANN401 - a transcript, rows, or names
        return getattr(import_module(f"phonxling.load.{module}"), name)(*arguments)

    return call


def _make_row_format(name: str, module: str, function: str, *endings: str, shared: bool = False) -> Format:
    read = _import_later(module, function)
    return Format(
        name,
        load=lambda path, options: load_records(str(path), read(path), options),
        endings=endings or (f".{name}",),
        takes=_COLUMNS,
        shared=shared,
        fields=lambda path: [*map(str, next(read(path), (0, {}))[1])],
    )


_BY_PYARROW: Mapping[str, Any] = {"library": "pyarrow", "fields": _import_later("records", "list_arrow_fields")}
BUILT_IN: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("tsv", partial(load_table, form="tsv"), (".tsv",), _COLUMNS, fields=partial(header_of, form="tsv")),
        Format("csv", partial(load_table, form="csv"), (".csv",), _COLUMNS, fields=partial(header_of, form="csv")),
        _make_row_format("jsonl", "records", "read_jsonl", ".jsonl", ".ndjson"),
        _make_row_format("json", "records", "read_json"),
        Format("parquet", _import_later("records", "load_arrow"), (".parquet",), _COLUMNS, **_BY_PYARROW),
        Format("arrow", _import_later("records", "load_arrow"), (".arrow",), _COLUMNS, **_BY_PYARROW),
        Format("trn", _import_later("line_formats", "load_trn"), (".trn",)),
        Format("ctm", _import_later("line_formats", "load_ctm"), (".ctm",)),
        Format("stm", _import_later("line_formats", "load_stm"), (".stm",)),
        Format("kaldi-text", _import_later("line_formats", "load_kaldi_text"), ("text",)),
        Format("lines", _import_later("line_formats", "load_lines"), (".txt",), shared=True),
        _make_row_format("kaldi-per-utt", "line_formats", "per_utt_rows", "per_utt"),
        _make_row_format("icefall-recogs", "line_formats", "recogs_rows", ".txt", shared=True),
        Format("phn", _import_later("line_formats", "load_phn"), (".phn",), by_speaker=True),
        Format("lab", _import_later("line_formats", "load_lab"), (".lab",), by_speaker=True),
        Format("mlf", _import_later("line_formats", "load_mlf"), (".mlf",)),
        Format("textgrid", _import_later("tiers", "load_textgrid"), (".textgrid",), _TIER, by_speaker=True),
        Format("mfa-csv", _import_later("line_formats", "load_mfa_csv"), (".csv",), shared=True),
        Format("allosaurus", _import_later("line_formats", "load_allosaurus"), (".txt",), shared=True),
        Format("eaf", _import_later("tiers", "load_eaf"), (".eaf",), _TIER),
        Format("cha", _import_later("tiers", "load_cha"), (".cha",), _TIER),
    )
}


def _load_file(chosen: Format, file: Path, options: LoaderOptions) -> Transcript:
    if isinstance(read := chosen.load(file, options), Transcript):
        return refuse_lists(read)
    raise DataError(f"{file}: the loader of '{chosen.name}' must return a Transcript, not {type(read).__name__}")


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
    for option, value in (("columns", columns), ("where", where), ("tier", tier)):
        if value and option not in chosen.takes:
            users = ", ".join(name for name, each in BUILT_IN.items() if option in each.takes)
            sides = ". For score: --tier 'phones;' is for gold alone, ';phones' for predicted" * (option == "tier")
            raise ConfigurationError(f"{path}: `{option}` is for the formats {users}; {chosen.name} takes none{sides}")
    files = _find_files(path, chosen.endings)
    folders = chosen.by_speaker and all(name != file.stem for name, file in files)
    parts: list[Transcript] = []
    problems: list[DataError] = []
    for name, file in files:
        options = LoaderOptions(columns or {}, tier, name, file.parent.name if folders else "", where or {}, side)
        try:
            parts.append(_load_file(chosen, file, options))
        except DataError as error:
            problems.append(error)
    absent = [error for error in problems if isinstance(error, NoRowsError)]
    if parts:  # of several tables, some may have no such row
        problems = [error for error in problems if error not in absent]
    elif where and len(absent) == len(problems) > 1:
        seen = {name: sum((each.seen[name] for each in absent), Counter[str]()) for name in where}
        empty = {name: [place for each in absent for place in each.empty[name]] for name in where}
        raise NoRowsError(str(path), where, seen, empty)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        headline = f"{path}: {len(problems)} of {len(files)} files cannot be read:"
        raise DataError(join_alike(headline, map(str, problems), limit=_SHOWN_LINES))
    read = join(str(path), parts, side)
    if form or not is_folder(path):
        return read
    # Files of other formats in a folder are told of, or nobody would see that they were not read.
    held = _match_endings(path).items()
    left = {name: files for name, files in held if not has_ending(files[0].name, chosen.endings)}
    named = ", ".join(f"{name} ({len(files):,}, first {quote(files[0].name)})" for name, files in sorted(left.items()))
    note = f"files of the format {chosen.name} are read; those of other formats are left out: {named}"
    return replace(read, notes=(*read.notes, note)) if left else read


def values_in(
    path: Path, form: str | None, columns: Mapping[str, str], column: str, *, whole: bool = False
) -> list[str]:
    """Return the values of a column, the most frequent first; DataError where it must be whole and a cell is empty."""
    try:
        load_transcript(path, form, columns or None, where={column: ()})
    except NoRowsError as error:
        if whole:
            refuse_empty(str(path), column, error.empty[column])
        return [value for value, _ in error.seen[column].most_common() if value]
    return []


def format_names() -> tuple[str, ...]:
    return (*BUILT_IN, *(name for name in sorted(_find_plugins()) if name not in BUILT_IN))


def format_of(path: Path, form: str | None = None, columns: Mapping[str, str] | None = None) -> Format:
    name = form or guess_format(path, columns)
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name not in format_names():
        raise DataError(f"{path}: no format is called '{name}'; there are: {', '.join(sorted(format_names()))}")
    point = _find_plugins()[name]
    try:
        loaded = point.load()
    except Exception as error:  # whatever a stranger's module does when it is imported
        raise DataError(f"the loader of '{point.name}' ({_name_owner(point)}) cannot be imported: {error}") from error
    library = point.dist.name if point.dist is not None else None
    if isinstance(loaded, Format):
        return replace(loaded, name=point.name, library=library)
    if not callable(loaded):
        fault = f"is not a loader: {point.value} is a {type(loaded).__name__}"
        raise DataError(f"the loader of '{point.name}' ({_name_owner(point)}) {fault}")
    return Format(point.name, loaded, (f".{point.name}",), frozenset({"columns"}) | _TIER, library=library)


def fields_of(path: Path, form: str | None = None) -> list[str]:
    chosen = format_of(path, form)
    return chosen.fields(find_files(path, chosen.endings)[0][1]) if chosen.fields else []


def known_endings() -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain(*_list_endings().values())))


def transcript_files(path: Path, form: str | None = None, columns: Mapping[str, str] | None = None) -> list[Path]:
    return [file for _, file in find_files(path, format_of(path, form, columns).endings)]


def _list_endings() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for name in sorted(format_names()):
        try:
            chosen = format_of(Path(), name)
            known[name] = () if chosen.shared else chosen.endings
        except DataError:  # a broken plug-in concerns those alone who use its format
            known[name] = (f".{name}",)
    return known


@cache  # looking through all that is installed takes 10 ms
def _find_plugins() -> Mapping[str, EntryPoint]:
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=_GROUP):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            both = f"{_name_owner(other)} and {_name_owner(point)}"
            raise DataError(f"the format '{point.name}' is claimed by two installed packages, {both}; uninstall one")
    return points


def _name_owner(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
