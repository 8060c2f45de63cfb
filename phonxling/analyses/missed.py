"""Why phones are missed: every error put into one part, by gold phone; the parts sum to all errors exactly.

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
more so the fewer tokens or speakers there are.

Whole counts are split in fractions, without rounding. Replicates stand last, [G + 1, P + 1, R].
"""

import math
from collections.abc import Callable, Container, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.case import Case, Items
from phonxling.analyses.expected import FEW
from phonxling.analyses.measures import Row, row_of
from phonxling.analyses.same_phones import nearest_in
from phonxling.core.arrays import Bools, Floats, along, divided, whole
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.estimate import Estimate, joined
from phonxling.core.inventory import GAP
from phonxling.resample.intervals import estimate
from phonxling.resample.replicates import over_replicates
from phonxling.resample.two_corpora import over_unpaired
from phonxling.settings.models import Expected

Cells: TypeAlias = NDArray[Any]  # floats, or fractions as objects
PARTS = ("absent", "expected", "level", "pattern", "unattested", "deleted", "inserted")
COMPARED = ("expected", "level", "pattern")  # substitutions of phones that the reference has tokens of
UNKNOWN = (*COMPARED, "unattested")  # parts that need a reference
_over = np.frompyfunc(Fraction, 2, 1)
_UNDECLARED = "phones that the recogniser may lack are among them, because its inventory is not declared"
_FEW = f"fewer than {FEW} reference tokens, so that too little is expected, of {{}}"
_AT_EDGE = "no interval: resampling cannot show how far it may be from here"


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
    split = split_of(target, other, present=present, same=same)
    both = target.counts, other.counts
    if all((counts == np.round(counts)).all() for counts in both):
        parts = np.array(_over(split(*(counts.astype(np.int64).astype(object) for counts in both)), 1))
    else:
        parts = split(*both)
    table = pd.DataFrame(parts.T, columns=list(PARTS), index=pd.Index([*target.gold, GAP], name="phone"))
    unknown = {"absent": np.nan} if present is None else {}
    return table.assign(errors=parts.sum(axis=0), **unknown)


def split_of(
    target: ConfusionMatrix,
    reference: ConfusionMatrix,
    *,
    present: Container[str] | None = None,
    same: Mapping[str, str] | None = None,
) -> Callable[[Cells, Cells], Cells]:
    """Return what splits counts of two languages, replicates last, into parts [7, G + 1 …]; see `error_parts`."""
    pairs = {phone: phone for phone in target.gold} if same is None else same
    right_symbol = target.same_symbol()
    had = np.array([present is None or phone in present for phone in target.gold], dtype=bool)
    rows = reference.gold.codes(pairs.get(phone, "") for phone in target.gold)
    columns, right = (reference.predicted.codes(phones) for phones in (target.predicted, target.gold))

    def split(counts: Cells, other: Cells) -> Cells:
        heard = np.pad(other[:-1, :-1], ((0, 1), (0, 1), *[(0, 0)] * (other.ndim - 2)))  # −1 reads an empty one
        tokens = heard.sum(axis=1)[rows]
        attested = np.asarray(tokens > 0, dtype=bool)
        there = heard[np.ix_(rows, columns)], heard[rows, right], np.where(attested, tokens, 1)
        possible = along(had, counts[:, 0])
        substituted = np.where(along(right_symbol, counts), 0, counts[:-1, :-1]).sum(axis=1)
        parts = np.zeros((len(PARTS), *counts[:, 0].shape), dtype=counts.dtype)
        parts[0, :-1] = substituted * ~possible
        for place, part in enumerate(beyond(counts[:-1, :-1], *there, right_symbol), start=1):
            parts[place, :-1] = part * (possible & attested)
        parts[4, :-1] = substituted * (possible & ~attested)
        parts[5, :-1] = counts[:-1, -1]
        parts[6, -1] = counts[-1, :-1].sum(axis=0)
        return parts

    return split


def beyond(pairs: Cells, heard: Cells, right: Cells, known: Cells, same: Bools) -> Iterator[Cells]:
    """Yield each gold phone's substitutions that are expected, and those beyond by level and by pattern, [G …].

    Of its counterpart `heard` are counts [G, P …] and `right` those of y among `known` tokens [G …]. All three are
    numbers over `known`, so that whole counts are divided once; counts that are objects give fractions.
    """
    tokens, wrong = pairs.sum(axis=1), np.where(along(same, pairs), 0, pairs)
    substituted = wrong.sum(axis=1) * known
    usual = np.minimum(wrong * known[:, None], tokens[:, None] * heard).sum(axis=1)
    level = np.maximum(substituted - tokens * (known - right), 0)
    over = _over if pairs.dtype == object else np.divide
    yield from (over(part, known) for part in (usual, level, np.maximum(substituted - usual - level, 0)))


