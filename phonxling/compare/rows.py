"""The rows of a comparison: values, differences, tests."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.compare.definitions import signature_of, unlike
from phonxling.compare.difference import contrast
from phonxling.compare.items import Item
from phonxling.compare.matched_pairs import matched_pairs, segment_errors
from phonxling.compare.measures import JACKKNIFED, OF_CONFUSIONS, RATES, SKILLS, UNSTORED, Measured
from phonxling.compare.pairs import Pair
from phonxling.compare.randomisation import approximate_randomisation
from phonxling.core.alignment import Alignments
from phonxling.core.estimate import Estimate
from phonxling.resample.bootstrap import estimate
from phonxling.tables.files import table_of

Floats = NDArray[np.float64]
MEASURES = (
    *((name, "") for name in RATES),
    *((name, "best") for name in SKILLS),
    *((name, JACKKNIFED) for name in OF_CONFUSIONS),
)
RANDOMISATION, MATCHED = "approximate randomisation", "MAPSSWE"


@dataclass(frozen=True, eq=False)
class Numbers:
    """All headline values of one item, points [K], their draws [R, K], and the estimate of each."""

    points: Floats
    drawn: Floats
    estimates: tuple[Estimate, ...]


def numbers_of(one: Measured) -> Numbers:
    """Return an item's headline numbers in the order of MEASURES; intervals are the summary's where it has them."""
    drawn = np.hstack([one.rates, one.confusions[:, : len(OF_CONFUSIONS)]])
    points = np.concatenate([drawn[0, : -len(OF_CONFUSIONS)], one.information])
    estimates = [_estimate(one, place, float(points[place]), drawn[1:, place]) for place in range(len(MEASURES))]
    return Numbers(points, drawn[1:], tuple(estimates))


def _estimate(one: Measured, place: int, value: float, drawn: Floats) -> Estimate:
    measure, variant = MEASURES[place]
    row = _stored(one.item, measure, variant)
    if math.isnan(value):
        return Estimate(value)
    if row is not None and not math.isnan(row["low"]):
        return Estimate(value, row["low"], row["high"], row["level"])
    if variant == JACKKNIFED:
        return estimate(value, drawn, one.resampling, "normal", centre=value)
    return estimate(value, drawn, one.resampling)


def _stored(item: Item, measure: str, variant: str) -> Mapping[str, Any] | None:
    """Return the summary's row whose interval is of this number; None when it has none, or one of the plug-in."""
    if variant != JACKKNIFED:
        return item.stored(measure, variant)
    of_plug_in = item.settings["uncertainty"]["method"] in {"percentile", "basic"}
    estimators = () if of_plug_in else item.settings["entropy"]["estimators"]
    return next((row for name in estimators if (row := item.stored(measure, name)) is not None), None)


def headline_rows(pairs: Sequence[Pair], numbers: dict[str, Numbers], seed: int) -> pd.DataFrame:
    """Return comparison.tsv without q: the bootstrap of each measure, and the checks of pairs of same utterances."""
    return table_of("comparison/comparison", (row for pair in pairs for row in _pair_rows(pair, numbers, seed)))


def _pair_rows(pair: Pair, numbers: dict[str, Numbers], seed: int) -> Iterator[dict[str, object]]:
    first, second = (numbers[one.item.name] for one in (pair.first, pair.second))
    difference = first.points - second.points
    spread = pair.spread(first.drawn, second.drawn)
    level = pair.first.resampling.level
    found = contrast(difference, spread, level)
    for place in range(len(MEASURES)):
        base = _base(pair, place, numbers)
        notes = [_missing(pair, place, numbers)]
        if not notes[0]:
            weak = math.isnan(found.p[place])
            notes += ([_untested(pair)] if weak else []) + [pair.weakness]
            notes += [f"{spread.lost[place]:.0%} of the replicates have no value"] * bool(spread.lost[place])
        yield {
            **base,
            "difference": difference[place],
            "difference_low": found.low[place],
            "difference_high": found.high[place],
            "p": found.p[place],
            "test": pair.test,
            "note": "; ".join(filter(None, [*notes, str(base["note"])])),
        }
    if pair.paired:
        yield from _randomised(pair, numbers, seed)
        yield _matched(pair, numbers)


