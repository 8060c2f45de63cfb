"""Costs of edits by name, or from a table of one's own, as exact integers over a common denominator."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import FrozenArrays, read_only, same_symbols
from phonxling.core.errors import ConfigurationError, DataError, join_problems, quote
from phonxling.core.estimate import ReadableValue, cells
from phonxling.core.features import TONE_FEATURES, FeatureTable
from phonxling.core.inventory import GAP, Inventory, with_gap
from phonxling.core.spelling import canonical_form, split_tone

if TYPE_CHECKING:
    from phonxling.core.estimate import DataFrame


LARGEST_COST = 2**31 - 1
_RATIO = r"[0-9]{1,40}/0*[1-9][0-9]{0,39}"
_DECIMAL = r"([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][-+]?[0-9]{1,2})?"
_COST = re.compile(rf"\+?({_RATIO}|{_DECIMAL})")
_DECIMALS = 9  # up to which a cost is written as a decimal number


@dataclass(frozen=True, eq=False, kw_only=True)
class CostEntries:
    pairs: Mapping[tuple[str, str], Fraction]
    source: str
    digest: str


@dataclass(frozen=True, eq=False, kw_only=True)
class GapEntries:
    phones: Mapping[str, Fraction]
    source: str
    digest: str


def parse_cost(text: str) -> Fraction:
    bare = text.strip()
    if not _COST.fullmatch(bare):
        fault = "no cost" if bare else "an empty cost"
        if bare.startswith("-") and _COST.fullmatch(bare[1:]):
            fault = "a negative cost"
        elif re.fullmatch(r"[-+]?(inf|infinity|∞|nan)", bare, re.IGNORECASE):
            fault = "a cost that is not finite"
        raise ValueError(f"{fault}: '{quote(text)}'; a cost is a number of at least 0, such as 0.25 or 1/3")
    cost = Fraction(bare)
    if cost > LARGEST_COST:
        raise ValueError(f"the cost {bare} is too large for 32 bits")
    return cost


def cost_text(cost: Fraction) -> str:
    """Return a cost as text that `parse_cost` reads back exactly: a decimal number where it has up to nine decimals."""
    places = next((n for n in range(_DECIMALS + 1) if 10**n % cost.denominator == 0), None)
    return str(cost) if places is None else f"{Decimal(int(cost * 10**places)).scaleb(-places):f}"


Ties = Literal["identical", "nist", "kaldi"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CostTable(ReadableValue, FrozenArrays):
    """What each substitution, deletion and insertion costs: integer / `denominator`.

    Integers make sums exact, so that a tie is a true tie on every machine. ValueError if a shape does not fit the
    inventories, or if a cost is negative or does not fit 32 bits.
    """

    gold: Inventory
    predicted: Inventory
    substitution: NDArray[np.int32]  # [G, P]: identity of symbols, not cost 0, says whether a phone is correct
    deletion: NDArray[np.int32]  # [G]: of a gold phone without a partner
    insertion: NDArray[np.int32]  # [P]: of a predicted phone without a partner
    denominator: int
    name: str  # for the signature
    ties: Ties = "identical"  # the tie rule of the alignment (see `phonxling.align_corpus`)
    as_rate: bool = True  # whether costs summed over gold phones make a rate (NIST's 3 and 4 do not)
    insertion_name: str = ""  # what the signature calls gap costs that differ by phone; "" for a constant
    deletion_name: str = ""
    note: str = ""  # to be said beside every number under these costs: how they were rounded, if they were

    def __post_init__(self) -> None:
        shapes = {
            "substitution": (len(self.gold), len(self.predicted)),
            "deletion": (len(self.gold),),
            "insertion": (len(self.predicted),),
        }
        for name, shape in shapes.items():
            wide = np.asarray(getattr(self, name), dtype=np.int64)
            if wide.shape != shape:
                raise ValueError(f"{name} costs must have the shape {shape}, not {wide.shape}")
            if wide.size and (wide.min() < 0 or wide.max() > LARGEST_COST):
                msg = f"{name} costs must lie in 0 … {LARGEST_COST} (over the denominator {self.denominator})"
                raise ValueError(msg)
            object.__setattr__(self, name, read_only(wide, np.int32))

    def _facts(self) -> Iterator[str]:
        yield self.name
        yield f"{len(self.gold)} gold × {len(self.predicted)} predicted phones"
        for what, costs in (("deletion", self.deletion), ("insertion", self.insertion)):
            ends = (costs.min(), costs.max()) if costs.size else ()
            texts = dict.fromkeys(f"{end / self.denominator:.4g}" for end in ends)
            yield f"{what} {' to '.join(texts)}" if texts else ""
        yield f"ties {self.ties}"
        yield self.note

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return gold, predicted, cost: every edit, ∅ for no phone. With `wide`, gold phones down; (∅, ∅) is 0."""
        values, labels = self.with_gaps(), (with_gap(self.gold.phones), with_gap(self.predicted.phones))
        kept = np.ones(values.shape, bool)
        kept[-1, -1] = False
        return cells(values, labels, ("gold", "predicted", "cost"), wide=wide, kept=kept)

    def cost(self, gold: str | None, predicted: str | None) -> Fraction:
        """Return the cost of one edit as a fraction; None stands for no phone on that side.

        KeyError when a phone is not in the inventory; ValueError when both are None.
        """
        if gold is None and predicted is None:
            raise ValueError("an edit needs a phone on at least one side")
        row = -1 if gold is None else self.gold.code(gold)
        column = -1 if predicted is None else self.predicted.code(predicted)
        return Fraction(int(self.numerators()[row, column]), self.denominator)

    def check_phones(self, gold: Iterable[str], predicted: Iterable[str]) -> None:
        sides = (("gold", gold, self.gold), ("predicted", predicted, self.predicted))
        lacks = {side: [phone for phone in phones if phone not in known] for side, phones, known in sides}
        parts = [f"{len(missing)} {side} ({quote(' '.join(missing))})" for side, missing in lacks.items() if missing]
        if parts:
            remedy = "make them with px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)"
            raise DataError(f"the costs '{self.name}' are of other phones: they lack {' and '.join(parts)}; {remedy}")

    def with_gaps(self) -> NDArray[np.float64]:
        """Return all costs as floats [G + 1, P + 1]: the last column deletions, the last row insertions, (∅, ∅) 0."""
        return self.numerators() / self.denominator

    def numerators(self) -> NDArray[np.int64]:
        """Return all costs as integers over the denominator, [G + 1, P + 1], ∅ last."""
        table = np.zeros((len(self.gold) + 1, len(self.predicted) + 1), dtype=np.int64)
        table[:-1, :-1] = self.substitution
        table[:-1, -1] = self.deletion
        table[-1, :-1] = self.insertion
        return table

    def identical(self) -> NDArray[np.bool_]:
        return same_symbols(self.gold, self.predicted)

    def rows(self) -> Iterator[tuple[str, str, Fraction]]:
        """Yield (gold, predicted, cost) of every edit, rows in the order of the inventories, ∅ (no phone) last."""
        gold, predicted = with_gap(self.gold), with_gap(self.predicted)
        for (row, column), cost in np.ndenumerate(self.numerators()):
            if (gold[row], predicted[column]) != (GAP, GAP):
                yield gold[row], predicted[column], Fraction(int(cost), self.denominator)


