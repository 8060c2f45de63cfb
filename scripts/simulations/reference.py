"""The comparison with a reference, through the aligner: false alarms where one channel is heard, and what is found.

Two languages of 23 and 27 phones, 20 of them common. `alike`: every phone is as frequent after any other in both;
`unlike`: each has its own frequencies and pairs of neighbours. 70 % of tokens are right on average, wrong ones are
mostly near phones; 7 % are deleted, and after one in twenty another is inserted. Speakers differ by a standard
deviation of 0.5 on the logit scale in all phones, by 0.25 in each, and in the kinds of errors (Dirichlet, 20). The rate
that stands beside is the error rate of common phones, deletions included, compared by Welch's t.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from scipy.special import expit

import phonxling as px
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.chance import count_aligned
from phonxling.analyses.expected import cell_tests
from phonxling.analyses.expected_confusions import ExpectedConfusions
from phonxling.analyses.level import Language, common_channel, level_test
from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import Inventory, merge
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.student import Spread, between, contrast, effective_number, freedom_of
from simulations.aligned import LENGTH, sides
from simulations.runner import markdown, percent, trials

COMMON = Inventory(tuple("pbtdkɡfsmnljwhieaouɛ"))
TARGET, HEARD = Inventory((*COMMON, *"ŋɔʃ")), Inventory((*COMMON, *"ɪʊæəɹzv"))
EVERY = merge(TARGET, HEARD)
RIGHT = np.eye(len(COMMON), dtype=bool)
SAME = np.array([HEARD.code(phone) if phone in HEARD else -1 for phone in EVERY])
TOKENS, INSERTED = 360, 0.05
SPEAKERS = ((5, 5), (6, 6), (8, 8), (12, 12), (24, 24), (6, 24))
WORSE = -0.7  # the logits by which all speakers are worse
DRAWS = 20  # of the common channel, fewer than a run has
_NEAR = 8.0  # how fast a confusion gets rarer as phones are further apart


class World:
    """A channel, and the two languages that are heard through it."""

    def __init__(self, generator: np.random.Generator, *, alike: bool) -> None:
        costs = px.feature_costs(EVERY, HEARD, "panphon").with_gaps()[:-1, :-1]
        self.near = np.where(costs > 0, np.exp(-_NEAR * costs), 0.0)
        self.right = expit(np.log(7 / 3) + generator.normal(0, 0.5, len(EVERY)))
        drawn = self.near * generator.gamma(0.4, size=self.near.shape) + 1e-3 * self.near
        self.kinds = drawn / drawn.sum(axis=1, keepdims=True)  # of the errors of each phone, near ones being frequent
        self.deleted = generator.beta(2, 25, len(EVERY))
        self.inserted = generator.dirichlet(np.full(len(HEARD), 0.5))
        self.neighbours = [_neighbours(len(side), generator, alike=alike) for side in (TARGET, HEARD)]


class Sample:
    """What speakers of a language said, what was heard, aligned and counted."""

    def __init__(
        self, world: World, side: int, speakers: int, generator: np.random.Generator, shift: float = 0.0
    ) -> None:
        self.phones = (TARGET, HEARD)[side]
        each = TOKENS // LENGTH
        number = speakers * each
        said = _sentences(world.neighbours[side], number, generator)
        gold = np.array([EVERY.code(phone) for phone in self.phones])[said].ravel()
        speaker = np.repeat(np.arange(speakers), each * LENGTH)
        apart = generator.normal(0, 0.5, (speakers, 1)) + generator.normal(0, 0.25, (speakers, len(EVERY)))
        right = expit(np.log(world.right / (1 - world.right)) + apart + shift)[speaker, gold]
        own = generator.gamma(np.maximum(20 * world.kinds, 1e-9), size=(speakers, *world.kinds.shape)).cumsum(axis=2)
        ends = own[speaker, gold]
        wrong = (generator.random((len(gold), 1)) * ends[:, -1:] > ends).sum(axis=1)
        heard = np.where((generator.random(len(gold)) < right) & (SAME[gold] >= 0), SAME[gold], wrong)
        lost = generator.random(len(gold)) < np.clip(world.deleted[gold] * (1 - right) / 0.3, 0, 0.5)
        more = generator.choice(len(HEARD), len(gold), p=world.inserted)
        inserted = np.where(generator.random(len(gold)) < INSERTED, more, -1)
        self.gold, predicted = sides((said.ravel(), self.phones), (np.where(lost, -1, heard), inserted, HEARD))
        self.costs = px.feature_costs(self.phones, HEARD, "panphon")
        aligned = align_sequences(self.gold, predicted, self.costs)
        self.counts = np.zeros((speakers, len(self.phones) + 1, len(HEARD) + 1))
        owner = np.repeat(np.arange(number), np.diff(aligned.offsets)) // each
        np.add.at(self.counts, (owner, aligned.gold, aligned.predicted), 1)

    def language(self) -> Language:
        """Return what redrawing it takes."""

        def count(gold: PhoneSequences, predicted: PhoneSequences) -> Floats:
            return count_aligned(gold, predicted, self.costs)[1].total().counts

        return Language(gold=self.gold, predicted=HEARD, counts=self.counts.sum(axis=0), count=count, most=DRAWS)

    def common(self, counts: Floats) -> Floats:
        """Return the cells of the common phones."""
        return counts[..., : len(COMMON), : len(COMMON)]


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown."""
    shown = []
    for case, alike in product(SPEAKERS, (True, False)):
        rows = trials(times, [seed, *case, alike], partial(row, case, alike=alike))
        shares = (percent(column, 1) for column in rows.T)
        shown.append([f"{case[0]} and {case[1]}", "alike" if alike else "unlike", *shares])
    heads = ["level", "rate", "cells", "any q", "worse: level", "rate"]
    yield from markdown(["speakers", "languages", *heads], shown, left=2)


