"""The numbers that a metric gives."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from phonxling.analyses.rates.error_rate import NO_RATE, aligned_error_rate, operations, weighted_phone_error_rate
from phonxling.core.costs import CostTable
from phonxling.core.display.shown import Shown, counted
from phonxling.core.errors import shown
from phonxling.core.estimate import Estimate, joined
from phonxling.experiment.metric.sums import COST, ERRORS, TOKENS, Sums
from phonxling.resample.linear_algebra import one_thread

_NOTE = 200  # letters of a note that are printed
_NOTHING = "nothing was counted yet: call update(gold, predicted) first"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PhoneErrorRates(Shown):
    """What `PhoneErrors.compute` returns; the names are those of a run's summary.

    Parameters
    ----------
    per : Estimate
        Phone error rate, ≥ 0: least number of edits / gold phones. That of other tools, whatever the costs.
    wper : Estimate
        Weighted phone error rate, ≥ 0: cost of the alignments under the costs / gold phones.
    per_aligned : float
        Errors of these alignments / gold phones: at least `per`, and the same under unit costs.
    correct, substitutions, deletions, insertions : int
        Phones of these alignments.
    gold_tokens : int
        Gold phones.
    utterances : int
        Utterances.
    """

    per: Estimate
    wper: Estimate
    per_aligned: float
    correct: int
    substitutions: int
    deletions: int
    insertions: int
    gold_tokens: int
    utterances: int

    def _facts(self) -> Iterator[str]:
        for name, rate in (("PER", self.per), ("wPER", self.wper)):
            limits = "" if math.isnan(rate.low) else f" [{rate.low:.4g}, {rate.high:.4g}]"
            yield f"{name} {rate.value:.4g}{limits}"
        yield f"under the costs {counted(self.substitutions, 'substitution')}"
        yield from (counted(self.deletions, "deletion"), counted(self.insertions, "insertion"))
        yield counted(self.gold_tokens, "gold phone")
        yield counted(self.utterances, "utterance")
        yield shown(self.per.note, _NOTE)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a rate: measure, value, low, high, level, note."""
        rates = [rate.to_frame().assign(measure=name) for name, rate in (("per", self.per), ("wper", self.wper))]
        return pd.concat(rates, ignore_index=True)[["measure", "value", "low", "high", "level", "note"]]

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name, for loggers: rates, limits (`per_low`, `per_high`), counts; NaN: undefined.

        Examples
        --------
        >>> from phonxling.experiment.metric.phone_errors import PhoneErrors
        >>> errors = PhoneErrors()
        >>> errors.update("p a t a", "b a t")
        >>> numbers = errors.compute().to_dict()
        >>> numbers["per"], numbers["deletions"], numbers["gold_tokens"]
        (0.5, 1.0, 4.0)
        """
        limits = {
            f"{name}_{side}": getattr(rate, side)
            for name, rate in (("per", self.per), ("wper", self.wper))
            for side in ("low", "high")
        }
        values = {"per": self.per.value, "wper": self.wper.value, **limits, "per_aligned": self.per_aligned}
        names = ("correct", "substitutions", "deletions", "insertions", "gold_tokens", "utterances")
        return values | {name: float(getattr(self, name)) for name in names}


def rates_of(sums: Sums, costs: CostTable, *, replicates: int, level: float, seed: int) -> PhoneErrorRates:
    """Return the rates of sums, `costs` being those between the phones of their matrix."""
    with one_thread():
        per, wper = _estimates(sums.in_one_order(), replicates, level, seed)
    if not costs.as_rate:
        wper = Estimate(math.nan, note=costs.name + NO_RATE)
    elif len(sums):  # the same sum as of a matrix, to the last bit
        value = weighted_phone_error_rate(sums.matrix, costs)
        wper = replace(wper, value=value, note=joined([wper.note, costs.note]))
    counted = operations(sums.matrix)
    return PhoneErrorRates(
        per=per,
        wper=wper,
        per_aligned=aligned_error_rate(sums.matrix),
        correct=int(counted.correct),
        substitutions=int(counted.substitutions),
        deletions=int(counted.deletions),
        insertions=int(counted.insertions),
        gold_tokens=int(counted.gold_tokens),
        utterances=len(sums),
    )


def _estimates(sums: Sums, replicates: int, level: float, seed: int) -> tuple[Estimate, Estimate]:
    if not len(sums):
        return Estimate(math.nan, note=_NOTHING), Estimate(math.nan, note=_NOTHING)
    drawn, tokens = sums.resampled(replicates, level, seed), sums.column(TOKENS)
    cost = sums.column(COST) / sums.denominator
    return drawn.ratio(sums.column(ERRORS), tokens, "rate"), drawn.ratio(cost, tokens, "rate")
