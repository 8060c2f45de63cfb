"""What lies in a folder, for a starter configuration: phones, posteriors, speakers, labels, maps of symbols.

What a file is, its lines say, by the functions that read it later. Names say only which of two sides is gold, and which
files are of one corpus. Of files that hold one utterance each (phn, lab, TextGrid, or a table or JSON a recording)
every folder below which they are is an input, and every tier that holds phones. Of arrays the first frames tell the
scale (rows that sum to 1, or whose exponentials do, or numbers of both signs), and the blank: a column that is called
so, with more of the mass than any phone could have.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, PhonxlingError, quote
from phonxling.core.posteriorgram import RawPosteriors, probabilities, scale_of
from phonxling.core.sequences import Transcript
from phonxling.experiment.starter_symbols import (
    Key,
    Role,
    find_symbols,
    known_share,
    read_role,
    role_of_tier,
    words_of,
)
from phonxling.load.columns import Columns, choose_columns, choose_table_columns, find_phone_columns, recognise_fields
from phonxling.load.formats import BUILT_IN, fields_of, guess_format, load_transcript, values_in
from phonxling.load.posteriors import FORMATS, MOST_COLUMNS, load_raw_posteriors
from phonxling.load.resources import LANGUAGES, load_speakers, load_symbol_map, read_labels
from phonxling.load.tables import cells_of
from phonxling.load.text import decode, find_files, read_bytes, split_lines
from phonxling.load.tiers import fold_tier_name, read_textgrid
from phonxling.phones.symbols import BLANKS

MOST_FOLDERS, DEEPEST = 300, 6
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results

_OF_THE_SYSTEM = frozenset(map(Path, ("/proc", "/sys", "/dev")))
MOST_BYTES = 300_000_000  # that are read at once
_MOST_LANGUAGES = 300
_FORM_OF = {
    ending: name for name, form in BUILT_IN.items() if form.by_speaker or name == "eaf" for ending in form.endings
}
# Hugging Face's names (data-00000-of-00002.parquet), and outputs that are numbered by process (pred.0.jsonl).
_SHARD = re.compile(r"(?<=-)\d{5}(?=-of-\d{5}\.)|(?<=\.)\d+(?=\.jsonl$)")  # which of several files of one table
_SHARDED_ENDINGS = frozenset({".jsonl", ".ndjson", ".parquet", ".arrow"})
_VOCABULARIES = {".json", ".yaml", ".yml"}
_NO_TEXT = {".wav", ".flac", ".mp3", ".md", ".py", ".pdf"}
_NOT_SPOKEN = "dict dictionary dictionaries lexicon lexicons pronunciations map mapping readme license"
_BOTH_SIDES: tuple[Role, Role] = ("gold", "predicted")
_NO_PHONES = "holds no phones that a symbol set knows, or no ids"
_SPEAKERS = "the folders in it are read as speakers; where they are languages, give each a corpus of its own"

_TEXTS, _OPENED, _ARRAYS = 100, 200, 100  # files of a folder: of text, of an utterance each, of posteriors
_UTTERANCES, _FRAMES = 12, 400  # of a file of posteriors, and of each of these
_NAMED, _LONGEST = 3, 200  # files with one reason; letters of a reason
_SAMPLE = 50  # rows of a table, or files of an utterance each
_LIST = 1 << 16  # bytes of a list of labels
# A CTC recogniser gives most frames to its blank; no phone of a language has so much of all speech.
_BLANK_MASS = 0.3  # the mean mass that a blank has at least


@dataclass(frozen=True, eq=False)
class Side:
    """Phones of utterances: a file, a part of one (columns, a tier), or a folder of files."""

    path: Path
    role: Role
    key: Key
    ids: Mapping[str, float] = field(default_factory=dict)  # where each utterance ends
    counts: Counter[str] = field(default_factory=Counter)
    form: str = ""
    says_form: bool = True  # whether name or content show the format
    tier: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    timed: bool = False
    confident: bool = False
    known: float = 1.0  # the share of its symbols that a set knows
    language: str = ""  # the column of a table of several languages
    canonical: Mapping[str, str] | None = None  # of a file that says what should be said, too: its columns
    remark: str = ""
    decision: str = ""


@dataclass(frozen=True, eq=False)
class Arrays:
    """Posteriors: their utterances with the number of frames of the first ones, and what a look at these has shown."""

    path: Path
    key: Key
    ids: Mapping[str, int]  # 0 frames of those that were not looked at
    columns: tuple[str, ...]
    labels: Path | None
    scale: str
    blank: str
    frame_shift: float | None
    decision: str


@dataclass(frozen=True, eq=False)
class SpeakerTable:
    """Which speaker each utterance is of."""

    path: Path
    key: Key
    ids: Mapping[str, str]
    columns: Mapping[str, str]


@dataclass
class Inputs:
    """All that was met below a folder."""

    root: Path
    sides: list[Side] = field(default_factory=list)
    arrays: list[Arrays] = field(default_factory=list)
    speakers: list[SpeakerTable] = field(default_factory=list)
    maps: dict[Path, frozenset[str]] = field(default_factory=dict)
    labels: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    passed: dict[tuple[bool, str], list[Path]] = field(default_factory=dict)  # of no use: should they be, and why

    def pass_over(self, path: Path, why: str | Exception, *, wanted: bool = False) -> None:
        """Note that a file is of no use, though its name may say so; an error's first line tells why."""
        if isinstance(why, Exception):
            first = str(why).splitlines()[0].partition(": ")[2] or "cannot be read"
            why = re.sub(r"; found: .*?(?=\. [A-Z]|$)", "", first)
        self.passed.setdefault((wanted, why), []).append(path.relative_to(self.root))

    def passed_over(self) -> Iterator[str]:
        """Yield which files are of no use and why, first those whose names say that they are."""
        used = {one.path.relative_to(self.root) for one in self.arrays}
        for (wanted, why), every in sorted(self.passed.items(), key=lambda item: not item[0][0]):
            if paths := [quote(path.as_posix()) for path in every if path not in used]:
                names = " ".join(paths[:_NAMED]) + f" and {len(paths) - _NAMED} more" * (len(paths) > _NAMED)
                yield f"{'not read as phones' if wanted else 'passed over'}: {names} ({quote(why, _LONGEST)})"


