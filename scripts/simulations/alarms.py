"""False alarms, where nothing differs but the speakers: of two corpora or systems, of groups, and of features.

Of two corpora, speakers differ as in `corpora`. A second corpus has other speakers (unpaired), or the same ones with a
draw of its own of how many phones each gets right (paired). Without speakers, pairs are tested by utterance, ten phones
each: in the null of these speakers alone each is as good for both systems, and beside it stands what comes of systems
that suit one speaker better than another. A group is held against the other speakers as groups.tsv does it.

Of features, two languages with other phone frequencies pass one channel, with errors that depend on the phone, are
aligned by features and counted: `changed`, phone by phone as compare has it.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit, logit

import phonxling as px
from phonxling.alignment.confusions import stack_confusions
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.statistics import MeasuredValue
from phonxling.comparison.pairs import changes_of
from phonxling.core.arrays import Codes, Floats, divide
from phonxling.core.confusion import ConfusionStack
from phonxling.core.costs import cost_table
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.stats.jackknife import Clusters, clusters_of
from phonxling.stats.student import EstimateSpread, contrast, spread_of_difference
from phonxling.stats.two_corpora import common_weights
from simulations.corpora import LEVEL, SPREAD, right_shares, sizes_of
from simulations.runner import trial_table

SPEAKERS, TOKENS, OF_UTTERANCE = (6, 12, 24), (2_000, 20_000), 10
GROUPS, EACH = ((5, 5), (6, 18), (12, 12), (24, 24), (5, 60)), (50, 500)
DELETED, INSERTED = 0.06, 0.04  # of the gold phones, and beside one
PHONES = Inventory(("p", "b", "t", "d", "k", "s", "z", "m", "n", "a", "i", "u"))


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table of PER as Markdown: per cent of tests with p below 0.05; – where there is none."""
    heads = ["speakers", "tokens", "unpaired", "paired"]
    heads += ["no speakers: unpaired", "paired", "where systems suit speakers"]
    cases = {
        (f"{speakers}{', one has 40 %' * bool(largest)}", f"{tokens:,}"): (speakers, tokens, largest)
        for speakers, tokens, largest in product(SPEAKERS, TOKENS, (0.0, 0.4))
    }
    yield from trial_table(times, seed, heads, cases, _alarms, 1)


