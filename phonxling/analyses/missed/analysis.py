"""Why phones are missed: missed.tsv by gold phone, and the summary rows `error_share` over all errors."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.same_phones import nearest_in
from phonxling.analyses.expected.comparison import FEW
from phonxling.analyses.expected.dealing import deals, undealt
from phonxling.analyses.expected.replicates import clusters_of
from phonxling.analyses.missed.parts import COMPARED, PARTS, beyond, error_parts, split_of
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.core.arrays import Floats, divided, whole
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate, joined
from phonxling.core.inventory import GAP, merge
from phonxling.resample.intervals import estimate
from phonxling.resample.replicates import over_replicates
from phonxling.resample.two_corpora.measures import over_unpaired
from phonxling.settings.sections import Expected

UNKNOWN = (*COMPARED, "unattested")  # parts that need a reference
_DEALS = 200
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
        The gold phones that count as present: all of them where no inventory is declared.
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
    matrix, known = case.counted.matrix, case.recogniser_inventory
    inventory = known.phones
    reference = None if case.refusal else case.reference
    near = nearest_in(matrix.gold, inventory, case.features)
    same = case.same_phones(reference) if reference else {}
    declared = known.declared
    present = {phone for phone in matrix.gold if not declared or phone in inventory or same.get(phone) in inventory}
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
    by features, itself where it has it. `confused` is expected + level + pattern + unattested. Where no inventory is
    declared, `absent` is missing, and the phones known are those that were ever predicted.
    """
    phones = [*split.matrix.gold, GAP]
    reference = split.reference_matrix if split.reference else None
    parts = error_parts(split.matrix, reference, present=split.present, same=split.same)
    confused = parts[list(UNKNOWN)].sum(axis=1)
    values = {name: whole(parts[name].to_numpy(dtype=np.float64)) for name in ("errors", *PARTS)}
    if split.reference is None:
        values |= {name: np.full(len(phones), math.nan) for name in UNKNOWN}
    as_nearest = whole(_as_nearest(split))
    if not split.case.recogniser_inventory.declared:
        values["absent"] = as_nearest = np.full(len(phones), math.nan)
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
        "absent_as_nearest": as_nearest,
        "confused": whole(confused.to_numpy(dtype=np.float64)),
        **{name: values[name] for name in (*UNKNOWN, "deleted", "inserted")},
        "reference_tokens": whole(np.array(tokens)),
    }
    return pd.DataFrame(columns)


def _rows(split: _Missed) -> Iterator[Row]:
    """Yield each part's share of all errors, with its interval; both languages are resampled.

    The interval is corrected for the bias of the draws in parts that the reference's noise biases; of these level and
    pattern stand beside what chance alone gives. Without a reference, the parts that need one are missing, and
    `confused` has what they would sum to.
    """
    errors, drawn = _errors(split)
    right = np.where(split.matrix.same_symbol(), split.matrix.substitutions, 0.0).sum()
    n = float(split.matrix.counts.sum() - right)
    shares, drawn_shares = divided(errors, n), divided(drawn, drawn.sum(axis=0))
    names = PARTS if split.reference else ("absent", "", "", "", "confused", "deleted", "inserted")
    for share, draws, name in zip(shares, drawn_shares, names, strict=True):
        if name == "absent" and (why := split.case.recogniser_inventory.missing):
            yield row_of("error_share", math.nan, n, name, why)
        elif name:
            note = _note(split, name) if n else "there are no errors"
            yield row_of("error_share", _share(split, float(share), draws, name), n, name, note)
    if split.reference is None:
        yield from (row_of("error_share", math.nan, n, name, split.case.refusal) for name in UNKNOWN)
    yield from _by_chance(split, n)


def _share(split: _Missed, share: float, draws: Floats, name: str) -> Estimate:
    """Return the share of a part with its interval."""
    own = split.case.counted.resampling
    if name not in UNKNOWN or split.reference is None:
        return _bounded(estimate(share, draws, own, kind="share"))
    fewer = min(own, split.reference.resampling, key=lambda weights: weights.effective)
    return _bounded(estimate(share, draws, fewer, biased=True))