def scan_folder(root: Path) -> Inputs:
    inputs = Inputs(root)
    files = {folder: [*_in_one(paths)] for folder, paths in _listing(inputs).items()}
    every = [path for paths in files.values() for path in paths]
    alone: dict[Path, str] = {path: form for path in every if (form := _FORM_OF.get(path.suffix.lower()))}
    for path in every:
        if (ending := path.suffix.lower()) in _NO_TEXT:
            inputs.pass_over(path, f"{ending} holds no phones")
    for paths in files.values():
        texts = [path for path in paths if path.suffix.lower() not in {*_FORM_OF, *FORMATS, *_NO_TEXT}]
        # Files whose names say gold or predicted go first, so that a folder of notes does not crowd them out.
        texts.sort(key=lambda path: not read_role(path.relative_to(root))[0])
        for path in texts[:_TEXTS]:
            _add_text(path, inputs)
        for path in texts[_TEXTS:]:
            inputs.pass_over(path, f"after the first {_TEXTS} files of a folder")
        alone |= _take_single(texts, inputs)
    inputs.sides += _folder_sides(files, alone, inputs)
    for folder, paths in files.items():
        inputs.arrays += _arrays_in(folder, paths, inputs)
    return inputs


def _in_one(paths: Iterable[Path]) -> Iterable[Path]:
    globs = {
        path: path.with_name(_SHARD.sub("*", path.name)) for path in paths if path.suffix.lower() in _SHARDED_ENDINGS
    }
    # One file alone keeps its name: a pattern would take in what comes into the folder later.
    several = {glob for glob, number in Counter(globs.values()).items() if number > 1}
    return dict.fromkeys(glob if (glob := globs.get(path)) in several else path for path in paths)


def _take_single(texts: Sequence[Path], inputs: Inputs) -> dict[Path, str]:
    """Take the files of a folder out of the inputs that are one utterance each, named by its file, with their form."""
    own = [side for side in inputs.sides if side.path in texts and [*side.ids] == [side.path.stem]]
    if {side.path for side in own} != {side.path for side in inputs.sides if side.path in texts}:
        return {}
    inputs.sides = [side for side in inputs.sides if side not in own]
    forms = {side.path.suffix.lower(): guess_format(side.path) for side in own}
    return {path: forms[path.suffix.lower()] for path in texts if path.suffix.lower() in forms}


