"""What lies in a folder, for a starter configuration: its files, what their names say, and the phones in them.

What a file is, its lines say. Names say only which of two sides is gold, and which files are of one corpus: a word for
a side in the file's name, or else in that of a folder around it, is its role; the words that are left are the key of
its corpus. Few files are looked at where there are many, of a large one the first lines, and nothing odd is opened.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

import numpy as np

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.features import panphon_features
from phonxling.load.field_names import columns_of, meanings
from phonxling.load.formats import fields_of, guess_format, known_endings, load_transcript
from phonxling.load.posteriors import FORMATS
from phonxling.load.text import read_bytes
from phonxling.phones.deciding import fits
from phonxling.phones.maps import SILENCE

Role: TypeAlias = Literal["gold", "predicted", ""]
Key: TypeAlias = tuple[str, ...]

MOST_FOLDERS, DEEPEST, MOST_FILES = 300, 6, 200_000
_OF_A_RUN = frozenset({"manifest.json", "run.json"})  # a folder that holds them is one of results
_OF_THE_SYSTEM = frozenset(map(Path, ("/proc", "/sys", "/dev")))

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
_SIDES = _GOLD | _PREDICTED | _PERHAPS_GOLD | {"ctm"}

_TRIED = 60  # symbols where there are so many that they may be words
_MANY, _LONG = 300, 4.0  # distinct symbols, and their mean length, beyond which they may be words
_LONG_PHONES = 2.5  # the mean length up to which symbols are phones, and not words of joined ones
_KNOWN = 0.7  # the share of tokens that a set must know of phones
_OF_WORDS = 0.85  # the same of words of joined phones: some of plain letters could be of any language

LARGE, _HEAD = 20_000_000, 1_000_000  # bytes: of a larger file the first whole lines are looked at
_WHOLE = (".parquet", ".eaf", ".json")  # files that cannot be cut after a line
_LANGUAGES = frozenset({"lang", "language", "lang_id", "iso", "locale"})
_IDS_TRIED = 4  # columns that may hold ids though they are not called so


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
    whole: bool = True
    remark: str = ""
    decision: str = ""


def listing(root: Path) -> tuple[dict[Path, list[Path]], list[str]]:
    """Return the files of each folder, level by level, and what was not looked at, a clause each.

    Links to folders are followed, but not to those around the root.
    """
    files: dict[Path, list[Path]] = {}
    first: dict[str, str] = {}  # case of what is left out
    numbers, seen = Counter[str](), set[Path]()

    def leave_out(what: str, path: Path, number: int = 1) -> None:
        numbers[what] += number
        first.setdefault(what, shown(path.relative_to(root).as_posix()) or ".")

    level, around = [root], {root.resolve(), *root.resolve().parents}
    for depth in range(DEEPEST + 1):
        below: list[Path] = []
        for place in level:
            real = place.resolve()
            if real in seen or (place != root and real in around):
                leave_out("links to folders that were looked at, or hold this one", place)
            elif _OF_THE_SYSTEM & {real, *real.parents}:
                leave_out("folders of the system", place)
            elif len(seen) >= MOST_FOLDERS or depth == DEEPEST:
                leave_out(f"folders not looked at, beyond {MOST_FOLDERS} or too deep", place)
            else:
                seen.add(real)
                for path, kind in _entries(place, leave_out, is_root=place == root):
                    if kind == "file":
                        files.setdefault(place, []).append(path)
                    elif kind == "folder":
                        below.append(path)
                    else:
                        leave_out(kind, path)
        level = below
    return files, [
        f"{number:,} {what}, such as {first[what]}" if number > 1 else f"{what}: {first[what]}"
        for what, number in numbers.items()
    ]


def _entries(folder: Path, leave_out: Callable[..., None], *, is_root: bool) -> Iterator[tuple[Path, str]]:
    """Yield what is in a folder, each with "file", "folder", or why it is left out; nothing of results."""
    try:
        with os.scandir(folder) as entries:
            every = sorted((entry for entry in entries if entry.name[:1] != "."), key=lambda entry: entry.name)
    except OSError:
        leave_out("folders that cannot be read", folder)
        return
    if not is_root and not _OF_A_RUN.isdisjoint(entry.name for entry in every):
        return
    if len(every) > MOST_FILES:
        leave_out(f"names beyond the first {MOST_FILES:,} of a folder", folder, len(every) - MOST_FILES)
    for entry in every[:MOST_FILES]:
        path = folder / entry.name
        try:
            kind = "folder" if entry.is_dir() else "file" if entry.is_file() else ""
            kind = kind or ("pipes, sockets or devices" if path.exists() else "links that lead nowhere")
        except OSError:
            kind = "links that lead nowhere"
        yield path, kind if entry.name.isprintable() else "names that cannot be printed"


def named(path: PurePath) -> tuple[Role, Key]:
    """Return what a path below the folder says: the role, "" when it says none, or both; the words of the corpus."""
    path = path.with_suffix("") if path.suffix.lower() in _endings() else path
    parts = [words_of(part) for part in path.parts] or [[]]
    places = [(known, place) for known in (_CLEAR, _UNCLEAR) for place in reversed(range(len(parts)))]
    roles = ((role, place) for known, place in places if (role := _said(parts[place], known)))
    role, giving = next(roles, ("", -1))
    of_no_corpus = {giving: _SIDES, len(parts) - 1: _SIDES | _OTHERS}
    key = (word for place, part in enumerate(parts) for word in part if word not in of_no_corpus.get(place, ()))
    return role, tuple(key)


@cache
def _endings() -> frozenset[str]:
    return frozenset((*known_endings(), *FORMATS, ".txt")) - {".ctm", ".stm"}  # which say what a file is


def role_of(words: set[str]) -> Role:
    """Return the role that words speak for: clear words first; "" when none does, or both do."""
    return _said(words, _CLEAR) or ("" if (_GOLD | _PREDICTED) & words else _said(words, _UNCLEAR))


def _said(words: Iterable[str], known: Mapping[Role, frozenset[str]]) -> Role:
    roles = [role for role, names in known.items() if names & {*words}]
    return roles[0] if len(roles) == 1 else ""


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return [word for word in re.split(r"[\W_]+", name.lower()) if word]


class Written(NamedTuple):
    """The symbol set that fits best, by name or as a map's path; the symbols that it does not know; what it knows."""

    symbols: str | Path
    unknown: tuple[str, ...]
    share: float

    @property
    def plausible(self) -> bool:
        """Whether these can be phones at all."""
        return self.share >= (_OF_WORDS if self.symbols == "ipa-joined" else _KNOWN)


