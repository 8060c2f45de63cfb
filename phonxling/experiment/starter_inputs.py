"""Folders whose files hold one utterance each (phn, lab, TextGrid): each folder that could be meant, as one input."""

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    Arrays,
    Inputs,
    Listing,
    Named,
    Side,
    SpeakerTable,
    ends,
    named,
    reason_in,
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
from phonxling.load.text import decode, read_head, split_lines
from phonxling.load.textgrid import Label, read_textgrid
from phonxling.phones.maps import BLANKS

FORMS = tuple(name for name, form in BUILT_IN.items() if form.by_speaker)
_Labels: TypeAlias = tuple[Label, ...]
_SPEAKERS = "the folders in it are read as speakers; where they are languages, give each a corpus of its own"
_OPENED = 200  # files of a folder
_PHONES = frozenset({"phones", "phone", "phoneme", "phonemes", "segments", "segment", "mau", "ipa"})


@dataclass(frozen=True, slots=True)
class _File:
    """One utterance: the symbols, where it ends and whether there are times, by tier ("" where there are none)."""

    counts: Mapping[str, Counter[str]]
    end: float = math.nan
    timed: bool = False


@dataclass(slots=True)
class _Group:
    """The files of one format below a folder."""

    folder: Path
    form: str
    files: list[Path] = field(default_factory=list)
    mixed: bool = False