def _add_text(path: Path, inputs: Inputs) -> None:
    role, key = read_role(path.relative_to(inputs.root))
    try:
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            why = f"larger than {MOST_BYTES // 1_000_000} MB: write its path into the configuration"
            inputs.pass_over(path, why, wanted=bool(role))
        elif labels := _labels_in(path):
            inputs.labels[path] = labels
        elif known := _symbols_of_map(path):
            inputs.maps[path] = known
        elif (table := _speakers_in(path, key)) is not None:
            inputs.speakers.append(table)
        elif words := {*_NOT_SPOKEN.split()} & {*words_of(path.name), *words_of(path.parent.name)}:
            inputs.pass_over(path, f"called {min(words)}")
        else:
            sides = _sides_of(path, role, key)
            inputs.sides += sides
            if not sides:
                inputs.pass_over(path, _NO_PHONES, wanted=bool(role))
    except (PhonxlingError, OSError) as error:
        inputs.pass_over(path, error, wanted=bool(role))


def _labels_in(path: Path) -> tuple[str, ...]:
    """Return the labels of a vocabulary, or of a list of one label a line that may be numbered."""
    if path.suffix.lower() in _VOCABULARIES:
        with suppress(DataError):
            return read_labels(path).names
        return ()
    rows = _rows(path) if path.suffix.lower() != ".csv" else []
    numbered = all(len(row) == 2 and row[1].isdecimal() for row in rows)
    if not (numbered or all(len(row) == 1 for row in rows)) or not 1 < len(rows) <= MOST_COLUMNS:
        return ()
    return read_labels(path).names if numbered else tuple(dict.fromkeys(row[0] for row in rows))


def _symbols_of_map(path: Path) -> frozenset[str]:
    if path.suffix.lower() == ".tsv" and (_rows(path)[:1] == [["symbol", "ipa"]] or "map" in words_of(path.name)):
        with suppress(DataError):
            return frozenset(normalize("NFC", symbol) for symbol in load_symbol_map(path))
    return frozenset()


def _rows(path: Path) -> list[list[str]]:
    with suppress(DataError):
        return [line.split() for line in split_lines(decode(path, read_bytes(path, _LIST))) if line.strip()]
    return []


def _speakers_in(path: Path, key: Key) -> SpeakerTable | None:
    with suppress(DataError):
        if path.name == "utt2spk":
            return SpeakerTable(path, key, load_speakers(path), {})
        kinds = recognise_fields(fields_of(path)) if path.suffix.lower() in {".tsv", ".csv"} else {}
        if kinds.keys() == {"utterance", "speaker"}:
            called = {kind: names[0] for kind, names in kinds.items()}
            columns = {kind: name for kind, name in called.items() if kind != name}
            return SpeakerTable(path, key, load_speakers(path, called), columns)
    return None


def _sides_of(path: Path, role: Role, key: Key) -> list[Side]:
    """Return what a file holds of phones: nothing when it holds none, two sides when it holds gold and predicted."""
    form, needs_form = _form(path, role)
    fields = fields_of(path, form)
    kinds = [own for own in _BOTH_SIDES if own in recognise_fields(fields)]
    found, problems = list[Side](), list[DataError]()
    sole: Role = role or (kinds[0] if kinds else "")
    for own in kinds if len(kinds) == 2 else [sole]:
        try:
            found += filter(None, [_read(Side(path, own, key, form=form, says_form=not needs_form), fields)])
        except DataError as error:
            problems.append(error)
    if problems and not found and not sole and form in {"tsv", "csv"}:  # a person decides which of two is gold
        names = find_phone_columns(fields, _first_rows(path, form)[1:])
        asked = [_columns(path, form, "", {"phones": name}) for name in names if len(names) == 2]
        found += filter(None, [_read(Side(path, "", key, form=form, columns=each), fields) for each in asked])
    if problems and not found:
        raise problems[0]
    return found


def _first_rows(path: Path, form: str) -> list[list[str]]:
    return [row for _, row in islice(cells_of(find_files(path, (f".{form}",))[0][1], form), _SAMPLE)]


