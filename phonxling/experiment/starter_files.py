"""What names of files and folders say: what a file holds, and which of several corpora it is of."""

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias
from unicodedata import normalize

import numpy as np

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.features import panphon_features
from phonxling.load.field_names import columns_of, meanings
from phonxling.load.formats import fields_of, guess_format, known_endings, load_transcript
from phonxling.load.posteriors import FORMATS
from phonxling.load.text import read_head
from phonxling.phones.deciding import fits
from phonxling.phones.maps import SILENCE

Role: TypeAlias = Literal["gold", "predicted", ""]

_WORDS = {
    "predicted": "predicted prediction predictions pred preds hyp hyps hypothesis hypotheses decoded recognised "
    "recognized output outputs asr",
    "gold": "gold ref refs reference references truth canonical manual human stm",
    "perhaps gold": "transcript transcripts transcription transcriptions text labels phones",
    "others": "posterior posteriors post ppg ppgs posteriorgram posteriorgrams probs probabilities logits "
    "speaker speakers spk utt2spk segment segments times alignment alignments intervals vs and",
}
_PREDICTED, _GOLD, _PERHAPS_GOLD, _OTHERS = (frozenset(words.split()) for words in _WORDS.values())
_CLEAR: Mapping[Role, frozenset[str]] = {"gold": _GOLD, "predicted": _PREDICTED}
_UNCLEAR: Mapping[Role, frozenset[str]] = {"gold": _PERHAPS_GOLD, "predicted": frozenset({"ctm"})}
_SIDES_CLEAR = _GOLD | _PREDICTED
_SIDES = _SIDES_CLEAR | _PERHAPS_GOLD | {"ctm"}


@dataclass(frozen=True, slots=True)
class Named:
    """What a name says: the role, "" when it says none, or both; and the words that are left, those of the corpus."""

    role: Role
    key: tuple[str, ...]


def named(path: PurePath) -> Named:
    """Return what a path below the folder says; a folder's name gives the role where the file's own gives none."""
    parts = [words_of(part) for part in _without_ending(path).parts] or [[]]
    places = [(known, place) for known in (_CLEAR, _UNCLEAR) for place in reversed(range(len(parts)))]
    roles = ((role, place) for known, place in places if (role := _said(parts[place], known)))
    role, giving = next(roles, ("", -1))
    of_no_corpus = {giving: _SIDES, len(parts) - 1: _SIDES | _OTHERS}
    key = [word for place, part in enumerate(parts) for word in part if word not in of_no_corpus.get(place, ())]
    return Named(role, tuple(key))


def role_of(words: Iterable[str]) -> Role:
    """Return the role that words speak for: clear words first; "" when none does, or both do."""
    every = [*words]
    return _said(every, _CLEAR) or ("" if _SIDES_CLEAR & {*every} else _said(every, _UNCLEAR))


def _said(words: Iterable[str], known: Mapping[Role, frozenset[str]]) -> Role:
    roles = [role for role, names in known.items() if names & {*words}]
    return roles[0] if len(roles) == 1 else ""


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return [word for word in re.split(r"[\W_]+", name.lower()) if word]


def _without_ending(path: PurePath) -> PurePath:
    return path.with_suffix("") if path.suffix.lower() in _endings() else path


@cache
def _endings() -> frozenset[str]:
    return frozenset((*known_endings(), *FORMATS, ".txt")) - {".ctm", ".stm"}  # which say what a file is


# What a starter knows of each input that was met: transcripts, posteriors, tables of speakers, lists of labels.


@dataclass(frozen=True, slots=True)
class Side:
    """Phones of utterances: a file, a part of one (columns, a tier), or a folder of files."""

    path: Path
    role: Role
    key: tuple[str, ...]
    ids: Mapping[str, float]
    counts: Counter[str]
    form: str = ""
    tier: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    timed: bool = False
    confident: bool = False
    known: float = 1.0
    whole: bool = True
    remark: str = ""
    decision: str = ""