def row(case: tuple[int, int], generator: np.random.Generator, *, alike: bool) -> list[float]:
    """Return whether each of the columns of the table shows a difference, of one pair of languages."""
    world = World(generator, alike=alike)
    reference = Sample(world, 1, case[1], generator)
    alarms = _tested(Sample(world, 0, case[0], generator), reference, generator)
    worse = _tested(Sample(world, 0, case[0], generator, WORSE), reference, generator)
    return [*alarms, *worse[:2]]


def _tested(target: Sample, reference: Sample, generator: np.random.Generator) -> list[float]:
    """Return whether level and rate have p < .05, the share of such cells, and whether any has q < .05."""
    same = dict(zip(COMMON, COMMON, strict=True))
    drawn = common_channel(target.language(), reference.language(), same, generator)
    pairs = [(target.common(own), reference.common(other)) for own, other in drawn]
    clusters = target.common(target.counts), reference.common(reference.counts)
    _, level = level_test(clusters, RIGHT, pairs, 0.95)
    sums = {"target": clusters[0].sum(axis=0), "reference": clusters[1].sum(axis=0)}
    both = ExpectedConfusions(gold=COMMON, predicted=COMMON, **sums, kept=1.0, left_out=())
    cells = cell_tests(both, clusters, level=0.95, correction="benjamini-hochberg")
    known = cells["p"][~np.isnan(cells["p"])]
    any_q = float(np.nanmin(cells["q"], initial=1.0) < 0.05)
    return [level < 0.05, _rates_p(target, reference) < 0.05, float((known < 0.05).mean()), any_q]


def _rates_p(target: Sample, reference: Sample) -> float:
    """Return p of the difference of two error rates of common phones, by speakers."""
    rates, spreads = [], []
    for side in (target, reference):
        counts = side.counts[:, : len(COMMON)]
        tokens = counts.sum(axis=(1, 2))
        errors = tokens - np.einsum("sxx->s", side.common(side.counts))
        rates.append(errors.sum() / tokens.sum())
        clusters = effective_number(tokens.sum(), (tokens**2).sum())
        apart = ((errors - rates[-1] * tokens) ** 2).sum() / tokens.sum() ** 2 * clusters / (clusters - 1)
        spreads.append(Spread(*(np.atleast_1d(one) for one in (apart, freedom_of(clusters), 0.0, clusters))))
    return float(contrast(np.array([rates[0] - rates[1]]), between(*spreads), 0.95).p[0])


def _sentences(neighbours: Floats, number: int, generator: np.random.Generator) -> Codes:
    """Return so many sentences of twelve phones, each drawn after its neighbour."""
    ends = neighbours.cumsum(axis=1)
    said = np.empty((number, LENGTH), dtype=np.int64)
    said[:, 0] = generator.integers(0, len(neighbours), number)
    for place in range(1, LENGTH):
        said[:, place] = (generator.random((number, 1)) > ends[said[:, place - 1]]).sum(axis=1)
    return np.minimum(said, len(neighbours) - 1)


def _neighbours(phones: int, generator: np.random.Generator, *, alike: bool) -> Floats:
    """Return how likely each phone is after each other one, [phones, phones]."""
    if alike:
        return np.full((phones, phones), 1 / phones)
    said = 0.9 * generator.dirichlet(np.full(phones, 0.8)) + 0.1 / phones
    return generator.dirichlet(8 * said + 0.02, phones)
