"""Which inputs make up a corpus: gold and predicted share ids; posteriors, segments and speakers join them."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import ceil
from pathlib import Path
from statistics import median

from phonxling.experiment.starter_files import Arrays, Inputs, Side, SpeakerTable
from phonxling.settings.value_types import LONGEST, check_corpus_name, same_folder

_SHARED = 0.5  # the share of the smaller side's ids that the other must have
_SPREAD = 0.05  # how far an utterance's frame shift may lie from the median


@dataclass(slots=True)
class Grouped:
    """The inputs of one corpus, and what a person must know or decide, by the input that it is about."""

    gold: Side
    predicted: Side | None = None
    posteriors: Arrays | None = None
    segments: Side | None = None
    speakers: SpeakerTable | None = None
    frame_shift: float | None = None
    remarks: dict[str, list[str]] = field(default_factory=dict)
    decisions: dict[str, list[str]] = field(default_factory=dict)

    def remark(self, kind: str, text: str) -> None:
        """Add what a person should know of an input."""
        self.remarks.setdefault(kind, []).append(text)

    def decide(self, kind: str, text: str) -> None:
        """Add what a person must decide of an input."""
        self.decisions.setdefault(kind, []).append(text)

    @property
    def usable(self) -> bool:
        """Whether there are predictions, or posteriors that can be read, to compare with gold."""
        return self.predicted is not None or (self.posteriors is not None and "posteriors" not in self.decisions)


def corpora_of(inputs: Inputs) -> list[Grouped]:
    """Return the corpora, in the order of their paths."""
    left = list(inputs.sides)
    corpora: list[Grouped] = []
    while (best := max(_pairs(left), key=_worth, default=None)) is not None:
        corpora.append(_paired(*best))
        left = [side for side in left if not any(_overlap(side, chosen) for chosen in best)]
    for side in [side for side in left if side.role != "predicted"]:
        if (heard := _posteriors(side, inputs.arrays)) is not None and side in left and not _taken(side, corpora):
            corpora.append(Grouped(side, posteriors=heard))
            left = [other for other in left if not _overlap(other, side)]
    others = [side for side in left if side.role != "predicted"]
    if not corpora and (alone := [side for side in others if side.role == "gold"] or others):
        best_gold = max(alone, key=lambda side: (len(side.ids), -len(side.path.parts)))
        corpora.append(Grouped(best_gold))
        left = [other for other in left if not _overlap(other, best_gold)]
    for corpus in corpora:
        _join(corpus, inputs, left)
    _mention(corpora, left)
    return sorted(corpora, key=lambda corpus: (corpus.gold.path.parent, corpus.gold.path))


def _pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side]]:
    """Yield each two sides that can be gold and predicted."""
    for gold, predicted in permutations(sides, 2):
        fits = gold.role != "predicted" and predicted.role != "gold"
        fits = fits and bool(gold.role or predicted.role or not gold.confident)
        same = bool(gold.role and predicted.role) and gold.key == predicted.key
        if fits and (same or _share(gold, predicted) >= _SHARED):
            yield gold, predicted


def _worth(pair: tuple[Side, Side]) -> tuple[float, ...]:
    gold, predicted = pair
    return (
        gold.path == predicted.path and bool(gold.columns or gold.tier),
        bool(gold.role) + bool(predicted.role),
        _share(gold, predicted) >= _SHARED,
        gold.key == predicted.key,
        len(gold.ids.keys() & predicted.ids.keys()),
        round(gold.known + predicted.known, 2),
        predicted.timed + gold.timed + predicted.confident - gold.confident,
        -len(gold.path.parts) - len(predicted.path.parts),
        -len(gold.path.name) - len(predicted.path.name),
    )


def _share(first: Side, second: Side) -> float:
    return len(first.ids.keys() & second.ids.keys()) / max(1, min(len(first.ids), len(second.ids)))


def _paired(gold: Side, predicted: Side) -> Grouped:
    corpus = Grouped(gold, predicted)
    if not gold.role and not predicted.role:
        corpus.decide("gold", "nothing says which of the two is gold; exchange them if this is wrong")
    if not (gold.whole and predicted.whole):
        return corpus
    alone = [sorted(a.ids.keys() - b.ids.keys()) for a, b in ((gold, predicted), (predicted, gold))]
    together = len(gold.ids.keys() | predicted.ids.keys())
    where = [
        f"{len(ids):,} of {together:,} utterances are in {side} alone: {_some(ids)}"
        for ids, side in zip(alone, ("gold", "predicted"), strict=True)
        if ids
    ]
    if not gold.ids.keys() & predicted.ids.keys():
        names = f"{next(iter(gold.ids))} there, {next(iter(predicted.ids))} here"
        corpus.decide("predicted", f"no id is that of a gold utterance ({names}): write the same ids on both sides")
    elif where:
        share = ceil(100 * sum(map(len, alone)) / together) / 100
        corpus.decide(
            "pairing", f"{'; '.join(where)}; add what is missing, or write pairing: {{allow_unpaired: {share:g}}}"
        )
    return corpus


def _some(ids: Sequence[str]) -> str:
    return " ".join(ids[:3]) + (" …" if len(ids) > 3 else "")


def _overlap(side: Side, chosen: Side) -> bool:
    """Return whether two sides are of the same files, so that one of them is enough."""
    inside = side.path in chosen.path.parents or chosen.path in side.path.parents
    return side.path == chosen.path or (inside and side.tier == chosen.tier)


def _taken(side: Side, corpora: Sequence[Grouped]) -> bool:
    return any(corpus.gold.key == side.key and _share(side, corpus.gold) >= _SHARED for corpus in corpora)


def _posteriors(gold: Side, arrays: Sequence[Arrays]) -> Arrays | None:
    shared = [each for each in arrays if each.ids & gold.ids.keys()]
    return max(
        shared, key=lambda each: (each.key == gold.key, len(each.ids & gold.ids.keys()), -len(each.key)), default=None
    )


def _join(corpus: Grouped, inputs: Inputs, left: Sequence[Side]) -> None:
    """Give a corpus its posteriors, segments and speakers, and say what its sides have to be decided."""
    for kind, side in (("gold", corpus.gold), ("predicted", corpus.predicted)):
        if side is not None and side.decision:
            corpus.decide(kind, side.decision)
    if corpus.gold.remark:
        corpus.remark("gold", corpus.gold.remark)
    ids = corpus.gold.ids.keys()
    corpus.posteriors = _posteriors(corpus.gold, inputs.arrays)
    for other in inputs.arrays:
        if other is not corpus.posteriors and other.key[: len(corpus.gold.key)] == corpus.gold.key and other.ids == ids:
            corpus.remark("posteriors", f"or {other.path.name}")
    tables = [table for table in inputs.speakers if table.ids >= ids]
    corpus.speakers = max(tables, key=lambda table: (table.key == corpus.gold.key, -len(table.ids)), default=None)
    if corpus.posteriors is not None:
        _join_posteriors(corpus, corpus.posteriors, left)


def _join_posteriors(corpus: Grouped, heard: Arrays, left: Sequence[Side]) -> None:
    gold = corpus.gold
    timed = [side for side in left if side.timed and side.role != "predicted" and _share(side, gold) == 1]
    if not gold.timed and timed and len(timed[0].ids) == len(gold.ids):
        corpus.segments = timed[0]
    sides = [side for side in (corpus.predicted, corpus.segments, gold) if side is not None]
    shifts = (shift for side in sides if (shift := frame_shift(heard, side)) is not None)
    corpus.frame_shift = None if heard.frame_shift is not None else next(shifts, None)
    if heard.decision:
        corpus.decide("posteriors", heard.decision)
    if heard.frame_shift is None and corpus.frame_shift is None:
        corpus.decide("posteriors", "frame_shift: the file does not say it; write the seconds from frame to frame")
    elif corpus.frame_shift is not None:
        corpus.remark("posteriors", "the frame shift is that of the predicted times")
    lacking = len(gold.ids.keys() ^ heard.ids)
    if lacking:
        number = len(gold.ids.keys() & heard.ids)
        corpus.remark("posteriors", f"they are of {number:,} of {len(gold.ids):,} utterances")


def frame_shift(heard: Arrays, side: Side) -> float | None:
    """Return the seconds from frame to frame that the ends of utterances agree on; None when they do not."""
    ends = {name: end for name in heard.frames if not math.isnan(end := side.ids.get(name, math.nan))}
    shifts = [end / heard.frames[name] for name, end in ends.items() if heard.frames[name]]
    if not shifts:
        return None
    middle = median(shifts)
    rounded = round(middle, 3)
    near = [shift for shift in shifts if abs(shift - rounded) <= _SPREAD * rounded]
    return rounded if rounded and len(near) >= 0.8 * len(shifts) else None


def _mention(corpora: Sequence[Grouped], left: Sequence[Side]) -> None:
    """Say beside the predictions which other files hold the same utterances."""
    for side in left:
        near = [corpus for corpus in corpora if _share(side, corpus.gold) >= _SHARED and side is not corpus.segments]
        if near:
            best = max(
                near, key=lambda corpus: (corpus.gold.key == side.key, len(side.ids.keys() & corpus.gold.ids.keys()))
            )
            best.remark("gold" if side.role == "gold" else "predicted", f"or {side.path.name}")


# Names of corpora and of the experiment, which become folders of results.


def experiment_name(folder: Path) -> str:
    """Return the folder's name as one that can name a folder of results."""
    return _usable(folder.resolve().name)


def corpus_names(corpora: Sequence[Grouped], folder: Path) -> list[str]:
    """Return a name for each corpus: the folder's where there is one corpus, else what tells them apart."""
    if len(corpora) == 1:
        return [_usable(folder.resolve().name)]
    names: list[str] = []
    for corpus in corpora:
        place = corpus.gold.path if corpus.gold.path.is_dir() else corpus.gold.path.parent
        name = _usable("-".join(corpus.gold.key) or place.resolve().name)
        taken = {same_folder(each) for each in names}
        numbered = (f"{name}-{number}" for number in range(2, len(corpora) + 2))
        names.append(
            name if same_folder(name) not in taken else next(n for n in numbered if same_folder(n) not in taken)
        )
    return names


def _usable(text: str) -> str:
    """Return a text as a name that a folder of results can have."""
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.").encode()[: LONGEST - 10].decode(errors="ignore") or "data"
    try:
        return check_corpus_name(name)
    except ValueError:
        return f"{name.strip('.')}-data"
