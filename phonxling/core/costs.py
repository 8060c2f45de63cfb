"""Costs of edits as exact integers over a common denominator."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Frozen, read_only, same_symbols
from phonxling.core.display import Shown, cells
from phonxling.core.errors import DataError, shown
from phonxling.core.inventory import GAP, Inventory, with_gap

if TYPE_CHECKING:
    from phonxling.core.display import DataFrame


LARGEST = 2**31 - 1
_RATIO = r"[0-9]{1,40}/0*[1-9][0-9]{0,39}"
_DECIMAL = r"([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][-+]?[0-9]{1,2})?"
_COST = re.compile(rf"\+?({_RATIO}|{_DECIMAL})")
_DECIMALS = 9  # up to which a cost is written as a decimal number


@dataclass(frozen=True, eq=False, kw_only=True)
class CostEntries:
    """A table of costs: what each pair of phones costs."""

    pairs: Mapping[tuple[str, str], Fraction]
    source: str
    digest: str


@dataclass(frozen=True, eq=False, kw_only=True)
class GapEntries:
    """A table of gap costs: what the insertion, or the deletion, of each phone costs."""

    phones: Mapping[str, Fraction]
    source: str
    digest: str


def parse_cost(text: str) -> Fraction:
    bare = text.strip()
    if not _COST.fullmatch(bare):
        raise ValueError(f"{_fault(bare)}: '{shown(text)}'; a cost is a number of at least 0, such as 0.25 or 1/3")
    cost = Fraction(bare)
    if cost > LARGEST:
        raise ValueError(f"the cost {bare} is too large for 32 bits")
    return cost


def _fault(text: str) -> str:
    if text.startswith("-") and _COST.fullmatch(text[1:]):
        return "a negative cost"
    if re.fullmatch(r"[-+]?(inf|infinity|∞|nan)", text, re.IGNORECASE):
        return "a cost that is not finite"
    return "no cost" if text else "an empty cost"


def cost_text(cost: Fraction) -> str:
    """Return a cost as text that `parse_cost` reads back exactly: a decimal number where it has up to nine decimals."""
    places = next((n for n in range(_DECIMALS + 1) if 10**n % cost.denominator == 0), None)
    if places is None:
        return str(cost)
    return f"{Decimal(int(cost * 10**places)).scaleb(-places):f}"


Ties = Literal["identical", "nist"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CostTable(Shown, Frozen):
    """What each substitution, deletion and insertion costs: integer / `denominator`.

    Integers make sums exact, so that a tie is a true tie on every machine.

    Parameters
    ----------
    gold, predicted : Inventory
        G gold and P predicted phones.
    substitution : int32 array [G, P]
        Numerators, ≥ 0. Identity of symbols, not cost 0, says whether a phone is correct.
    deletion : int32 array [G]
        Numerators for a gold phone without a partner.
    insertion : int32 array [P]
        Numerators for a predicted phone without a partner.
    denominator : int
        The unit: a cost is numerator / denominator.
    name : str
        The costs' name, for the signature.
    ties : {"identical", "nist"}
        The tie rule of the alignment (see `phonxling.align_corpus`).
    as_rate : bool
        Whether costs summed over gold phones make a rate (NIST's 3 and 4 do not).
    insertion_name, deletion_name : str
        What the signature calls gap costs that differ by phone; "" for a constant.
    note : str
        What is to be said beside every number under these costs: how they were rounded, if they were.

    Raises
    ------
    ValueError
        If a shape does not fit the inventories.
        If a cost is negative or does not fit 32 bits.
    """

    gold: Inventory
    predicted: Inventory
    substitution: NDArray[np.int32]
    deletion: NDArray[np.int32]
    insertion: NDArray[np.int32]
    denominator: int
    name: str
    ties: Ties = "identical"
    as_rate: bool = True
    insertion_name: str = ""
    deletion_name: str = ""
    note: str = ""

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
            if wide.size and (wide.min() < 0 or wide.max() > LARGEST):
                raise ValueError(f"{name} costs must lie in 0 … {LARGEST} (over the denominator {self.denominator})")
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
        if gold is None:
            value = self.insertion[self.predicted.code(predicted or "")]
        elif predicted is None:
            value = self.deletion[self.gold.code(gold)]
        else:
            value = self.substitution[self.gold.code(gold), self.predicted.code(predicted)]
        return Fraction(int(value), self.denominator)

    def check_phones(self, gold: Iterable[str], predicted: Iterable[str]) -> None:
        """Raise DataError when the costs lack a phone of either side."""
        sides = (("gold", gold, self.gold), ("predicted", predicted, self.predicted))
        lacks = {side: [phone for phone in phones if phone not in known] for side, phones, known in sides}
        if any(lacks.values()):
            parts = (
                f"{len(missing)} {side} ({shown(' '.join(missing))})" for side, missing in lacks.items() if missing
            )
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
        """Return which pairs are the same symbol, bool [G, P]."""
        return same_symbols(self.gold, self.predicted)

    def rows(self) -> Iterator[tuple[str, str, Fraction]]:
        """Yield (gold, predicted, cost) of every edit, rows in the order of the inventories, ∅ (no phone) last."""
        gold, predicted = (*self.gold, GAP), (*self.predicted, GAP)
        table = self.numerators()
        for row, first in enumerate(gold):
            for column, second in enumerate(predicted):
                if first != GAP or second != GAP:
                    yield first, second, Fraction(int(table[row, column]), self.denominator)
