"""Joint distributions of gold phones with what the recogniser's posteriors say."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phonxling.core.arrays import read_only
from phonxling.core.display.frames import cells
from phonxling.core.display.shown import Shown
from phonxling.core.interface.arguments import checked_types
from phonxling.core.inventory import Inventory, as_inventory, merge

if TYPE_CHECKING:
    from phonxling.core.display.frames import DataFrame


class JointDistribution(Shown):
    """Summed mass of gold phone y with recognised phone e; divided by its total it is p̂(y, e).

    Parameters
    ----------
    rows : Inventory or list of str
        G gold phones.
    columns : Inventory or list of str
        K recogniser's phones.
    mass : float array [G, K]
        Mass ≥ 0: Σ over tokens (or frames) i with gold y of p(e | x_i). Unnormalised, so that sums merge.

    Raises
    ------
    ValueError
        If the shape does not fit.
        If a value is negative or not finite.

    Examples
    --------
    >>> j = JointDistribution(rows=["a", "b"], columns=["x", "y"], mass=[[1, 0], [1, 2]])
    >>> j.probabilities().tolist()
    [[0.25, 0.0], [0.25, 0.5]]
    """

    __slots__ = ("columns", "mass", "rows")

    rows: Inventory
    columns: Inventory
    mass: NDArray[np.float64]

    @checked_types
    def __init__(self, rows: Inventory | Iterable[str], columns: Inventory | Iterable[str], mass: ArrayLike) -> None:
        first, second = as_inventory(rows), as_inventory(columns)
        values = np.asarray(mass, dtype=np.float64)
        if values.shape != (len(first), len(second)):
            raise ValueError(f"mass must have the shape {(len(first), len(second))}, not {values.shape}")
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError("mass must be finite and not negative")
        object.__setattr__(self, "rows", first)
        object.__setattr__(self, "columns", second)
        object.__setattr__(self, "mass", read_only(values, np.float64))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a JointDistribution cannot be changed ({name})")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.rows, self.columns, self.mass)  # without setting attributes

    @classmethod
    def zero(cls, rows: Inventory | Iterable[str] = (), columns: Inventory | Iterable[str] = ()) -> Self:
        """Return the distribution without mass: neutral when added."""
        first, second = as_inventory(rows), as_inventory(columns)
        return cls(first, second, np.zeros((len(first), len(second))))

    def probabilities(self) -> NDArray[np.float64]:
        """Return p̂(y, e), [G, K], summing to 1; all NaN when there is no mass."""
        total = self.mass.sum()
        return self.mass / total if total > 0 else np.full(self.mass.shape, np.nan)

    def reindex(self, rows: Inventory, columns: Inventory) -> "JointDistribution":
        """Return the same mass over inventories that hold all of this one's phones; KeyError otherwise."""
        mass = np.zeros((len(rows), len(columns)))
        mass[np.ix_([rows.code(p) for p in self.rows], [columns.code(p) for p in self.columns])] = self.mass
        return JointDistribution(rows, columns, mass)

    def __add__(self, other: object) -> "JointDistribution":
        if not isinstance(other, JointDistribution):
            return NotImplemented
        rows, columns = merge(self.rows, other.rows), merge(self.columns, other.columns)
        return JointDistribution(rows, columns, self.reindex(rows, columns).mass + other.reindex(rows, columns).mass)

    def __radd__(self, other: int) -> "JointDistribution":
        return self if other == 0 else NotImplemented  # so that `sum` adds them up

    def to_frame(self, *, wide: bool = False) -> "DataFrame":
        """Return gold, recognised, mass: a row for each cell that has mass; with `wide` all, gold down."""
        labels, names = (self.rows.phones, self.columns.phones), ("gold", "recognised", "mass")
        return cells(self.mass, labels, names, wide=wide, kept=self.mass > 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointDistribution):
            return NotImplemented
        same_phones = self.rows == other.rows and self.columns == other.columns
        return same_phones and bool(np.array_equal(self.mass, other.mass))

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.rows)} gold × {len(self.columns)} recognised phones"
        yield f"mass {self.mass.sum():,.6g}"
