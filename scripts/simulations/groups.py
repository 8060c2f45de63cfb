"""Tests that find nothing where nothing is: of groups of speakers, and of one phone in one language against others.

Speakers hear shares of the phones right whose logit varies by 0.5 around the same for all. A group's rate is held
against that of the other speakers as groups.tsv does it; a phone's accuracy in one of five languages against the mean
of the other four as phone_languages.tsv does it. Each entry is the per cent of tests with p < .05, 5 when all is well.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.special import expit, logit

from phonxling.core.arrays import Floats
from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.student import Spread, contrast, freedom_of, t_reach
from simulations.corpora import LEVEL, REPLICATES, RIGHT, SPREAD, differ, limits_of_shares, rate_of
from simulations.runner import markdown, percent, trials

GROUPS, TOKENS = ((5, 5), (6, 18), (12, 12), (24, 24), (5, 60)), (50, 500)
SPEAKERS, RIGHT_SHARES, OF_PHONE, LANGUAGES = (6, 12, 24), (0.5, 0.9, 0.98), (5, 20), 5


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield two tables as Markdown."""
    rows = (
        [f"{own} and {others}", *(_groups(own, others, one, times, seed) for one in TOKENS)] for own, others in GROUPS
    )
    yield from markdown(["speakers", *(f"{one} tokens each" for one in TOKENS)], rows)
    heads = [f"{right:.0%} right, {tokens} tokens a speaker" for right, tokens in product(RIGHT_SHARES, OF_PHONE)]
    cases = (
        [number, *(_phones(number, *one, times, seed) for one in product(RIGHT_SHARES, OF_PHONE))]
        for number in SPEAKERS
    )
    yield from markdown(["speakers of a language", *heads], cases)


def _weights(number: int, seed: int) -> Resampling:
    names = [f"{one:02}" for one in range(number)]
    return resampling(number, names, resamples=REPLICATES, seed=seed, tokens=np.ones(number))


def _right(number: int, tokens: int, right: float, generator: np.random.Generator) -> Floats:
    """Return how many of each speaker's tokens are right."""
    return generator.binomial(tokens, expit(logit(right) + SPREAD * generator.normal(size=number))).astype(float)


def _groups(own: int, others: int, tokens: int, times: int, seed: int) -> str:
    sides = [_weights(number, seed + place) for place, number in enumerate((own, others))]

    def found(generator: np.random.Generator) -> list[float]:
        wrong = [tokens - _right(drawn.number, tokens, RIGHT, generator) for drawn in sides]
        rates = [
            rate_of(drawn, one, np.full(drawn.number, float(tokens))) for drawn, one in zip(sides, wrong, strict=True)
        ]
        return [differ(*rates, [drawn.effective for drawn in sides])]

    return percent(trials(times, [seed, own, others, tokens], found), 1)


def _phones(speakers: int, right: float, tokens: int, times: int, seed: int) -> str:
    drawn = _weights(speakers, seed)
    freedom = float(freedom_of(drawn.effective))

    def found(generator: np.random.Generator) -> list[float]:
        counts = np.stack([_right(speakers, tokens, right, generator) for _ in range(LANGUAGES)], axis=1)
        low, high = limits_of_shares(counts, np.full(counts.shape, float(tokens)), drawn)
        variance = ((high - low) / 2 / t_reach(freedom, LEVEL)) ** 2
        if not (variance > 0).all():
            return [np.nan]  # no language has such a test
        parts = variance / np.array([1, *[(LANGUAGES - 1) ** 2] * (LANGUAGES - 1)])
        whole = parts.sum() ** 2 / (parts**2 / freedom).sum()
        accuracy = counts.mean(axis=0) / tokens
        apart = np.array([accuracy[0] - accuracy[1:].mean()])
        test = contrast(apart, Spread(*(np.array([one]) for one in (parts.sum(), whole, 0.0, np.inf))), LEVEL)
        return [test.p[0] < 1 - LEVEL]

    return percent(trials(times, [seed, speakers, tokens, int(100 * right)], found), 1)