def _by_chance(split: _Missed, errors: float) -> Iterator[Row]:
    """Yield the shares beyond the reference where chance alone tells the languages apart, speakers dealt anew."""
    why = split.case.refusal or ("" if errors else "there are no errors")
    if not why and split.reference is not None:
        why = undealt(split.case.counted.resampling, split.reference.resampling)
    if why or split.reference is None:
        yield from (row_of("error_share_null", math.nan, errors, name, why) for name in ("level", "pattern"))
        return
    drawn = divided(_dealt(split, split.reference), errors)
    for name, shares in zip(("level", "pattern"), drawn, strict=True):
        null = interval_of(shares, split.case.level)
        yield row_of(
            "error_share_null", null, errors, name, f"speakers dealt anew to the two languages, {_DEALS} times"
        )


def _dealt(split: _Missed, reference: AnalysedCorpus) -> Floats:
    """Return the errors beyond the reference by level and by pattern of each deal, [2, R]."""
    own, other = split.case.counted, split.reference_matrix
    phones = [phone for phone in split.matrix.gold if phone in split.present and split.reference_tokens.get(phone, 0)]
    counterparts, predicted = [split.same[phone] for phone in phones], merge(split.matrix.predicted, other.predicted)
    both = (own.stack, own.resampling), (reference.stack, reference.resampling)
    clusters = clusters_of(*both, phones=(phones, counterparts), predicted=predicted)
    right, same = (
        np.array([[one == another for another in predicted] for one in rows], dtype=bool).reshape(-1, len(predicted))
        for rows in (counterparts, phones)
    )
    generator = split.case.generator("missed")
    drawn = []
    for mine, theirs in deals(clusters.target, clusters.reference, right, number=_DEALS, generator=generator):
        there = theirs.sum(axis=0)
        rates = divided(there, there.sum(axis=1, keepdims=True), undefined=0.0)
        errors = 1 - np.where(same, rates, 0.0).sum(axis=1)
        drawn.append([float(part.sum()) for part in beyond(mine.sum(axis=0), rates, errors, same)[1:]])
    return np.array(drawn, dtype=np.float64).T


def _errors(split: _Missed) -> tuple[Floats, Floats]:
    """Return the errors of each part, [7], and those of each replicate, [7, R]."""
    own, reference = split.case.counted, split.reference
    parts = split_of(split.matrix, split.reference_matrix, present=split.present, same=split.same)

    def errors(counts: Floats, reference_counts: Floats) -> Floats:
        return np.asarray(parts.parts(counts, reference_counts).sum(axis=1))

    value = errors(split.matrix.counts, split.reference_matrix.counts)
    if reference is None:
        none = split.reference_matrix.counts[..., None]
        return value, over_replicates(own.stack, own.resampling, lambda counts: errors(counts, none))
    return value, over_unpaired((own.stack, own.resampling), (reference.stack, reference.resampling), errors)


def _bounded(share: Estimate) -> Estimate:
    """Return a share with its interval in [0, 1], without one where that has no length."""
    bounded = share.within(0, 1)
    return Estimate(share.value, note=_AT_EDGE) if bounded.low == bounded.high else bounded


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
    inventory = split.case.recogniser_inventory
    if not inventory.declared:
        return "predicted" if phone in inventory.phones else "never predicted"
    return "exact" if phone in inventory.phones else "near" if phone in split.present else "no"


def _note(split: _Missed, part: str) -> str:
    """Return what weakens a part."""
    notes = [split.case.reference_note] * (part in UNKNOWN)
    if part in {"confused", *UNKNOWN} and not split.case.recogniser_inventory.declared:
        notes.append("phones that the recogniser may lack are among them, because its inventory is not declared")
    few = [phone for phone, tokens in split.reference_tokens.items() if 0 < tokens < FEW]
    if part in COMPARED and few:
        notes.append(f"fewer than {FEW} reference tokens, so that too little is expected, of {' '.join(few)}")
    return joined(notes)
