"""Which inputs of a folder make up a corpus: gold and predicted share ids; posteriors, segments and speakers join them.

Of all pairs that can be gold and predicted (by their names, and by half of the smaller side's ids) the one that is
worth most becomes a corpus, then the best of what is left. Gold that has posteriors, but no predictions, comes next.
A frame shift that a file of posteriors lacks is where utterances end over their numbers of frames, where most agree.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import ceil
from pathlib import Path
from statistics import median

from phonxling.experiment.starter_files import Side
from phonxling.experiment.starter_inputs import Arrays, Inputs, SpeakerTable
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


def corpora_of(inputs: Inputs) -> list[Grouped]:
    """Return the corpora, in the order of their paths."""
    left, corpora = list(inputs.sides), list[Grouped]()
    while (best := max(_pairs(left), key=_worth, default=None)) is not None:
        corpora.append(_paired(*best))
        left = [side for side in left if not any(_overlap(side, chosen) for chosen in best)]
    for side in [side for side in left if side.role != "predicted"]:
        taken = any(corpus.gold.key == side.key and _share(side, corpus.gold) >= _SHARED for corpus in corpora)
        if side in left and not taken and (heard := _posteriors_of(side, inputs.arrays)) is not None:
            corpora.append(Grouped(side, posteriors=heard))
            left = [other for other in left if not _overlap(other, side)]
    others = [side for side in left if side.role != "predicted"]
    if not corpora and (alone := [side for side in others if side.role == "gold"] or others):
        gold = max(alone, key=lambda side: (len(side.ids), -len(side.path.parts)))
        corpora.append(Grouped(gold))
        left = [other for other in left if not _overlap(other, gold)]
    for corpus in corpora:
        _join(corpus, inputs, left)
    for side in left:  # beside the predictions it is said which other files hold the same utterances
        near = [corpus for corpus in corpora if _share(side, corpus.gold) >= _SHARED and side is not corpus.segments]
        if near:
            nearest = max(near, key=lambda corpus: (corpus.gold.key == side.key, _common(side, corpus.gold)))
            nearest.remark("gold" if side.role == "gold" else "predicted", f"or {side.path.name}")
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
        _common(gold, predicted),
        round(gold.known + predicted.known, 2),
        predicted.timed + gold.timed + predicted.confident - gold.confident,
        -len(gold.path.parts) - len(predicted.path.parts),
        -len(gold.path.name) - len(predicted.path.name),
    )


def _common(first: Side, second: Side) -> int:
    return len(first.ids.keys() & second.ids.keys())


def _share(first: Side, second: Side) -> float:
    return _common(first, second) / max(1, min(len(first.ids), len(second.ids)))


def _overlap(side: Side, chosen: Side) -> bool:
    """Return whether two sides are of the same files, so that one of them is enough."""
    inside = side.path in chosen.path.parents or chosen.path in side.path.parents
    return side.path == chosen.path or (inside and side.tier == chosen.tier)


def _paired(gold: Side, predicted: Side) -> Grouped:
    corpus = Grouped(gold, predicted)
    if not gold.role and not predicted.role:
        corpus.decide("gold", "nothing says which of the two is gold; exchange them if this is wrong")
    if not (gold.whole and predicted.whole):
        return corpus
    alone = {"gold": gold.ids.keys() - predicted.ids.keys(), "predicted": predicted.ids.keys() - gold.ids.keys()}
    together = len(gold.ids.keys() | predicted.ids.keys())
    where = [
        f"{len(ids):,} of {together:,} utterances are in {side} alone: {' '.join(sorted(ids)[:3])}"
        + " …" * (len(ids) > 3)
        for side, ids in alone.items()
        if ids
    ]
    if not _common(gold, predicted):
        names = f"{next(iter(gold.ids))} there, {next(iter(predicted.ids))} here"
        corpus.decide("predicted", f"no id is that of a gold utterance ({names}): write the same ids on both sides")
    elif where:
        share = ceil(100 * sum(map(len, alone.values())) / together) / 100
        remedy = f"add what is missing, or write pairing: {{allow_unpaired: {share:g}}}"
        corpus.decide("pairing", f"{'; '.join(where)}; {remedy}")
    return corpus


def _posteriors_of(gold: Side, arrays: Iterable[Arrays]) -> Arrays | None:
    shared = {id(each): len(each.ids & gold.ids.keys()) for each in arrays}
    having = [each for each in arrays if shared[id(each)]]
    return max(having, key=lambda each: (each.key == gold.key, shared[id(each)], -len(each.key)), default=None)


def _join(corpus: Grouped, inputs: Inputs, left: Sequence[Side]) -> None:
    """Give a corpus its posteriors, segments and speakers, and say what has to be known and decided of each."""
    gold = corpus.gold
    for kind, one in (("gold", gold), ("predicted", corpus.predicted)):
        if one is not None and one.decision:
            corpus.decide(kind, one.decision)
    if gold.remark:
        corpus.remark("gold", gold.remark)
    tables = [table for table in inputs.speakers if table.ids >= gold.ids.keys()]
    corpus.speakers = max(tables, key=lambda table: (table.key == gold.key, -len(table.ids)), default=None)
    heard = corpus.posteriors = _posteriors_of(gold, inputs.arrays)
    for other in inputs.arrays:
        if other is not heard and other.key[: len(gold.key)] == gold.key and other.ids == gold.ids.keys():
            corpus.remark("posteriors", f"or {other.path.name}")
    if heard is not None:
        _join_posteriors(corpus, heard, left)


def _join_posteriors(corpus: Grouped, heard: Arrays, left: Sequence[Side]) -> None:
    gold = corpus.gold
    timed = [side for side in left if side.timed and side.role != "predicted" and _share(side, gold) == 1]
    if not gold.timed and timed and len(timed[0].ids) == len(gold.ids):
        corpus.segments = timed[0]
    sides = [side for side in (corpus.predicted, corpus.segments, gold) if side is not None]
    if heard.decision:
        corpus.decide("posteriors", heard.decision)
    if heard.frame_shift is None:
        corpus.frame_shift = next(filter(None, (_frame_shift(heard, side) for side in sides)), None)
        if corpus.frame_shift is None:
            corpus.decide("posteriors", "frame_shift: the file does not say it; write the seconds from frame to frame")
        else:
            corpus.remark("posteriors", "the frame shift is that of the predicted times")
    if gold.ids.keys() ^ heard.ids:
        number = len(gold.ids.keys() & heard.ids)
        corpus.remark("posteriors", f"they are of {number:,} of {len(gold.ids):,} utterances")


def _frame_shift(heard: Arrays, side: Side) -> float | None:
    """Return the seconds from frame to frame that the ends of utterances agree on; None when they do not."""
    ends = {name: end for name in heard.frames if not math.isnan(end := side.ids.get(name, math.nan))}
    shifts = [end / heard.frames[name] for name, end in ends.items() if heard.frames[name]]
    rounded = round(median(shifts), 3) if shifts else 0.0
    near = [shift for shift in shifts if abs(shift - rounded) <= _SPREAD * rounded]
    return rounded if rounded and len(near) >= 0.8 * len(shifts) else None


def experiment_name(folder: Path) -> str:
    """Return the folder's name as one that can name a folder of results."""
    return _usable(folder.resolve().name)


def corpus_names(corpora: Sequence[Grouped], folder: Path) -> list[str]:
    """Return a name for each corpus: the folder's where there is one corpus, else what tells them apart."""
    if len(corpora) == 1:
        return [experiment_name(folder)]
    names: list[str] = []
    for corpus in corpora:
        place = corpus.gold.path if corpus.gold.path.is_dir() else corpus.gold.path.parent
        name = _usable("-".join(corpus.gold.key) or place.resolve().name)
        taken = {same_folder(each) for each in names}
        numbered = [name, *(f"{name}-{number}" for number in range(2, len(corpora) + 2))]
        names.append(next(each for each in numbered if same_folder(each) not in taken))
    return names


def _usable(text: str) -> str:
    """Return a text as a name that a folder of results can have."""
    name = re.sub(r"[^\w.-]+", "-", text).strip("-.").encode()[: LONGEST - 10].decode(errors="ignore") or "data"
    try:
        return check_corpus_name(name)
    except ValueError:
        return f"{name.strip('.')}-data"
