"""What lies in a folder, for a starter configuration: phones, posteriors, speakers, labels, maps of symbols.

What a file is, its lines say. Names say only which of two sides is gold, and which files are of one corpus. Files of
text are tried as lists of labels, maps of symbols, tables of speakers and transcripts. Of files that hold one utterance
each (phn, lab, TextGrid) every folder below which they are is an input, and every tier that holds phones. Of arrays the
first frames tell the scale (rows that sum to 1, or whose exponentials do, or numbers of both signs), and the blank: a
column that is called so, with more of the mass than any phone could have.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, PhonxlingError, shown
from phonxling.core.posteriorgram import RawPosteriors, probabilities, scale_of
from phonxling.core.sequences import Transcript
from phonxling.experiment.starter_symbols import EXTRA, UNSURE, Key, Role, named, role_of_tier, words_of, written
from phonxling.load.building import columns_of, meanings
from phonxling.load.formats import BUILT_IN, fields_of, guess_format, known_endings, load_transcript, values_in
from phonxling.load.posteriors import FORMATS, given_labels, load_raw_posteriors
from phonxling.load.resources import LANGUAGES, load_speakers, load_symbol_map
from phonxling.load.stored import MOST_COLUMNS
from phonxling.load.text import decode, read_bytes, split_lines
from phonxling.load.tiers import plain_tier, read_textgrid
from phonxling.phones.symbols import BLANKS

MOST_FOLDERS, DEEPEST = 300, 6
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results

_OF_THE_SYSTEM = frozenset(map(Path, ("/proc", "/sys", "/dev")))
MOST_BYTES = 300_000_000  # that are read at once
_MOST_LANGUAGES = 30
_IDS_TRIED = 4  # columns that may hold ids though they are not called so
_FORM_OF = {ending: name for name, form in BUILT_IN.items() if form.by_speaker for ending in form.endings}
_SHARD = re.compile(r"(?<=-)\d{5}(?=-of-\d{5}\.)|(?<=\.)\d+(?=\.jsonl$)")  # which of several files of one table
_SHARDED = frozenset({".jsonl", ".ndjson", ".parquet", ".arrow"})
_VOCABULARIES = {".json", ".yaml", ".yml"}
_NO_TEXT = {*_FORM_OF, *FORMATS, ".yaml", ".yml", ".wav", ".flac", ".mp3", ".md", ".py", ".pdf"}
_NOT_SPOKEN = "dict dictionary dictionaries lexicon lexicons pronunciations map mapping readme license"
_NO_PHONES = "holds no phones that a symbol set knows, or no ids"
_SPEAKERS = "the folders in it are read as speakers; where they are languages, give each a corpus of its own"

_TEXTS, _OPENED, _ARRAYS = 100, 200, 100  # files of a folder: of text, of an utterance each, of posteriors
_UTTERANCES, _FRAMES = 12, 400  # of a file of posteriors, and of each of these
_NAMED, _LONGEST = 3, 200  # files with one reason; letters of a reason
_LIST = 1 << 16  # bytes of a list of labels
_BLANK_MASS = 0.3  # the mean mass that a blank has at least


@dataclass(frozen=True, slots=True)
class Side:
    """Phones of utterances: a file, a part of one (columns, a tier), or a folder of files."""

    path: Path
    role: Role
    key: Key
    ids: Mapping[str, float]  # where each utterance ends
    counts: Counter[str]
    form: str = ""
    tier: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    timed: bool = False
    confident: bool = False
    known: float = 1.0
    languages: "Mapping[str, Side]" = field(default_factory=dict)  # of a table with a column that tells them apart
    where: Mapping[str, str] = field(default_factory=dict)
    table: Counter[str] = field(default_factory=Counter)  # of all languages of the table
    remark: str = ""
    decision: str = ""


_Utterance: TypeAlias = tuple[Mapping[str, Counter[str]], float, bool]  # symbols by tier; where it ends; with times?


@dataclass(frozen=True, slots=True)
class Arrays:
    """Posteriors: their utterances with the number of frames of the first ones, and what a look at these has shown."""

    path: Path
    key: Key
    ids: frozenset[str]
    frames: Mapping[str, int]
    columns: tuple[str, ...]
    labels: Path | None
    scale: str
    blank: str
    frame_shift: float | None
    mass: Mapping[str, float]
    decision: str


@dataclass(frozen=True, slots=True)
class SpeakerTable:
    """Which speaker each utterance is of."""

    path: Path
    key: Key
    ids: frozenset[str]
    columns: Mapping[str, str]


@dataclass(slots=True)
class Inputs:
    """All that was met below a folder."""

    root: Path
    sides: list[Side] = field(default_factory=list)
    arrays: list[Arrays] = field(default_factory=list)
    speakers: list[SpeakerTable] = field(default_factory=list)
    maps: dict[Path, frozenset[str]] = field(default_factory=dict)
    labels: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    passed: dict[tuple[bool, str], list[Path]] = field(default_factory=dict)  # of no use: should they be, and why
    notes: list[str] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)  # what a person has read of the table of guesses

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
            if paths := [shown(path.as_posix()) for path in every if path not in used]:
                names = " ".join(paths[:_NAMED]) + f" and {len(paths) - _NAMED} more" * (len(paths) > _NAMED)
                yield f"{'not read as phones' if wanted else 'passed over'}: {names} ({shown(why, _LONGEST)})"


def met(root: Path) -> Inputs:
    inputs, (each, left_out) = Inputs(root), listing(root)
    files = {folder: [*_in_one(paths)] for folder, paths in each.items()}
    if (table := root / EXTRA) in files.get(root, ()):
        inputs.extra = {symbol: ipa for symbol, ipa in load_symbol_map(table).items() if ipa != UNSURE}
    for path in (path for paths in files.values() for path in paths):
        if (ending := path.suffix.lower()) in _NO_TEXT - {*_FORM_OF, *FORMATS, *_VOCABULARIES}:
            inputs.pass_over(path, f"{ending} holds no phones")
        elif ending in _VOCABULARIES and (labels := _labels_in(path)):
            inputs.labels[path] = labels
    for folder, paths in files.items():
        texts = [path for path in paths if path.suffix.lower() not in _NO_TEXT and path not in inputs.labels]
        if len(texts) > _TEXTS:
            name = folder.relative_to(root).as_posix()
            inputs.notes.append(f"{_TEXTS} of {len(texts):,} files of {name} were read")
            texts.sort(key=lambda path: (not named(path.relative_to(root))[0], path))
        for path in texts[:_TEXTS]:
            _add_text(path, inputs)
    inputs.sides += _folder_sides(files, inputs)
    for folder, paths in files.items():
        inputs.arrays += _arrays_in(folder, paths, inputs)
    inputs.notes += left_out
    return inputs


def _in_one(paths: Iterable[Path]) -> Iterable[Path]:
    globs = {path: path.with_name(_SHARD.sub("*", path.name)) for path in paths if path.suffix.lower() in _SHARDED}
    several = {glob for glob, number in Counter(globs.values()).items() if number > 1}
    return dict.fromkeys(glob if (glob := globs.get(path)) in several else path for path in paths)


def _add_text(path: Path, inputs: Inputs) -> None:
    role, key = named(path.relative_to(inputs.root))
    try:
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            why = f"larger than {MOST_BYTES // 1_000_000} MB: write its path into the configuration"
            inputs.pass_over(path, why, wanted=bool(role))
        elif labels := _labels_in(path):
            inputs.labels[path] = labels
        elif path != inputs.root / EXTRA and (known := _symbols_of_map(path)):
            inputs.maps[path] = known
        elif (table := _speakers_in(path, key)) is not None:
            inputs.speakers.append(table)
        elif said := {*_NOT_SPOKEN.split()} & {*words_of(path.name), *words_of(path.parent.name)}:
            inputs.pass_over(path, f"called {min(said)}")
        elif path.name != EXTRA:
            sides = sides_of(path, role, key)
            inputs.sides += sides
            if not sides:
                inputs.pass_over(path, _NO_PHONES, wanted=bool(role))
    except (PhonxlingError, OSError) as error:
        inputs.pass_over(path, error, wanted=bool(role))


def _labels_in(path: Path) -> tuple[str, ...]:
    if path.suffix.lower() in _VOCABULARIES:
        with suppress(DataError):
            return given_labels(path).names if path.stat().st_size <= MOST_BYTES else ()
        return ()
    rows = _rows(path)
    labels = tuple(row[0] for row in rows)
    if not 1 < len(labels) <= MOST_COLUMNS or len(set(labels)) < len(labels):
        return ()
    numbered = all(len(row) == 2 and row[1].isdecimal() for row in rows)
    return given_labels(path).names if numbered else labels if all(len(row) == 1 for row in rows) else ()


def _symbols_of_map(path: Path) -> frozenset[str]:
    if path.suffix.lower() == ".tsv" and (_rows(path)[:1] == [["symbol", "ipa"]] or "map" in words_of(path.name)):
        with suppress(DataError):
            return frozenset(normalize("NFC", symbol) for symbol in load_symbol_map(path))
    return frozenset()


def _rows(path: Path) -> list[list[str]]:
    try:
        return [line.split() for line in split_lines(decode(path, read_bytes(path, _LIST))) if line.strip()]
    except DataError:
        return []


def _speakers_in(path: Path, key: Key) -> SpeakerTable | None:
    with suppress(DataError):
        if path.name == "utt2spk":
            return SpeakerTable(path, key, frozenset(load_speakers(path)), {})
        kinds = meanings(fields_of(path)) if path.suffix.lower() in {".tsv", ".csv"} else {}
        if kinds.keys() == {"utterance", "speaker"}:
            called = {kind: names[0] for kind, names in kinds.items()}
            ids = frozenset(load_speakers(path, called))
            return SpeakerTable(path, key, ids, {kind: name for kind, name in called.items() if kind != name})
    return None


def _folder_sides(files: Mapping[Path, Sequence[Path]], inputs: Inputs) -> Iterator[Side]:
    root, without = inputs.root, dict[Path, None]()  # files in which no phones were found

    @cache
    def look(path: Path, form: str) -> _Utterance | None:
        try:
            opened = _opened(path, form)
        except DataError as error:
            inputs.pass_over(path, error)
            return None
        without[path] = None
        return opened

    groups, mixed = _groups(root, files)
    formats = Counter(folder for folder, _ in groups)
    for (folder, form), members in groups.items():
        several = formats[folder] > 1 or folder in mixed
        paths = members[:: max(1, -(-len(members) // _OPENED))]
        read = {path: found for path in paths if (found := look(path, form)) is not None}
        spellings: dict[str, Counter[str]] = {}  # of each tier, whose case and spaces do not matter
        for tier in (tier for symbols, _, _ in read.values() for tier in symbols):
            spellings.setdefault(plain_tier(tier), Counter())[tier] += 1
        for plain, names in spellings.items():
            tier = names.most_common(1)[0][0]
            having = {path: found for path, found in read.items() if plain in map(plain_tier, found[0])}
            side = _tier_side(root, folder, members, having, tier)
            if side is not None:
                for path in having:
                    without.pop(path, None)
                yield replace(side, form=form) if several and side.path == folder else side
    for path in without:
        inputs.pass_over(path, _NO_PHONES)


def _groups(root: Path, files: Mapping[Path, Sequence[Path]]) -> tuple[dict[tuple[Path, str], list[Path]], set[Path]]:
    """Return files of an utterance each by their format and each folder around them; folders that hold others, too."""
    groups: dict[tuple[Path, str], list[Path]] = {}
    mixed: set[Path] = set()
    others = {*known_endings()} - _FORM_OF.keys()
    for folder, paths in files.items():
        around = [above for above in (folder, *folder.parents) if above == root or root in above.parents]
        for path in paths:
            ending = path.suffix.lower()
            for above in around if ending in _FORM_OF else ():
                groups.setdefault((above, _FORM_OF[ending]), []).append(path)
            if not others.isdisjoint((ending, path.name.lower())):
                mixed.update(around)
    return groups, mixed


def _opened(path: Path, form: str) -> _Utterance:
    """Return what one file holds, by tier; `Mary - phones` is `* - phones` where one tier alone is called so."""
    if form != "textgrid":
        transcript = load_transcript(path, form)
        end = next(iter(ends(transcript).values()), math.nan)
        return {"": tokens(transcript)}, end, transcript.start is not None
    tiers = {tier.name: tier.labels for tier in read_textgrid(path)}
    general = {name: re.sub("^.* - ", "* - ", name) for name in tiers}
    number = Counter(map(plain_tier, general.values()))
    names = {name: general[name] if number[plain_tier(general[name])] == 1 else name for name in tiers}
    symbols = {names[tier]: Counter(" ".join(text.split()) for _, text, _ in labels) for tier, labels in tiers.items()}
    return symbols, max((end for labels in tiers.values() for _, _, (_, end) in labels), default=math.nan), True


def _tier_side(
    root: Path, folder: Path, members: Sequence[Path], read: Mapping[Path, _Utterance], tier: str
) -> Side | None:
    every = (item for symbols, _, _ in read.values() for item in symbols.items())
    counts = sum((own for name, own in every if plain_tier(name) == plain_tier(tier)), Counter[str]())
    if not (best := written(counts)).plausible:
        return None
    lacking = [path for path in members if path not in read] if len(members) <= _OPENED else []
    path = folder if len(read) > 1 or not lacking else next(iter(read))
    having = [file for file in members if file not in lacking]
    below = {file: file.relative_to(path) if file != path else Path(file.name) for file in having}
    role, key = named(path.relative_to(root))
    decision, said = "", role_of_tier(tier)
    if lacking and path == folder:
        decision = f"{len(lacking)} of {len(members)} files have no tier '{tier}', such as {lacking[0].name}"
        decision += "; keep those that have it in a folder of their own"
    return Side(
        path=path,
        role=role if said is None else said,
        key=key,
        ids={
            name.with_suffix("").as_posix().replace("/", "_"): read[file][1] if file in read else math.nan
            for file, name in below.items()
        },
        counts=counts,
        tier=tier if any(len(symbols) > 1 for symbols, _, _ in read.values()) else "",
        timed=all(timed for _, _, timed in read.values()),
        known=best.share,
        remark=_SPEAKERS if len({file.parent for file in having} - {path, path.parent}) > 1 else "",
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
            ids=frozenset(ids),
            frames={name: number for one in each for name, number in one.frames.items()},
        )


def _pattern(folder: Path, meant: Sequence[Path], files: Sequence[Path]) -> Path:
    if len(meant) == len(files):
        return folder
    return folder / f"{os.path.commonprefix([path.stem for path in meant])}*{meant[0].suffix}"  # noqa: RUF071 - letters are compared


def _posteriors(path: Path, inputs: Inputs) -> Arrays:
    names, raw = _labelled(path, inputs.labels)
    first = {name: _frames(raw, name) for name in raw.utterances[:: max(1, len(raw.utterances) // _UTTERANCES)]}
    values = np.concatenate([each[:_FRAMES] for each in first.values()])
    scale, numbers = scale_of(values), np.asarray(values, dtype=np.float64)
    mass = np.zeros(values.shape[1])  # the share of all probability that each column has
    if scale:
        mass = np.asarray(probabilities(numbers, scale, "posteriors").mean(axis=0))
    decision = "" if scale else f"scale: a row sums to {float(values[0].sum()):.3g}, not to 1; say what the numbers are"
    if not raw.labels:
        remedy = "write one label a line into phones.txt beside them"
        decision = f"labels: no list names the {values.shape[1]} columns; {remedy}"
    called = [place for place, label in enumerate(raw.labels) if label.lower() in BLANKS]
    blank = max(called, key=lambda place: float(mass[place]), default=None)
    named_blank = raw.labels[blank] if blank is not None and mass[blank] >= _BLANK_MASS else ""
    share = mass / max(1.0 - (0.0 if blank is None else float(mass[blank])), 1e-9)  # of what is not blank
    return Arrays(
        path=path,
        key=named(path.relative_to(inputs.root))[1],
        ids=frozenset(raw.utterances),
        frames={name: len(each) for name, each in first.items()},
        columns=raw.labels,
        labels=names,
        scale=scale or "probability",
        blank=named_blank,
        frame_shift=raw.frame_shift,
        mass=dict(zip(raw.labels, share.tolist(), strict=True)) if raw.labels else {},
        decision=decision,
    )


def _labelled(path: Path, lists: Mapping[Path, tuple[str, ...]]) -> tuple[Path | None, RawPosteriors]:
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


def listing(root: Path) -> tuple[dict[Path, list[Path]], list[str]]:
    """Return the files of each folder, level by level, and what was not looked at, such as links around the root."""
    files: dict[Path, list[Path]] = {}
    left: dict[str, list[Path]] = {}
    around = {*root.resolve().parents}
    seen, level = set[Path](), [root]
    for depth in range(DEEPEST + 1):
        below: list[Path] = []
        for place in level:
            if (real := place.resolve()) in seen | around:
                left.setdefault("links to folders that were searched, or hold this one", []).append(place)
            elif _OF_THE_SYSTEM & {real, *real.parents}:  # whose files may wait, or have no end
                left.setdefault("folders of the system", []).append(place)
            elif len(seen) >= MOST_FOLDERS or depth == DEEPEST:
                left.setdefault(f"folders not searched, beyond {MOST_FOLDERS} or too deep", []).append(place)
            else:
                seen.add(real)
                for path, kind in _entries(place, is_root=place == root):
                    if kind == "folder":
                        below.append(path)
                    else:
                        (files.setdefault(place, []) if kind == "file" else left.setdefault(kind, [])).append(path)
        level = below
    first = {what: shown(paths[0].relative_to(root).as_posix()) or "." for what, paths in left.items()}
    return files, [
        f"{len(paths):,} {what}, such as {first[what]}" if len(paths) > 1 else f"{what}: {first[what]}"
        for what, paths in left.items()
    ]


def _entries(folder: Path, *, is_root: bool) -> Iterator[tuple[Path, str]]:
    """Yield what a folder holds, by name, and what each is: a file, a folder, or why it is left out."""
    try:
        every = sorted(path for path in folder.iterdir() if path.name[:1] != ".")
    except OSError:
        yield folder, "folders that cannot be read"
        return
    if not is_root and not _OF_A_RUN.isdisjoint(path.name for path in every):
        return
    for path in every:
        kind = "links that lead nowhere, pipes or devices"
        with suppress(OSError):
            kind = "folder" if path.is_dir() else "file" if path.is_file() else kind
        yield path, kind if path.name.isprintable() else "names that cannot be printed"


def sides_of(path: Path, role: Role, key: Key) -> list[Side]:
    """Return what a file holds of phones: nothing when it holds none, two sides when it holds gold and predicted."""
    form, needs_form = _form(path, role)
    fields = fields_of(path, form)
    kinds = meanings(fields)
    side = Side(path, role, key, {}, Counter(), form=form if needs_form else "")
    both: tuple[Role, ...] = ("gold", "predicted")
    readings = {own: _readings(fields, kinds.get(own, [])) for own in both}
    found = [_first(replace(side, role=own), form, each) for own, each in readings.items()]
    if not any(found):
        others = [name for name in fields if name not in {*kinds.get("phones", []), *kinds.get("utterance", [])}]
        as_it_is = not fields or {"utterance", "start", "end", "phone"} <= {*fields}
        found = [_first(side, form, [{}] if as_it_is else _readings(fields, [*kinds.get("phones", []), *others]))]
    return [one for one in found if one is not None]


def _readings(fields: Sequence[str], names: Iterable[str]) -> Iterator[Mapping[str, str]]:
    """Yield how columns of phones may be read: with the ids of the column that is called so, or else of any."""
    for name in names:
        columns = columns_of(fields, name)
        if "utterance" in columns or {"utterance", "id"} & {*fields}:
            yield columns
        else:
            ids = [other for other in fields if other not in columns.values()][:_IDS_TRIED]
            yield from ({"utterance": other, **columns} for other in ids)


def _first(side: Side, form: str, readings: Iterable[Mapping[str, str]]) -> Side | None:
    """Return the side of the first reading that gives phones, and utterances with their ids; None when none does."""
    language = next((name for name in fields_of(side.path, form) if name.lower() in LANGUAGES), "")
    for columns in readings:
        try:
            names = values_in(side.path, form, columns, language) if language else []
            wheres = [{language: name} for name in names] if 1 < len(names) <= _MOST_LANGUAGES else [{}]
            parts = [_part(side, form, columns, where) for where in wheres]
        except DataError:
            if columns:
                continue
            raise
        counts = sum((part.counts for part in parts), Counter[str]())
        if (best := written(counts)).plausible:
            own = zip(names, parts, strict=True) if len(parts) > 1 else ()
            languages = {name: replace(part, key=(name,), table=counts) for name, part in own}
            ids = {name: end for part in parts for name, end in part.ids.items()}
            return replace(parts[0], ids=ids, counts=counts, known=best.share, languages=languages, where={})
    return None


def _part(side: Side, form: str, columns: Mapping[str, str], where: Mapping[str, str]) -> Side:
    """Return what the rows of a file hold that have these values."""
    read = load_transcript(side.path, form, columns or None, where={name: [value] for name, value in where.items()})
    timed, confident = read.start is not None, read.confidence is not None
    whole = replace(side, ids=ends(read), counts=tokens(read), columns=columns, where=where)
    return replace(whole, timed=timed, confident=confident)


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
        if len({row[0] for row in rows}) == len(rows) and sum(len(row) > 2 for row in rows) > len(rows) / 2:
            return "kaldi-text", True
        if role and len(rows) > 1:
            return "lines", True
        raise
