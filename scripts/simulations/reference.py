"""The comparison with a reference, through the aligner: false alarms where one channel is heard, and what is found.

Two languages of 23 and 27 phones, 20 of them common. `alike`: every phone is as frequent after any other in both;
`unlike`: each has its own frequencies and pairs of neighbours. 70 % of tokens are right on average, wrong ones are
mostly near phones; 7 % are deleted, and after one in twenty another is inserted. Speakers differ by a standard
deviation of 0.5 on the logit scale in all phones, by 0.25 in each, and in the kinds of errors (Dirichlet, 20). One of
them may have 40 % of the tokens. The rate that stands beside is the error rate of common phones, deletions included.
Where nobody knows the speakers nothing is tested; the table has what tests by utterance would be.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.special import expit

import phonxling as px
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.expected import ExpectedConfusions, Languages
from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import Inventory, merge
from phonxling.stats.two_corpora import JackknifedDifference, jackknife_counts
from simulations.aligned import LENGTH, sides
from simulations.corpora import sizes_of
from simulations.runner import trial_table

COMMON = Inventory(tuple("pbtdkɡfsmnljwhieaouɛ"))
TARGET, HEARD = Inventory((*COMMON, *"ŋɔʃ")), Inventory((*COMMON, *"ɪʊæəɹzv"))
EVERY = merge(TARGET, HEARD)
RIGHT = np.eye(len(COMMON), len(HEARD), dtype=bool)
SAME = np.array([HEARD.code(phone) if phone in HEARD else -1 for phone in EVERY])
TOKENS, INSERTED = 360, 0.05
CASES = (
    *((number, 0.0, False) for number in (6, 12, 24)),
    *((number, 0.4, False) for number in (6, 12, 24)),
    (12, 0.0, True),
)
WORSE = -0.7  # the logits by which all speakers are worse
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
    """What speakers of a language said, what was heard, aligned and counted; `unknown`: speakers whom nobody knows."""

    def __init__(
        self,
        world: World,
        side: int,
        case: tuple[int, float, bool],
        generator: np.random.Generator,
        shift: float = 0.0,
    ) -> None:
        phones, (speakers, largest, unknown) = (TARGET, HEARD)[side], case
        utterances = np.array(sizes_of(speakers, speakers * TOKENS // LENGTH, largest))
        who = np.repeat(np.arange(speakers), utterances)
        said = _sentences(world.neighbours[side], len(who), generator)
        gold, speaker = np.array([EVERY.code(phone) for phone in phones])[said].ravel(), np.repeat(who, LENGTH)
        apart = generator.normal(0, 0.5, (speakers, 1)) + generator.normal(0, 0.25, (speakers, len(EVERY)))
        right = expit(np.log(world.right / (1 - world.right)) + apart + shift)[speaker, gold]
        own = generator.gamma(np.maximum(20 * world.kinds, 1e-9), size=(speakers, *world.kinds.shape)).cumsum(axis=2)
        ends = own[speaker, gold]
        wrong = (generator.random((len(gold), 1)) * ends[:, -1:] > ends).sum(axis=1)
        heard = np.where((generator.random(len(gold)) < right) & (SAME[gold] >= 0), SAME[gold], wrong)
        lost = generator.random(len(gold)) < np.clip(world.deleted[gold] * (1 - right) / 0.3, 0, 0.5)
        more = generator.choice(len(HEARD), len(gold), p=world.inserted)
        inserted = np.where(generator.random(len(gold)) < INSERTED, more, -1)
        spoken, predicted = sides((said.ravel(), phones), (np.where(lost, -1, heard), inserted, HEARD))
        aligned = align_sequences(spoken, predicted, px.feature_costs(phones, HEARD, "panphon"))
        cluster = np.arange(len(who)) if unknown else who
        counts = np.zeros((int(cluster.max()) + 1, len(phones) + 1, len(HEARD) + 1))
        np.add.at(counts, (np.repeat(cluster, np.diff(aligned.offsets)), aligned.gold, aligned.predicted), 1)
        self.common = counts[:, : len(COMMON)]


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown."""
    cases = {
        (
            f"{number} a side{', one with 40 %' * (largest > 0)}{', not known' * unknown}",
            "alike" if alike else "unlike",
        ): (number, largest, unknown, alike)
        for (number, largest, unknown), alike in product(CASES, (True, False))
    }
    heads = ["speakers", "languages", "level", "rate", "cells", "any q", "worse: level", "rate"]
    yield from trial_table(times, seed, heads, cases, row, 1)


def row(speakers: int, largest: float, unknown: bool, alike: bool, generator: np.random.Generator) -> list[float]:
    """Return whether each of the columns of the table shows a difference, of one pair of languages."""
    world, case = World(generator, alike=alike), (speakers, largest, unknown)
    reference = Sample(world, 1, case, generator)
    alarms = _tested(Sample(world, 0, case, generator), reference)
    worse = _tested(Sample(world, 0, case, generator, WORSE), reference)
    return [*alarms, *worse[:2]]


def _tested(target: Sample, reference: Sample) -> list[float]:
    """Return whether level and rate have p < .05, the share of such cells, and whether any has q < .05."""
    own, other = (side.common[..., :-1] for side in (target, reference))
    sums = {"target": own.sum(axis=0), "reference": other.sum(axis=0)}
    both = ExpectedConfusions(gold=COMMON, predicted=HEARD, **sums, kept=1.0, left_out=())
    languages = Languages(confusions=both, target=own, reference=other, right=RIGHT)
    cells, level = languages.cell_tests(0.95), languages.level()
    known = ~np.isnan(cells["low"])
    apart = (cells["low"] > 0) | (cells["high"] < 0)  # p < .05
    any_q = float(np.nanmin(cells["q"], initial=1.0) < 0.05)
    tests = [one is not None and one.p < 0.05 for one in (level, _rates(target, reference))]
    return [*tests, float(apart[known].mean()) if known.any() else np.nan, any_q]


def _rates(target: Sample, reference: Sample) -> JackknifedDifference:
    """Return the difference of two error rates of common phones, deletions included."""

    def difference(own: Floats, other: Floats) -> Floats:
        rates = (1 - np.where(RIGHT, one[..., :-1], 0.0).sum((-2, -1)) / one.sum((-2, -1)) for one in (own, other))
        return np.asarray(np.subtract(*rates))

    return jackknife_counts(difference, target.common, reference.common)


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
