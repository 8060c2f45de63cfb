"""Intervals of each phone's numbers in phones.tsv, and the warning where it has too few tokens."""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.correspondence.tau import tau_interval
from phonxling.analyses.information.entropy import Given
from phonxling.core.arrays import Floats, sum_by
from phonxling.core.estimate import Estimate
from phonxling.resample.information_interval import FEW_TOKENS, information_interval
from phonxling.resample.intervals import estimate
from phonxling.resample.jackknife import cluster_cells, jackknifed_rows
from phonxling.resample.proportion import ClusteredTokens, with_wilson


def shares_of_tokens(analysis: AnalysedCorpus, side: Given, what: str) -> ClusteredTokens:
    """Return how many tokens each phone of a side has in each cluster, and how many are `correct` or `deleted`."""
    parts = cluster_cells(analysis.stack, analysis.resampling, gaps=True)
    parts = parts if side == "gold" else parts.transposed()
    phones, others = parts.shape[0] - 1, parts.shape[1] - 1
    same = np.pad(analysis.matrix.same_symbol(), ((0, 1), (0, 1)))
    same = same if side == "gold" else same.T
    own = parts.row < phones
    event = same[parts.row, parts.column] if what == "correct" else parts.column == others
    keys, places = np.unique(parts.cluster[own] * phones + parts.row[own], return_inverse=True)
    tokens, events = (sum_by(places, counts[own], len(keys)) for counts in (parts.count, parts.count * event))
    return ClusteredTokens(keys % max(phones, 1), tokens, events, phones)


def share_limits(analysis: AnalysedCorpus, side: Given, what: str) -> tuple[Floats, Floats]:
    """Return the limits of each phone's share of `correct` or `deleted` tokens, [phones] each.

    Wilson's on the effective number of tokens where fewer than five of them show it, or lack it; else the bootstrap's.
    """
    found, drawn = shares_of_tokens(analysis, side, what), getattr(analysis.drawn, side)
    draws = drawn.accuracy if what == "correct" else drawn.deletion_rate
    total, events = found.by_kind(found.tokens), found.by_kind(found.events)
    value = np.where(total > 0, events / np.where(total > 0, total, 1), np.nan)
    low, high = _limits(
        estimate(float(one), row, analysis.resampling, analysis.resampling.limits, left_out=left)
        for one, row, left in zip(value, draws, _left_out(found), strict=True)
    )
    if analysis.resampling.number < 2 or not analysis.resampling.replicates:
        return low, high
    return with_wilson(found, low, high, analysis.resampling.level)


def entropy_limits(analysis: AnalysedCorpus, side: Given, values: Floats) -> tuple[Floats, Floats, list[str]]:
    """Return the limits of each phone's entropy, and what is to be said of it: too few tokens, no interval."""
    parts = analysis.clusters if side == "gold" else analysis.clusters.transposed()
    jackknifed, drawn = jackknifed_rows(parts), getattr(analysis.drawn, side).entropy
    tokens, number = parts.table().sum(axis=1), len(values)  # with gaps there is a row of ∅, last
    corrected = jackknifed.value[:number], jackknifed.error[:number]
    found = [
        information_interval(
            float(value), draws, centre=float(centre), error=float(error), resampling=analysis.resampling
        )
        for value, draws, centre, error in zip(values, drawn, *corrected, strict=True)
    ]
    same = np.asarray(analysis.matrix.same_symbol().any(axis=1 if side == "gold" else 0))
    other = f"no {'predicted' if side == 'gold' else 'gold'} phone has this symbol"
    said = (("" if there else other, *_said(*one)) for there, *one in zip(same, found, tokens[:number], strict=True))
    return *_limits(found), ["; ".join(filter(None, parts)) for parts in said]


def tau_limits(analysis: AnalysedCorpus, values: Floats) -> tuple[Floats, Floats]:
    """Return the limits of each gold phone's τ."""
    drawn = analysis.drawn.phone_tau
    draws = drawn if drawn.shape[1] else np.zeros((len(values), 0))
    return _limits(tau_interval(float(one), row, analysis.resampling) for one, row in zip(values, draws, strict=True))


def cost_limits(analysis: AnalysedCorpus, values: Floats) -> tuple[Floats, Floats]:
    """Return the percentile limits of each gold phone's mean cost of a substitution."""
    draws = analysis.drawn.gold.mean_substitution_cost
    return _limits(estimate(float(one), row, analysis.resampling) for one, row in zip(values, draws, strict=True))


def _said(found: Estimate, tokens: float) -> tuple[str, str]:
    few = f"fewer than {FEW_TOKENS} tokens: no estimate of the entropy is to be trusted"
    outside = not found.low <= found.value <= found.high and not math.isnan(found.low)
    none = f"entropy: {found.note}" if found.note.startswith("no interval") or outside else ""
    return few * bool(0 < tokens < FEW_TOKENS), none


def _left_out(found: ClusteredTokens) -> Iterator[Floats]:
    """Yield each kind's share without each cluster that has tokens of it."""
    total, events = found.by_kind(found.tokens), found.by_kind(found.events)
    for kind in range(found.kinds):
        own = found.kind == kind
        left = total[kind] - found.tokens[own]
        yield np.where(left > 0, (events[kind] - found.events[own]) / np.where(left > 0, left, 1), np.nan)


def _limits(found: Iterator[Estimate] | list[Estimate]) -> tuple[Floats, Floats]:
    each = list(found)
    return np.array([one.low for one in each], dtype=np.float64), np.array([one.high for one in each], dtype=np.float64)
