"""How often intervals of information from posteriors and of confidences hold the truth.

A token of gold phone y is answered right with the odds of y times those of its speaker (SD 0.5 on the logit scale),
else with another phone, by shares that all speakers have. Its posterior gives the answer c, above ½, and the rest of it
to all phones at random; c, the confidence, is higher on average where the phone is right.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import betainc, expit, logit, roots_jacobi

from phonxling.analyses.association import information_of, joint_information, permuted_information, unless_few
from phonxling.analyses.calibration import (
    bits_of_truth,
    calibration_table,
    ece_of_sums,
    in_bins,
    nce_estimate,
    nce_values,
)
from phonxling.core.arrays import Codes, Floats
from phonxling.core.estimate import Estimate
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.posteriors.joint import joint_of_tokens
from phonxling.stats.estimators import shares_entropy, table_information
from phonxling.stats.jackknife import Clusters, clusters_of, mean_of_tokens, ratio_of_tokens
from simulations.corpora import GOLD, HEARD, SPREAD, tokens_of
from simulations.runner import Outcome, markdown, outcome, study

FLOOR, MANY = 1e-7, 200_000
RIGHT, WRONG = (5.0, 1.5), (2.0, 2.0)  # Beta's parameters of 2c − 1
MEASURES = (
    "information of the most probable phone",
    "information of one draw",
    "NCE",
    "Brier score",
    "cross-entropy of posteriors",
    "the same over a baseline",
    "entropy of posteriors",
    "ECE (has no interval)",
)
CALIBRATED = "ECE of confidences that are right on average (has none)"
BINS, FLAT = 10, 0.2
DIAGONAL = np.arange(GOLD)
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


@dataclass(frozen=True)
class Language:
    """Shares of the gold phones [G], odds (logit) of being answered right [G], and the other answers [G, K]."""

    gold: Floats
    right: Floats
    instead: Floats

    def truth(self) -> Mapping[str, float]:
        """Return what an infinite corpus of infinitely many speakers would give."""
        accuracy = expit(self.right[:, None] + SPREAD * NODES) @ NODE_WEIGHTS / NODE_WEIGHTS.sum()
        decided = self.gold[:, None] * (1 - accuracy[:, None]) * self.instead
        decided[DIAGONAL, DIAGONAL] = self.gold * accuracy
        sure = np.full(decided.shape, _mean(WRONG))
        sure[DIAGONAL, DIAGONAL] = _mean(RIGHT)
        sampled = decided * sure + (decided * (1 - sure)).sum(axis=1, keepdims=True) / HEARD
        share = float(self.gold @ accuracy)
        most = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
        gain = share * _expected(np.log2, RIGHT) + (1 - share) * _expected(lambda c: np.log2(1 - c), WRONG)
        brier = share * _expected(lambda c: (1 - c) ** 2, RIGHT) + (1 - share) * _expected(np.square, WRONG)
        bits = [float(table_information(joint)["mutual_information"]) for joint in (decided, sampled)]
        loss, flat = (share * right + (1 - share) * wrong for right, wrong in zip(*_of_rows(), strict=True))
        ece = abs(share * (_binned(RIGHT)[0] - _binned(RIGHT)[1]) - (1 - share) * _binned(WRONG)[1]).sum()
        numbers = (*bits, (most + gain) / most, brier, loss, loss / shares_entropy(self.gold), flat, ece)
        return dict(zip(MEASURES, numbers, strict=True))

    def accuracies(self) -> Floats:
        """Return the accuracy of each bin of confidence; NaN for an empty one."""
        accuracy = expit(self.right[:, None] + SPREAD * NODES) @ NODE_WEIGHTS / NODE_WEIGHTS.sum()
        share = float(self.gold @ accuracy)
        right, wrong = share * _binned(RIGHT)[0], (1 - share) * _binned(WRONG)[0]
        return np.divide(right, right + wrong, out=np.full(BINS, np.nan), where=right + wrong > 0)


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the tables as Markdown: intervals that held the truth, and bias in bits."""
    yield from study(times, seed, _simulated)
    biases = [[f"{tokens:,}", *_biases(tokens, times, seed)] for tokens in (500, 2_000, 20_000)]
    heads = ["bias of the decision’s information: tokens", "value", "plug-in", "plug-in − null", "warned"]
    yield from markdown(heads, biases, left=0)


