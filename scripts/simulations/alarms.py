"""False alarms, where nothing differs but the speakers: of corpora, and of groups.

Of two corpora with 12 phones, each said more or less often; a is taken for b as often as b for a. Speakers differ as in
`corpora`. A second corpus has other speakers (unpaired), or the same ones with a draw of its own of how well each is
heard (paired). A group's rate is held against that of the other speakers as groups.tsv does it.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from scipy.special import expit, logit

from phonxling.core.arrays import Floats
from phonxling.resample.intervals import Resampling, resampling
from simulations.corpora import (
    REPLICATES,
    RIGHT,
    SPEAKERS,
    SPREAD,
    differ,
    rate_of,
    right_shares,
)
from simulations.runner import markdown, percent, trials

PHONES = 12
TOKENS = (2000, 20_000)
GROUPS, EACH = ((5, 5), (6, 18), (12, 12), (24, 24), (5, 60)), (50, 500)


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of tests with p (or of corpora with any q) below 0.05."""
    rows = []
    for speakers, tokens in product(SPEAKERS[1:], TOKENS):
        found = trials(times, [seed, speakers, tokens], partial(_found, speakers, tokens))
        rows.append([speakers, f"{tokens:,}", *(percent(column, 1) for column in found.T)])
    yield from markdown(["speakers", "tokens", "PER, unpaired: p", "PER, paired: p"], rows, left=0)


def _found(speakers: int, tokens: int, generator: np.random.Generator) -> list[float]:
    """Return whether two corpora differ, and whether the first differs from one of its own speakers."""
    gold, errors = generator.dirichlet(np.full(PHONES, 2.0)), _symmetric(generator)
    weights = [resampling(speakers, None, resamples=REPLICATES, seed=int(generator.integers(1 << 30))) for _ in "ab"]
    normals = generator.normal(size=(2, speakers))
    shares = [right_shares(own) for own in (*normals, (normals[0] + normals[1]) / np.sqrt(2))]
    drawn = zip(shares, (*weights, weights[0]), strict=True)
    first, other, same = (_rate(gold, errors, right, tokens, generator, own) for right, own in drawn)
    return [differ(first, other, [speakers] * 2), differ(first, same, [speakers] * 2, paired=True)]


def _symmetric(generator: np.random.Generator) -> Floats:
    """Return p(x|y) of errors, symmetric, [12, 12]: rows and columns sum to 1, none right."""
    shares = np.triu(generator.gamma(0.5, size=(PHONES, PHONES)) + 1e-3, 1)
    shares += shares.T
    for _ in range(500):  # Sinkhorn's scaling, which keeps symmetry
        scale = 1 / np.sqrt(shares.sum(axis=1))
        shares = scale[:, None] * shares * scale
    return np.asarray(shares)


def _rate(
    gold: Floats, errors: Floats, right: Floats, tokens: int, generator: np.random.Generator, weights: Resampling
) -> tuple[float, Floats]:
    """Return the error rate of a corpus of speakers, and that of each draw, [R]."""
    channels = right[:, None, None] * np.eye(PHONES) + (1 - right[:, None, None]) * errors
    joints = (gold[:, None] * channels).reshape(len(right), -1)
    joints /= joints.sum(axis=1, keepdims=True)
    counts = np.array([generator.multinomial(tokens // len(right), joint) for joint in joints], dtype=np.float64)
    said = counts.sum(axis=1)
    return rate_of(weights, said - counts[:, :: PHONES + 1].sum(axis=1), said)


def group_lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table of groups as Markdown: per cent of tests with p < .05."""
    rows = ([f"{own} and {others}", *(_group(own, others, one, times, seed) for one in EACH)] for own, others in GROUPS)
    yield from markdown(["speakers", *(f"{one} tokens each" for one in EACH)], rows)


def _weights(number: int, seed: int) -> Resampling:
    names = [f"{one:02}" for one in range(number)]
    return resampling(number, names, resamples=REPLICATES, seed=seed, tokens=np.ones(number))


def _right(number: int, tokens: int, right: float, generator: np.random.Generator) -> Floats:
    """Return how many of each speaker's tokens are right."""
    return generator.binomial(tokens, expit(logit(right) + SPREAD * generator.normal(size=number))).astype(float)


def _group(own: int, others: int, tokens: int, times: int, seed: int) -> str:
    sides = [_weights(number, seed + place) for place, number in enumerate((own, others))]

    def found(generator: np.random.Generator) -> list[float]:
        said = [np.full(drawn.number, float(tokens)) for drawn in sides]
        wrong = [one - _right(len(one), tokens, RIGHT, generator) for one in said]
        rates = map(rate_of, sides, wrong, said)
        return [differ(*rates, [drawn.effective for drawn in sides])]

    return percent(trials(times, [seed, own, others, tokens], found), 1)