Integers = NDArray[np.int64]
Fractions = NDArray[Any]  # of Fraction
ROUNDING_DENOMINATOR = 1_000_000  # of costs that have to be rounded, or the power of ten below that still fits
# The tolerance is above the rounding of a float of about 1, and far below the distance of two fractions with
# denominators up to 10,000 (1e-8).
_SPELLED, _SAME = 10_000, Fraction(1, 10**14)  # 0.6666666666666666 is 2/3, as programs print it


def fractions_of(numerators: Integers, denominator: int) -> Fractions:
    """Return integers over a denominator as an array of Fraction, of the same shape."""
    distinct, places = np.unique(numerators, return_inverse=True)
    values = np.empty(len(distinct), dtype=object)
    values[:] = [Fraction(int(number), denominator) for number in distinct]
    return values[places].reshape(numerators.shape)


def over_one_denominator(parts: Sequence[Fractions]) -> tuple[list[Integers], int, str]:
    """Return each part as integers, their denominator, and a note where they had to be rounded ("" when exact)."""
    keys = [np.fromiter(map(id, part.flat), np.int64, part.size) for part in parts]  # few objects, and slow to hash
    distinct = [np.unique(key, return_index=True) for key in keys]
    values: set[Fraction] = {value for part, (_, at) in zip(parts, distinct, strict=True) for value in part.flat[at]}
    largest: Fraction = max(values, default=Fraction(0))
    if largest > LARGEST_COST:
        raise DataError(f"the cost {largest} is too large for 32 bits")
    # Exact costs make a tie a true tie: with floats about 40 % of cells differ in the last bit between two correct
    # programs, and rounding would decide.
    least = _common_denominator(values)
    if not (denominator := least):
        simple = {value: value.limit_denominator(_SPELLED) for value in values}
        spelled = {each if abs(each - value) <= _SAME else value for value, each in simple.items()}
        denominator = _common_denominator(spelled) or ROUNDING_DENOMINATOR
    while largest * denominator > LARGEST_COST:
        denominator //= 10
    whole = []
    for part, key, (known, at) in zip(parts, keys, distinct, strict=True):
        numerators = np.array([round(value * denominator) for value in part.flat[at]], dtype=np.int64)
        whole.append(numerators[np.searchsorted(known, key)].reshape(part.shape))
    note = "" if least else f"costs rounded to multiples of 1/{denominator}: no common denominator fits 32 bits"
    return whole, denominator, note