def missed(case: Case, settings: Expected) -> Items:
    """Yield missed.tsv, by gold phone, and the summary rows: the share of all errors of each reason."""
    matrix, known = case.counted.matrix, case.recogniser_inventory
    reference = None if case.refusal else case.reference
    near = nearest_in(matrix.gold, known.phones, case.features)
    same = case.same_phones(reference) if reference else {}
    present = {
        phone for phone in matrix.gold if not known.declared or phone in known.phones or same.get(phone) in known.phones
    }
    if settings.common == "features":
        present |= {phone for phone, (_, distance) in near.items() if distance <= settings.distance}
    other = reference.counted.matrix if reference else ConfusionMatrix.zero()
    attested = dict(zip(other.gold, other.substitutions.sum(axis=1).tolist(), strict=True))
    tokens = {phone: attested.get(counterpart, 0.0) for phone, counterpart in same.items()}
    phones, missing = [*matrix.gold, GAP], np.full(len(matrix.gold) + 1, math.nan)
    parts = error_parts(matrix, reference.counted.matrix if reference else None, present=present, same=same)
    values = {name: whole(parts[name].to_numpy(dtype=np.float64)) for name in ("errors", *PARTS)}
    if reference is None:
        values |= dict.fromkeys(UNKNOWN, missing)
    nearest, distance = zip(*(near.get(phone, ("", math.nan)) for phone in phones), strict=True)
    heard = np.pad(matrix.substitutions, ((0, 1), (0, 1)))  # −1 reads an empty one
    absent = [*(phone not in present for phone in matrix.gold), False]
    as_nearest = whole(np.where(absent, heard[np.arange(len(phones)), matrix.predicted.codes(nearest)], 0.0))
    if known.declared:
        names = ["exact" if phone in known.phones else "near" if phone in present else "no" for phone in matrix.gold]
    else:
        names = ["predicted" if phone in known.phones else "never predicted" for phone in matrix.gold]
        values["absent"] = as_nearest = missing
    columns = {
        "phone": phones,
        "in_inventory": [*names, ""],
        "nearest": nearest,
        "distance": distance,
        "counterpart": [same.get(phone, "") for phone in phones],
        "tokens": whole(np.append(matrix.tokens, 0.0)),
        "errors": values["errors"],
        "absent": values["absent"],
        "absent_as_nearest": as_nearest,
        "confused": whole(parts[list(UNKNOWN)].sum(axis=1).to_numpy(dtype=np.float64)),
        **{name: values[name] for name in (*UNKNOWN, "deleted", "inserted")},
        "reference_tokens": whole(np.array([tokens.get(phone, 0.0 if reference else math.nan) for phone in phones])),
    }
    yield "missed", pd.DataFrame(columns)
    yield from _rows(case, present, same, tokens)


def _rows(case: Case, present: Container[str], same: Mapping[str, str], tokens: Mapping[str, float]) -> Iterator[Row]:
    """Yield each part's share of all errors, with its interval; both languages are resampled."""
    own, matrix, known = case.counted, case.counted.matrix, case.recogniser_inventory
    reference = case.reference.counted if case.reference and not case.refusal else None
    other = reference.matrix if reference else ConfusionMatrix.zero()
    split = split_of(matrix, other, present=present, same=same)

    def errors(counts: Floats, reference_counts: Floats) -> Floats:
        return np.asarray(split(counts, reference_counts).sum(axis=1))

    if reference is None:
        names: tuple[str, ...] = ("absent", "", "", "", "confused", "deleted", "inserted")
        none, fewer = other.counts[..., None], own.resampling
        drawn = over_replicates(own.stack, own.resampling, lambda counts: errors(counts, none))
    else:
        names, fewer = PARTS, min(own.resampling, reference.resampling, key=lambda weights: weights.effective)
        drawn = over_unpaired((own.stack, own.resampling), (reference.stack, reference.resampling), errors)
    n = float(matrix.counts.sum() - np.where(matrix.same_symbol(), matrix.substitutions, 0.0).sum())
    shares, draws = divided(errors(matrix.counts, other.counts), n), divided(drawn, drawn.sum(axis=0))
    few = [phone for phone, number in tokens.items() if 0 < number < FEW]
    for share, drawn_share, name in zip(shares.tolist(), draws, names, strict=True):
        if name == "absent" and known.missing:
            yield row_of("error_share", math.nan, n, name, known.missing)
        elif name:
            compared = name in UNKNOWN
            resampled = fewer if compared else own.resampling
            found = estimate(share, drawn_share, resampled, kind="number" if compared else "share", biased=compared)
            bounded = found.within(0, 1)
            bounded = Estimate(share, note=_AT_EDGE) if bounded.low == bounded.high else bounded
            weaker = [
                case.reference_note * compared,
                _UNDECLARED * (not known.declared and name in {"confused", *UNKNOWN}),
                _FEW.format(" ".join(few)) * (name in COMPARED and bool(few)),
            ]
            yield row_of("error_share", bounded, n, name, joined(weaker) if n else "there are no errors")
    if reference is None:
        yield from (row_of("error_share", math.nan, n, name, case.refusal) for name in UNKNOWN)
