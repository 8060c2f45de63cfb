"""The phone map: reference phones as circles, each target language's gold phones written where they fall."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from phonxling.draw.colours import BLUE, DARK_GREY, GREY, ORANGE, PALE_BLUE, PALE_GREY, PALE_ORANGE
from phonxling.draw.labels import write_labels
from phonxling.draw.page import axes_at, legend_at, sheet, wrap, write_at, write_notes
from phonxling.draw.panels import CAPTION_LINES, Panels, plan_panels
from phonxling.draw.style import (
    EDGE,
    LINE,
    PAGE_HEIGHT,
    SMALL,
    TWO_COLUMNS,
    Drawing,
    FigureOptions,
    heading,
    house_style,
)

_SHOWN = ["corpus", "role", "phone", "x", "y", "spread"]
_LEAST_HIGH, _MOST_HIGH = 0.65, 1.0  # a panel's height over its width
_REFERENCE = "reference phone: mean and spread"


@dataclass(frozen=True, slots=True)
class _Coordinates:
    """Columns of the table to draw, the name of the figure, and what its distances mean."""

    x: str
    y: str
    spread: str
    name: str
    caption: str


COORDINATES = {
    "umap": _Coordinates("x", "y", "spread", "map", "UMAP keeps neighbourhoods, not distances."),
    "pca": _Coordinates("pca_x", "pca_y", "pca_spread", "map-pca", "PCA: distances kept as far as two axes can."),
}


def draw_map(
    reference: pd.DataFrame,
    targets: Mapping[str, pd.DataFrame],
    vowels: Collection[str],
    options: FigureOptions,
    *,
    reference_name: str = "reference",
    coordinates: str = "umap",
) -> Drawing:
    """Return the map: a panel of the reference's phones, and one a target corpus over the same circles in grey.

    A circle's centre is the mean of a reference phone's batches, its radius their spread, in the map's own units.
    Vowels are blue with round points, consonants brown with triangles. Where labels find no free place in the width
    that was asked for, or the panels no place on a page, the figure grows to two columns; labels that even then find no
    free place are left out rather than overprinted, and a note names them.

    Parameters
    ----------
    reference, targets : DataFrame
        `embedding` tables: phone, x, y, spread, pca_x, pca_y, pca_spread.
    vowels : set of str
        Which phones are vowels.
    coordinates : {"umap", "pca"}
        Which columns to draw; the caption says what their distances mean.
    """
    chosen = COORDINATES[coordinates]
    tables = {name: _points(table, chosen) for name, table in {reference_name: reference, **targets}.items()}
    with house_style(options.font):
        figure = _best(tables, frozenset(vowels), chosen, options.width_mm)
        figure.draw_without_rendering()
    roles = ["reference", *("target" for _ in targets)]
    shown = [table.assign(corpus=name, role=role) for role, (name, table) in zip(roles, tables.items(), strict=True)]
    return Drawing(chosen.name, figure, pd.concat(shown, ignore_index=True)[_SHOWN])


def _points(table: pd.DataFrame, chosen: _Coordinates) -> pd.DataFrame:
    points = table.rename(columns={"x": "_", "y": "__", "spread": "___"} if chosen.x != "x" else {})
    points = points.rename(columns={chosen.x: "x", chosen.y: "y", chosen.spread: "spread"})
    if "spread" not in points:
        points = points.assign(spread=np.nan)
    return points.loc[points["x"].notna() & points["y"].notna(), ["phone", "x", "y", "spread"]]


def _best(tables: Mapping[str, pd.DataFrame], vowels: frozenset[str], chosen: _Coordinates, width: float) -> Figure:
    """Return the first layout on one page with all labels, else the one that leaves out fewest."""
    wide, limits = max(width, TWO_COLUMNS), _limits(pd.concat(tables.values()))
    choices = dict.fromkeys([(width, 1 if width < 150 else 2), (wide, 2), (wide, 1)])
    ratio = (limits[3] - limits[2]) / (limits[1] - limits[0])
    plans = [plan_panels(len(tables), ratio, *choice) for choice in choices]
    drawn: list[tuple[int, int, Figure]] = []
    for plan in [plan for plan in plans if plan.height <= PAGE_HEIGHT] or plans:
        figure, left_out = _draw(tables, vowels, chosen, plan, limits)
        if not left_out:
            return figure
        drawn.append((left_out, len(drawn), figure))
    return min(drawn, key=lambda draft: draft[:2])[-1]


def _draw(
    tables: Mapping[str, pd.DataFrame],
    vowels: frozenset[str],
    chosen: _Coordinates,
    plan: Panels,
    limits: tuple[float, float, float, float],
) -> tuple[Figure, int]:
    """Return the figure and how many labels it leaves out."""
    figure = sheet(plan.width, plan.height)
    reference, *_ = tables.values()
    left_out: dict[str, list[str]] = {}
    for place, (name, table) in enumerate(tables.items()):
        left, bottom = plan.corner(place)
        axes = axes_at(figure, left, bottom, plan.side, plan.high)
        axes.set(xlim=limits[:2], ylim=limits[2:], xticks=[], yticks=[])
        axes.spines[:].set(visible=True, linewidth=0.4, color=GREY)
        title = heading(name) + (" (reference)" if place == 0 else "")
        write_at(figure, left, bottom + plan.high + 0.8, title, va="bottom", bold=True)
        missed = _draw_panel(axes, reference, None if place == 0 else table, vowels)
        left_out |= {heading(name): missed} if missed else {}
    _caption(figure, chosen, left_out)
    return figure, sum(map(len, left_out.values()))


def _limits(points: pd.DataFrame) -> tuple[float, float, float, float]:
    """Return x and y limits around all points and circles, of a ratio that suits a panel, units equal on both axes."""
    reach = points["spread"].fillna(0)
    low = np.array([(points[axis] - reach).min() for axis in "xy"])
    high = np.array([(points[axis] + reach).max() for axis in "xy"])
    span = np.where(high > low, (high - low) * 1.14, 1.0)
    wide = max(span[0], span[1] / _MOST_HIGH)
    tall = max(span[1], wide * _LEAST_HIGH)
    middle = (low + high) / 2
    return middle[0] - wide / 2, middle[0] + wide / 2, middle[1] - tall / 2, middle[1] + tall / 2


def _draw_panel(axes: Axes, reference: pd.DataFrame, target: pd.DataFrame | None, vowels: frozenset[str]) -> list[str]:
    """Draw the circles, and over them the target's points if there is one; return the labels left out."""
    reference = reference.sort_values("spread", ascending=False, kind="stable")  # small circles over large ones
    is_vowel = reference["phone"].isin(vowels).to_numpy()
    own = target is None
    middles = reference[["x", "y"]].to_numpy(float)
    reaches = reference["spread"].fillna(0).to_numpy(float)
    circles = [Circle((x, y), reach) for (x, y), reach in zip(middles, reaches, strict=True)]
    fills = [(PALE_BLUE if vowel else PALE_ORANGE) if own else PALE_GREY for vowel in is_vowel]
    edges = [(BLUE if vowel else ORANGE) if own else GREY for vowel in is_vowel]
    fill = PatchCollection(circles, facecolor=fills, edgecolor="none", alpha=0.5, zorder=0.5)
    rim = PatchCollection(circles, facecolor="none", edgecolor=edges, linewidth=0.3, alpha=0.6, zorder=0.6)
    for layer in (fill, rim):
        axes.add_collection(layer, autolim=False)
    if target is None:
        _points_of(axes, reference, vowels)
        return write_labels(axes, reference, edges)
    axes.plot(reference["x"], reference["y"], "+", markersize=2, markeredgewidth=0.4, color=GREY, zorder=1)
    _points_of(axes, target, vowels)
    inks = [BLUE if phone in vowels else ORANGE for phone in target["phone"]]
    return write_labels(axes, pd.concat([target, reference]), inks + [DARK_GREY] * len(reference), bold=len(target))