def _common_denominator(values: set[Fraction]) -> int:
    """Return the least common denominator, or 0 where it, or a numerator over it, does not fit."""
    least = math.lcm(*(value.denominator for value in values))
    return least if max([Fraction(1), *values]) * least <= LARGEST_COST else 0


# Costs from phonological features. f is a phone's vector of F ternary features; a phone without features costs 0 to
# itself and 1 to everything else.
#
# panphon           Σ |f_p − f_q| / 2F, the mean over features; 1 − feature similarity. In [0, 1].
# panphon-weighted  Σ w |f_p − f_q| / 2Σw, weights joined to features by name. In [0, 1].
# panphon-edit      as panphon, with gaps as panphon's `feature_edit_distance` has them: Σ (1 + |f_p|) / 2F, a feature
#                   that is 0 half as much as another. It adds up to what is printed as PFER, and as FER.
# panphon-hamming   the share of features whose values differ. In [0, 1].
# panphon-nonzero   the share that differs of the features that are not 0 in both phones, without sg, velaric, long,
#                   hitone and hireg; divided by its largest value between the two inventories, in a run between the
#                   phones that occur. In [0, 1]. Gaps: insertion ½, deletion ¾.

TONE_WEIGHT = 1.0  # of each tone feature; panphon's file gives them none
EDIT, NONZERO = "panphon-edit", "panphon-nonzero"
_LEFT_OUT = ("sg", "velaric", "long", "hitone", "hireg")  # of NONZERO


def substitution_parts(
    name: str,
    gold: Inventory,
    predicted: Inventory,
    table: FeatureTable,
    *,
    within: tuple[Inventory, Inventory] | None = None,
) -> NDArray[np.float64]:
    """Return what each feature adds to the cost of each substitution, [G, P, F]; 0 for phones without features."""
    parts, _, denominator = _feature_parts(name, gold, predicted, table)
    if name == NONZERO:
        unit, most = _largest_sum(name, within or (gold, predicted), table)
        return parts * (unit / denominator) / most
    return parts / denominator


def _largest_sum(name: str, within: tuple[Inventory, Inventory], table: FeatureTable) -> tuple[int, int]:
    """Return the largest substitution between two inventories as an integer, at least 1, and its unit before it."""
    every, _, unit = _feature_parts(name, *within, table)
    return unit, max(1, int(every.sum(axis=2).max(initial=0)))


