"""Asymmetric confusions: pairs of phones a, b of which one is taken for the other more than the other way round.

The question
------------
Whether p(b|a) differs from p(a|b), not whether the counts differ: if a is said twice as often as b, twice as many a → b
is what symmetry looks like. (McNemar's test and the plain binomial test of the two counts against ½ answer the question
about counts.) Shares are of the tokens that were not deleted, as in confusions.tsv.

The test
--------
Tokens of one speaker or utterance depend on each other, and many pairs have few confusions. Two tests each mind one of
these; p is the larger of their two p-values, which keeps the level where either does:

- by cluster: (p(b|a) − p(a|b)) / its bootstrap standard error, on C − 1 degrees of freedom, C effective clusters;
- exact: given n = n_ab + n_ba confusions, n_ab is binomial(n, N_a / (N_a + N_b)) when the rates are equal, N_a, N_b
  the tokens (two Poisson rates compared; Przyborowski & Wilenski 1940). Two-sided. Fractional counts are rounded.

Below ten confusions of a pair there is no p: hardly any difference could be told. q is Benjamini & Hochberg's (1995)
over the pairs of the corpus that have a p.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from phonxling.analyses.case import Case, Items
from phonxling.core.arrays import Codes, Floats, divided, whole
from phonxling.core.confusion import ConfusionMatrix, ConfusionStack
from phonxling.resample.intervals import Resampling, estimate
from phonxling.resample.p_values import adjusted, binomial_p
from phonxling.resample.replicates import over_replicates
from phonxling.resample.student import FEW_CLUSTERS, contrast, spread, too_few
from phonxling.resample.two_corpora import FEW_EVENTS


def asymmetries(case: Case, _: None) -> Items:
    """Yield asymmetry.tsv."""
    table = asymmetry(case.counted.stack, case.counted.resampling)
    counts = ("count_there", "count_back", "tokens", "tokens_other")
    yield "asymmetry", table.assign(**{name: whole(table[name].to_numpy()) for name in counts})


def asymmetry(stack: ConfusionStack, resampling: Resampling) -> pd.DataFrame:
    """Return each pair of phones that both sides have and that is confused at all."""
    matrix = stack.total()
    pairs = _pairs(matrix)
    (forth, back), (first, second) = _both_ways(matrix.counts, pairs)
    phones, shares = np.array(matrix.gold.phones, dtype=object), (divided(forth, first), divided(back, second))
    difference = shares[0] - shares[1]

    def differences(counts: Floats) -> Floats:
        (forth, back), (first, second) = _both_ways(counts, pairs)
        return divided(forth, first) - divided(back, second)

    drawn = np.ascontiguousarray(over_replicates(stack, resampling, differences).T)
    by_cluster = contrast(difference, spread(drawn, resampling.effective), resampling.level).p
    estimates = [estimate(value, draws, resampling) for value, draws in zip(difference, drawn.T, strict=True)]
    counts = zip(*(one.tolist() for one in (forth, back, first, second)), strict=True)
    reasons, p = [], []
    for pair, own in zip(counts, by_cluster, strict=True):
        reasons.append(_no_test(pair, resampling))
        p.append(np.nan if reasons[-1] else max(_exact(*pair), float(np.nan_to_num(own))))
    return pd.DataFrame(
        {
            "phone": phones[pairs[:, 0]],
            "other": phones[pairs[:, 2]],
            "count_there": forth,
            "count_back": back,
            "tokens": first,
            "tokens_other": second,
            "p_there": shares[0],
            "p_back": shares[1],
            "difference": difference,
            "low": [number.low for number in estimates],
            "high": [number.high for number in estimates],
            "p": p,
            "q": adjusted(p),
            "note": [reason or number.note for reason, number in zip(reasons, estimates, strict=True)],
        }
    )


def _pairs(matrix: ConfusionMatrix) -> Codes:
    """Return rows and columns of the confused pairs, [K, 4]: (row of a, column of b, row of b, column of a)."""
    gold, predicted = matrix.gold, matrix.predicted
    common = [phone for phone in gold if phone in predicted]
    codes = [(gold.code(a), predicted.code(b), gold.code(b), predicted.code(a)) for a, b in combinations(common, 2)]
    pairs = np.array(codes, dtype=np.int64).reshape(-1, 4)
    forth, back = _both_ways(matrix.counts, pairs)[0]
    return pairs[forth + back > 0]


def _both_ways(counts: Floats, pairs: Codes) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return the confusions of each pair, there and back, and the aligned tokens of both phones, [K …] each."""
    tokens = counts[:-1, :-1].sum(axis=1)
    confused = counts[pairs[:, 0], pairs[:, 1]], counts[pairs[:, 2], pairs[:, 3]]
    return confused, (tokens[pairs[:, 0]], tokens[pairs[:, 2]])


def _no_test(pair: tuple[float, ...], resampling: Resampling) -> str:
    """Return why a pair is not tested, "" when it is."""
    forth, back, first, second = pair
    reasons = {
        "no test: one of the phones has no aligned token": not min(first, second),
        f"no test: fewer than {FEW_EVENTS} confusions": forth + back < FEW_EVENTS,
        "no test: no resamples": not resampling.replicates,
        f"no test: fewer than {FEW_CLUSTERS} effective {resampling.unit}s": bool(too_few(resampling.effective)),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _exact(forth: float, back: float, first: float, second: float) -> float:
    return binomial_p(round(forth), round(forth) + round(back), first / (first + second))
