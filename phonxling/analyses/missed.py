"""Why phones are missed: missed.tsv by gold phone, and the summary rows `error_share` over all errors.

Why phones are missed: every error put into one part, by gold phone; the parts sum to all errors exactly.

Conventions
-----------
y is a gold phone of the target, x a predicted one, C[y, x] counts, n_y = Σ_x C[y, x] the tokens of y that were not
deleted, E the reference language, y′ the reference phone that is the same as y (itself, unless another choice is made).
An error is any pair of two different symbols, a deletion or an insertion. The parts:

- `deleted`, `inserted`: C[y, ∅] and Σ_x C[∅, x]. A missing or an additional phone has no sound that could be compared.
- `absent`: substitutions of y where the recogniser's declared inventory lacks y. It could not be right, whatever it
  heard. Without a declared inventory it is missing, and each y counts as one that the recogniser has.
- `unattested`: substitutions of a y that the recogniser has, but of which the reference shows no token (no y′, or y′
  always deleted). Whether the confusions are usual there cannot be known.
- `expected`: for other y, of each substitution min(C[y, x], n_y p_E(x|y′)): n_y p_E(x|y′) tokens would have gone to x
  if the target's y had been heard as the reference's y′ is. Not more than were observed can be explained so, hence the
  minimum; confusions that the reference has and the target lacks explain nothing here. Where y′ is another symbol than
  y, being heard as y′ is a substitution by symbol, and expected as far as y′ is recognised.
- `level`: the substitutions of y beyond the number n_y (1 − p_E(y|y′)) that the reference's rate of error leads one to
  expect: y is wrong more often. Of what kinds they are, it does not say.
- `pattern`: what is left of the substitutions of y: within the expected number, but of other kinds.

The literature has no formulas for these parts; they are ours. `level` and `pattern` are positive by chance alone, and
more so the fewer tokens or speakers there are: they mean something beside what speakers dealt anew to the two languages
give.

Whole counts are split in fractions, without rounding. Replicates stand last, [G + 1, P + 1, R].
"""

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.case import Case, Items
from phonxling.analyses.expected import FEW
from phonxling.analyses.expected_confusions import deals, undealt
from phonxling.analyses.level_and_pattern import clusters_of
from phonxling.analyses.rows import Row, interval_of, row_of
from phonxling.analyses.same_phones import nearest_in
from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Bools, Codes, Floats, along, divided, whole
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate, joined
from phonxling.core.inventory import GAP, Inventory, merge
from phonxling.resample.intervals import estimate
from phonxling.resample.replicates import over_replicates
from phonxling.resample.two_corpora import over_unpaired
from phonxling.settings.sections import Expected

# Why phones are missed: every error put into one part, by gold phone; the parts sum to all errors exactly.

Cells: TypeAlias = NDArray[Any]  # floats, or fractions as objects
PARTS = ("absent", "expected", "level", "pattern", "unattested", "deleted", "inserted")
COMPARED = ("expected", "level", "pattern")  # substitutions of phones that the reference has tokens of


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """What splitting errors takes besides the counts."""

    same: Bools
    present: Bools
    counterparts: Codes
    columns: Codes
    right: Codes

    def parts(self, counts: Cells, reference: Cells) -> Cells:
        """Return the parts of the errors, [7, G + 1 …]: by gold phone, insertions last."""
        rates, errors, attested = self._rates(reference)
        present = along(self.present, counts[:, 0])
        substituted = np.where(along(self.same, counts), 0, counts[:-1, :-1]).sum(axis=1)
        parts = np.zeros((len(PARTS), *counts[:, 0].shape), dtype=counts.dtype)
        parts[0, :-1] = substituted * ~present
        for place, part in enumerate(beyond(counts[:-1, :-1], rates, errors, self.same), start=1):
            parts[place, :-1] = part * (present & attested)
        parts[4, :-1] = substituted * (present & ~attested)
        parts[5, :-1] = counts[:-1, -1]
        parts[6, -1] = counts[-1, :-1].sum(axis=0)
        return parts

    def _rates(self, reference: Cells) -> tuple[Cells, Cells, Bools]:
        """Return p_E(x|y′), [G, P …], 0 where nothing is known, 1 − p_E(y|y′), and where something is, [G …] each."""
        replicates = [(0, 0)] * (reference.ndim - 2)
        pairs = np.pad(reference[:-1, :-1], ((0, 1), (0, 1), *replicates))  # −1 reads an empty row or column
        tokens = pairs.sum(axis=1)[self.counterparts]
        attested = np.asarray(tokens > 0, dtype=bool)
        known = np.where(attested, tokens, 1)
        errors = 1 - pairs[self.counterparts, self.right] / known
        return pairs[np.ix_(self.counterparts, self.columns)] / known[:, None], errors, attested