def folder_sides(root: Path, files: Mapping[Path, Iterable[Path]]) -> Iterator[Side]:
    """Yield each folder below which such files are, and each tier that holds phones in all of them."""
    look = cache(_opened)
    for group in _groups(root, files):
        paths = group.files[:: max(1, -(-len(group.files) // _OPENED))]
        read = {path: opened for path in paths if (opened := look(path, group.form)) is not None}
        for tier in dict.fromkeys(tier for each in read.values() for tier in each.counts):
            yield from _sides(root, group, {path: each for path, each in read.items() if tier in each.counts}, tier)


def _groups(root: Path, files: Mapping[Path, Iterable[Path]]) -> Iterator[_Group]:
    endings = {ending: form for form in FORMS for ending in BUILT_IN[form].endings}
    groups: dict[tuple[Path, str], _Group] = {}
    for folder, paths in files.items():
        for path in paths:
            form = endings.get(path.suffix.lower(), "")
            for above in (folder, *folder.parents) if form else ():
                groups.setdefault((above, form), _Group(above, form)).files.append(path)
                if above == root:
                    break
    others = _with_other_formats(files)
    for group in groups.values():
        several = sum(folder == group.folder for folder, _ in groups) > 1
        group.mixed = several or group.folder in others
        yield group


def _with_other_formats(files: Mapping[Path, Iterable[Path]]) -> set[Path]:
    """Return the folders below which there are files of formats that hold many utterances."""
    alone = {ending for form in FORMS for ending in BUILT_IN[form].endings}
    endings = {*known_endings()} - alone
    held = [folder for folder, paths in files.items() if any(not endings.isdisjoint(_marks(path)) for path in paths)]
    return {above for folder in held for above in (folder, *folder.parents)}


def _marks(path: Path) -> tuple[str, str]:
    """Return what of a name can say the format: the ending, or the whole."""
    return path.suffix.lower(), path.name.lower()


def _opened(path: Path, form: str) -> _File | None:
    """Return what one file holds; None when it cannot be read."""
    try:
        if form == "textgrid":
            tiers = _by_name({tier.name: tier.labels for tier in read_textgrid(path)})
            counts = {name: Counter(" ".join(each.text.split()) for each in labels) for name, labels in tiers.items()}
            last = max((each.end for labels in tiers.values() for each in labels), default=math.nan)
            return _File(counts, last, True)
        transcript = load_transcript(path, form)
    except DataError:
        return None
    return _File(
        {"": tokens(transcript)}, next(iter(ends(transcript).values()), math.nan), transcript.start is not None
    )


def _by_name(tiers: Mapping[str, _Labels]) -> dict[str, _Labels]:
    """Return tiers by the name, or glob, that means them in all files: `Mary - phones` is `* - phones`."""
    general = {name: re.sub("^.* - ", "* - ", name) for name in tiers}
    alone = {glob for glob, number in Counter(general.values()).items() if number == 1}
    return {general[name] if general[name] in alone else name: labels for name, labels in tiers.items()}


def _sides(root: Path, group: _Group, read: Mapping[Path, _File], tier: str) -> Iterator[Side]:
    counts = sum((each.counts[tier] for each in read.values()), Counter[str]())
    if not (best := written(counts)).plausible:
        return
    lacking = [path for path in group.files if path not in read] if len(group.files) <= _OPENED else []
    path = group.folder if len(read) > 1 or not lacking else next(iter(read))
    members = [file for file in group.files if file not in lacking]
    by_name = named(path.relative_to(root))
    yield Side(
        path=path,
        role=role_of({*words_of(tier)} - _PHONES) or by_name.role,
        key=by_name.key,
        ids={_id(file, path): read[file].end if file in read else math.nan for file in members},
        counts=counts,
        form=group.form if group.mixed and path == group.folder else "",
        tier=tier if any(len(each.counts) > 1 for each in read.values()) else "",
        timed=all(each.timed for each in read.values()),
        known=best.share,
        remark=_SPEAKERS if len({file.parent for file in members} - {path, path.parent}) > 1 else "",
        decision=_lacking(lacking, group, tier) if path == group.folder else "",
    )


def _lacking(files: Sequence[Path], group: _Group, tier: str) -> str:
    if not files:
        return ""
    what = f"{len(files)} of {len(group.files)} files have no tier '{tier}', such as {files[0].name}"
    return f"{what}; keep those that have it in a folder of their own"


def _id(file: Path, path: Path) -> str:
    """Return the id that an utterance gets, read from a folder or alone."""
    below = file.relative_to(path) if file != path else Path(file.name)
    return below.with_suffix("").as_posix().replace("/", "_")


# Files of text that are no transcripts: lists of labels, maps of symbols, tables of speakers, dictionaries.

_HEAD = 1 << 16
_NOT_SPOKEN = "dict dictionary dictionaries lexicon lexicons pronunciations map mapping readme license"


def labels_in(path: Path) -> tuple[str, ...]:
    """Return the labels of a list (one a line, or `label number` as Kaldi numbers symbols); () when it is none."""
    rows = _rows(path)
    numbered = all(len(row) == 2 and row[1].isdecimal() for row in rows)
    labels = tuple(row[0] for row in rows)
    if not 1 < len(labels) <= MOST_COLUMNS or len(set(labels)) < len(labels):
        return ()
    return labels if all(len(row) == 1 for row in rows) else labels if numbered else ()


def symbols_of_map(path: Path) -> frozenset[str]:
    """Return the symbols that a map (symbol, ipa) has; none when the file is no map."""
    first = _rows(path)[:1]
    if path.suffix.lower() != ".tsv" or (first != [["symbol", "ipa"]] and "map" not in words_of(path.name)):
        return frozenset()
    try:
        return frozenset(normalize("NFC", symbol) for symbol in load_symbol_map(path))
    except DataError:
        return frozenset()


def is_no_transcript(path: Path) -> bool:
    """Return whether a name says that a file is a dictionary, a map, or for people to read."""
    return bool({*_NOT_SPOKEN.split()} & {word for part in (path.name, path.parent.name) for word in words_of(part)})


def speakers_in(path: Path, root: Path) -> SpeakerTable | None:
    """Return a table of speakers; None when the file is none."""
    key = named(path.relative_to(root)).key
    try:
        if path.name == "utt2spk":
            return SpeakerTable(path, key, frozenset(load_speakers(path)))
        if path.suffix.lower() not in {".tsv", ".csv"}:
            return None
        kinds = meanings(fields_of(path))
        if set(kinds) - {"utterance", "speaker"} or len(kinds) < 2:
            return None
        called = {"utterance": kinds["utterance"][0], "speaker": kinds["speaker"][0]}
        ids = frozenset(load_speakers(path, called))
        return SpeakerTable(path, key, ids, columns={n: t for n, t in called.items() if n != t})
    except DataError:
        return None


def _rows(path: Path) -> list[list[str]]:
    try:
        return [line.split() for line in split_lines(decode(path, read_head(path, _HEAD))) if line.strip()]
    except DataError:
        return []


# Files of arrays → posteriors: by a look at the first frames, what their numbers are, the blank, and the labels.

Lists: TypeAlias = Mapping[Path, tuple[str, ...]]
_FILES, _UTTERANCES, _FRAMES = (
    100,
    12,
    400,
)  # files of a folder, utterances of each, frames of each of these
_BLANK_MASS = 0.3  # the mean mass that a blank has at least


def arrays_in(folder: Path, files: Sequence[Path], root: Path, inputs: Inputs) -> Iterator[Arrays]:
    """Yield each file of posteriors in a folder, and all of them together where they are of one kind."""
    held = [path for path in files if path.suffix.lower() in FORMATS]
    if any(path.suffix.lower() == ".scp" for path in held):  # a list names the archives beside it
        held = [path for path in held if path.suffix.lower() != ".ark"]
    alone = [path for path in held if path.suffix.lower() == ".npy"]
    several = [path for path in held if path.suffix.lower() != ".npy"]
    paths = [*([_pattern(folder, alone, files)] if alone else []), *several[:_FILES]]
    each = [one for path in paths if (one := _posteriors_opened(path, root, inputs)) is not None]
    yield from each
    kinds = {(one.columns, one.path.suffix) for one in each}
    if len(each) == len(several) > 1 and not alone and len(kinds) == 1 and _differ(each):
        yield replace(
            each[0],
            path=_pattern(folder, several, files),
            key=tuple(word for word in each[0].key if all(word in one.key for one in each)),
            ids=frozenset().union(*(one.ids for one in each)),
            frames={name: number for one in each for name, number in one.frames.items()},
        )


def _posteriors_opened(path: Path, root: Path, inputs: Inputs) -> Arrays | None:
    try:
        return _looked_at(path, root, inputs.labels)
    except (DataError, OSError) as error:
        inputs.unread[path.relative_to(root)] = reason_in(error)
        return None


def described(heard: Arrays, folder: Path) -> str:
    """Return what a person should know of posteriors, in a clause."""
    labels = f", labels: {heard.labels.relative_to(folder)}" if heard.labels else ""
    blank = f", blank: {heard.blank}" if heard.blank else ""
    size = f"{len(heard.ids):,} utterances, {len(heard.columns)} columns"
    return f"posteriors ({heard.path.relative_to(folder)}: {size}{labels}, scale: {heard.scale}{blank})"


def _differ(each: Iterable[Arrays]) -> bool:
    ids = [name for one in each for name in one.ids]
    return len(set(ids)) == len(ids)


def _pattern(folder: Path, meant: Sequence[Path], files: Sequence[Path]) -> Path:
    """Return the folder when it holds these files alone, else a glob that stands for them."""
    if len(meant) == len(files):
        return folder
    pairs = zip(min(meant).stem, max(meant).stem, strict=False)
    begin = "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return folder / f"{begin}*{meant[0].suffix}"


def _looked_at(path: Path, root: Path, lists: Lists) -> Arrays:
    names, raw = _labelled(path, lists)
    first = {name: _frames(raw, name) for name in raw.utterances[:: max(1, len(raw.utterances) // _UTTERANCES)]}
    values = np.concatenate([each[:_FRAMES] for each in first.values()])
    scale = scale_of(values)
    mass = _mass(values, scale) if scale else np.zeros(values.shape[1])
    return Arrays(
        path=path,
        key=named(path.relative_to(root)).key,
        ids=frozenset(raw.utterances),
        frames={name: len(each) for name, each in first.items()},
        columns=raw.labels,
        labels=names,
        scale=scale or "probability",
        blank=_blank(mass, raw.labels),
        frame_shift=raw.frame_shift,
        mass=dict(zip(raw.labels, mass.tolist(), strict=True)) if raw.labels else {},
        decision=_decision(raw, values, scale),
    )


def _decision(raw: RawPosteriors, values: NDArray[np.floating], scale: str) -> str:
    if not raw.labels:
        return (
            f"labels: no list names the {values.shape[1]} columns; write one label a line into phones.txt beside them"
        )
    return "" if scale else f"scale: a row sums to {float(values[0].sum()):.3g}, not to 1; say what the numbers are"


def scale_of(values: NDArray[np.floating]) -> str:
    """Return what frames hold; "" when they are neither probabilities, nor their logarithms, nor can be scores."""
    numbers = np.asarray(values, dtype=np.float64)
    if _sum_to_one(numbers) and numbers.min(initial=0) >= 0:
        return "probability"
    if numbers.max(initial=-math.inf) <= ROW_TOLERANCE and _sum_to_one(np.exp(numbers)):
        return "log-probability"
    return "" if numbers.min(initial=0) >= 0 else "logit"


def _sum_to_one(numbers: NDArray[np.float64]) -> bool:
    return bool((abs(numbers.sum(axis=1) - 1) <= ROW_TOLERANCE).all())


def _mass(values: NDArray[np.floating], scale: str) -> NDArray[np.float64]:
    """Return the share of all probability that each column has."""
    chances = probabilities(np.asarray(values, dtype=np.float64), cast("Scale", scale), "posteriors")
    return np.asarray(chances.mean(axis=0))


def _blank(mass: NDArray[np.float64], labels: Sequence[str]) -> str:
    """Return the label of a CTC blank: one that is called so, and has more of the mass than any phone could."""
    called = [place for place, label in enumerate(labels) if label.lower() in BLANKS]
    most = max(called, key=lambda place: float(mass[place]), default=None)
    return labels[most] if most is not None and mass[most] >= _BLANK_MASS else ""


def _labelled(path: Path, lists: Lists) -> tuple[Path | None, RawPosteriors]:
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


# A folder → all inputs in it: each file is what its first lines, or its arrays, say that it is.

_MEETING_OPENED = 100  # files of text of a folder
_UTTERANCE_EACH = frozenset(ending for form in FORMS for ending in BUILT_IN[form].endings)
_NO_TEXT = _UTTERANCE_EACH | {*FORMATS, ".yaml", ".yml", ".wav", ".flac", ".mp3", ".md", ".py", ".pdf"}


def met(root: Path, listing: Listing) -> Inputs:
    """Return what the files below a folder are."""
    inputs = Inputs()
    for folder, files in listing.files.items():
        text = [path for path in files if path.suffix.lower() not in _NO_TEXT]
        if len(text) > _MEETING_OPENED:
            inputs.notes.append(
                f"{_MEETING_OPENED} of {len(text):,} files of {folder.relative_to(root).as_posix()} were looked at"
            )
        for path in _first(text, root):
            _look(path, root, inputs)
    inputs.sides += folder_sides(root, listing.files)
    for folder, files in listing.files.items():
        inputs.arrays += arrays_in(folder, files, root, inputs)
    return inputs


def _first(files: Sequence[Path], root: Path) -> Sequence[Path]:
    """Return the files to be opened: all, or those first whose names say gold or predicted."""
    if len(files) <= _MEETING_OPENED:
        return files
    return sorted(files, key=lambda path: (not named(path.relative_to(root)).role, path))[:_MEETING_OPENED]


def _look(path: Path, root: Path, inputs: Inputs) -> None:
    """Add what one file is; of one that cannot be read, that it cannot."""
    by_name = named(path.relative_to(root))
    try:
        _add(path, by_name, root, inputs)
    except (PhonxlingError, OSError) as error:
        if by_name.role:
            inputs.unread[path.relative_to(root)] = reason_in(error)


def _add(path: Path, by_name: Named, root: Path, inputs: Inputs) -> None:
    if labels := labels_in(path):
        inputs.labels[path] = labels
    elif known := symbols_of_map(path):
        inputs.maps[path] = known
    elif (table := speakers_in(path, root)) is not None:
        inputs.speakers.append(table)
    elif not is_no_transcript(path):
        sides = sides_of(path, by_name.key, by_name.role)
        inputs.sides += sides
        if by_name.role and not sides:
            inputs.unread[path.relative_to(root)] = "holds no phones that a symbol set knows, or no ids"