def _columns(path: Path, form: str, side: str, asked: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """Return what the setting `columns` has to say of a file for one side; {} where the reader finds them, or none."""
    if form not in {"tsv", "csv"}:
        with suppress(DataError):
            return _setting(choose_columns(fields_of(path, form), side=side))
        return {}
    with suppress(DataError):
        return _setting(choose_table_columns(_first_rows(path, form), asked, side, known_share, alone=True))
    return {}


def _setting(chosen: Columns) -> dict[str, str]:
    times = recognise_fields(chosen.fields).get("times", []) if "phones" in chosen.titles else []
    return {**chosen.setting, **({"times": times[0]} if len(times) == 1 else {})}


def _read(side: Side, fields: Sequence[str]) -> Side | None:
    """Return a side with what its file holds, each of its languages alone where ids occur in several; None if none."""
    path, form, reader = side.path, side.form, side.role or "gold"
    columns, language = (
        side.columns or _columns(path, form, reader),
        next((name for name in fields if name.lower() in LANGUAGES), ""),
    )
    names = values_in(path, form, columns, language)[:_MOST_LANGUAGES] if language else []
    try:
        parts = [load_transcript(path, form, columns or None, side=reader)]
    except DataError:
        if len(names) < 2:
            raise
        wheres = ({language: [name]} for name in names)
        parts = [load_transcript(path, form, columns or None, where=where, side=reader) for where in wheres]
    counts = sum(map(tokens, parts), Counter[str]())
    if not (best := find_symbols(counts)).is_plausible(side.role):
        return None
    asked = reader == "gold" and "canonical" in recognise_fields(fields)
    return replace(
        side,
        ids={name: end for part in parts for name, end in ends(part).items()},
        counts=counts,
        known=best.share,
        columns=columns,
        language=language if len(names) > 1 else "",
        canonical=_columns(path, form, "canonical") if asked else None,
        timed=parts[0].start is not None,
        confident=parts[0].confidence is not None,
    )


def tokens(transcript: Transcript) -> Counter[str]:
    return Counter(dict(zip(transcript.symbols, transcript.counts.tolist(), strict=True)))


def ends(transcript: Transcript) -> dict[str, float]:
    if transcript.end is None:
        return dict.fromkeys(transcript.utterances, math.nan)
    last = [part.max(initial=-math.inf) for part in np.split(transcript.end, transcript.offsets[1:-1])]
    return {name: float(end) if end > 0 else math.nan for name, end in zip(transcript.utterances, last, strict=True)}


def _form(path: Path, role: Role) -> tuple[str, bool]:
    """Return the format of a file, and whether it has to be named since nothing shows it."""
    try:
        return guess_format(path), False
    except DataError:
        if path.suffix.lower() not in {"", ".txt"}:
            raise
        lines = read_bytes(path, 1 << 16).decode("utf-8", errors="replace").split("\n")[:-1]
        rows = [row for line in lines if (row := line.split())]
        # An id a line, each once, and phones after it; of plain lines, first words come again.
        if len({row[0] for row in rows}) == len(rows) and sum(len(row) > 2 for row in rows) > len(rows) / 2:
            return "kaldi-text", True
        if role and len(rows) > 1:
            return "lines", True
        raise


def _folder_sides(files: Mapping[Path, Sequence[Path]], alone: Mapping[Path, str], inputs: Inputs) -> Iterator[Side]:
    opened: dict[Path, Mapping[str, Transcript]] = {}  # by tier
    groups: dict[tuple[Path, str], list[Path]] = {}  # files of an utterance each, by each folder around them and format
    for folder, paths in files.items():
        own = [path for path in paths if path in alone]
        opened |= {
            path: _open_transcripts(path, alone[path], inputs) for path in own[:: max(1, -(-len(own) // _OPENED))]
        }
        for above in (above for above in (folder, *folder.parents) if above.is_relative_to(inputs.root)):
            for path in own:
                groups.setdefault((above, alone[path]), []).append(path)
    without = dict.fromkeys(path for path, tiers in opened.items() if tiers)  # files in which no phones were found
    for (folder, form), members in groups.items():
        if {*_BOTH_SIDES} <= {read_role(path.parent.relative_to(folder))[0] for path in members}:
            continue  # a folder around gold and predictions is neither
        tiers = [(path, tier, own) for path in members for tier, own in opened.get(path, {}).items()]
        several = max(Counter(path for path, *_ in tiers).values(), default=0) > 1
        for plain in dict.fromkeys(fold_tier_name(tier) for _, tier, _ in tiers):  # case and spaces do not matter
            read = {path: own for path, tier, own in tiers if fold_tier_name(tier) == plain}
            names = Counter(tier for _, tier, _ in tiers if fold_tier_name(tier) == plain) if several else {"": 1}
            lacking = [path for path in members if path in opened and path not in read]
            side = Side(folder, "", (), form=form, tier=max(names, key=lambda name: names[name]))
            if (whole := _of_files(side, members, read, lacking, inputs.root)) is not None:
                without = {path: None for path in without if path not in read}
                yield whole
    for path in without:
        inputs.pass_over(path, _NO_PHONES)


def _open_transcripts(path: Path, form: str, inputs: Inputs) -> dict[str, Transcript]:
    """Return what one file holds, by tier; `Mary - phones` is `* - phones` where one tier alone is called so."""
    found, problems, tiers = dict[str, Transcript](), list[DataError](), [""]
    try:
        if form == "textgrid":
            tiers = [tier.name for tier in read_textgrid(path)]
        elif form == "eaf":
            text = decode(path, read_bytes(path))
            tiers = [unescape(name) for name in re.findall(r'<TIER\b[^>]*?\bTIER_ID="([^"]*)"', text)]
    except DataError as error:
        inputs.pass_over(path, error)
        return {}
    general = {name: re.sub("^.* - ", "* - ", name) for name in tiers}
    number = Counter(map(fold_tier_name, general.values()))
    for tier in tiers:
        name = general[tier] if number[fold_tier_name(general[tier])] == 1 else tier
        try:
            found[name] = load_transcript(path, form, tier=tier or None)
        except DataError as error:  # such as the words of another tier
            problems.append(error)
    if problems and not found:
        inputs.pass_over(path, problems[0])
    return found


def _of_files(
    side: Side, members: Sequence[Path], read: Mapping[Path, Transcript], lacking: Sequence[Path], root: Path
) -> Side | None:
    """Return what one tier of files holds, of which some were read, and some lack it; None where it has no phones."""
    counts = sum(map(tokens, read.values()), Counter[str]())
    path = side.path if len(read) > 1 or not lacking else next(iter(read))
    role, key = read_role(path.relative_to(root))
    named = role_of_tier(side.tier)
    role = role if named is None else named
    if not (best := find_symbols(counts)).is_plausible(role):
        return None
    decision = ""
    if lacking and path == side.path:
        decision = f"{len(lacking)} of {len(members)} files have no tier '{side.tier}', such as {lacking[0].name}"
        decision += "; keep those that have it in a folder of their own"
    ids, having = dict[str, float](), [file for file in members if file not in {*lacking}]
    for file in having:
        name = file.relative_to(path) if file != path else Path(file.name)
        end = next(iter(ends(read[file]).values())) if file in read else math.nan
        ids[name.with_suffix("").as_posix().replace("/", "_")] = end
    folders = {file.parent for file in having} - {path, path.parent}
    tier = side.tier or None
    canonical = any(
        tokens(load_transcript(file, side.form, tier=tier, side="canonical")) != tokens(own)
        for file, own in islice(read.items(), _SAMPLE)
    )
    return replace(
        side,
        path=path,
        role=role,
        key=key,
        ids=ids,
        counts=counts,
        says_form=path != side.path,  # other files may come into a folder
        timed=all(each.start is not None for each in read.values()),
        known=best.share,
        canonical={} if canonical else None,  # where labels say what should be said beside what was said
        remark=_SPEAKERS if len(folders) > 1 else "",
        decision=decision,
    )


def _arrays_in(folder: Path, files: Sequence[Path], inputs: Inputs) -> Iterator[Arrays]:
    held = [path for path in files if path.suffix.lower() in FORMATS]
    if any(path.suffix.lower() == ".scp" for path in held):  # a list names the archives beside it
        held = [path for path in held if path.suffix.lower() != ".ark"]
    alone = [path for path in held if path.suffix.lower() == ".npy"]
    several = [path for path in held if path.suffix.lower() != ".npy"]
    each: list[Arrays] = []
    for path in [*([_pattern(folder, alone, files)] if alone else []), *several[:_ARRAYS]]:
        try:
            each.append(_posteriors(path, inputs))
        except (DataError, OSError) as error:
            inputs.pass_over(path, error, wanted=True)
    yield from each
    ids = Counter(name for one in each for name in one.ids)
    alike = len({(one.columns, one.path.suffix) for one in each}) == 1 and len(ids) == ids.total()
    if len(each) == len(several) > 1 and not alone and alike:
        yield replace(
            each[0],
            path=_pattern(folder, several, files),
            key=tuple(word for word in each[0].key if all(word in one.key for one in each)),
            ids={name: number for one in each for name, number in one.ids.items()},
        )


def _pattern(folder: Path, meant: Sequence[Path], files: Sequence[Path]) -> Path:
    if len(meant) == len(files):
        return folder
    return folder / f"{os.path.commonprefix([path.stem for path in meant])}*{meant[0].suffix}"  # noqa: RUF071 - letters are compared


def _posteriors(path: Path, inputs: Inputs) -> Arrays:
    names, raw = _find_labels(path, inputs.labels)
    first = {name: _frames(raw, name) for name in raw.utterances[:: max(1, len(raw.utterances) // _UTTERANCES)]}
    values = np.concatenate([each[:_FRAMES] for each in first.values()])
    scale, numbers = scale_of(values), np.asarray(values, dtype=np.float64)
    mass = np.zeros(values.shape[1])  # the share of all probability that each column has
    if scale:
        mass = np.asarray(probabilities(numbers, scale, "posteriors").mean(axis=0))
    decision = "" if scale else f"scale: a row sums to {float(values[0].sum()):.3g}, not to 1; say what the numbers are"
    if not raw.labels:
        remedy = "write one label per line into phones.txt beside them"
        decision = f"labels: no list names the {values.shape[1]} columns; {remedy}"
    called = [place for place, label in enumerate(raw.labels) if label.lower() in BLANKS]
    blank = max(called, key=lambda place: float(mass[place]), default=None)
    named_blank = raw.labels[blank] if blank is not None and mass[blank] >= _BLANK_MASS else ""
    return Arrays(
        path=path,
        key=read_role(path.relative_to(inputs.root))[1],
        ids={name: len(first.get(name, ())) for name in raw.utterances},
        columns=raw.labels,
        labels=names,
        scale=scale or "probability",
        blank=named_blank,
        frame_shift=raw.frame_shift,
        decision=decision,
    )


def _find_labels(path: Path, lists: Mapping[Path, tuple[str, ...]]) -> tuple[Path | None, RawPosteriors]:
    try:
        return None, load_raw_posteriors(path)
    except DataError:
        raw = load_raw_posteriors(path, labels=["unlabelled"])  # raises when it is not the labels that are missing
    columns = _frames(raw, raw.utterances[0]).shape[1]
    near = sorted(lists, key=lambda each: (len(os.path.relpath(each, path.parent)), each))
    fitting = next((each for each in near if len(lists[each]) == columns), None)
    return fitting, replace(raw, labels=() if fitting is None else lists[fitting])


def _frames(raw: RawPosteriors, name: str) -> NDArray[np.floating]:
    rows = np.asarray(raw.read(name))
    rows = rows[0] if rows.ndim == 3 and len(rows) == 1 else rows
    if rows.ndim != 2 or rows.dtype.kind not in "fiu":
        raise DataError(f"{raw.source}: '{name}' has the shape {rows.shape}; posteriors are [frames, columns]")
    return rows


def _listing(inputs: Inputs) -> dict[Path, list[Path]]:
    """Return the files of each folder; what is not looked at, such as links around the root, is passed over."""
    files, seen = dict[Path, list[Path]](), set[Path]()

    def refuse(error: OSError) -> None:
        inputs.pass_over(Path(error.filename), "cannot be read")

    # Links are followed, since data sets are often linked into a project; each real folder is searched once.
    for name, folders, names in os.walk(inputs.root, followlinks=True, onerror=refuse):
        place = Path(name)
        results = place != inputs.root and not _OF_A_RUN.isdisjoint(names)
        if why := _not_searched(place, inputs.root, seen):
            inputs.pass_over(place, why)
        folders[:] = [] if why or results else sorted(each for each in folders if each[:1] != ".")
        seen.add(place.resolve())
        for path in () if why or results else (place / each for each in sorted(names) if each[:1] != "."):
            if not os.path.isfile(path):  # noqa: PTH113 - it never raises
                inputs.pass_over(path, "a link that leads nowhere, a pipe or a device")
            elif not path.name.isprintable():
                inputs.pass_over(path, "its name cannot be printed")
            else:
                files.setdefault(place, []).append(path)
    return files


def _not_searched(place: Path, root: Path, seen: set[Path]) -> str:
    """Return why a folder is not searched, "" where it is."""
    real = place.resolve()
    if real in seen | {*root.resolve().parents}:
        return "a link to a folder that was searched, or holds this one"
    if _OF_THE_SYSTEM & {real, *real.parents}:  # whose files may wait, or have no end
        return "a folder of the system"
    deep = len(place.relative_to(root).parts) > DEEPEST
    return f"not searched, beyond {MOST_FOLDERS} folders or too deep" if deep or len(seen) >= MOST_FOLDERS else ""
