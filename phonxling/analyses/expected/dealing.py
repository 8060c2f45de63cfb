"""Two corpora's confusions where chance alone tells them apart: whole speakers dealt anew to the two corpora.

The null hypothesis is that speakers of both corpora are heard alike: p(x|y) of a speaker comes from one population. How
often a corpus says y may differ, and so may the number of speakers and of tokens. Speakers who were dealt with all
their tokens would even out these too: rows that rest on few tokens in one corpus would rest on many in a deal, whose
divergences are then smaller by chance than the real ones. So the places are kept, and speakers are dealt to places. A
deal has three steps:

1. How a speaker hears: the shares of all speakers together, and his own deviations from his corpus, which are drawn
   towards 0 so that speakers differ as much as they really do, without the chance of their few tokens: each is
   multiplied by √(C/(C − 1)) for C speakers, and by the square root of its reliability. His share of right tokens a(y)
   has two deviations: c·a(y)(1 − a(y)), what makes him worse in all phones alike, and what is left. His shares of wrong
   phones q(x|y) have one.
2. The speakers are dealt to the places of all speakers, without replacement. A place keeps its tokens of each phone.
3. Each token of both corpora's table together goes to one of the places, with odds of how many such tokens the speaker
   there would give. So rare confusions stay as rare as they are.

Reliability of n tokens is nρ/(1 + (n − 1)ρ), ρ the correlation of tokens of one speaker and phone by analysis of
variance, see `resample.proportion`; that of c is τ²I/(1 + τ²I), I = Σ_y n(y)a(y)(1 − a(y)), τ² by moments. Fractional
counts are rounded in step 3.

References
----------
Davison & Hinkley (1997), section 3.8: shrinking clusters before they are resampled. DerSimonian & Laird (1986): τ².
"""

from collections.abc import Iterator

import numpy as np

from phonxling.core.arrays import Bools, Floats, divided
from phonxling.resample.proportion import ClusteredTokens
from phonxling.resample.weights import Resampling


def deals(
    first: Floats, second: Floats, right: Bools, *, number: int, generator: np.random.Generator
) -> Iterator[tuple[Floats, Floats]]:
    """Yield what both corpora would be by chance, so many times: each place's counts, [C1, T, P] and [C2, T, P].

    Parameters
    ----------
    first, second : float64 array [C1, T, P] and [C2, T, P]
        Each speaker's counts.
    right : bool array [T, P]
        The cells of phones that were heard right; at most one in a row.
    """
    speakers = np.concatenate([first, second])
    tokens = np.rint(speakers.sum(axis=0)).astype(np.int64)
    rows, columns = np.nonzero(tokens)  # cells without tokens draw nothing
    of_cells = tokens[rows, columns]
    places, shares = speakers.sum(axis=2)[:, rows], heard_shares(first, second, right)[:, rows, columns]
    for _ in range(number):
        given = places * shares[generator.permutation(len(speakers))]
        odds = divided(given, given.sum(axis=0), undefined=1 / len(speakers))
        counts = np.zeros(speakers.shape)
        counts[:, rows, columns] = generator.multinomial(of_cells, (odds / odds.sum(axis=0)).T).T
        yield counts[: len(first)], counts[len(first) :]


def heard_shares(first: Floats, second: Floats, right: Bools) -> Floats:
    """Return how each speaker hears, without the chance of few tokens: p(x|y), [C1 + C2, T, P]; see step 1."""
    speakers = np.concatenate([first, second])
    corpus = np.repeat([0, 1], [len(first), len(second)])
    wrong = np.where(right, 0.0, speakers)
    tokens, errors = speakers.sum(axis=2), wrong.sum(axis=2)
    accuracy = _accuracies(tokens - errors, tokens, corpus)
    own = _deviations(wrong, errors[..., None], corpus)
    correlation = _correlation(wrong, np.broadcast_to(errors[..., None], wrong.shape), corpus)
    mixed = _usual(wrong, errors[..., None]) + _shrinking(errors, correlation)[..., None] * own
    mixed = np.maximum(mixed, 0.0)
    mixed = divided(mixed, mixed.sum(axis=2, keepdims=True), undefined=0.0)
    return np.asarray(np.where(right, accuracy[..., None], (1 - accuracy[..., None]) * mixed))


def _accuracies(correct: Floats, tokens: Floats, corpus: np.ndarray) -> Floats:
    """Return the share of right tokens of each speaker and phone, without chance, [C, T]."""
    usual = _usual(correct, tokens)
    steepness = usual * (1 - usual)
    information = (tokens * steepness).sum(axis=1, keepdims=True)
    own = _deviations(correct, tokens, corpus)
    effect = divided((tokens * own).sum(axis=1, keepdims=True), information, undefined=0.0)
    variance = _variance(effect, information)
    every = float(tokens.sum())
    common = variance * float(information.sum()) / every if every else 0.0
    correlation = max(0.0, _correlation(correct, tokens, corpus) - common)
    shrunk = np.sqrt(variance * information / (1 + variance * information)) * effect * steepness
    rest = np.where(tokens > 0, own - effect * steepness, 0.0)
    return np.asarray(np.clip(usual + shrunk + _shrinking(tokens, correlation) * rest, 0.0, 1.0))


def _usual(events: Floats, tokens: Floats) -> Floats:
    """Return the share of events of all speakers together."""
    return divided(events.sum(axis=0), tokens.sum(axis=0), undefined=0.0)


def _deviations(events: Floats, tokens: Floats, corpus: np.ndarray) -> Floats:
    """Return each speaker's share less that of his corpus, times √(C/(C − 1)); 0 without tokens."""
    deviations = np.zeros(events.shape)
    for one in (0, 1):
        chosen = corpus == one
        number = int(np.count_nonzero(chosen))
        apart = divided(events[chosen], tokens[chosen]) - _usual(events[chosen], tokens[chosen])
        deviations[chosen] = np.nan_to_num(apart) * np.sqrt(number / max(number - 1, 1))
    return deviations


def _variance(effect: Floats, information: Floats) -> float:
    """Return τ², how much speakers differ in all phones alike, on the logit scale; ≥ 0."""
    total = float(information.sum())
    scale = total - float((information**2).sum()) / total if total else 0.0
    spread = float((information * effect**2).sum()) - np.count_nonzero(information)
    return max(0.0, spread / scale) if scale > 0 else 0.0


def _shrinking(tokens: Floats, correlation: float) -> Floats:
    return np.asarray(np.sqrt(tokens * correlation / (1 + np.maximum(tokens - 1, 0) * correlation)))


def _correlation(events: Floats, tokens: Floats, corpus: np.ndarray) -> float:
    """Return the correlation of tokens of one speaker and kind, pooled over the kinds of both corpora."""
    cells = events[0].size
    kinds = corpus.reshape(-1, *[1] * (events.ndim - 1)) * cells + np.arange(cells).reshape(events[0].shape)
    some = tokens > 0
    return ClusteredTokens(kinds[some], tokens[some], events[some], 2 * cells).correlation()


def undealt(first: Resampling, second: Resampling) -> str:
    """Return why speakers cannot be dealt to two corpora, "" where they can."""
    for corpus in (first, second):
        if corpus.unit != "speaker":
            return "no test: it deals whole speakers, and utterances are resampled here (give speakers)"
        if corpus.number < 2:
            return "no test: it deals whole speakers, and one of the languages has one only"
    return ""
