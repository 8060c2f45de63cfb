"""Confusion matrices, of a corpus and of each utterance, and the alignments that they count."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import (
    check_offsets,
    make_read_only,
    offsets_of,
    pair_type,
    places_of,
    read_only,
    same_symbols,
    sum_by,
)
from phonxling.core.estimate import ReadableValue, cells, format_count, tidy
from phonxling.core.inventory import GAP, Inventory, as_inventory, merge, with_gap

if TYPE_CHECKING:
    from phonxling.core.estimate import DataFrame


Phones = Inventory | Iterable[str]


class SummedNumbers(ReadableValue):
    """Numbers over two inventories [G, K], or with ∅ last [G + 1, P + 1], which add up: `_fields` names the three."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, str, str]]
    _gaps: ClassVar[int]  # rows and columns beyond the phones

    def __init__(self, rows: Phones, columns: Phones, values: ArrayLike) -> None:
        raise NotImplementedError

    def _set(self, rows: Inventory, columns: Inventory, values: NDArray[np.float64]) -> None:
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError(f"{self._fields[2]} must be finite and not negative")
        for name, value in zip(self._fields, (rows, columns, read_only(values, np.float64)), strict=True):
            object.__setattr__(self, name, value)

    def _parts(self) -> tuple[Inventory, Inventory, NDArray[np.float64]]:
        rows, columns, values = (getattr(self, name) for name in self._fields)
        return rows, columns, values

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed ({name})")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._parts()  # without setting attributes

    @classmethod
    def zero(cls, gold: Phones = (), other: Phones = (), /) -> Self:
        """Return the one without counts (or mass) over gold and predicted (recognised) phones: neutral when added."""
        rows, columns = as_inventory(gold), as_inventory(other)
        return cls(rows, columns, np.zeros((len(rows) + cls._gaps, len(columns) + cls._gaps)))

    def reindex(self, gold: Inventory, other: Inventory, /) -> Self:
        """Return the same over inventories that hold all of this one's phones; KeyError otherwise."""
        first, second, own = self._parts()
        sides = (gold, first), (other, second)
        # ∅ stays last on both sides, wherever the phones go.
        places = ([*map(new.code, old)] + [len(new)] * self._gaps for new, old in sides)
        values = np.zeros((len(gold) + self._gaps, len(other) + self._gaps))
        values[np.ix_(*places)] = own
        return type(self)(gold, other, values)

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        (rows, columns, _), (others, other_columns, _) = self._parts(), other._parts()
        over = merge(rows, others), merge(columns, other_columns)
        return type(self)(*over, self.reindex(*over)._parts()[2] + other.reindex(*over)._parts()[2])

    def __radd__(self, other: int) -> Self:
        return self if other == 0 else NotImplemented  # so that `sum` adds them up

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        (*phones, values), (*others, other_values) = self._parts(), other._parts()
        return phones == others and bool(np.array_equal(values, other_values))

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash


