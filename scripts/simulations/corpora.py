"""What is simulated: a confusion matrix, speakers who differ from it, and the counts of their utterances."""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from phonxling.core.arrays import Codes, Floats, divided
from phonxling.core.confusion import ConfusionStack
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.resample.entropies import (
    cluster_cells,
    information_interval,
    jackknifed_rows,
    n_log_n,
    row_entropies,
    shares_entropy,
)
from phonxling.resample.intervals import ClusteredTokens, Resampling, share_limits
from phonxling.resample.student import between, contrast, spread

GOLD, HEARD = 30, 42
SPEAKERS, TOKENS = (4, 6, 8, 12, 24, 40), (500, 2000, 20_000)
RIGHT, SPREAD, REPLICATES, LEVEL = 0.7, 0.5, 300, 0.95
NORMALS = np.random.default_rng(0).normal(size=200_000)  # that stand for all speakers


def right_shares(normals: Floats) -> Floats:
    """Return the share of phones heard right of speakers: the logistic of logit(0.7) + 0.5 · a standard normal."""
    return np.asarray(expit(logit(RIGHT) + SPREAD * normals))


def shares(generator: np.random.Generator, concentration: float, right: float = 0.5) -> Floats:
    """Return p(x|y), [30, 42]: `right` on the diagonal, the rest Dirichlet: even for 1, of a few phones for 0.1."""
    found = (1 - right) * generator.dirichlet(np.full(HEARD, concentration), GOLD)
    found[np.arange(GOLD), np.arange(GOLD)] += right
    return found


def speakers_own(truth: Floats, number: int, strength: float, generator: np.random.Generator) -> Floats:
    """Return each speaker's p(x|y), [number, …]: Dirichlet around the truth, so that their mean is the truth.

    `strength` is its concentration: 30 lets an accuracy of 0.5 vary by 0.09 from speaker to speaker. 0: all alike.
    """
    if not strength:
        return np.broadcast_to(truth, (number, *truth.shape))
    drawn = generator.gamma(np.broadcast_to(truth * strength, (number, *truth.shape)))
    return np.asarray(drawn / np.maximum(drawn.sum(axis=-1, keepdims=True), 1e-300))


def stack_of(counts: Floats, gold: str = "g") -> ConfusionStack:
    """Return counts of utterances [U, G + 1, P + 1], ∅ last, as a stack; p for the same phones on both sides."""
    utterances, rows, columns = counts.shape
    flat = counts.reshape(utterances, -1)
    owner, cells = np.nonzero(flat)
    return ConfusionStack(
        utterances=tuple(map(str, range(utterances))),
        gold=Inventory(tuple(f"{gold}{number}" for number in range(rows - 1))),
        predicted=Inventory(tuple(f"p{number}" for number in range(columns - 1))),
        offsets=np.searchsorted(owner, np.arange(utterances + 1)),
        cells=cells,
        counts=flat[owner, cells],
    )


def rate_of(weights: Resampling, wrong: Floats, said: Floats) -> tuple[float, Floats]:
    """Return the rate over clusters, of which wrong and all tokens [C] are given, and that of each draw, [R]."""
    return float(wrong.sum() / said.sum()), divided(*weights.drawn_sums(wrong, said))


def differ(
    first: tuple[float, Floats], second: tuple[float, Floats], clusters: Sequence[float], *, paired: bool = False
) -> bool:
    """Return whether two rates with their draws differ with p < .05, of the same clusters or of two samples."""
    if paired:
        apart = spread((first[1] - second[1])[:, None], clusters[0])
    else:
        sides = zip((first, second), clusters, strict=True)
        apart = between(*(spread(drawn[:, None], number) for (_, drawn), number in sides))
    return bool(contrast(np.array([first[0] - second[0]]), apart, LEVEL).p[0] < 1 - LEVEL)


def limits_of_shares(events: Floats, size: Floats, weights: Resampling) -> tuple[Floats, Floats]:
    """Return the limits of the share of each kind, of whose tokens [C, K] some are events."""
    cluster, kind = np.nonzero(size)
    clustered = ClusteredTokens(kind, size[cluster, kind], events[cluster, kind], size.shape[1])
    return share_limits(clustered, divided(weights.weights @ events, weights.weights @ size).T, weights)


def limits_of_entropies(stack: ConfusionStack, weights: Resampling, drawn: Floats) -> list[Estimate]:
    """Return the entropy of each gold phone with its limits, of which the draws [G, R] are given."""
    best = jackknifed_rows(cluster_cells(stack, weights))
    each = zip(best.value, drawn, best.error, best.clusters, strict=True)
    return [
        information_interval(float(value), row, weights, error=float(error), clusters=int(clusters))
        for value, row, error, clusters in each
    ]


def entropies_of(given: Floats, kinds: Codes | None = None) -> Floats:
    """Return the entropy of each row of a channel; Miller and Madow's where it is given how many kinds were seen."""
    if kinds is None:
        return shares_entropy(divided(given, given.sum(axis=1, keepdims=True)), axis=1)
    return row_entropies(given.sum(axis=1), n_log_n(given).sum(axis=1), kinds)


def tokens_of(codes: Codes, rows: Floats, owner: Codes, phones: int) -> TokenPosteriors:
    """Return tokens of so many phones, with their posteriors [N, K] and the utterance of each."""
    gold, columns = (Inventory(tuple(f"p{number}" for number in range(size))) for size in (phones, rows.shape[1]))
    nothing = np.zeros(phones, np.int64)
    return TokenPosteriors(
        phones=gold,
        columns=columns,
        codes=codes,
        rows=rows,
        weight=np.ones(len(codes)),
        utterances=owner,
        without_frame=nothing,
        silent=nothing,
    )