def _feature_parts(
    name: str, gold: Inventory, predicted: Inventory, table: FeatureTable
) -> tuple[Integers, NDArray[np.bool_], int]:
    """Return what each feature adds to each substitution, [G, P, F], which pairs have features, and a denominator."""
    (first, known_gold), (second, known_predicted) = table.vectors(gold), table.vectors(predicted)
    known = known_gold[:, None] & known_predicted[None, :]
    parts = np.abs(first[:, None, :].astype(np.int64) - second[None, :, :]) * known[:, :, None]
    if name == "panphon-hamming":
        return (parts > 0).astype(np.int64), known, len(table.features)
    if name == NONZERO:
        counted = ~np.isin(table.features, _LEFT_OUT)
        specified = (((first != 0)[:, None, :] | (second != 0)[None, :, :]) & counted).sum(axis=2)
        unit = math.lcm(*np.unique(specified[specified > 0]).tolist())
        return ((parts > 0) & counted) * (unit // np.maximum(specified, 1))[:, :, None], known, unit
    weights = _find_weights(name, table, [*gold, *predicted])
    return parts * weights, known, 2 * int(weights.sum())


def _find_weights(name: str, table: FeatureTable, phones: list[str]) -> Integers:
    """Return weights by feature as integers of one unit; unweighted tone counts only where a phone has it attached."""
    if name in ("panphon", EDIT):
        return np.ones(len(table.features), dtype=np.int64)
    # Tone weighs nothing where no phone has it attached: otherwise it would shrink the costs of all segments.
    toned = any(split_tone(phone)[1] for phone in phones)
    tone = Fraction(TONE_WEIGHT if toned else 0)
    # Joined by name: panphon 0.22.2 zips its 22 weights onto its 24 features by position, which swaps tense, long and
    # velaric.
    weights = {**dict.fromkeys(TONE_FEATURES, tone), **table.weights}
    if missing := [feature for feature in table.features if feature not in weights]:
        msg = f"the costs '{name}' need weights, and the feature table {table.name} has none for {', '.join(missing)}"
        raise ConfigurationError(f"{msg}; add a row 'weight' to it, or use panphon or panphon-hamming")
    exact = [Fraction(str(weights[feature])) for feature in table.features]
    unit = math.lcm(*(weight.denominator for weight in exact))
    return np.array([int(weight * unit) for weight in exact], dtype=np.int64)


Gap = float | Fraction | GapEntries | None
SHOWN_COSTS = 10  # problems that a message lists before it counts the rest


def assemble(
    name: str,
    phones: tuple[Inventory, Inventory],
    costs: tuple[Fractions, Fractions, Fractions],
    asked: tuple[Gap, Gap],
    ties: Ties,
    *,
    as_rate: bool = True,
    gap_names: tuple[str, str] = ("", ""),
) -> CostTable:
    """Return a table of fractions (substitution, deletion, insertion) with the gap costs asked for in their place."""
    own = zip(("deletion", "insertion"), phones, asked, costs[1:], gap_names, strict=True)
    (deletion, out_name), (insertion, in_name) = (_find_gap_costs(*side) for side in own)
    (between, out, into), denominator, note = over_one_denominator([costs[0], deletion, insertion])
    return CostTable(
        gold=phones[0],
        predicted=phones[1],
        substitution=between.astype(np.int32),
        deletion=out.astype(np.int32),
        insertion=into.astype(np.int32),
        denominator=denominator,
        name=name,
        ties=ties,
        as_rate=as_rate,
        deletion_name=out_name,
        insertion_name=in_name,
        note=note,
    )


def _find_gap_costs(what: str, phones: Inventory, gap: Gap, own: Fractions, own_name: str) -> tuple[Fractions, str]:
    if gap is None:
        return own, own_name
    if not isinstance(gap, GapEntries):
        if not math.isfinite(gap) or gap < 0:
            raise ConfigurationError(f"the {what} cost must be a finite number ≥ 0, not {gap}")
        return np.full(len(phones), Fraction(str(gap)), dtype=object), ""
    costs = [gap.phones.get(canonical_form(phone)) for phone in phones]
    if missing := [phone for phone, cost in zip(phones, costs, strict=True) if cost is None]:
        headline = f"{gap.source}: no {what} cost for {len(missing)} of the {len(phones)} phones:"
        raise DataError(join_problems(headline, missing, "Add a row (phone, cost) for each.", SHOWN_COSTS))
    return np.array(costs, dtype=object), f"table/{gap.digest[:8]}"


def table_costs(
    entries: CostEntries,
    gold: Inventory,
    predicted: Inventory,
    *,
    insertion: Gap = None,
    deletion: Gap = None,
    ties: Ties | None = None,
) -> CostTable:
    """Return a user's costs between two inventories; they need not be symmetric, nor 0 on the diagonal."""
    own = [any(pair[side] == GAP for pair in entries.pairs) for side in (1, 0)]  # whether it has deletions, insertions
    # Gaps that the table lacks cost 1; where the settings have some, `assemble` puts these in their place.
    needed = [own[0] and deletion is None, own[1] and insertion is None]
    none, costs, missing = (GAP,), list[Fractions](), list[str]()
    sides: list[tuple[Iterable[str], Iterable[str], bool]] = [(gold, predicted, True)]
    for rows, columns, is_needed in [*sides, (gold, none, needed[0]), (none, predicted, needed[1])]:
        names = [(first, second) for first in rows for second in columns]
        forms = [(canonical_form(first), canonical_form(second)) for first, second in names]
        values = [entries.pairs.get(form) if is_needed else Fraction(1) for form in forms]
        missing += [
            f"{first} → {second}" for (first, second), value in zip(names, values, strict=True) if value is None
        ]
        costs.append(np.array([*values, None], dtype=object)[:-1])
    if missing:
        headline = f"{entries.source}: no cost for {len(missing)} pairs that the corpus needs (gold → predicted):"
        remedy = f"Add a row (gold, predicted, cost) for each; {GAP} (U+2205) is not a phone."
        raise DataError(join_problems(headline, missing, remedy, SHOWN_COSTS))
    return assemble(
        f"table/{entries.digest[:8]}",
        (gold, predicted),
        (costs[0].reshape(len(gold), len(predicted)), costs[1], costs[2]),
        (deletion, insertion),
        ties or "identical",
        gap_names=("table" * own[0], "table" * own[1]),
    )


@dataclass(frozen=True, slots=True)
class _Kind:
    gap: tuple[Fraction, Fraction] | None  # deletion and insertion; None: the features' own
    ties: Ties
    mismatch: int = 0  # what another symbol costs, of costs without features
    as_rate: bool = True


_ONE = Fraction(1)
KINDS = {
    # Feature costs: r → ɾ costs 0, too, so identical symbols decide ties. Under unit costs and NIST’s, sclite’s own
    # order gave its counts to the last digit on six systems, and preferring identical symbols did not.
    "panphon": _Kind((_ONE, _ONE), "identical"),
    "panphon-weighted": _Kind((_ONE, _ONE), "identical"),
    EDIT: _Kind(None, "identical"),
    "panphon-hamming": _Kind((_ONE, _ONE), "identical"),
    NONZERO: _Kind((Fraction(3, 4), Fraction(1, 2)), "nist"),
    "unit": _Kind((_ONE, _ONE), "nist", 1),  # Levenshtein (1966)
    "sclite": _Kind((3 * _ONE, 3 * _ONE), "nist", 4, as_rate=False),  # NIST SCTK
}


def cost_table(
    name: str,
    gold: Inventory,
    predicted: Inventory,
    table: FeatureTable | None,
    *,
    insertion: Gap = None,
    deletion: Gap = None,
    ties: Ties | None = None,
    within: tuple[Inventory, Inventory] | None = None,
) -> CostTable:
    """Return the named costs between two inventories; gaps and ties default to those of the costs.

    Costs that are divided by their largest take the largest `within` other inventories, where these are given.
    """
    if name not in KINDS:
        raise ConfigurationError(f"no costs are called '{name}'; there are: {', '.join(KINDS)}")
    kind, different = KINDS[name], (~same_symbols(gold, predicted)).astype(np.int64)
    if kind.mismatch:
        values = fractions_of(different * kind.mismatch, 1)
    elif table is None:
        raise DataError(f"the costs '{name}' need phonological features, and raw symbols have none; use unit or sclite")
    else:
        parts, known, denominator = _feature_parts(name, gold, predicted, table)
        costs, unit, most = parts.sum(axis=2), 1, 1
        if name == NONZERO:
            unit, most = _largest_sum(name, within or (gold, predicted), table)
        denominator *= most
        values = fractions_of(np.where(known, costs * unit, denominator * different), denominator)
    gaps = kind.gap or (_ONE, _ONE)
    out, into = (np.full(len(phones), gap, dtype=object) for phones, gap in zip((gold, predicted), gaps, strict=True))
    if kind.gap is None and table is not None:
        out, into = _feature_gaps(gold, table), _feature_gaps(predicted, table)
    by_features = "features" * (name == EDIT)
    return assemble(
        name,
        (gold, predicted),
        (values, out, into),
        (deletion, insertion),
        ties or kind.ties,
        as_rate=kind.as_rate,
        gap_names=(by_features, by_features),
    )


def _feature_gaps(phones: Inventory, table: FeatureTable) -> Fractions:
    values, known = table.vectors(phones)
    # Σ (1 + |f|) / 2F: panphon’s edit distance takes a gap as a change from 0 to each value, and counts a 0 as ½.
    most = 2 * len(table.features)
    return fractions_of(np.where(known, len(table.features) + np.abs(values).sum(axis=1), most), most)


def is_feature_cost(name: str) -> bool:
    return name in KINDS and not KINDS[name].mismatch
