"""What a phone map says of itself: its coordinates' meaning, its caption and its legend."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from phonxling.draw.colours import BLUE, DARK_GREY, GREY, ORANGE, PALE_GREY
from phonxling.draw.page import legend_at, wrap, write_notes
from phonxling.draw.panels import CAPTION_LINES, legend_columns
from phonxling.draw.style import EDGE, FEW, LINE, SMALL


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Columns of the table to draw, the name of the figure, and what its distances mean."""

    x: str
    y: str
    spread: str
    name: str
    caption: str


COORDINATES = {
    "umap": Coordinates("x", "y", "spread", "map", "UMAP keeps neighbourhoods, not distances."),
    "pca": Coordinates("pca_x", "pca_y", "pca_spread", "map-pca", "PCA: distances kept as far as two axes can."),
    "mds": Coordinates(
        "mds_x",
        "mds_y",
        "mds_spread",
        "map-mds",
        "Classical MDS: Jensen–Shannon distances kept as far as two axes can.",
    ),
}


def write_caption(figure: Figure, chosen: Coordinates, left_out: Mapping[str, list[str]], *, hollow: bool) -> None:
    """Write the caption, with the labels left out, and the legend; `hollow` when any mean rests on few tokens."""
    missed = "; ".join(f"{name} {' '.join(phones)}" for name, phones in left_out.items())
    caption = chosen.caption + (f" No free place for the labels: {missed}." if missed else "")
    width = figure.get_size_inches()[0] * 25.4
    lines = wrap(caption, SMALL, width - 2 * EDGE)
    if len(lines) > CAPTION_LINES:
        lines[CAPTION_LINES - 1] += " …"
    write_notes(figure, (lines + [""] * CAPTION_LINES)[:CAPTION_LINES])
    looks: dict[str, dict[str, Any]] = {
        "vowel": {"marker": "o", "markersize": 3, "color": BLUE},
        "consonant": {"marker": "^", "markersize": 3, "color": ORANGE},
        "reference: mean, spread": {"marker": "o", "markersize": 5, "color": GREY, "markerfacecolor": PALE_GREY},
    }
    if hollow:
        looks[f"under {FEW} tokens"] = {"marker": "o", "markersize": 3, "color": DARK_GREY, "markerfacecolor": "white"}
    entries = {
        meaning: Line2D([], [], linestyle="none", markeredgewidth=0.4, **look) for meaning, look in looks.items()
    }
    legend_at(figure, EDGE, EDGE + CAPTION_LINES * LINE + 0.6, entries, legend_columns(width))
