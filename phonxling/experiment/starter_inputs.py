"""What each file of a folder is, for a starter configuration: phones, posteriors, speakers, labels, maps of symbols.

Three kinds of files are looked at in three ways. Files of text are tried as lists of labels, maps of symbols, tables of
speakers and transcripts, in this order. Of files that hold one utterance each (phn, lab, TextGrid) every folder below
which they are is an input, and every tier that holds phones. Of arrays the first frames tell the scale (rows that sum
to 1, or whose exponentials do, or numbers of both signs), and the blank: a column that is called so, with more of the
mass than any phone could have. What is met twice in this way is sorted out where inputs become corpora.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias, cast
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, PhonxlingError
from phonxling.core.posteriorgram import ROW_TOLERANCE, RawPosteriors, Scale, probabilities
from phonxling.experiment.starter_files import (
    Key,
    Side,
    ends,
    listing,
    named,
    role_of,
    sides_of,
    tokens,
    words_of,
    written,
)
from phonxling.load.field_names import meanings
from phonxling.load.formats import BUILT_IN, fields_of, known_endings, load_transcript
from phonxling.load.posteriors import FORMATS, load_raw_posteriors
from phonxling.load.resources import load_speakers, load_symbol_map
from phonxling.load.stored import MOST_COLUMNS
from phonxling.load.text import decode, read_bytes, split_lines
from phonxling.load.tiers import read_textgrid
from phonxling.phones.maps import BLANKS

_FORM_OF = {ending: name for name, form in BUILT_IN.items() if form.by_speaker for ending in form.endings}
_NO_TEXT = {*_FORM_OF, *FORMATS, ".yaml", ".yml", ".wav", ".flac", ".mp3", ".md", ".py", ".pdf"}
_NOT_SPOKEN = "dict dictionary dictionaries lexicon lexicons pronunciations map mapping readme license"
_PHONES = {"phones", "phone", "phoneme", "phonemes", "segments", "segment", "mau", "ipa"}
_SPEAKERS = "the folders in it are read as speakers; where they are languages, give each a corpus of its own"

_TEXTS, _OPENED, _ARRAYS = 100, 200, 100  # files of a folder: of text, of an utterance each, of posteriors
_UTTERANCES, _FRAMES = 12, 400  # of a file of posteriors, and of each of these
_HEAD = 1 << 16  # bytes of a list of labels
_BLANK_MASS = 0.3  # the mean mass that a blank has at least

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
    """All that was met below a folder; which files could not be read whose names say that they are of use, and why."""

    root: Path
    sides: list[Side] = field(default_factory=list)
    arrays: list[Arrays] = field(default_factory=list)
    speakers: list[SpeakerTable] = field(default_factory=list)
    maps: dict[Path, frozenset[str]] = field(default_factory=dict)
    labels: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    unread: dict[Path, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def cannot_read(self, path: Path, error: Exception) -> None:
        """Keep the first line of a message, without the file that it begins with."""
        self.unread[path.relative_to(self.root)] = str(error).splitlines()[0].partition(": ")[2]


def met(root: Path) -> Inputs:
    """Return what the files below a folder are."""
    inputs, (files, left_out) = Inputs(root), listing(root)
    for folder, paths in files.items():
        texts = [path for path in paths if path.suffix.lower() not in _NO_TEXT]
        if len(texts) > _TEXTS:
            name = folder.relative_to(root).as_posix()
            inputs.notes.append(f"{_TEXTS} of {len(texts):,} files of {name} were looked at")
            texts.sort(key=lambda path: (not named(path.relative_to(root))[0], path))
        for path in texts[:_TEXTS]:
            _add_text(path, inputs)
    inputs.sides += _folder_sides(root, files)
    for folder, paths in files.items():
        inputs.arrays += _arrays_in(folder, paths, inputs)
    inputs.notes += left_out
    return inputs


def _add_text(path: Path, inputs: Inputs) -> None:
    """Add what a file of text is; of one that cannot be read, that it cannot, where its name says that it matters."""
    role, key = named(path.relative_to(inputs.root))
    try:
        if labels := _labels_in(path):
            inputs.labels[path] = labels
        elif known := _symbols_of_map(path):
            inputs.maps[path] = known
        elif (table := _speakers_in(path, key)) is not None:
            inputs.speakers.append(table)
        elif not {*_NOT_SPOKEN.split()} & {*words_of(path.name), *words_of(path.parent.name)}:
            sides = sides_of(path, role, key)
            inputs.sides += sides
            if role and not sides:
                inputs.unread[path.relative_to(inputs.root)] = "holds no phones that a symbol set knows, or no ids"
    except (PhonxlingError, OSError) as error:
        if role:
            inputs.cannot_read(path, error)


def _labels_in(path: Path) -> tuple[str, ...]:
    """Return the labels of a list (one a line, or `label number` as Kaldi numbers symbols); () when it is none."""
    rows = _rows(path)
    labels = tuple(row[0] for row in rows)
    if not 1 < len(labels) <= MOST_COLUMNS or len(set(labels)) < len(labels):
        return ()
    numbered = all(len(row) == 2 and row[1].isdecimal() for row in rows)
    return labels if numbered or all(len(row) == 1 for row in rows) else ()


def _symbols_of_map(path: Path) -> frozenset[str]:
    """Return the symbols that a map (symbol, ipa) has; none when the file is no map."""
    if path.suffix.lower() != ".tsv":
        return frozenset()
    if _rows(path)[:1] != [["symbol", "ipa"]] and "map" not in words_of(path.name):
        return frozenset()
    try:
        return frozenset(normalize("NFC", symbol) for symbol in load_symbol_map(path))
    except DataError:
        return frozenset()


def _rows(path: Path) -> list[list[str]]:
    try:
        return [line.split() for line in split_lines(decode(path, read_bytes(path, _HEAD))) if line.strip()]
    except DataError:
        return []


def _speakers_in(path: Path, key: Key) -> SpeakerTable | None:
    """Return a table of speakers; None when the file is none."""
    try:
        if path.name == "utt2spk":
            return SpeakerTable(path, key, frozenset(load_speakers(path)), {})
        if path.suffix.lower() not in {".tsv", ".csv"}:
            return None
        kinds = meanings(fields_of(path))
        if kinds.keys() != {"utterance", "speaker"}:
            return None
        called = {kind: names[0] for kind, names in kinds.items()}
        ids = frozenset(load_speakers(path, called))
        return SpeakerTable(path, key, ids, {kind: name for kind, name in called.items() if kind != name})
    except DataError:
        return None


def _folder_sides(root: Path, files: Mapping[Path, Sequence[Path]]) -> Iterator[Side]:
    """Yield each folder below which there are files of an utterance each, and each tier that holds phones in them."""
    groups: dict[tuple[Path, str], list[Path]] = {}
    mixed: set[Path] = set()  # folders below which there are files of formats that hold many utterances
    others = {*known_endings()} - _FORM_OF.keys()
    for folder, paths in files.items():
        around = [above for above in (folder, *folder.parents) if above == root or root in above.parents]
        for path in paths:
            ending = path.suffix.lower()
            for above in around if ending in _FORM_OF else ():
                groups.setdefault((above, _FORM_OF[ending]), []).append(path)
            if not others.isdisjoint((ending, path.name.lower())):
                mixed.update(around)
    look, formats = cache(_opened), Counter(folder for folder, _ in groups)
    for (folder, form), members in groups.items():
        several = formats[folder] > 1 or folder in mixed
        paths = members[:: max(1, -(-len(members) // _OPENED))]
        read = {path: found for path in paths if (found := look(path, form)) is not None}
        for tier in dict.fromkeys(tier for symbols, _, _ in read.values() for tier in symbols):
            having = {path: found for path, found in read.items() if tier in found[0]}
            side = _tier_side(root, folder, members, having, tier)
            if side is not None:
                yield replace(side, form=form) if several and side.path == folder else side


def _opened(path: Path, form: str) -> _Utterance | None:
    """Return what one file holds, tiers by the name, or glob, that means them in all files; None if it is unreadable.

    `Mary - phones` is `* - phones` where one tier alone is called so.
    """
    try:
        if form != "textgrid":
            transcript = load_transcript(path, form)
            end = next(iter(ends(transcript).values()), math.nan)
            return {"": tokens(transcript)}, end, transcript.start is not None
        tiers = {tier.name: tier.labels for tier in read_textgrid(path)}
    except DataError:
        return None
    general = {name: re.sub("^.* - ", "* - ", name) for name in tiers}
    number = Counter(general.values())
    return (
        {
            general[name] if number[general[name]] == 1 else name: Counter(
                " ".join(text.split()) for _, text, _ in labels
            )
            for name, labels in tiers.items()
        },
        max((end for labels in tiers.values() for _, _, (_, end) in labels), default=math.nan),
        True,
    )


def _tier_side(
    root: Path, folder: Path, members: Sequence[Path], read: Mapping[Path, _Utterance], tier: str
) -> Side | None:
    """Return a tier of a folder's files, or of the one that has it; None when it holds no phones."""
    counts = sum((symbols[tier] for symbols, _, _ in read.values()), Counter[str]())
    if not (best := written(counts)).plausible:
        return None
    lacking = [path for path in members if path not in read] if len(members) <= _OPENED else []
    path = folder if len(read) > 1 or not lacking else next(iter(read))
    having = [file for file in members if file not in lacking]
    below = {file: file.relative_to(path) if file != path else Path(file.name) for file in having}
    role, key = named(path.relative_to(root))
    decision = ""
    if lacking and path == folder:
        decision = f"{len(lacking)} of {len(members)} files have no tier '{tier}', such as {lacking[0].name}"
        decision += "; keep those that have it in a folder of their own"
    return Side(
        path=path,
        role=role_of({*words_of(tier)} - _PHONES) or role,
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
    """Yield each file of posteriors in a folder, and all of them together where they are of one kind."""
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
            inputs.cannot_read(path, error)
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
    """Return the folder when it holds these files alone, else a glob that stands for them."""
    if len(meant) == len(files):
        return folder
    pairs = zip(min(meant).stem, max(meant).stem, strict=False)
    begin = "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return folder / f"{begin}*{meant[0].suffix}"


def _posteriors(path: Path, inputs: Inputs) -> Arrays:
    """Return what a look at the first frames of posteriors shows."""
    names, raw = _labelled(path, inputs.labels)
    first = {name: _frames(raw, name) for name in raw.utterances[:: max(1, len(raw.utterances) // _UTTERANCES)]}
    values = np.concatenate([each[:_FRAMES] for each in first.values()])
    scale, numbers = scale_of(values), np.asarray(values, dtype=np.float64)
    mass = np.zeros(values.shape[1])  # the share of all probability that each column has
    if scale:
        mass = np.asarray(probabilities(numbers, cast("Scale", scale), "posteriors").mean(axis=0))
    decision = "" if scale else f"scale: a row sums to {float(values[0].sum()):.3g}, not to 1; say what the numbers are"
    if not raw.labels:
        remedy = "write one label a line into phones.txt beside them"
        decision = f"labels: no list names the {values.shape[1]} columns; {remedy}"
    called = [place for place, label in enumerate(raw.labels) if label.lower() in BLANKS]
    blank = max(called, key=lambda place: float(mass[place]), default=None)
    return Arrays(
        path=path,
        key=named(path.relative_to(inputs.root))[1],
        ids=frozenset(raw.utterances),
        frames={name: len(each) for name, each in first.items()},
        columns=raw.labels,
        labels=names,
        scale=scale or "probability",
        blank=raw.labels[blank] if blank is not None and mass[blank] >= _BLANK_MASS else "",
        frame_shift=raw.frame_shift,
        mass=dict(zip(raw.labels, mass.tolist(), strict=True)) if raw.labels else {},
        decision=decision,
    )


def _labelled(path: Path, lists: Mapping[Path, tuple[str, ...]]) -> tuple[Path | None, RawPosteriors]:
    """Return posteriors and the list that labels their columns, None where they do so themselves."""
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
    if rows.ndim != 2 or rows.dtype.kind not in "fiu":
        raise DataError(f"{raw.source}: '{name}' has the shape {rows.shape}; posteriors are [frames, columns]")
    return rows


def scale_of(values: NDArray[np.floating]) -> str:
    """Return what frames hold; "" when they are neither probabilities, nor their logarithms, nor can be scores."""
    numbers = np.asarray(values, dtype=np.float64)
    least, most = numbers.min(initial=0), numbers.max(initial=-math.inf)
    if least >= 0 and (abs(numbers.sum(axis=1) - 1) <= ROW_TOLERANCE).all():
        return "probability"
    if most <= ROW_TOLERANCE and (abs(np.exp(numbers).sum(axis=1) - 1) <= ROW_TOLERANCE).all():
        return "log-probability"
    return "" if least >= 0 else "logit"