class ConfusionMatrix(SummedNumbers):
    """Counts C[y, x]: rows gold, columns predicted, and last on both sides ∅ (no phone).

    Parameters
    ----------
    gold : Inventory or list of str
        G gold phones.
    predicted : Inventory or list of str
        P predicted phones.
    counts : array [G, P] or [G + 1, P + 1]
        Counts ≥ 0; the last row holds insertions and the last column deletions. Without them they are 0.

    Raises
    ------
    ValueError
        If the shape fits neither form.
        If a count is negative or not finite.
        If (∅, ∅) has a count.

    Notes
    -----
    Matrices add up: `a + b` is over the same phones where both have them, else over all of either, sorted.
    `ConfusionMatrix.zero()` is neutral, so `sum(parts, ConfusionMatrix.zero())` merges any number of parts.

    Examples
    --------
    >>> m = ConfusionMatrix(gold=["a", "b"], predicted=["a"], counts=[[3, 1], [2, 0], [1, 0]])
    >>> m.tokens.tolist(), m.deletions.tolist(), m.insertions.tolist()
    ([4.0, 2.0], [1.0, 0.0], [1.0])
    >>> (m + m).counts[0, 0] == 6 and m + ConfusionMatrix.zero() == m
    True
    """

    __slots__ = _fields = ("gold", "predicted", "counts")
    _gaps = 1

    gold: Inventory
    predicted: Inventory
    counts: NDArray[np.float64]

    def __init__(self, gold: Phones, predicted: Phones, counts: ArrayLike) -> None:
        rows, columns, full = as_inventory(gold), as_inventory(predicted), np.asarray(counts, dtype=np.float64)
        shape, with_none = (len(rows), len(columns)), (len(rows) + 1, len(columns) + 1)
        if full.shape not in {shape, with_none}:
            raise ValueError(f"counts must have the shape {shape}, or {with_none} with ∅ last, not {full.shape}")
        self._set(rows, columns, np.pad(full, (0, 1)) if full.shape == shape else full)
        if self.counts[-1, -1] != 0:
            raise ValueError("∅ cannot be paired with ∅: the last cell must be 0")

    @property
    def substitutions(self) -> NDArray[np.float64]:
        """Counts without ∅, [G, P]: correct ones included."""
        return self.counts[:-1, :-1]

    @property
    def tokens(self) -> NDArray[np.float64]:
        """Tokens of each gold phone, deleted ones included, [G]."""
        return np.asarray(self.counts[:-1].sum(axis=1))

    @property
    def predicted_tokens(self) -> NDArray[np.float64]:
        """Tokens of each predicted phone, inserted ones included, [P]."""
        return np.asarray(self.counts[:, :-1].sum(axis=0))

    @property
    def deletions(self) -> NDArray[np.float64]:
        """Deleted tokens of each gold phone, [G]."""
        return self.counts[:-1, -1]

    @property
    def insertions(self) -> NDArray[np.float64]:
        """Inserted tokens of each predicted phone, [P]."""
        return self.counts[-1, :-1]

    def same_symbol(self) -> NDArray[np.bool_]:
        """Return which cells pair a phone with itself, bool [G, P]."""
        return same_symbols(self.gold, self.predicted)

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return gold, predicted, count: a row for each cell that has a count, ∅ for no phone.

        With `wide`, all cells: gold phones down, predicted phones along, ∅ last on both sides.
        """
        labels, names = (with_gap(self.gold.phones), with_gap(self.predicted.phones)), ("gold", "predicted", "count")
        whole = (self.counts == np.round(self.counts)).all()
        counts = self.counts.astype(np.int64) if whole else self.counts
        return cells(counts, labels, names, wide=wide, kept=self.counts > 0)

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.gold)} gold × {len(self.predicted)} predicted phones"
        yield format_count(float(self.tokens.sum()), "gold token")
        yield format_count(float(self.deletions.sum()), "deleted", "deleted")
        yield format_count(float(self.insertions.sum()), "inserted", "inserted")
        others = np.where(self.same_symbol(), 0.0, self.substitutions)
        if others.any():
            row, column = np.unravel_index(int(others.argmax()), others.shape)
            pair = f"{self.gold.phones[row]} heard as {self.predicted.phones[column]}"
            yield f"most frequent confusion: {pair} ({format_count(float(others.max()), 'time')})"

    def _head(self) -> "DataFrame":
        return self.to_frame(wide=True).iloc[[*np.argsort(-self.tokens, kind="stable"), -1]]  # the most frequent first


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ConfusionStack(ReadableValue):
    """Sparse confusion counts by utterance: U matrices of [G + 1, P + 1] cells, ∅ last.

    ValueError if a cell is outside of the matrices, a count is no whole number, or offsets do not fit the cells.
    """

    utterances: tuple[str, ...]
    gold: Inventory
    predicted: Inventory
    offsets: NDArray[np.int64]  # [U + 1]: utterance u's cells stand at offsets[u] … offsets[u + 1] − 1
    cells: NDArray[np.integer]  # int32 [N]: flat cell number, row · (P + 1) + column, ascending within an utterance
    counts: NDArray[np.integer]  # int32 [N]: the count of each, > 0; int64 where they sum to 2³¹ or more

    def __post_init__(self) -> None:
        given, cells = np.asarray(self.counts), np.asarray(self.cells)
        # Half the memory of a large corpus; the sum is what later sums of these counts can reach.
        counts = np.int32 if given.sum(dtype=np.float64) < 2**31 else np.int64
        size = (len(self.gold) + 1) * (len(self.predicted) + 1)
        if given.dtype.kind == "f" and (given != np.round(given)).any():
            raise ValueError("counts must be whole numbers")
        if len(cells) and not 0 <= cells.min() <= cells.max() < size:
            raise ValueError(f"cells must be from 0 to {size - 1}, not {cells.min()} to {cells.max()}")
        make_read_only(self, offsets=np.int64, cells=np.int32, counts=counts)
        check_offsets(self.offsets, len(self.cells), len(self.utterances))

    def __len__(self) -> int:
        return len(self.utterances)

    def _facts(self) -> Iterator[str]:
        yield format_count(len(self), "utterance")
        yield f"{len(self.gold)} gold × {len(self.predicted)} predicted phones"
        yield f"{format_count(float(self.counts.sum()), 'pair')} in {format_count(len(self.cells), 'cell')}"

    def to_frame(self) -> "DataFrame":
        """Return utterance, gold, predicted, count: a row for each cell that has a count, ∅ for no phone."""
        row, column = np.divmod(self.cells, len(self.predicted) + 1)
        gold, predicted = (np.array(with_gap(side.phones), dtype=object) for side in (self.gold, self.predicted))
        owner = np.repeat(np.array(self.utterances, dtype=object), np.diff(self.offsets))
        return tidy({"utterance": owner, "gold": gold[row], "predicted": predicted[column], "count": self.counts})

    def total(self, weights: NDArray[np.float64] | None = None) -> ConfusionMatrix:
        """Return the sum over utterances, each counted as often as its weight says (once by default)."""
        counts = self._sums
        if weights is not None:
            own = self.counts * np.repeat(weights, np.diff(self.offsets))
            counts = sum_by(self.cells, own, len(counts))
        return ConfusionMatrix(self.gold, self.predicted, counts.reshape(len(self.gold) + 1, -1))

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        return sum_by(self.cells, self.counts, (len(self.gold) + 1) * (len(self.predicted) + 1))

    @cached_property
    def attested(self) -> NDArray[np.int64]:
        """The cells that some utterance has, int64 [K], ascending."""
        return np.flatnonzero(self._sums > 0)

    def sums_by(self, group: NDArray[np.integer], groups: int) -> NDArray[np.float64]:
        """Return the sums of all cells over the utterances of each group, [groups, (G + 1)(P + 1)]; `group` is [U]."""
        size = len(self._sums)
        sums = np.zeros(groups * size)
        together = max(1, len(self) * max(_BLOCK, len(sums)) // max(1, len(self.cells)))
        # Some utterances at a time: `bincount` widens cells to 64 bits and counts to floats.
        for first in range(0, len(self), together):
            bounds = self.offsets[first : first + together + 1]
            part = slice(bounds[0], bounds[-1])
            begins = np.repeat(group[first : first + together].astype(np.int64) * size, np.diff(bounds))
            sums += np.bincount(begins + self.cells[part], weights=self.counts[part], minlength=len(sums))
        return sums.reshape(groups, size)

    def over(self, gold: Inventory, predicted: Inventory) -> "ConfusionStack":
        """Return the same counts over inventories that hold all of this stack's phones; KeyError otherwise."""
        rows = np.array([*(gold.code(phone) for phone in self.gold), len(gold)])
        columns = np.array([*(predicted.code(phone) for phone in self.predicted), len(predicted)])
        row, column = np.divmod(self.cells, len(self.predicted) + 1)
        cells = rows[row] * (len(predicted) + 1) + columns[column]
        return replace(self, gold=gold, predicted=predicted, cells=cells)

    def select(self, utterances: NDArray[np.integer]) -> "ConfusionStack":
        lengths, names = np.diff(self.offsets)[utterances], tuple(self.utterances[place] for place in utterances)
        own, offsets = places_of(self.offsets[utterances], lengths), offsets_of(lengths)
        return replace(self, utterances=names, offsets=offsets, cells=self.cells[own], counts=self.counts[own])