def _base(pair: Pair, place: int, numbers: dict[str, Numbers]) -> dict[str, object]:
    measure, variant = MEASURES[place]
    first, second = pair.first.item, pair.second.item
    one, other = (numbers[item.name].estimates[place] for item in (first, second))
    apart = unlike(first, second, measure, variant)
    signatures = dict.fromkeys(signature_of(item, measure, variant) for item in (first, second))
    return {
        "measure": measure,
        "variant": variant,
        "item": first.name,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "other": second.name,
        "other_value": other.value,
        "other_low": other.low,
        "other_high": other.high,
        "difference": one.value - other.value,
        "paired": "yes" if pair.paired else "no",
        "n": pair.first.tokens.sum(),
        "other_n": pair.second.tokens.sum(),
        "level": pair.first.resampling.level,
        "unit": "bits" if measure in OF_CONFUSIONS else "ratio",
        "note": f"definitions differ: {apart}" if apart else "",
        "signatures": " / ".join(signatures),
    }


def _missing(pair: Pair, place: int, numbers: dict[str, Numbers]) -> str:
    """Return why there is no difference, "" when there is one."""
    measure = MEASURES[place][0]
    for one in (pair.first, pair.second):
        if math.isnan(numbers[one.item.name].points[place]):
            if measure in OF_CONFUSIONS and one.item.averaged:
                return f"{one.item.name}: {UNSTORED}"
            if measure in OF_CONFUSIONS and one.resampling.number < 2:
                return (
                    f"{one.item.name}: one {one.resampling.unit} only, and the bias correction leaves out one at a time"
                )
            rate = measure.removeprefix("skill_")
            row = one.item.stored(measure, MEASURES[place][1]) or one.item.stored(rate)
            why = str(row["note"]) if row is not None and row["note"] and math.isnan(row["value"]) else ""
            needs = (
                "its results do not keep what it is made of by utterance" if measure in SKILLS else "it is not defined"
            )
            return f"{one.item.name}: {why or needs}"
    return ""


def _untested(pair: Pair) -> str:
    alone = [one for one in (pair.first, pair.second) if one.resampling.number < 2]
    if alone:
        return f"no test: {alone[0].item.name} has one {alone[0].resampling.unit} only"
    return "no test: the resampled values do not differ"


def _randomised(pair: Pair, numbers: dict[str, Numbers], seed: int) -> Iterator[dict[str, object]]:
    """Yield the check of each rate by swapping the two systems' outputs of a cluster."""
    drawn = pair.first.resampling
    apart = [pair.first.errors(measure) - pair.second.errors(measure) for measure in RATES]
    by_cluster = np.stack([np.bincount(drawn.clusters, column, drawn.number) for column in apart], axis=1)
    p = approximate_randomisation(np.nan_to_num(by_cluster), seed)
    for place in range(len(RATES)):
        missing = _missing(pair, place, numbers)
        base = _base(pair, place, numbers)
        if not missing:
            yield {**base, "p": p[place], "test": RANDOMISATION}
    if not (pair.first.item.averaged or pair.second.item.averaged):
        for place, value in enumerate(pair.randomised(seed).tolist(), start=len(MEASURES) - len(OF_CONFUSIONS)):
            if not math.isnan(value):
                yield {**_base(pair, place, numbers), "p": value, "test": RANDOMISATION}


def _matched(pair: Pair, numbers: dict[str, Numbers]) -> dict[str, object]:
    """Return NIST's test of the errors of the alignments."""
    first, second = pair.first.item.path, pair.second.item.path
    found = matched_pairs(*segment_errors(_operations(first), _operations(second)))
    base = _base(pair, RATES.index("per_aligned"), numbers)
    what = f"{found.segments} segments, mean difference {found.mean:.4f} errors, z {found.z:.3f}"
    averaged = "of one best alignment, not of the averaged counts" if pair.first.item.averaged else ""
    alone = "segments are taken as independent: speakers are not" if pair.first.resampling.unit == "speaker" else ""
    notes = "; ".join(filter(None, [what, found.note, alone, averaged, str(base["note"])]))
    return {**base, "p": found.p, "test": MATCHED, "note": notes}


def _operations(path: Alignments) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Return the utterance number and the operation of each aligned pair."""
    return np.repeat(np.arange(len(path), dtype=np.int64), np.diff(path.offsets)), path.operations