@dataclass(frozen=True, slots=True)
class Arrays:
    """Posteriors: their utterances with the number of frames of the first ones, and what a look at these has shown."""

    path: Path
    key: tuple[str, ...]
    ids: frozenset[str]
    frames: Mapping[str, int]
    columns: tuple[str, ...]
    labels: Path | None = None
    scale: str = "probability"
    blank: str = ""
    frame_shift: float | None = None
    mass: Mapping[str, float] = field(default_factory=dict)
    decision: str = ""


@dataclass(frozen=True, slots=True)
class SpeakerTable:
    """Which speaker each utterance is of."""

    path: Path
    key: tuple[str, ...]
    ids: frozenset[str]
    form: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Inputs:
    """All that was met below a folder; which files could not be read whose names say that they are of use, and why."""

    sides: list[Side] = field(default_factory=list)
    arrays: list[Arrays] = field(default_factory=list)
    speakers: list[SpeakerTable] = field(default_factory=list)
    maps: dict[Path, frozenset[str]] = field(default_factory=dict)
    labels: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    unread: dict[Path, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def reason_in(error: Exception) -> str:
    """Return the first line of a message, without the file that it begins with."""
    return str(error).splitlines()[0].partition(": ")[2]


# In which symbol set phones are written: a built-in one, or a map that lies beside them; and whether they are any.

_TRIED = 60  # symbols where there are so many that they may be words
_MANY, _LONG = 300, 4.0  # distinct symbols, and their mean length, beyond which they may be words
_LONG_PHONES = 2.5  # the mean length up to which symbols are phones, and not words of joined ones
_KNOWN = 0.7  # the share of tokens that a set must know of phones
_OF_WORDS = 0.85  # the same of words of joined phones: some of plain letters could be of any language


@dataclass(frozen=True, slots=True)
class Written:
    """The set that fits best, by name or as a map's path; the symbols that it does not know."""

    symbols: str | Path
    unknown: tuple[str, ...]
    share: float

    @property
    def plausible(self) -> bool:
        """Whether these can be phones at all."""
        return self.share >= (_OF_WORDS if self.symbols == "ipa-joined" else _KNOWN)


def written(counts: Mapping[str, int], maps: Mapping[Path, frozenset[str]] | None = None) -> Written:
    """Return in which set symbols are written. A map that knows all, and most of which is used, goes first."""
    for path, known in (maps or {}).items():
        names = {normalize("NFC", symbol) for symbol in counts if symbol.lower() not in SILENCE}
        if names <= known and len(names) >= len(known) / 2:
            return Written(path, (), 1.0)
    spoken = Counter({symbol: number for symbol, number in counts.items() if symbol.lower() not in SILENCE})
    length = sum(len(symbol) * number for symbol, number in spoken.items()) / max(spoken.total(), 1)
    tried = Counter(dict(spoken.most_common(_TRIED))) if len(spoken) > _MANY or length > _LONG else spoken
    joined = length > _LONG_PHONES
    best = next(fit for fit in fits(tried, panphon_features()) if joined or fit.name != "ipa-joined")
    doubtful = {*best.unknown, *best.doubtful, *(symbol for symbol in tried if len(symbol.split()) > 1)}
    share = sum(tried[symbol] for symbol in tried if symbol not in doubtful) / max(tried.total(), 1)
    return Written(best.name, best.unknown, share if len(tried) > 1 else 0.0)


# Columns of a table → in which of them gold and predicted phones may be, by their names, the likeliest first.

_LANGUAGES = frozenset({"lang", "language", "lang_id", "iso", "locale"})
_TABLES_TRIED = 4  # columns that may hold ids though they are not called so


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a file: the role that the columns' names give, and the columns."""

    role: Role = ""
    columns: Mapping[str, str] = field(default_factory=dict)


def by_role(fields: Sequence[str]) -> Iterator[list[Reading]]:
    """Yield the ways to read gold, and those to read predicted phones, where columns are called so."""
    kinds = meanings(fields)
    roles: tuple[Role, ...] = ("gold", "predicted")
    for role in roles:
        yield [reading for name in kinds.get(role, []) for reading in _readings(fields, role, name)]


def of_one_side(fields: Sequence[str]) -> list[Reading]:
    """Return the ways to read a table of one side."""
    if {"utterance", "start", "end", "phone"} <= set(fields):
        return [Reading()]
    kinds = meanings(fields)
    others = [name for name in fields if name not in {*kinds.get("phones", []), *kinds.get("utterance", [])}]
    return [reading for name in (*kinds.get("phones", []), *others) for reading in _readings(fields, "", name)]


def _readings(fields: Sequence[str], role: Role, phones: str) -> Iterator[Reading]:
    """Yield how a column of phones may be read: with the ids of the column that is called so, or else of any."""
    columns = columns_of(fields, phones)
    if "utterance" in columns or {"utterance", "id"} & set(fields):
        yield Reading(role, columns)
    else:
        ids = [name for name in fields if name not in columns.values()][:_TABLES_TRIED]
        yield from (Reading(role, {"utterance": name, **columns}) for name in ids)


def remark_on(fields: Sequence[str]) -> str:
    """Return what a person should know of a table of several languages, whose rows make up one corpus."""
    called = [name for name in fields if name.lower() in _LANGUAGES]
    return f"the column {called[0]} tells languages apart: split the table for a corpus of each" if called else ""


# Files of text → the phones in them: by what their lines are, whatever they are called.

LARGE, _HEAD = 20_000_000, 1_000_000  # bytes: of a larger file the first whole lines are looked at
_WHOLE = (".parquet", ".eaf", ".json")  # files that cannot be cut after a line


def sides_of(path: Path, key: tuple[str, ...], role: Role) -> list[Side]:
    """Return what a file holds of phones: nothing when it holds none, two sides when it holds gold and predicted."""
    with _beginning(path) as head:
        form, needs_form = _form(head, role)
        fields = fields_of(head, form)
        sides = [side for readings in by_role(fields) for side in _first(head, form, readings)]
        sides = sides or _first(head, form, of_one_side(fields) if fields else [Reading()])
    written_form = form if needs_form else ""
    whole, remark = head == path, remark_on(fields)
    return [
        replace(side, path=path, key=key, role=side.role or role, form=written_form, whole=whole, remark=remark)
        for side in sides
    ]


def _first(path: Path, form: str, readings: Iterable[Reading]) -> list[Side]:
    """Return the side of the first reading that gives phones; none when none does."""
    return [*islice(filter(None, (_side(path, form, reading) for reading in readings)), 1)]


def _side(path: Path, form: str, reading: Reading) -> Side | None:
    """Return a side as one reading has it; None when these are no phones, or no utterances with their ids."""
    try:
        transcript = load_transcript(path, form, reading.columns or None)
    except DataError:
        if reading.columns:
            return None
        raise
    counts = tokens(transcript)
    best = written(counts)
    if not best.plausible:
        return None
    timed, confident = transcript.start is not None, transcript.confidence is not None
    return Side(
        path=path,
        role=reading.role,
        key=(),
        ids=ends(transcript),
        counts=counts,
        columns=reading.columns,
        timed=timed,
        confident=confident,
        known=best.share,
    )


def tokens(transcript: Transcript) -> Counter[str]:
    """Return the number of tokens of each raw symbol."""
    return Counter(dict(zip(transcript.symbols, transcript.counts.tolist(), strict=True)))


def ends(transcript: Transcript) -> dict[str, float]:
    """Return where each utterance ends, NaN where that is not known."""
    if transcript.end is None:
        return dict.fromkeys(transcript.utterances, math.nan)
    last = [part.max(initial=-math.inf) for part in np.split(transcript.end, transcript.offsets[1:-1])]
    return {name: float(end) if end > 0 else math.nan for name, end in zip(transcript.utterances, last, strict=True)}


def _form(path: Path, role: Role) -> tuple[str, bool]:
    """Return a file's format, and whether the configuration has to name it."""
    try:
        return guess_format(path), False
    except DataError:
        if path.suffix.lower() in {"", ".txt"} and (form := _plain_form(path, role)):
            return form, True
        raise


def _plain_form(path: Path, role: Role) -> str:
    """Return the format of plain lines: those that begin with an id each, or those of a side that have none."""
    lines = [line.split() for line in read_head(path, 1 << 16).decode("utf-8", errors="replace").split("\n")[:-1]]
    rows = [row for row in lines if row]
    ids = {row[0] for row in rows}
    if len(ids) == len(rows) and sum(len(row) > 2 for row in rows) > len(rows) / 2:
        return "kaldi-text"
    return "lines" if role and len(rows) > 1 else ""


@contextmanager
def _beginning(path: Path) -> Iterator[Path]:
    """Yield the file, or a copy of its first lines under the same name where it is large."""
    if path.stat().st_size <= LARGE or path.suffix.lower() in _WHOLE:
        yield path
        return
    data = read_head(path, _HEAD)
    with TemporaryDirectory(prefix="phonxling-") as folder:
        head = Path(folder) / path.name
        head.write_bytes(data[: data.rfind(b"\n") + 1])
        yield head


# Which files there are below a folder: few are looked at where there are many, and nothing odd is opened.

MOST_FOLDERS, DEEPEST, MOST_FILES = 300, 6, 200_000
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results
_OF_THE_SYSTEM = frozenset(map(Path, ("/proc", "/sys", "/dev")))


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of each folder, by name; and what was not looked at, with the number of times and the first case."""

    files: Mapping[Path, list[Path]]
    left_out: Mapping[str, tuple[int, str]]

    def notes(self) -> Iterator[str]:
        """Yield what was not looked at, a clause each."""
        for what, (number, first) in self.left_out.items():
            yield f"{number:,} {what}, such as {first}" if number > 1 else f"{what}: {first}"


@dataclass(slots=True)
class _Walk:
    root: Path
    files: dict[Path, list[Path]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    seen: set[Path] = field(default_factory=set)

    def leave_out(self, what: str, path: Path, number: int = 1) -> None:
        self.counts[what] += number
        self.first.setdefault(what, shown(path.relative_to(self.root).as_posix()) or ".")


def listing(root: Path) -> Listing:
    """Return the files below a folder, level by level; links to folders are followed, but not to those around it."""
    walk, level = _Walk(root), [root]
    around = {root.resolve(), *root.resolve().parents}
    for depth in range(DEEPEST + 1):
        below: list[Path] = []
        for place in level:
            real = place.resolve()
            if real in walk.seen or (place != root and real in around):
                walk.leave_out("links to folders that were looked at, or hold this one", place)
            elif _OF_THE_SYSTEM & {real, *real.parents}:
                walk.leave_out("folders of the system", place)
            elif len(walk.seen) >= MOST_FOLDERS or depth == DEEPEST:
                walk.leave_out(f"folders not looked at, beyond {MOST_FOLDERS} or too deep", place)
            else:
                walk.seen.add(real)
                below += _look(walk, place)
        level = below
    return Listing(walk.files, {what: (walk.counts[what], first) for what, first in walk.first.items()})


def _look(walk: _Walk, folder: Path) -> list[Path]:
    """Enter a folder's files, and return the folders in it."""
    try:
        with os.scandir(folder) as entries:
            every = sorted((entry for entry in entries if entry.name[:1] != "."), key=lambda entry: entry.name)
    except OSError:
        walk.leave_out("folders that cannot be read", folder)
        return []
    if folder != walk.root and not _OF_A_RUN.isdisjoint(entry.name for entry in every):
        return []
    if len(every) > MOST_FILES:
        walk.leave_out(f"names beyond the first {MOST_FILES:,} of a folder", folder, len(every) - MOST_FILES)
    kinds = [(folder / entry.name, _kind(entry)) for entry in every[:MOST_FILES]]
    for path, kind in kinds:
        if kind not in {"file", "folder"}:
            walk.leave_out(kind, path)
    if files := [path for path, kind in kinds if kind == "file"]:
        walk.files[folder] = files
    return [path for path, kind in kinds if kind == "folder"]


def _kind(entry: os.DirEntry[str]) -> str:
    """Return "file", "folder", or why it is left out."""
    if not entry.name.isprintable():
        return "names that cannot be printed"
    try:
        if entry.is_dir():
            return "folder"
        if entry.is_file():
            return "file"
        return "links that lead nowhere" if not Path(entry.path).exists() else "pipes, sockets or devices"
    except OSError:
        return "links that lead nowhere"
