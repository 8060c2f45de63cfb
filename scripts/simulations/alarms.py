"""False alarms of differences between two corpora, where nothing differs but the speakers.

12 phones, each said more or less often; a is taken for b as often as b for a. Speakers differ as in `corpora`. A second
corpus has other speakers (unpaired), or the same ones with a draw of its own of how well each is heard (paired).
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.student import between, contrast, spread
from simulations.corpora import REPLICATES, SPEAKERS, Floats, markdown, right_shares

PHONES = 12
TOKENS = (2000, 20_000)
LEVEL = 0.95


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the table as Markdown: per cent of tests with p (or of corpora with any q) below 0.05."""
    rows = []
    for speakers, tokens in product(SPEAKERS[1:], TOKENS):
        found = [_one(speakers, tokens, np.random.default_rng([seed, speakers, tokens, n])) for n in range(times)]
        rows.append([speakers, f"{tokens:,}", *(f"{100 * share:.1f}" for share in np.nanmean(found, axis=0))])
    heads = ["speakers", "tokens", "PER, unpaired: p", "PER, paired: p"]
    yield from markdown(heads, rows, left=0)


def _one(speakers: int, tokens: int, generator: np.random.Generator) -> list[float]:
    gold, errors = generator.dirichlet(np.full(PHONES, 2.0)), _symmetric(generator)
    weights = [resampling(speakers, None, resamples=REPLICATES, seed=int(generator.integers(1 << 30))) for _ in "ab"]
    normals = generator.normal(size=(2, speakers))
    first, unpaired = (_counts(gold, errors, right_shares(own), tokens, generator) for own in normals)
    paired = _counts(gold, errors, right_shares((normals[0] + normals[1]) / np.sqrt(2)), tokens, generator)
    return [
        float(_p(first, unpaired, weights, paired=False) < 1 - LEVEL),
        float(_p(first, paired, weights[:1] * 2, paired=True) < 1 - LEVEL),
    ]


def _symmetric(generator: np.random.Generator) -> Floats:
    """Return p(x|y) of errors, symmetric, [12, 12]: rows and columns sum to 1, none right."""
    shares = np.triu(generator.gamma(0.5, size=(PHONES, PHONES)) + 1e-3, 1)
    shares += shares.T
    for _ in range(500):  # Sinkhorn's scaling, which keeps symmetry
        scale = 1 / np.sqrt(shares.sum(axis=1))
        shares = scale[:, None] * shares * scale
    return np.asarray(shares)


def _counts(gold: Floats, errors: Floats, right: Floats, tokens: int, generator: np.random.Generator) -> Floats:
    """Return the counts of each speaker, [C, 12, 12]."""
    channels = right[:, None, None] * np.eye(PHONES) + (1 - right[:, None, None]) * errors
    joints = (gold[:, None] * channels).reshape(len(right), -1)
    joints /= joints.sum(axis=1, keepdims=True)
    counts = [generator.multinomial(tokens // len(right), joint) for joint in joints]
    return np.array(counts, dtype=np.float64).reshape(channels.shape)


def _rates(counts: Floats, weights: Resampling) -> tuple[float, Floats]:
    """Return the error rate, and that of each draw, [R]."""
    tokens = counts.sum(axis=(1, 2))
    wrong = tokens - np.trace(counts, axis1=1, axis2=2)
    drawn = weights.weights.astype(float)
    return float(wrong.sum() / tokens.sum()), (drawn @ wrong) / (drawn @ tokens)


def _p(first: Floats, second: Floats, weights: list[Resampling], *, paired: bool) -> float:
    (rate, drawn), (other, others) = (_rates(*pair) for pair in zip((first, second), weights, strict=True))
    if paired:
        apart = spread((drawn - others)[:, None], len(first))
    else:
        apart = between(*(spread(values[:, None], len(first)) for values in (drawn, others)))
    return float(contrast(np.array([rate - other]), apart, LEVEL).p[0])
