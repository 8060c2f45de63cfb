"""missed.tsv and the summary rows `error_share`: why phones are missed, by gold phone and over all errors."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.classes.errors import ratio
from phonxling.analyses.missed.parts import PARTS, error_parts
from phonxling.analyses.missed.split import Missed
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import whole
from phonxling.core.estimate import Estimate
from phonxling.core.inventory import GAP
from phonxling.resample.bootstrap import Method, estimate, replicate_values
from phonxling.resample.two_corpora import unpaired_values

Floats = NDArray[np.float64]
UNKNOWN = ("expected", "specific", "unattested")  # parts that need a reference
FEW = 20  # reference tokens of a phone
_AT_EDGE = "no interval: resampling cannot tell how far it may be from here"


def missed_table(found: Missed) -> pd.DataFrame:
    """Return missed.tsv: each gold phone, and ∅ for what was inserted; parts that need a reference are missing without.

    `in_inventory` is exact, near (as the setting `common` allows) or no; `nearest` the phone of the inventory nearest
    by features, itself where it has it. `confused` is expected + specific + unattested.
    """
    matrix, phones = found.analysis.matrix, [*found.analysis.matrix.gold, GAP]
    parts = error_parts(matrix, found.reference.matrix if found.reference else None, found.present, found.same)
    confused = parts[list(UNKNOWN)].sum(axis=1)
    values = {name: whole(parts[name].to_numpy(dtype=np.float64)) for name in ("errors", *PARTS)}
    if found.reference is None:
        values |= {name: np.full(len(phones), math.nan) for name in UNKNOWN}
    near = [found.near.get(phone, ("", math.nan)) for phone in phones]
    tokens = [found.reference_tokens.get(phone, 0.0 if found.reference else math.nan) for phone in phones]
    columns = {
        "phone": phones,
        "in_inventory": [_presence(phone, found) for phone in phones],
        "nearest": [phone for phone, _ in near],
        "distance": [distance for _, distance in near],
        "counterpart": [found.same.get(phone, "") for phone in phones],
        "tokens": whole(np.append(matrix.tokens, 0.0)),
        "errors": values["errors"],
        "absent": values["absent"],
        "absent_as_nearest": whole(_as_nearest(found)),
        "confused": whole(confused.to_numpy(dtype=np.float64)),
        **{name: values[name] for name in (*UNKNOWN, "deleted", "inserted")},
        "reference_tokens": whole(np.array(tokens)),
    }
    return pd.DataFrame(columns)


def missed_rows(found: Missed) -> Iterator[Row]:
    """Yield each part's share of all errors, with its interval; both languages are resampled.

    Without a reference, the parts that need one are missing, and `confused` has what they would sum to.
    """
    total = found.split.parts(found.analysis.matrix.counts, found.other.counts).sum(axis=1)
    shares, drawn, n = _shares(total), _shares(_drawn(found)), float(total.sum())
    names = PARTS if found.reference else ("absent", "", "", "confused", "deleted", "inserted")
    for place, name in enumerate(names):
        if name:
            share = _interval(float(shares[place]), drawn[:, place], found, name)
            yield Row("error_share", share, n, name, _said(found, name) if n else "there are no errors")
    if found.reference is None:
        yield from (row_of("error_share", math.nan, n, name, found.why) for name in UNKNOWN)


def _interval(value: float, drawn: Floats, found: Missed, name: str) -> Estimate:
    """Return a share with its interval in [0, 1]: the basic bootstrap's for parts that the reference's noise biases.

    That one corrects for a bias of the draws, and where they are biased more than the value itself (a language that is
    its own reference has none) it misses the value. It is widened up to the value then.
    """
    method: Method = "basic" if name in UNKNOWN else "percentile"
    one = estimate(value, drawn, found.analysis.resampling, method)
    if math.isnan(one.low):
        return one
    low, high = min(max(one.low, 0.0), value), max(min(one.high, 1.0), value)
    if low == high:
        return Estimate(value, note=_AT_EDGE)
    return replace(one, low=low, high=high)


def _drawn(found: Missed) -> Floats:
    """Return the errors of each part in each replicate, [R, 6]."""
    own, other, split, none = found.analysis, found.reference, found.split, found.other.counts
    if other is None:
        drawn = replicate_values(own.stack, own.resampling, lambda counts: split.parts(counts, none).sum(axis=1))
    else:
        sides = (own.stack, own.resampling), (other.stack, other.resampling)
        drawn = unpaired_values(*sides, lambda counts, likely: split.parts(counts, likely).sum(axis=1))
    return drawn.reshape(-1, len(PARTS))


def _shares(errors: Floats) -> Floats:
    """Return the share of each part, NaN without errors."""
    return np.asarray(ratio(errors, np.broadcast_to(errors.sum(axis=-1, keepdims=True), errors.shape)))


def _as_nearest(found: Missed) -> Floats:
    """Return how often each absent phone was heard as the nearest phone that the recogniser has, [G + 1], ∅ last."""
    matrix, counts = found.analysis.matrix, np.zeros(len(found.analysis.matrix.gold) + 1)
    for row, phone in enumerate(matrix.gold):
        near = found.near.get(phone, ("", 0.0))[0]
        if phone not in found.present and near in matrix.predicted:
            counts[row] = matrix.substitutions[row, matrix.predicted.code(near)]
    return counts


def _presence(phone: str, found: Missed) -> str:
    if phone == GAP:
        return ""
    return "exact" if phone in found.inventory else "near" if phone in found.present else "no"


def _said(found: Missed, part: str) -> str:
    """Return what weakens a part."""
    notes = [found.note] * (part in UNKNOWN)
    if part == "absent" and not found.whole_inventory:
        notes.append("the inventory is known from predictions alone: a phone that was never predicted counts as absent")
    few = [phone for phone, tokens in found.reference_tokens.items() if 0 < tokens < FEW]
    if part in ("expected", "specific") and few:
        notes.append(f"fewer than {FEW} reference tokens, so that too little is expected, of {' '.join(few)}")
    return "; ".join(filter(None, notes))