def _alarms(speakers: int, tokens: int, largest: float, generator: np.random.Generator) -> list[float]:
    """Return which of the tests of one world find a difference; NaN for those that are not made."""
    owner = np.repeat(np.arange(speakers), np.array(sizes_of(speakers, tokens, largest)) // OF_UTTERANCE)
    said = np.full(len(owner), float(OF_UTTERANCE))
    normals = generator.normal(size=(3, speakers))
    first, others, own = (_wrong(one[owner], generator) for one in normals)  # own: of the same speakers
    alike = _wrong(normals[0][owner], generator)
    known, unknown = clusters_of(said, owner), clusters_of(said)
    return [
        found((first, said, known), (others, said, known)),
        found((first, said, known), (own, said, known), paired=True),
        found((first, said, unknown), (others, said, unknown)),
        found((first, said, unknown), (alike, said, unknown), paired=True),
        found((first, said, unknown), (own, said, unknown), paired=True),
    ]


def _wrong(normals: Floats, generator: np.random.Generator) -> Floats:
    """Return how many phones of each utterance are wrong, [U]."""
    return generator.binomial(OF_UTTERANCE, 1 - right_shares(normals)).astype(float)


_Sums = tuple[Floats, Floats, Clusters]  # wrong and all tokens of each utterance, [U], and who is left out


def found(first: _Sums, second: _Sums, *, paired: bool = False) -> float:
    """Return whether two rates differ with p < .05; NaN without a test, as compare has it."""
    sides, clusters = [_rate(*one) for one in (first, second)], (first[2], second[2])
    if not paired and not all(one.comparable for one in clusters):
        return float("nan")
    if paired:
        apart = clusters[0].spread((sides[0] - sides[1]).left_out[None])
    else:
        apart = spread_of_difference(
            *(own.spread(one.left_out[None]) for own, one in zip(clusters, sides, strict=True))
        )
    return float(_below(sides[0].value - sides[1].value, apart)[0])


def _rate(wrong: Floats, said: Floats, clusters: Clusters) -> MeasuredValue:
    top, bottom = clusters.sums(wrong), clusters.sums(said)
    return MeasuredValue(float(top.sum() / bottom.sum()), divide(top.sum() - top, bottom.sum() - bottom))


def _below(difference: float | Floats, apart: EstimateSpread) -> Floats:
    """Return where p < .05, NaN without a test, [K]."""
    p = contrast(difference, apart, LEVEL).p
    return np.where(np.isnan(p), np.nan, p < 1 - LEVEL)


def group_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table of groups as Markdown: per cent of tests with p < .05."""
    cases = {(f"{own} and {others}",): (own, others) for own, others in GROUPS}
    yield from trial_table(times, seed, ["speakers", *(f"{one} tokens each" for one in EACH)], cases, _group, 1)


def _group(own: int, others: int, generator: np.random.Generator) -> list[float]:
    """Return, by the tokens of each speaker, whether a group of speakers differs from the others."""
    tests = []
    for tokens in EACH:
        sides = []
        for number in (own, others):
            said, right = np.full(number, float(tokens)), right_shares(generator.normal(size=number))
            wrong = generator.binomial(tokens, 1 - right).astype(float)
            sides.append((wrong, said, clusters_of(said, np.arange(number), cluster="speaker")))
        tests.append(found(*sides))
    return tests


def feature_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table of features as Markdown: per cent of tests with p < .05 in two languages of one channel."""
    cases = {
        (speakers, "unequal" if unequal else "equal"): (speakers, unequal)
        for speakers, unequal in product(SPEAKERS, (False, True))
    }
    heads = ["speakers", "phone frequencies", "phone by phone", "paired, phone by phone"]
    yield from trial_table(times, seed, heads, cases, _feature_alarms, 1)


def _feature_alarms(speakers: int, unequal: bool, generator: np.random.Generator) -> Floats:
    """Return which features differ, [2, F]: of two languages, and of two systems."""
    said, channel = generator.dirichlet(np.full(len(PHONES), 2.0)), _channel(generator)
    other = generator.dirichlet(np.full(len(PHONES), 2.0)) if unequal else said
    owner = np.repeat(np.arange(speakers), 40)
    normals = generator.normal(size=(2, speakers))
    golds = [generator.choice(len(PHONES), (len(owner), 12), p=own) for own in (said, other)]
    stacks = [_aligned(*one, channel, owner, generator) for one in zip(golds, normals, strict=True)]
    again = _aligned(golds[0], normals[1], channel, owner, generator)
    clusters, table = clusters_of(np.full(len(owner), 12.0), owner), px.symbols.panphon_features()
    sides = [changes_of(stack, clusters, PHONES.phones, table) for stack in (*stacks, again)]
    return np.stack([_by_phone(sides[0], sides[place], clusters, paired=place == 2) for place in (1, 2)])


def _by_phone(first: Any, second: Any, clusters: Clusters, *, paired: bool) -> Floats:  # noqa: ANN401
    weights = common_weights(first.tokens, second.tokens)
    (own, left), (other, other_left) = (one.shares(weights) for one in (first, second))
    if paired:
        return _below(own - other, clusters.spread(left[0] - other_left[0], left[1]))
    return _below(own - other, spread_of_difference(clusters.spread(*left), clusters.spread(*other_left)))


def _channel(generator: np.random.Generator) -> Floats:
    """Return p(x|y), [12, 12]: some phones are right more often than others, and errors are of few phones."""
    right = generator.uniform(0.5, 0.9, len(PHONES))
    errors = generator.dirichlet(np.full(len(PHONES) - 1, 0.4), len(PHONES))
    channel = np.diag(right)
    channel[~np.eye(len(PHONES), dtype=bool)] = (errors * (1 - right)[:, None]).ravel()
    return channel


def _aligned(
    gold: Codes, normals: Floats, channel: Floats, owner: Codes, generator: np.random.Generator
) -> ConfusionStack:
    """Return the counts of utterances of 12 phones of speakers, of whom some get fewer phones right, aligned."""
    wrong, number = 1 - np.diag(channel), len(PHONES)
    others = channel / wrong[:, None]
    np.fill_diagonal(others, 0)
    fails = generator.random(gold.shape) < expit(logit(wrong)[gold] + SPREAD * normals[owner][:, None])
    chosen = (generator.random((*gold.shape, 1)) > np.cumsum(others, axis=1)[gold]).sum(axis=2).clip(0, number - 1)
    heard, more = np.where(fails, chosen, gold), generator.integers(number, size=gold.shape)
    both, drawn = np.stack([heard, more], axis=2), generator.random((*gold.shape, 2))
    kept = np.stack([drawn[..., 0] > DELETED, drawn[..., 1] < INSERTED], axis=2)
    predicted = [line[own].tolist() for line, own in zip(both, kept, strict=True)]
    names = [f"u{number:04}" for number in range(len(owner))]
    first, second = (
        from_lists(names, [[PHONES.phones[one] for one in line] for line in each], PHONES) for each in (gold, predicted)
    )
    costs = cost_table("panphon", PHONES, PHONES, px.symbols.panphon_features())
    return stack_confusions(align_sequences(first, second, costs))
