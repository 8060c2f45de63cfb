"""Why phones are missed: missed.tsv by gold phone, and the summary rows `error_share` over all errors."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.same_phones import nearest_in
from phonxling.analyses.missed.parts import PARTS, error_parts, split_of
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Floats, divided, whole
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate, joined
from phonxling.core.inventory import GAP
from phonxling.resample.intervals import Method, estimate
from phonxling.resample.replicates import over_replicates
from phonxling.resample.two_corpora import over_unpaired
from phonxling.settings.sections import Expected

UNKNOWN = ("expected", "specific", "unattested")  # parts that need a reference
FEW = 20  # reference tokens of a phone
_AT_EDGE = "no interval: resampling cannot tell how far it may be from here"


@dataclass(frozen=True, eq=False, kw_only=True)
class _Missed:
    """What splitting the errors of a case takes.

    Parameters
    ----------
    case : Case
        The corpus.
    reference : AnalysedCorpus or None
        The reference language, when it can be compared.
    near : mapping of str to tuple
        For each gold phone the nearest phone of the inventory and its distance; empty without features.
    present : frozenset of str
        The gold phones that count as present.
    same : mapping of str to str
        The reference phone that stands for each.
    """

    case: Case
    reference: AnalysedCorpus | None
    near: dict[str, tuple[str, float]]
    present: frozenset[str]
    same: dict[str, str]

    @property
    def matrix(self) -> ConfusionMatrix:
        """The corpus' counts."""
        return self.case.counted.matrix

    @property
    def reference_matrix(self) -> ConfusionMatrix:
        """The reference's counts, or none."""
        return self.reference.matrix if self.reference is not None else ConfusionMatrix.zero()

    @property
    def reference_tokens(self) -> dict[str, float]:
        """How many tokens of its counterpart the reference has, not deleted ones, by gold phone."""
        tokens = dict(zip(self.reference_matrix.gold, self.reference_matrix.substitutions.sum(axis=1), strict=True))
        return {phone: float(tokens.get(counterpart, 0.0)) for phone, counterpart in self.same.items()}


def missed(case: Case, settings: Expected) -> Items:
    """Yield missed.tsv and the share of the errors of each reason."""
    split = _split(case, settings)
    yield "missed", _table(split)
    yield from _rows(split)


def _split(case: Case, settings: Expected) -> _Missed:
    """Return what splitting a corpus' errors takes, by the setting of which phones are the same."""
    matrix, inventory = case.counted.matrix, case.recogniser_inventory.phones
    reference = None if case.refusal else case.reference
    near = nearest_in(matrix.gold, inventory, case.features)
    same = case.same_phones(reference) if reference else {}
    present = {phone for phone in matrix.gold if phone in inventory or same.get(phone) in inventory}
    if settings.common == "features":
        present |= {phone for phone, (_, distance) in near.items() if distance <= settings.distance}
    return _Missed(
        case=case,
        reference=reference.counted if reference else None,
        near=near,
        present=frozenset(present),
        same=same,
    )


def _table(split: _Missed) -> pd.DataFrame:
    """Return missed.tsv: each gold phone, and ∅ for what was inserted; parts that need a reference are missing without.

    `in_inventory` is exact, near (as the setting `common` allows) or no; `nearest` the phone of the inventory nearest
    by features, itself where it has it. `confused` is expected + specific + unattested.
    """
    phones = [*split.matrix.gold, GAP]
    reference = split.reference_matrix if split.reference else None
    parts = error_parts(split.matrix, reference, present=split.present, same=split.same)
    confused = parts[list(UNKNOWN)].sum(axis=1)
    values = {name: whole(parts[name].to_numpy(dtype=np.float64)) for name in ("errors", *PARTS)}
    if split.reference is None:
        values |= {name: np.full(len(phones), math.nan) for name in UNKNOWN}
    near = [split.near.get(phone, ("", math.nan)) for phone in phones]
    tokens = [split.reference_tokens.get(phone, 0.0 if split.reference else math.nan) for phone in phones]
    columns = {
        "phone": phones,
        "in_inventory": [_presence(phone, split) for phone in phones],
        "nearest": [phone for phone, _ in near],
        "distance": [distance for _, distance in near],
        "counterpart": [split.same.get(phone, "") for phone in phones],
        "tokens": whole(np.append(split.matrix.tokens, 0.0)),
        "errors": values["errors"],
        "absent": values["absent"],
        "absent_as_nearest": whole(_as_nearest(split)),
        "confused": whole(confused.to_numpy(dtype=np.float64)),
        **{name: values[name] for name in (*UNKNOWN, "deleted", "inserted")},
        "reference_tokens": whole(np.array(tokens)),
    }
    return pd.DataFrame(columns)


