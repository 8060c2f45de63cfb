"""Recognisers of the same gold: false alarms where they are independent, what is found where not, and suspects.

15 phones, some said more often, 70 % right on average; all recognisers have the same confusion matrix, and so find the
same phones hard. Each hears speakers better or worse, by a standard deviation of 0.5 on the logit scale; what they
share is added to that.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.special import expit, logit

from phonxling.comparison.agreement import HeardTokens, compared_answers, suspects, tested
from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import Inventory
from phonxling.resample.intervals import resampling
from simulations.corpora import REPLICATES
from simulations.runner import markdown, percent, trials

PHONES, UTTERANCES, DELETED, OWN = 15, 6, 0.15, 0.5
SAID = 1 / (np.arange(PHONES) + 3) / np.sum(1 / (np.arange(PHONES) + 3))
SIZES = ((6, 2000), (12, 2000), (24, 500), (24, 2000), (24, 10_000))
_NUMBERS = ("kappa", "kappa_given_phone", "odds_ratio", "same_excess")
_BASELINES = ("most often predicted so", "most seldom predicted so", "likelihood ratio")
_AT = (10, 20, 50)


@dataclass(frozen=True)
class Shared:
    """What recognisers share: speakers, utterances, copied wrong answers, passages heard one phone too early."""

    speakers: float = 0.0
    noise: float = 0.0
    copied: float = 0.0
    shifted: float = 0.0


ALIKE = {
    "independent": Shared(),
    "the same speakers are hard": Shared(speakers=0.7),
    "the same utterances are noisy": Shared(noise=0.7),
    "30 % of wrong answers copied": Shared(copied=0.3),
}
SUSPECT = {
    "independent": (2, Shared()),
    "noisy utterances": (2, Shared(noise=1.0)),
    "30 % of wrong answers copied": (2, Shared(noise=0.5, copied=0.3)),
    "passages shifted": (2, Shared(noise=0.5, copied=0.2, shifted=0.02)),
    "passages shifted, three recognisers": (3, Shared(noise=0.5, copied=0.2, shifted=0.02)),
}
INDEPENDENT = {"three, independent": (3, Shared())}


def lines(times: int, seed: int = 24) -> Iterator[str]:
    """Yield the tables as Markdown."""
    yield from _agreements(times, seed)
    yield from _suspects(times, seed)


def _agreements(times: int, seed: int) -> Iterator[str]:
    numbers = "Cohen's κ", "κ given phone", "log odds ratio", "excess of same answers"
    tests = "p < .05: Cohen's κ", "κ given phone", "excess", "limits hold: κ given phone", "excess"
    found: list[list[object]] = []
    for name, shared in ALIKE.items():
        channel = channel_of(np.random.default_rng(seed))
        truth = _truth(channel, shared, np.random.default_rng(seed + 1))
        for size in SIZES:
            rows = trials(times, [seed, *size], partial(_one, size, channel, shared, truth)).T
            cells = [*(f"{np.nanmean(row):.3f}" for row in rows[:4]), *(percent(row, 1) for row in rows[4:])]
            found.append([name, size[0], f"{size[1]:,}", *cells])
    yield from markdown(["shared", "speakers", "tokens", *numbers, *tests], found)


def _truth(channel: Floats, shared: Shared, generator: np.random.Generator) -> Floats:
    tokens, speakers = simulated((2000, 400_000), channel, shared, generator=generator)
    value = compared_answers(tokens, (0, 1), resampling(len(speakers), speakers, resamples=2, seed=0))[1]
    return np.array([value[0][name][0] for name in _NUMBERS[1::2]])


def _one(
    size: tuple[int, int], channel: Floats, shared: Shared, truth: Floats, generator: np.random.Generator
) -> list[float]:
    tokens, speakers = simulated(size, channel, shared, generator=generator)
    draws = resampling(len(speakers), speakers, resamples=REPLICATES, seed=int(generator.integers(1 << 30)))
    _, value, drawn = compared_answers(tokens, (0, 1), draws)
    tests, numbers = tested(value, drawn, draws), [float(value[0][name][0]) for name in _NUMBERS]
    numbers[2] = np.log(numbers[2])
    own_error = drawn["kappa"].std() * np.sqrt(size[0] / (size[0] - 1))
    held = (tests.low <= truth) & (truth <= tests.high)
    return [*numbers, abs(numbers[0]) > 2.1 * own_error, *(tests.p < 0.05).tolist(), *held.tolist()]


def _suspects(times: int, seed: int) -> Iterator[str]:
    """Yield how many suspects are false, and how many chance was said to make; then the true ones among the first."""
    false, ranked = [], []
    for (name, (number, shared)), errors in product({**SUSPECT, **INDEPENDENT}.items(), (0.0, 0.02)):
        found = trials(max(1, times // 5), [seed, number], partial(_suspected, shared, number, errors)).mean(axis=0)
        means = (f"{mean:.0f}" if mean >= 10 else f"{mean:.1f}" for mean in found[:5])
        false.append([name, f"{errors:.0%}", *means])
        if errors and name in SUSPECT:
            for ranking, own in zip(("suspects.tsv", *_BASELINES), found[6:].reshape(-1, len(_AT)), strict=True):
                counts = f"{found[0]:.0f}", f"{found[5]:.0f}"
                ranked.append([name, *counts, ranking, *(f"{share:.2f}" for share in own)])
    heads = ["suspects", "false", "by chance", "false of the first 50", "by chance of these"]
    yield from markdown(["recognisers", "gold wrong", *heads], false)
    heads = ["recognisers", "suspects", "true", "ranked by", *(f"first {number}" for number in _AT)]
    yield from markdown(heads, ranked, texts=[3])


def _suspected(shared: Shared, number: int, errors: float, generator: np.random.Generator) -> Floats:
    """Return how many suspects there are, how many are false, how many by chance, the latter two of the first fifty.

    Then how many are true, and of each ranking the shares of true ones among the first. Of 6,000 tokens a share has
    another gold phone, one that recognisers take for the true one, too.
    """
    channel = channel_of(generator)
    tokens, _ = simulated((12, 6000), channel, shared, items=number, errors=errors, generator=generator)
    ranked, by_chance = suspects(tokens)
    true, last = tokens.position[ranked.token] < 0, min(_AT[-1], len(ranked.token)) - 1
    often = ranked.alike / np.bincount(tokens.gold)[tokens.gold[ranked.token]]
    shuffled = generator.random(len(often))
    orders = [np.arange(len(often)), *(np.lexsort((shuffled, key)) for key in (-ranked.alike, often, -ranked.ratio))]
    counts = len(true), (~true).sum(), by_chance, (~true[:50]).sum(), ranked.by_chance.iloc[last], true.sum()
    return np.array([*counts, *(true[order[:most]].mean() for order in orders for most in _AT)])


def channel_of(generator: np.random.Generator) -> Floats:
    """Return p(x|y), [15, 16], ∅ last."""
    right = expit(logit(0.7) + generator.normal(0, 0.7, PHONES))
    wrong = np.zeros((PHONES, PHONES))
    wrong[~np.eye(PHONES, dtype=bool)] = generator.dirichlet(np.full(PHONES - 1, 0.3), PHONES).ravel()
    every = np.column_stack([(1 - DELETED) * wrong, np.full(PHONES, DELETED)]) * (1 - right[:, None])
    every[np.arange(PHONES), np.arange(PHONES)] = right
    return np.asarray(every)


def simulated(
    size: tuple[int, int],
    channel: Floats,
    shared: Shared,
    *,
    generator: np.random.Generator,
    items: int = 2,
    errors: float = 0.0,
) -> tuple[HeardTokens, Codes]:
    """Return tokens, and the speaker of each utterance; positions are negative where the gold is wrong."""
    speakers, utterances = size[0], size[0] * UTTERANCES
    each = size[1] // utterances
    utterance = np.repeat(np.arange(utterances), each)
    speaker, number = utterance // UTTERANCES, len(utterance)
    said = generator.choice(PHONES, number, p=SAID)
    hard = (generator.normal(0, 1, speakers) * shared.speakers)[speaker]
    hard += (generator.normal(0, 1, utterances) * shared.noise)[utterance]
    heard = [_heard(said, channel, hard + generator.normal(0, OWN, speakers)[speaker], generator) for _ in range(items)]
    for own in heard[1:]:
        copied = (own != said) & (heard[0] != said) & (generator.random(number) < shared.copied)
        own[copied] = heard[0][copied]
    early = np.convolve(generator.random(number) < shared.shifted, np.ones(5))[:number] > 0
    answers = np.where(early, np.roll(said, -1), np.array(heard))
    mistaken = generator.random(number) < errors
    gold = np.where(mistaken, _wrong(said, channel, generator), said)
    right = np.pad((answers == gold).all(axis=0), 1, constant_values=True)
    tokens = HeardTokens(
        phones=Inventory(tuple(f"p{place:02}" for place in range(PHONES))),
        utterances=tuple(map(str, range(utterances))),
        utterance=utterance,
        position=np.where(mistaken, -1, 1) * (np.arange(number) % each + 1),
        gold=gold,
        heard=answers,
        neighbours=right[:-2].astype(np.int64) + right[2:],
    )
    return tokens, np.arange(utterances) // UTTERANCES


def _heard(said: Codes, channel: Floats, shift: Floats, generator: np.random.Generator) -> Codes:
    right = generator.random(len(said)) < expit(logit(channel[said, said]) + shift)
    return np.where(right, said, _wrong(said, channel, generator, nothing=True))


def _wrong(said: Codes, channel: Floats, generator: np.random.Generator, *, nothing: bool = False) -> Codes:
    """Return wrong answers to phones said, as the channel has them; phones only unless `nothing` may be heard, too."""
    shares = channel[:, : PHONES + nothing].copy()
    shares[np.arange(PHONES), np.arange(PHONES)] = 0
    steps = np.cumsum(shares, axis=1)[said]
    return np.asarray((generator.random((len(said), 1)) * steps[:, -1:] < steps).argmax(axis=1))
