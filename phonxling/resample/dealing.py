"""Two corpora's confusions where chance alone tells them apart: whole speakers dealt anew to the two corpora.

The null hypothesis is that speakers of both corpora are heard alike: p(x|y) of a speaker comes from one population. How
often a corpus says y may differ, and so may the number of speakers and of tokens. Speakers who were dealt with all
their tokens would even out these too: rows that rest on few tokens in one corpus would rest on many in a deal, whose
divergences are then smaller by chance than the real ones (in simulations 40 to 90 % of true nulls were rejected). So
the places are kept, and speakers are dealt to places. A deal has three steps:

1. How a speaker hears: his shares of right tokens a(y) and of the wrong phones q(x|y), each drawn towards that of all
   speakers together by the square root of its reliability, so that speakers differ as much as they really do, without
   the chance of their few tokens. What makes a speaker worse in all phones is kept as one: c, times a(y)(1 − a(y)).
2. The speakers are dealt to the places of all speakers, without replacement. A place keeps its tokens of each phone.
3. Each token of both corpora's table together goes to the one or the other corpus, with odds of how many such tokens
   the speakers at its places would give. So rare confusions stay as rare as they are.

Reliability of n tokens is nρ/(1 + (n − 1)ρ), ρ the correlation of tokens of one speaker and phone by analysis of
variance, see `proportion`; that of c is τ²I/(1 + τ²I), I = Σ_y n(y)a(y)(1 − a(y)), τ² by moments. Fractional counts are
rounded in step 3.

References
----------
Davison & Hinkley (1997), section 3.8: shrinking clusters before they are resampled. DerSimonian & Laird (1986): τ².
"""

from math import comb

import numpy as np

from phonxling.core.arrays import Bools, Floats, divided
from phonxling.resample.proportion import ClusteredTokens
from phonxling.resample.weights import Resampling


def deal(
    first: Floats, second: Floats, right: Bools, *, deals: int, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return both corpora's tables of so many deals, [T, P, R] each.

    Parameters
    ----------
    first, second : float64 array [C1, T, P] and [C2, T, P]
        Each speaker's counts.
    right : bool array [T, P]
        The cells of phones that were heard right; at most one in a row.
    """
    speakers = np.concatenate([first, second])
    places, tokens = speakers.sum(axis=2), np.rint(speakers.sum(axis=0)).astype(np.int64)
    shares = heard_shares(speakers, right)
    dealt = np.zeros((*tokens.shape, deals))
    for number in range(deals):
        seated = shares[generator.permutation(len(speakers))]
        mine, all_places = (np.einsum("sy,syx->yx", places[:last], seated[:last]) for last in (len(first), None))
        odds = np.nan_to_num(divided(mine, all_places), nan=0.5)
        dealt[..., number] = generator.binomial(tokens, np.clip(odds, 0.0, 1.0))
    return dealt, tokens[..., None] - dealt


def heard_shares(speakers: Floats, right: Bools) -> Floats:
    """Return how each speaker hears, without the chance of few tokens: p(x|y), [C, T, P]; see the module, step 1."""
    correct, wrong = np.where(right, speakers, 0.0).sum(axis=2), np.where(right, 0.0, speakers)
    tokens, errors = speakers.sum(axis=2), wrong.sum(axis=2)
    accuracy = _accuracies(correct, tokens)
    usual = np.nan_to_num(divided(wrong.sum(axis=0), errors.sum(axis=0)[:, None]))
    kinds = np.broadcast_to(np.arange(wrong[0].size).reshape(wrong[0].shape), wrong.shape)
    correlation = _correlation(wrong, np.broadcast_to(errors[..., None], wrong.shape), kinds)
    own = np.where(errors[..., None] > 0, np.nan_to_num(divided(wrong, errors[..., None])) - usual, 0.0)
    mixed = usual + _shrinking(errors, correlation)[..., None] * own
    return np.asarray(np.where(right, accuracy[..., None], (1 - accuracy[..., None]) * mixed))


def _accuracies(correct: Floats, tokens: Floats) -> Floats:
    """Return the share of right tokens of each speaker and phone, without chance, [C, T]."""
    usual = np.nan_to_num(divided(correct.sum(axis=0), tokens.sum(axis=0)))
    steepness = usual * (1 - usual)
    information = (tokens * steepness).sum(axis=1)
    excess = (correct - tokens * usual).sum(axis=1)
    effect, variance = np.nan_to_num(divided(excess, information)), _variance(excess, information)
    phones = np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape)
    every = float(tokens.sum())
    common = variance * float((tokens * steepness).sum()) / every if every else 0.0
    correlation = max(0.0, _correlation(correct, tokens, phones) - common)
    shrunk = np.sqrt(variance * information / (1 + variance * information)) * effect
    own = np.where(tokens > 0, np.nan_to_num(divided(correct, tokens)) - usual - effect[:, None] * steepness, 0.0)
    return np.clip(usual + shrunk[:, None] * steepness + _shrinking(tokens, correlation) * own, 0.0, 1.0)


def _variance(excess: Floats, information: Floats) -> float:
    """Return τ², how much speakers differ in all phones alike, on the logit scale; ≥ 0."""
    total = float(information.sum())
    if not total:
        return 0.0
    spread = float(np.nan_to_num(divided(excess**2, information)).sum()) - (np.count_nonzero(information) - 1)
    scale = total - float((information**2).sum()) / total
    return max(0.0, spread / scale) if scale > 0 else 0.0


def _shrinking(tokens: Floats, correlation: float) -> Floats:
    return np.sqrt(tokens * correlation / (1 + np.maximum(tokens - 1, 0) * correlation))


def _correlation(events: Floats, tokens: Floats, kinds: np.ndarray) -> float:
    """Return the correlation of tokens of one speaker and kind, pooled over kinds."""
    there = tokens > 0
    number = int(kinds.max(initial=-1)) + 1
    return ClusteredTokens(kinds[there], tokens[there], events[there], number).correlation()


def ways(first: int, second: int) -> int:
    """Return in how many ways speakers can be dealt to two corpora of these sizes.

    Examples
    --------
    >>> ways(4, 4), ways(1, 9)
    (70, 10)
    """
    return comb(first + second, first)


def undealt(first: Resampling, second: Resampling) -> str:
    """Return why speakers cannot be dealt to two corpora, "" where they can."""
    for corpus in (first, second):
        if corpus.unit != "speaker":
            return (
                "no test: it deals whole speakers, and here utterances are resampled (give speakers, cluster: speaker)"
            )
        if corpus.number < 2:
            return "no test: it deals whole speakers, and one of the languages has one only"
    return ""