def _simulated(sizes: list[int], generator: np.random.Generator) -> dict[str, list[Outcome]]:
    """Return of each measure whether its interval held the truth, and whether it was left out for few tokens."""
    language = _language(generator)
    corpus, correct, confidence = _corpus(language, sizes, generator)
    clusters = clusters_of(np.array(sizes, np.float64), np.arange(len(sizes)), cluster="speaker")
    found = _estimates(corpus, correct, confidence, clusters, generator)
    source = pd.DataFrame({"correct": correct > 0, "confidence": confidence, "owner": corpus.utterances})
    (edges, _), sums = in_bins(source, BINS, clusters)
    table = calibration_table(edges, sums, clusters)
    limits = zip(table["accuracy_low"], table["accuracy_high"], language.accuracies(), strict=True)
    truth = language.truth()
    return {
        **{name: [outcome(one, truth[name], one.status == "bias-warning")] for name, one in found.items()},
        "accuracy of a bin": [outcome(Estimate(0, low, high), own) for low, high, own in limits if own > 0],
        CALIBRATED: [outcome(_ece(*_calibrated(corpus.utterances, generator), corpus.utterances, clusters), _least())],
    }


def _estimates(
    corpus: TokenPosteriors,
    correct: Floats,
    confidence: Floats,
    clusters: Clusters,
    generator: np.random.Generator,
) -> dict[str, Estimate]:
    owner, bits = corpus.utterances, bits_of_truth(corpus.codes, corpus.rows, FLOOR)
    nulls = _null(corpus, np.zeros(len(corpus), np.int64), 2, generator)
    told = [
        unless_few(joint_information(corpus, clusters, hard=hard)[1], _plug_in(corpus, hard=hard), null)
        for hard, null in zip((True, False), nulls, strict=True)
    ]
    baseline = -np.log2(np.bincount(corpus.codes)[corpus.codes] / len(corpus))
    found = (
        *told,
        nce_estimate(nce_values(correct, confidence), owner, clusters),
        mean_of_tokens((confidence - correct) ** 2, owner, clusters),
        mean_of_tokens(bits, owner, clusters),
        ratio_of_tokens(bits, baseline, owner=owner, clusters=clusters),
        mean_of_tokens(shares_entropy(corpus.rows), owner, clusters),
        _ece(correct, confidence, owner, clusters),
    )
    return dict(zip(MEASURES, found, strict=True))


def _plug_in(corpus: TokenPosteriors, *, hard: bool) -> float:
    return information_of(joint_of_tokens(corpus, hard=hard).mass)


def _ece(correct: Floats, confidence: Floats, owner: Codes, clusters: Clusters) -> Estimate:
    """Return ECE with the interval that it would have."""
    source = pd.DataFrame({"correct": correct > 0, "confidence": confidence, "owner": owner})
    _, sums = in_bins(source, BINS, clusters)
    whole = sums.sum(axis=0)
    return clusters.estimate(float(ece_of_sums(whole)), ece_of_sums(whole - sums), "share")


