"""How utterances differ: median, standard deviation and range of their rates, over utterances that have gold phones.

The limits of a median are the quantiles at the limits of the share of utterances below it, ½ for those at it (Woodruff
1952, Confidence intervals for medians and other position measures): that share is a ratio of sums by cluster.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from phonxling.analyses.beside_chance import summed
from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.rates.error_rate import utterance_rates
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import Estimate
from phonxling.resample.intervals import estimate

_NONE, _ONE = "no utterance has gold phones", "not defined for one utterance"


def utterance_spread(rate: str, analysed: AnalysedCorpus, cost: Floats) -> Iterator[Row]:
    """Yield median, standard deviation, least and largest rate of utterances; `cost` [U] is the rate's numerator."""
    rates = utterance_rates(cost, analysed.corpus.gold.lengths)
    known = rates[~np.isnan(rates)]
    numbers = {"median": median(rates, analysed), "sd": deviation(rates, analysed)}
    numbers |= {name: Estimate(float(of(known))) for name, of in (("min", np.min), ("max", np.max)) if len(known)}
    for name in ("median", "sd", "min", "max"):
        number = numbers.get(name, Estimate(math.nan))
        note = "" if not math.isnan(number.value) else _ONE if len(known) else _NONE
        yield row_of(f"{rate}_{name}", number, len(known), "", note)


def median(rates: Floats, analysed: AnalysedCorpus) -> Estimate:
    """Return the median of rates [U], NaN left out, with the limits of Woodruff."""
    known = ~np.isnan(rates)
    if not known.any():
        return Estimate(math.nan)
    middle = float(np.median(rates[known]))
    below = np.where(known, (rates < middle) + 0.5 * (rates == middle), 0.0)
    share = analysed.resampling.ratio(below, known.astype(np.float64), "share")
    if math.isnan(share.low):
        return replace(share, value=middle)
    low, high = np.quantile(rates[known], [min(share.low, 0.5), max(share.high, 0.5)])
    return replace(share, value=middle, low=float(low), high=float(high))


def deviation(rates: Floats, analysed: AnalysedCorpus) -> Estimate:
    """Return √(Σ (x − mean)² / (n − 1)) of rates [U], NaN left out; NaN for fewer than two."""
    known, values = (~np.isnan(rates)).astype(np.float64), np.nan_to_num(rates)
    n, first, second = summed(analysed, known, values, values**2)

    def spread(number: Floats, total: Floats, squares: Floats) -> Floats:
        return np.sqrt(np.maximum(divided(squares - divided(total**2, number), number - 1), 0.0))

    drawn, left_out = (spread(*(getattr(part, kind) for part in (n, first, second))) for kind in ("drawn", "left_out"))
    value = float(np.std(rates[known > 0], ddof=1)) if known.sum() > 1 else math.nan
    return estimate(value, drawn, analysed.resampling, kind="rate", left_out=left_out)