def _points_of(axes: Axes, points: pd.DataFrame, vowels: frozenset[str]) -> None:
    is_vowel = points["phone"].isin(vowels)
    for which, marker, colour in ((is_vowel, "o", BLUE), (~is_vowel, "^", ORANGE)):
        if which.any():
            x, y = points["x"][which], points["y"][which]
            axes.plot(x, y, marker, markersize=2.2, markeredgewidth=0, color=colour, zorder=3)


def _caption(figure: Figure, chosen: _Coordinates, left_out: Mapping[str, list[str]]) -> None:
    missed = "; ".join(f"{name} {' '.join(phones)}" for name, phones in left_out.items())
    caption = chosen.caption + (f" No free place for the labels: {missed}." if missed else "")
    lines = wrap(caption, SMALL, figure.get_size_inches()[0] * 25.4 - 2 * EDGE)
    if len(lines) > CAPTION_LINES:
        lines[CAPTION_LINES - 1] += " …"
    write_notes(figure, (lines + [""] * CAPTION_LINES)[:CAPTION_LINES])
    looks: dict[str, dict[str, Any]] = {
        "vowel": {"marker": "o", "markersize": 3, "color": BLUE},
        "consonant": {"marker": "^", "markersize": 3, "color": ORANGE},
        "reference phone: mean and spread": {
            "marker": "o",
            "markersize": 5,
            "color": GREY,
            "markerfacecolor": PALE_GREY,
        },
    }
    entries = {
        meaning: Line2D([], [], linestyle="none", markeredgewidth=0.4, **look) for meaning, look in looks.items()
    }
    legend_at(figure, EDGE, EDGE + CAPTION_LINES * LINE + 0.6, entries, 3)
