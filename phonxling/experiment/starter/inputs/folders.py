"""Folders whose files hold one utterance each (phn, lab, TextGrid): each folder that could be meant, as one input."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeAlias

from phonxling.core.errors import DataError
from phonxling.experiment.starter.inputs.names import named, role_of, words_of
from phonxling.experiment.starter.inputs.sides import Side
from phonxling.experiment.starter.inputs.symbols import written
from phonxling.experiment.starter.inputs.transcripts import ends, tokens
from phonxling.load.formats import BUILT_IN, known_endings, load_transcript
from phonxling.load.transcripts.textgrid import Label, read_textgrid

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