CORRECT, SUBSTITUTION, DELETION, INSERTION = 0, 1, 2, 3
OPERATIONS = ("correct", "substitution", "deletion", "insertion")
_DONE = ("correct", "substituted", "deleted", "inserted")
_UTTERANCES = 3  # that a notebook shows
_BLOCK = 1 << 18  # pairs whose codes are widened at a time


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Alignments(ReadableValue):
    """One optimal alignment an utterance: L aligned pairs in all."""

    utterances: tuple[str, ...]
    gold_inventory: Inventory
    predicted_inventory: Inventory
    offsets: NDArray[np.int64]  # [U + 1]: utterance u holds the pairs offsets[u] to offsets[u + 1] − 1
    # [L]: gold code, or G for none (an insertion); int32 where a side has more than 180 phones
    gold: NDArray[np.integer]
    predicted: NDArray[np.integer]  # [L]: predicted code, or P for none (a deletion)
    cost: NDArray[np.int64]  # [U]: least total cost, over `denominator`
    denominator: int

    def __post_init__(self) -> None:
        kind = pair_type(len(self.gold_inventory), len(self.predicted_inventory))
        make_read_only(self, offsets=np.int64, cost=np.int64, gold=kind, predicted=kind)
        check_offsets(self.offsets, len(self.gold), len(self.utterances))

    def __len__(self) -> int:
        return len(self.utterances)

    def _facts(self) -> Iterator[str]:
        yield format_count(len(self), "utterance")
        yield format_count(len(self.gold), "pair")
        numbers = np.bincount(self.operations, minlength=len(OPERATIONS)).tolist()
        yield from (format_count(number, name, name) for number, name in zip(numbers, _DONE, strict=True))

    def _head(self) -> "DataFrame":
        pairs = [[self.utterances[u], *pair] for u in range(min(_UTTERANCES, len(self))) for pair in self.pairs_of(u)]
        return tidy(dict(zip(("utterance", "gold", "predicted"), zip(*pairs, strict=True), strict=False)))

    def to_frame(self) -> "DataFrame":
        """Return a row a pair: utterance, position (from 1), gold, predicted, operation; ∅ for no phone."""
        owners = self.pair_utterances()
        sides = {"gold": (self.gold_inventory, self.gold), "predicted": (self.predicted_inventory, self.predicted)}
        phones = {name: np.array(with_gap(of.phones), dtype=object)[codes] for name, (of, codes) in sides.items()}
        places = {"position": np.arange(len(owners)) - self.offsets[owners] + 1}
        names = {"utterance": np.array(self.utterances, dtype=object)[owners]}
        return tidy({**names, **places, **phones, "operation": np.array(OPERATIONS, dtype=object)[self.operations]})

    @cached_property
    def operations(self) -> NDArray[np.int8]:
        """The operation of each pair, int8 [L]: 0 correct, 1 substitution, 2 deletion, 3 insertion."""
        kinds, operations = self.kinds(), np.empty(len(self.gold), np.int8)
        for first in range(0, len(self.gold), _BLOCK):
            run = slice(first, first + _BLOCK)
            operations[run] = kinds[self.gold[run], self.predicted[run]]
        return operations

    def pair_utterances(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    def kinds(self) -> NDArray[np.int8]:
        """Return the operation of each pair of two phones, int8 [G + 1, P + 1], ∅ last."""
        same = same_symbols(self.gold_inventory, self.predicted_inventory)
        table = np.pad(np.where(same, CORRECT, SUBSTITUTION).astype(np.int8), (0, 1))
        table[:, -1], table[-1, :] = DELETION, INSERTION
        return table

    def pairs_of(self, utterance: int) -> list[tuple[str, str]]:
        """Return one utterance's aligned pairs as strings, ∅ for no phone: for looking at, not for counting."""
        gold, predicted = (*self.gold_inventory, GAP), (*self.predicted_inventory, GAP)
        run = slice(self.offsets[utterance], self.offsets[utterance + 1])
        return [(gold[g], predicted[p]) for g, p in zip(self.gold[run], self.predicted[run], strict=True)]
