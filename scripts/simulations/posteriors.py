"""How often intervals of information from posteriors and of confidences hold the truth, and how often p is too low.

A token of gold phone y is heard right with the odds of y times those of its speaker (SD 0.5 on the logit scale), else
as another phone, by shares that all speakers have. Its posterior gives the phone heard c, above ½, and the rest of it
to all phones at random; c, the confidence, is higher on average where the phone is right.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import pandas as pd
from scipy.special import betainc, expit, logit, roots_jacobi

from phonxling.analyses.association import few_tokens, permuted_information, resampled_joint
from phonxling.analyses.calibration import nce_estimate, nce_values
from phonxling.analyses.confidence import ece_estimate, in_bins
from phonxling.analyses.entropy import information_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.estimate import SIGNIFICANT, Estimate
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.count.posteriors import joint_of_tokens
from phonxling.resample.entropies import entropy_sums, information
from phonxling.resample.intervals import Resampling, resampling
from phonxling.resample.p_values import p_value
from phonxling.resample.replicates import mean_of_tokens
from simulations.corpora import GOLD, HEARD, SPEAKERS, SPREAD, TOKENS, tokens_of
from simulations.runner import Held, held_table, markdown, percent

REPLICATES, PERMUTATIONS, ROUNDING = 200, 99, 1e-12
RIGHT, WRONG = (5.0, 1.5), (2.0, 2.0)  # Beta's parameters of 2c − 1
MEASURES = ("information of the most probable phone", "information of one draw", "NCE of tokens", "Brier score", "ECE")
BINS = 10
DIAGONAL = np.arange(GOLD)
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


@dataclass(frozen=True)
class Language:
    """Shares of the gold phones [G], odds (logit) of being heard right [G], and what is heard instead [G, K]."""

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
        bits = [float(information(entropy_sums(joint))["mutual_information"]) for joint in (decided, sampled)]
        (right, sure_right), (_, sure_wrong) = _binned(RIGHT), _binned(WRONG)
        ece = abs(share * (right - sure_right) - (1 - share) * sure_wrong).sum()
        return dict(zip(MEASURES, (*bits, (most + gain) / most, brier, ece), strict=True))


def lines(times: int, seed: int = 20) -> Iterator[str]:
    """Yield the tables as Markdown: intervals that held the truth, bias in bits, and how often p is at most .05."""
    cells = [(speakers, tokens) for tokens in TOKENS for speakers in SPEAKERS]
    found = {cell: _simulated(*cell, times, np.random.default_rng([seed, *cell])) for cell in cells}
    yield from held_table({cell: held for cell, (held, _) in found.items()}, SPEAKERS, TOKENS)
    biases = []
    for tokens in TOKENS:
        bias = np.mean([bias for (_, size), (_, bias) in found.items() if size == tokens], axis=0)
        biases.append([f"{tokens:,}", *(f"{each:+.2f}" for each in bias)])
    heads = ["bias of the decision’s information: tokens", "value", "plug-in", "plug-in − null"]
    yield from markdown(heads, biases, left=0)
    alarms = [
        _false_alarms(tokens, speakers, times, np.random.default_rng([seed, tokens, speakers]))
        for tokens, speakers in ((500, 8), (2000, 8), (2000, 24))
    ]
    heads = ["p ≤ 0.05 without association within speakers: tokens", "speakers", "labels dealt within", "among all"]
    yield from markdown(heads, alarms, left=0)


def _simulated(speakers: int, tokens: int, times: int, generator: np.random.Generator) -> tuple[Held, Floats]:
    """Return of each measure how often its interval held the truth and a note warned; and three estimates' bias."""
    held, biases = np.zeros((times, len(MEASURES), 2)), np.zeros((times, 3))
    drawn = resampling(speakers, None, resamples=REPLICATES, seed=20)
    for place in range(times):
        language = _language(generator)
        corpus, correct, confidence = _corpus(language, speakers, tokens // speakers, generator)
        truth, estimates = language.truth(), _estimates(corpus, correct, confidence, drawn)
        nulls = _null(corpus, np.zeros(len(corpus), np.int64), 2, generator)
        plug_in = [information_of(joint_of_tokens(corpus, hard=hard).mass) for hard in (True, False)]
        warned = [bool(few_tokens(value, null)) for value, null in zip(plug_in, nulls, strict=True)]
        for own, (name, few) in zip(held[place], zip_longest(MEASURES, warned, fillvalue=False), strict=True):
            own[:] = estimates[name].low <= truth[name] <= estimates[name].high, few
        best, null = estimates[MEASURES[0]].value, nulls[0].mean()
        biases[place] = np.array([best, plug_in[0], plug_in[0] - null]) - truth[MEASURES[0]]
    return dict(zip(MEASURES, held.mean(axis=0).tolist(), strict=True)), biases.mean(axis=0)


def _estimates(corpus: TokenPosteriors, correct: Floats, confidence: Floats, drawn: Resampling) -> dict[str, Estimate]:
    owner = corpus.utterances
    source = pd.DataFrame({"correct": correct > 0, "confidence": confidence, "owner": owner})
    found = (
        resampled_joint(corpus, drawn, hard=True).information(),
        resampled_joint(corpus, drawn).information(),
        nce_estimate(nce_values(correct, confidence), owner, drawn),
        mean_of_tokens((confidence - correct) ** 2, owner, drawn),
        ece_estimate(source, in_bins(source, BINS, drawn), drawn),
    )
    return dict(zip(MEASURES, found, strict=True))


def _false_alarms(tokens: int, speakers: int, times: int, generator: np.random.Generator) -> list[str]:
    """Each speaker has phone frequencies, and posteriors, of their own; neither tells of the other."""
    each, low = tokens // speakers, []
    owner = np.repeat(np.arange(speakers), each)
    for _ in range(times):
        gold, heard = (np.concatenate([_own(size, each, generator) for _ in owner[::each]]) for size in (GOLD, HEARD))
        corpus = _tokens(gold, heard, np.ones(len(owner)), owner, generator)
        value = information_of(joint_of_tokens(corpus, hard=True).mass) - ROUNDING
        nulls = (_null(corpus, within, PERMUTATIONS, generator)[0] for within in (owner, 0 * owner))
        low.append([p_value(value, null) <= SIGNIFICANT for null in nulls])
    within, among = np.array(low).T
    return [f"{tokens:,}", f"{speakers}", percent(within), percent(among)]


def _own(size: int, number: int, generator: np.random.Generator) -> Codes:
    """Return so many codes below a size, by frequencies that are drawn."""
    return generator.choice(size, number, p=generator.dirichlet(np.ones(size)))


def _null(corpus: TokenPosteriors, within: Floats, permutations: int, generator: np.random.Generator) -> Floats:
    return permuted_information(corpus, "token", within, permutations=permutations, generator=generator)


def _language(generator: np.random.Generator) -> Language:
    instead = generator.dirichlet(np.full(HEARD, 0.3), GOLD)
    instead[DIAGONAL, DIAGONAL] = 0
    right = logit(0.6) + generator.normal(0, 0.7, GOLD)
    return Language(generator.dirichlet(np.full(GOLD, 2.0)), right, instead / instead.sum(axis=1, keepdims=True))


def _corpus(
    language: Language, speakers: int, each: int, generator: np.random.Generator
) -> tuple[TokenPosteriors, Floats, Floats]:
    """Return the tokens, whether each is heard right, and with what confidence."""
    owner = np.repeat(np.arange(speakers), each)
    gold = generator.choice(GOLD, len(owner), p=language.gold)
    correct = generator.random(len(owner)) < expit(language.right[gold] + generator.normal(0, SPREAD, speakers)[owner])
    below = np.cumsum(language.instead, axis=1)[gold]
    other = np.minimum((generator.random(len(owner))[:, None] > below).sum(axis=1), HEARD - 1)
    heard = np.where(correct, gold, other)
    confidence = 0.5 + 0.5 * np.where(correct, generator.beta(*RIGHT, len(owner)), generator.beta(*WRONG, len(owner)))
    return _tokens(gold, heard, confidence, owner, generator), correct.astype(np.float64), confidence


def _tokens(
    gold: Floats, heard: Floats, confidence: Floats, owner: Floats, generator: np.random.Generator
) -> TokenPosteriors:
    rows = generator.dirichlet(np.full(HEARD, 0.2), len(gold)) * (1 - confidence)[:, None]
    rows[np.arange(len(gold)), heard] += confidence
    return tokens_of(gold, rows, owner, GOLD)


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
