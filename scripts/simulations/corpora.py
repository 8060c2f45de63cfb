"""What is simulated: a confusion matrix, speakers who differ from it, and the counts of their utterances."""

import numpy as np
from scipy.special import expit, logit

from phonxling.core.arrays import Codes, Floats, divide
from phonxling.core.confusion import ConfusionStack
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.stats.estimators import n_log_n, row_entropies, shares_entropy
from phonxling.stats.jackknife import Clusters, clusters_of, correct_bias, limits_of_rows, without_each
from phonxling.stats.student import with_wilson

GOLD, HEARD = 30, 42
SPEAKERS, TOKENS = (5, 8, 12, 20), (2_000, 20_000)
RIGHT, SPREAD, LEVEL = 0.7, 0.5, 0.95
NORMALS = np.random.default_rng(0).normal(size=200_000)  # that stand for all speakers


def sizes_of(speakers: int, tokens: int, largest: float = 0.0) -> list[int]:
    """Return the tokens of speakers, of whom one has this share of all; 0: all alike."""
    others = np.full(speakers - 1, (1 - largest) / (speakers - 1))
    shares = np.append(largest, others) if largest else np.full(speakers, 1 / speakers)
    return np.rint(tokens * shares).astype(int).tolist()


def speakers_of(counts: Floats) -> Clusters:
    """Return the speakers of whom each has one table of counts, [S, G + 1, P + 1]."""
    return clusters_of(counts[:, :-1].sum(axis=(1, 2)), np.arange(len(counts)), cluster="speaker")


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


def limits_of_shares(events: Floats, tokens: Floats, clusters: Clusters) -> tuple[Floats, Floats]:
    """Return the limits of the share of each of K kinds, of whose tokens [K, C] some are events."""
    own, whole = events.sum(axis=1, keepdims=True), tokens.sum(axis=1, keepdims=True)
    values, left_out = divide(own, whole)[:, 0], divide(own - events, whole - tokens)
    limits = limits_of_rows(values, left_out, tokens, clusters, "share")
    return with_wilson(events, tokens, limits, clusters.level)


def limits_of_entropies(counts: Floats, clusters: Clusters) -> tuple[Floats, Floats]:
    """Return the limits of the entropy of each gold phone, [G], from the counts of each cluster, [C, G, P]."""
    tokens = counts.sum(axis=2).T
    value, left_out = entropies_of(counts.sum(axis=0)), entropies_of(without_each(counts)).T
    return limits_of_rows(correct_bias(value, left_out, tokens), left_out, tokens, clusters)


def entropies_of(counts: Floats) -> Floats:
    """Return the entropy of each row of counts [..., G, P] by Miller–Madow."""
    return row_entropies(counts.sum(axis=-1), n_log_n(counts).sum(axis=-1), np.count_nonzero(counts, axis=-1))


def true_entropies(given: Floats) -> Floats:
    """Return the entropy of each row of a channel, of which each row is divided by its sum."""
    return shares_entropy(divide(given, given.sum(axis=1, keepdims=True)), axis=1)


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