def beyond(pairs: Cells, rates: Cells, errors: Cells, same: Bools) -> tuple[Cells, Cells, Cells]:
    """Return each gold phone's substitutions that are expected, and those beyond by level and by pattern, [G …]."""
    tokens, wrong = pairs.sum(axis=1), np.where(along(same, pairs), 0, pairs)
    substituted, usual = wrong.sum(axis=1), np.minimum(wrong, tokens[:, None] * rates).sum(axis=1)
    level = np.maximum(substituted - tokens * errors, 0)
    return usual, level, np.maximum(substituted - usual - level, 0)


def split_of(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
    present: Container[str] | None = None,
    same: Mapping[str, str] | None = None,
) -> Split:
    """Return what splitting the errors of two languages' counts takes; see `error_parts`."""
    pairs = {phone: phone for phone in target.gold} if same is None else same
    return Split(
        same=target.same_symbol(),
        present=np.array([present is None or phone in present for phone in target.gold], dtype=bool),
        counterparts=_codes(reference.gold, [pairs.get(phone, "") for phone in target.gold]),
        columns=_codes(reference.predicted, list(target.predicted)),
        right=_codes(reference.predicted, list(target.gold)),
    )


@checked_types
def error_parts(
    target: ConfusionMatrix,
    reference: ConfusionMatrix | None = None,
    *,
    present: Container[str] | None = None,
    same: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the errors of each gold phone by their reason, and of ∅ the insertions.

    Parameters
    ----------
    target : ConfusionMatrix
        Counts of the analysed language.
    reference : ConfusionMatrix, optional
        Counts of the recogniser's own language. Without it nothing is known of what is usual: `expected`, `level` and
        `pattern` are 0, and all substitutions of phones that the recogniser has are `unattested`.
    present : set of str, optional
        The gold phones that the recogniser has. Left out, none is known to be absent: `absent` is missing, and its
        substitutions are in the other parts. What was predicted does not tell what could have been.
    same : mapping of str to str, optional
        The reference phone that stands for each target phone; by default each for itself.

    Returns
    -------
    DataFrame
        By gold phone, ∅ last: `absent`, `expected`, `level`, `pattern`, `unattested`, `deleted`, `inserted`; their sum
        is `errors`. `Fraction` where all counts are whole, else float.

    Examples
    --------
    The recogniser lacks ɓ. English hears a tenth of its p as b, the target a fifth:

    >>> english = ConfusionMatrix(["p", "b"], ["p", "b"], [[9, 1], [0, 10]])
    >>> target = ConfusionMatrix(["p", "ɓ"], ["p", "b"], [[8, 2, 1], [1, 3, 0], [2, 0, 0]])
    >>> error_parts(target, english, present={"p", "b"}).astype(int).loc[["p", "ɓ", "∅"]].to_numpy().tolist()
    [[0, 1, 1, 0, 0, 1, 0, 3], [4, 0, 0, 0, 0, 0, 0, 4], [0, 0, 0, 0, 0, 0, 2, 2]]
    """
    other = ConfusionMatrix.zero() if reference is None else reference
    parts = split_of(target, other, present=present, same=same).parts(_exact(target.counts), _exact(other.counts))
    table = pd.DataFrame(parts.T, columns=list(PARTS), index=pd.Index([*target.gold, GAP], name="phone"))
    unknown = {"absent": np.nan} if present is None else {}
    return table.assign(errors=parts.sum(axis=0), **unknown)


def _exact(counts: Floats) -> Cells:
    """Return whole counts as fractions, others as they are."""
    if (counts != np.round(counts)).any():
        return counts
    return np.array([[Fraction(int(count)) for count in row] for row in counts], dtype=object).reshape(counts.shape)


def _codes(inventory: Inventory, phones: list[str]) -> Codes:
    return np.array([inventory.code(phone) if phone in inventory else -1 for phone in phones], dtype=np.int64)


UNKNOWN = (*COMPARED, "unattested")  # parts that need a reference
_DEALS = 200
_AT_EDGE = "no interval: resampling cannot tell how far it may be from here"


@dataclass(frozen=True, eq=False, kw_only=True)
class _Missed:
    """What splitting the errors of a case takes."""

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
    """Return missed.tsv: each gold phone, and ∅ for what was inserted."""
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
    """Yield each part's share of all errors, with its interval; both languages are resampled."""
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