def written(counts: Mapping[str, int], maps: Mapping[Path, frozenset[str]] | None = None) -> Written:
    """Return in which set symbols are written. A map that knows all, and most of which is used, goes first."""
    spoken = Counter({symbol: number for symbol, number in counts.items() if symbol.lower() not in SILENCE})
    names = {normalize("NFC", symbol) for symbol in spoken}
    for path, known in (maps or {}).items():
        if names <= known and len(names) >= len(known) / 2:
            return Written(path, (), 1.0)
    length = sum(len(symbol) * number for symbol, number in spoken.items()) / max(spoken.total(), 1)
    tried = Counter(dict(spoken.most_common(_TRIED))) if len(spoken) > _MANY or length > _LONG else spoken
    joined = length > _LONG_PHONES
    best = next(fit for fit in fits(tried, panphon_features()) if joined or fit.name != "ipa-joined")
    doubtful = {*best.unknown, *best.doubtful, *(symbol for symbol in tried if len(symbol.split()) > 1)}
    share = sum(tried[symbol] for symbol in tried if symbol not in doubtful) / max(tried.total(), 1)
    return Written(best.name, best.unknown, share if len(tried) > 1 else 0.0)


def sides_of(path: Path, role: Role, key: Key) -> list[Side]:
    """Return what a file holds of phones: nothing when it holds none, two sides when it holds gold and predicted."""
    with _beginning(path) as head:
        form, needs_form = _form(head, role)
        fields = fields_of(head, form)
        kinds = meanings(fields)
        roles: tuple[Role, ...] = ("gold", "predicted")
        found = [(own, _first(head, form, _readings(fields, kinds.get(own, [])))) for own in roles]
        if not any(side for _, side in found):
            others = [name for name in fields if name not in {*kinds.get("phones", []), *kinds.get("utterance", [])}]
            as_it_is = not fields or {"utterance", "start", "end", "phone"} <= {*fields}
            readings = [{}] if as_it_is else _readings(fields, [*kinds.get("phones", []), *others])
            found = [(role, _first(head, form, readings))]
    several = [name for name in fields if name.lower() in _LANGUAGES]
    remark = f"the column {several[0]} tells languages apart: split the table for a corpus of each" if several else ""
    form, whole = form if needs_form else "", head == path
    return [
        replace(side, path=path, role=own, key=key, form=form, whole=whole, remark=remark)
        for own, side in found
        if side is not None
    ]


def _readings(fields: Sequence[str], names: Iterable[str]) -> Iterator[Mapping[str, str]]:
    """Yield how columns of phones may be read: with the ids of the column that is called so, or else of any."""
    for name in names:
        columns = columns_of(fields, name)
        if "utterance" in columns or {"utterance", "id"} & {*fields}:
            yield columns
        else:
            ids = [other for other in fields if other not in columns.values()][:_IDS_TRIED]
            yield from ({"utterance": other, **columns} for other in ids)


def _first(path: Path, form: str, readings: Iterable[Mapping[str, str]]) -> Side | None:
    """Return the side of the first reading that gives phones, and utterances with their ids; None when none does."""
    for columns in readings:
        try:
            transcript = load_transcript(path, form, columns or None)
        except DataError:
            if columns:
                continue
            raise
        counts = tokens(transcript)
        if (best := written(counts)).plausible:
            timed, confident = transcript.start is not None, transcript.confidence is not None
            found = Side(path, "", (), ends(transcript), counts, columns=columns, known=best.share)
            return replace(found, timed=timed, confident=confident)
    return None


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
    """Return a file's format, and whether the configuration has to name it: of plain lines, with ids or without."""
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


@contextmanager
def _beginning(path: Path) -> Iterator[Path]:
    """Yield the file, or a copy of its first lines under the same name where it is large."""
    if path.stat().st_size <= LARGE or path.suffix.lower() in _WHOLE:
        yield path
        return
    data = read_bytes(path, _HEAD)
    with TemporaryDirectory(prefix="phonxling-") as folder:
        head = Path(folder) / path.name
        head.write_bytes(data[: data.rfind(b"\n") + 1])
        yield head