def _calibrated(owner: Codes, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return which phones are correct, and their confidences, which are right for the average speaker."""
    confidence = 0.5 + 0.5 * generator.beta(3, 1.5, len(owner))
    own = generator.normal(0, SPREAD, int(owner.max()) + 1)[owner]
    return (generator.random(len(owner)) < expit(logit(confidence) + own)).astype(np.float64), confidence


@cache
def _least() -> float:
    """Return the ECE of very many such phones, each of a speaker of their own."""
    generator = np.random.default_rng(1)
    every = np.arange(20 * MANY)
    return _ece(*_calibrated(every, generator), every, clusters_of(np.ones(len(every)))).value


@cache
def _of_rows() -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the mean log loss of a token and the entropy of its posterior, where it is answered right and wrong."""
    generator = np.random.default_rng(2)
    found = []
    for shape, answer in ((RIGHT, 0), (WRONG, 1)):  # the gold phone is the first
        confidence = 0.5 + 0.5 * generator.beta(*shape, MANY)
        rows = _rows(np.full(MANY, answer), confidence, generator)
        loss = bits_of_truth(np.zeros(MANY, np.int64), rows, FLOOR)
        found.append((float(loss.mean()), float(shares_entropy(rows).mean())))
    return found[0], found[1]


def _biases(tokens: int, times: int, seed: int) -> Iterator[str]:
    """Yield the bias of the value, the plug-in and the plug-in above its null, and how often a note warns."""
    found = []
    for number in range(times):
        generator = np.random.default_rng([seed, tokens, number])
        language, sizes = _language(generator), [tokens // 12] * 12
        corpus, *_ = _corpus(language, sizes, generator)
        clusters = clusters_of(np.array(sizes, np.float64), np.arange(12))
        null, _ = _null(corpus, np.zeros(len(corpus), np.int64), 2, generator)
        plug_in, best = _plug_in(corpus, hard=True), joint_information(corpus, clusters, hard=True)[1]
        warned = unless_few(best, plug_in, null).status == "bias-warning"
        found.append(
            [*(np.array([best.value, plug_in, plug_in - null.mean()]) - language.truth()[MEASURES[0]]), warned]
        )
    *bias, warned = np.mean(found, axis=0).tolist()
    yield from (f"{each:+.2f}" for each in bias)
    yield f"{100 * warned:.0f}"


def _null(corpus: TokenPosteriors, within: Floats, permutations: int, generator: np.random.Generator) -> Floats:
    return permuted_information(corpus, within, permutations=permutations, generator=generator)


def _language(generator: np.random.Generator) -> Language:
    instead = generator.dirichlet(np.full(HEARD, 0.3), GOLD)
    instead[DIAGONAL, DIAGONAL] = 0
    right = logit(0.6) + generator.normal(0, 0.7, GOLD)
    return Language(generator.dirichlet(np.full(GOLD, 2.0)), right, instead / instead.sum(axis=1, keepdims=True))


def _corpus(
    language: Language, sizes: list[int], generator: np.random.Generator
) -> tuple[TokenPosteriors, Floats, Floats]:
    """Return the tokens, whether each is answered right, and with what confidence."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    gold = generator.choice(GOLD, len(owner), p=language.gold)
    own = generator.normal(0, SPREAD, len(sizes))[owner]
    correct = generator.random(len(owner)) < expit(language.right[gold] + own)
    below = np.cumsum(language.instead, axis=1)[gold]
    other = np.minimum((generator.random(len(owner))[:, None] > below).sum(axis=1), HEARD - 1)
    confidence = 0.5 + 0.5 * np.where(correct, generator.beta(*RIGHT, len(owner)), generator.beta(*WRONG, len(owner)))
    rows = _rows(np.where(correct, gold, other), confidence, generator)
    return tokens_of(gold, rows, owner, GOLD), correct.astype(np.float64), confidence


def _rows(answers: Codes, confidence: Floats, generator: np.random.Generator) -> Floats:
    rows = generator.dirichlet(np.full(HEARD, FLAT), len(answers)) * (1 - confidence)[:, None]
    rows[np.arange(len(answers)), answers] += confidence
    return np.asarray(rows)


def _expected(of: Callable[[Floats], Floats], shape: tuple[float, float]) -> float:
    """Return the mean of a function of c, 2c − 1 of a Beta distribution, by Gauss and Jacobi."""
    places, weights = roots_jacobi(60, shape[1] - 1, shape[0] - 1)
    return float(weights @ of(0.75 + 0.25 * places) / weights.sum())


def _binned(shape: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the share of each bin of c, and its part of the mean of c."""
    edges = np.clip(2 * np.arange(BINS + 1) / BINS - 1, 0, 1)
    shares, means = (np.diff(betainc(shape[0] + more, shape[1], edges)) for more in (0, 1))
    return shares, 0.5 * shares + 0.5 * means * shape[0] / sum(shape)


def _mean(shape: tuple[float, float]) -> float:
    return 0.5 + 0.5 * shape[0] / sum(shape)
