"""Summary rows of the confusion matrix' measures beside chance: entropies, information, τ, one-to-one accuracy.

A null is the mean of a model's replicates, each aligned anew; what is above it is resampled together with it. Intervals
are the value ± z standard deviations of its draws, since resampling shifts these measures themselves.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.chance.levels import ChanceLevel
from phonxling.analyses.chance.rate_rows import described, judged
from phonxling.analyses.rows import Row, row_of
from phonxling.core.estimate import Estimate
from phonxling.resample.bootstrap import estimate
from phonxling.resample.weights import divided

Floats = NDArray[np.float64]
_Above = Callable[[Floats, Floats, Floats], Floats]  # of the measure, its null, and H(gold)


@dataclass(frozen=True)
class _Beside:
    """A measure beside chance: what its rows are called, and what is above chance.

    `lowest`: whether the hardest null is the lowest one. `constant`: whether always saying one phone is a null of it.
    `gaps`: whether ∅ may be a symbol of it; it is left out of the others whatever the configuration says.
    """

    measure: str
    unit: str
    null: tuple[str, str]  # measure, and what stands before a model's name in the variant
    above: tuple[tuple[str, str, str, _Above], ...]  # measure, prefix of the variant, unit, what it is
    lowest: bool = False
    constant: bool = False
    gaps: bool = True


def _difference(value: Floats, null: Floats, _: Floats) -> Floats:
    return value - null


def _less_share(value: Floats, null: Floats, _: Floats) -> Floats:
    return 1 - divided(value, null)


def _adjusted(value: Floats, null: Floats, whole: Floats) -> Floats:
    return divided(value - null, whole - null)


_BESIDE = (
    *(
        _Beside(name, "bits", (f"chance_{name}", ""), ((f"skill_{name}", "", "ratio", _less_share),), lowest=True)
        for name in ("conditional_entropy", "conditional_entropy_given_predicted")
    ),
    _Beside(
        "mutual_information",
        "bits",
        ("mutual_information_null", ""),
        (
            ("mutual_information_excess", "", "bits", _difference),
            ("skill_mutual_information", "", "ratio", _adjusted),
        ),
    ),
    _Beside(
        "correspondence_tau",
        "ratio",
        ("correspondence_tau", "null"),
        (("correspondence_tau", "excess", "ratio", _difference),),
        constant=True,
        gaps=False,
    ),
    _Beside(
        "cross-fitted",
        "ratio",
        ("one_to_one_accuracy", "null"),
        (("one_to_one_accuracy", "excess", "ratio", _difference),),
        constant=True,
        gaps=False,
    ),
)
_WITHOUT = "the constant is left out: it has no information, and its H(X|Y) is 0"
_ALIGNED = "of the ml estimate: predictions redrawn and aligned anew"


def beside_chance(analysis: AnalysedCorpus) -> Iterator[Row]:
    """Yield one-to-one accuracy, and the null of each measure of the confusions with what is above it."""
    if analysis.asked is None:
        return
    yield from _one_to_one(analysis)
    for what in _BESIDE:
        yield from _rows(what, analysis)
    yield from _p_value(analysis)


def _one_to_one(analysis: AnalysedCorpus) -> Iterator[Row]:
    notes = {"cross-fitted": "one utterance has no halves", "in-sample": ""}
    pairs = _pairs(analysis, gaps=False)
    empty = "" if pairs else "no gold phone was aligned with a predicted one"
    for variant, undefined in notes.items():
        value = analysis.measures[variant]
        found = _interval(value, analysis.drawn_measures[variant], analysis, 0.0, 1.0)
        high = "too high: assigned and scored on the same tokens" if variant == "in-sample" else ""
        yield Row("one_to_one_accuracy", found, pairs, variant, (empty or undefined) if np.isnan(value) else high)


def _rows(what: _Beside, analysis: AnalysedCorpus) -> Iterator[Row]:
    n = _pairs(analysis, gaps=what.gaps)
    levels = [level for level in analysis.chance if what.constant or level.model != "constant"]
    hardest = _hardest(levels, what)
    named = [(level.model, level) for level in levels] + ([("best", hardest)] if hardest else [])
    left_out = _WITHOUT if len(levels) < len(analysis.chance) else ""
    bounds = -1.0 if what.measure == "correspondence_tau" else 0.0, np.inf if what.unit == "bits" else 1.0
    for variant, level in named:
        name = _variant(what.null[1], variant)
        if level.missing:
            yield row_of(what.null[0], np.nan, n, name, level.missing)
            continue
        values = level.measures[what.measure]
        found = _interval(float(np.mean(values)), level.drawn_measures[what.measure], analysis, *bounds)
        said = [described(level, variant), _ALIGNED if what.unit == "bits" else "", left_out * (variant == "best")]
        note = _undefined(what) if np.isnan(found.value) else "; ".join(filter(None, said))
        yield Row(what.null[0], found, n, name, note)
    for measure, prefix, unit, above in what.above:
        for variant, level in named:
            yield _above_row(what, (measure, _variant(prefix, variant), unit, above), level, analysis, variant)


def _above_row(
    what: _Beside, row: tuple[str, str, str, _Above], level: ChanceLevel, analysis: AnalysedCorpus, variant: str
) -> Row:
    measure, name, _, above = row
    n = _pairs(analysis, gaps=what.gaps)
    if level.missing:
        return row_of(measure, np.nan, n, name, level.missing)
    value = np.array([analysis.measures[what.measure]]), np.array([np.mean(level.measures[what.measure])])
    drawn = analysis.drawn_measures[what.measure], level.drawn_measures[what.measure]
    whole = np.array([analysis.measures["entropy_gold"]]), analysis.drawn_measures["entropy_gold"]
    point = float(above(*value, whole[0])[0])
    most = 1.0 if measure.startswith("skill") else np.inf
    found = _interval(point, above(*drawn, whole[1]), analysis, -np.inf, most)
    note = _undefined(what) if np.isnan(point) else judged(found, level) * (variant == "best")
    return Row(measure, found, n, name, note)


def _p_value(analysis: AnalysedCorpus) -> Iterator[Row]:
    """Yield the share of shuffled replicates with as much information: a permutation test within similar lengths."""
    level = next((level for level in analysis.chance if level.model == "shuffled"), None)
    if level is None:
        return
    if level.missing or np.isnan(analysis.measures["mutual_information"]):
        why = level.missing or "no gold phone was aligned with a predicted one"
        yield row_of("mutual_information_p", np.nan, _pairs(analysis), "shuffled", why)
        return
    null = level.measures["mutual_information"]
    p = (int((null >= analysis.measures["mutual_information"]).sum()) + 1) / (len(null) + 1)
    note = f"least possible: {1 / (len(null) + 1):.2g}; more chance.replicates make it finer"
    yield row_of("mutual_information_p", p, _pairs(analysis), "shuffled", note)


def _interval(value: float, drawn: Floats, analysis: AnalysedCorpus, low: float, high: float) -> Estimate:
    """Return a number that lies between `low` and `high` with its interval."""
    found = estimate(value, drawn, analysis.resampling, "normal", centre=value)
    return replace(found, low=float(np.clip(found.low, low, high)), high=float(np.clip(found.high, low, high)))


def _hardest(levels: list[ChanceLevel], what: _Beside) -> ChanceLevel | None:
    known = [(float(np.mean(level.measures[what.measure])), level) for level in levels if not level.missing]
    there = [(value, level) for value, level in known if not np.isnan(value)]
    if not there:
        return None
    return (min if what.lowest else max)(there, key=lambda pair: pair[0])[1]


def _variant(prefix: str, variant: str) -> str:
    return f"{prefix} {variant}" if prefix else variant  # never "null" alone, which pandas reads as missing


def _undefined(what: _Beside) -> str:
    if what.measure == "correspondence_tau":
        return "needs feature costs, and two different probabilities and similarities"
    return "not defined: no phones, one utterance only, or a null that leaves nothing to explain"


def _pairs(analysis: AnalysedCorpus, *, gaps: bool = True) -> float:
    """Return the aligned pairs, those with ∅ too where it may be a symbol and the configuration makes it one."""
    matrix = analysis.matrix
    return float((matrix.counts if gaps and analysis.asked and analysis.asked.gaps else matrix.substitutions).sum())
