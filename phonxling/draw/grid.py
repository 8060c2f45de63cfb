"""What a heat map is drawn from: its cells, their labels and marks, and the colours of its values."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.colors import Colormap, Normalize
from numpy.typing import NDArray

from phonxling.draw.colours import OUTLINE

GAP_WIDTH = 0.5  # cells between the phones and ∅

_Floats = NDArray[np.float64]
_Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """What a heat map shows: values [rows, columns] with NaN where there are no data, and what stands beside them.

    `apart` sets the last row and column (∅) apart. Cells may be `outlined` (in the colour `outline`), `dashed`
    (negative: a sign that survives a grey print) or `dotted` (white with a dot). `row_tokens` and `column_tokens` are
    drawn as bars.
    """

    values: _Floats
    rows: Sequence[str]
    columns: Sequence[str]
    row_name: str
    column_name: str
    apart: bool = False
    outlined: _Bools | None = None
    outline: str = OUTLINE
    dashed: _Bools | None = None
    dotted: _Bools | None = None
    row_tokens: _Floats | None = None
    column_tokens: _Floats | None = None
    legend: dict[str, str] = field(default_factory=dict)  # outlined, dashed, dotted, missing: what it means


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Colours of the values, their unit as the colour bar's label, and its ticks."""

    colours: Colormap
    norm: Normalize
    label: str
    ticks: Sequence[float]


def edges(count: int, apart: bool) -> _Floats:
    """Return the borders of `count` cells; the last one is set apart by a gap, which is a cell of its own."""
    borders = np.arange(count + 1, dtype=np.float64)
    return np.asarray(np.concatenate([borders[:-1], borders[-2:] + GAP_WIDTH]) if apart else borders)


def centres(count: int, apart: bool) -> _Floats:
    """Return the middles of `count` cells, the last one beyond the gap."""
    middles = np.arange(count, dtype=np.float64) + 0.5
    middles[-1:] += GAP_WIDTH if apart else 0
    return np.asarray(middles)
