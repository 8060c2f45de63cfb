"""The components that the corpora of an experiment can tell apart, and the model of them."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.analyses.variation.heard import Heard
from phonxling.analyses.variation.model import Language, Model
from phonxling.core.arrays import Codes
from phonxling.resample.student import FEW_CLUSTERS

_Kind = tuple[Heard, str]  # a corpus and a gold phone
LANGUAGE, RECOGNISER, PHONE = "language", "recogniser", "phone"
PHONE_IN_LANGUAGE, PHONE_BY_RECOGNISER = "phone × language", "phone × recogniser"
_LEVEL: Mapping[str, Callable[[Heard, str], Hashable]] = {
    LANGUAGE: lambda heard, _: heard.language,
    RECOGNISER: lambda heard, _: heard.recogniser,
    PHONE: lambda _, phone: phone,
    PHONE_IN_LANGUAGE: lambda heard, phone: (heard.language, phone),
    PHONE_BY_RECOGNISER: lambda heard, phone: (heard.recogniser, phone),
}


@dataclass(frozen=True, eq=False)
class Component:
    """A component of the model, speakers left out.

    Parameters
    ----------
    name : str
        What its levels are.
    effects : int64 array [levels]
        The number of each level's effect.
    variance : int
        The number of its variance; −1 where its levels are too few for one: they are fixed, and the first of them has
        the effect 0, which is the mean.
    note : str
        What else it may stand for.
    """

    name: str
    effects: Codes
    variance: int
    note: str = ""

    @property
    def fixed(self) -> bool:
        """Whether its levels are described, and no variance is estimated from them."""
        return self.variance < 0


@dataclass(frozen=True, eq=False)
class Design:
    """The model of some corpora, with its components but for the speakers, the last one of the model."""

    model: Model
    components: Sequence[Component]


def design(heard: Sequence[Heard]) -> Design:
    """Return the model of some corpora; languages and recognisers are fixed where they are fewer than five."""
    kinds = [(one, phone) for one in heard for phone in one.phones]
    of_effect, components, codes = [-1], list[Component](), list[Mapping[Hashable, int]]()
    for name, note in _told_apart(heard):
        levels = dict.fromkeys(_LEVEL[name](*kind) for kind in kinds)
        fixed = name in (LANGUAGE, RECOGNISER) and len(levels) < FEW_CLUSTERS
        variance = -1 if fixed else sum(not one.fixed for one in components)
        effects = np.arange(len(levels)) + len(of_effect) - fixed
        effects[:fixed] = 0
        of_effect += [variance] * (len(levels) - fixed)
        components.append(Component(name, effects, variance, note))
        codes.append(dict(zip(levels, effects.tolist(), strict=True)))
    named = [(_LEVEL[one.name], own) for one, own in zip(components, codes, strict=True)]

    def effects_of(kind: _Kind) -> list[int]:
        return [0, *(own[level(*kind)] for level, own in named)]

    languages = dict.fromkeys(one.language for one in heard)
    own = [_language([one for one in heard if one.language == language], effects_of) for language in languages]
    return Design(Model(own, np.array(of_effect), max(of_effect) + 2), components)


def _told_apart(heard: Sequence[Heard]) -> Iterator[tuple[str, str]]:
    """Yield the components that can be told apart, with what else each may stand for."""
    languages, recognisers = ([getattr(one, side) for one in heard] for side in (LANGUAGE, RECOGNISER))
    several, crossed = len(set(languages)) > 1, len(set(recognisers)) > 1 and _crossed(languages, recognisers)
    if several:
        mixed = len(set(recognisers)) > 1 and not crossed
        yield LANGUAGE, "not told apart from recognisers, which differ with languages" if mixed else ""
    if crossed:
        yield RECOGNISER, ""
    phones = _levels(PHONE, heard)
    if phones > 1:
        yield PHONE, ""
    for name, other, wanted in ((PHONE_IN_LANGUAGE, LANGUAGE, several), (PHONE_BY_RECOGNISER, RECOGNISER, crossed)):
        if wanted and _levels(name, heard) > phones + _levels(other, heard) - 1:
            yield name, ""


def _levels(name: str, heard: Sequence[Heard]) -> int:
    return len({_LEVEL[name](one, phone) for one in heard for phone in one.phones})


def _crossed(languages: Sequence[str], recognisers: Sequence[str]) -> bool:
    """Return whether the effects of both, of which each corpus has one, can be told apart."""
    sides = [np.array(side)[:, None] == np.unique(side) for side in (languages, recognisers)]
    columns = np.hstack(sides).astype(np.float64)
    return bool(np.linalg.matrix_rank(columns) == columns.shape[1] - 1)


def _language(heard: Sequence[Heard], effects_of: Callable[[_Kind], list[int]]) -> Language:
    """Return the cells of the corpora of one language: who was heard by several recognisers is one speaker."""
    rows = {speaker: row for row, speaker in enumerate(dict.fromkeys(name for one in heard for name in one.speakers))}
    tokens, right = (np.zeros((len(rows), sum(len(one.phones) for one in heard))) for _ in range(2))
    first = 0
    for one in heard:
        cells = np.ix_([rows[name] for name in one.speakers], range(first, first := first + len(one.phones)))
        tokens[cells], right[cells] = one.tokens, one.right
    numbers = [effects_of((one, phone)) for one in heard for phone in one.phones]
    effects = np.unique(np.concatenate(numbers))
    of_kind = np.zeros((len(numbers), len(effects)))
    for kind, own in zip(of_kind, numbers, strict=True):
        kind[np.searchsorted(effects, own)] = 1
    return Language(tokens, right, effects, of_kind)