def _rows(split: _Missed) -> Iterator[Row]:
    """Yield each part's share of all errors, with its interval; both languages are resampled.

    The interval is the basic bootstrap's for parts that the reference's noise biases.
    Without a reference, the parts that need one are missing, and `confused` has what they would sum to.
    """
    errors, drawn = _errors(split)
    shares, drawn_shares, n = divided(errors, errors.sum()), divided(drawn, drawn.sum(axis=0)), float(errors.sum())
    names = PARTS if split.reference else ("absent", "", "", "confused", "deleted", "inserted")
    for share, draws, name in zip(shares, drawn_shares, names, strict=True):
        if name:
            note = _note(split, name) if n else "there are no errors"
            method: Method | None = "basic" if name in UNKNOWN else None
            weights = split.case.counted.resampling
            number = _widened(estimate(float(share), draws, weights, kind="share", method=method))
            yield row_of("error_share", number, n, name, note)
    if split.reference is None:
        yield from (row_of("error_share", math.nan, n, name, split.case.refusal) for name in UNKNOWN)


def _errors(split: _Missed) -> tuple[Floats, Floats]:
    """Return the errors of each part, [6], and those of each replicate, [6, R]."""
    own, reference = split.case.counted, split.reference
    parts = split_of(split.matrix, split.reference_matrix, present=split.present, same=split.same)

    def errors(counts: Floats, reference_counts: Floats) -> Floats:
        return np.asarray(parts.parts(counts, reference_counts).sum(axis=1))

    value = errors(split.matrix.counts, split.reference_matrix.counts)
    if reference is None:
        none = split.reference_matrix.counts[..., None]
        return value, over_replicates(own.stack, own.resampling, lambda counts: errors(counts, none))
    return value, over_unpaired((own.stack, own.resampling), (reference.stack, reference.resampling), errors)


def _widened(share: Estimate) -> Estimate:
    """Return a share with its interval in [0, 1], widened up to the value where it misses it.

    Basic limits correct for a bias of the draws, and where the draws are biased more than the value itself (a language
    that is its own reference has none) they miss the value.
    """
    bounded = share.within(0, 1)
    if math.isnan(bounded.low):
        return bounded
    low, high = min(bounded.low, share.value), max(bounded.high, share.value)
    return Estimate(share.value, note=_AT_EDGE) if low == high else replace(bounded, low=low, high=high)


def _as_nearest(split: _Missed) -> Floats:
    """Return how often each absent phone was heard as the nearest phone that the recogniser has, [G + 1], ∅ last."""
    matrix, counts = split.matrix, np.zeros(len(split.matrix.gold) + 1)
    for row, phone in enumerate(matrix.gold):
        near = split.near.get(phone, ("", 0.0))[0]
        if phone not in split.present and near in matrix.predicted:
            counts[row] = matrix.substitutions[row, matrix.predicted.code(near)]
    return counts


def _presence(phone: str, split: _Missed) -> str:
    if phone == GAP:
        return ""
    return "exact" if phone in split.case.recogniser_inventory.phones else "near" if phone in split.present else "no"


def _note(split: _Missed, part: str) -> str:
    """Return what weakens a part."""
    notes = [split.case.reference_note] * (part in UNKNOWN)
    if part == "absent":
        notes.append(split.case.recogniser_inventory.note)
    few = [phone for phone, tokens in split.reference_tokens.items() if 0 < tokens < FEW]
    if part in ("expected", "specific") and few:
        notes.append(f"fewer than {FEW} reference tokens, so that too little is expected, of {' '.join(few)}")
    return joined(notes)
