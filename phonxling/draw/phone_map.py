"""The phone map: reference phones as circles, and where each target language's gold phones lie among them.

An arrow leads to a gold phone from the reference phone of the same symbol, else from the nearest one, which is named.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, Stored, StoredCorpus
from phonxling.draw.sheet import Sheet, fitted, wrap, write_labels
from phonxling.draw.style import (
    CONSONANT,
    DARK_GREY,
    EDGE,
    FEW,
    GREY,
    LINE,
    PAGE_HEIGHT,
    PALE_GREY,
    PASSING,
    SMALL,
    VOWEL,
    tint,
)

_DISTANCES = {  # what those of each method mean
    "umap": "UMAP keeps neighbourhoods, not distances.",
    "pca": "PCA: distances kept as far as two axes can.",
}
_CIRCLE = np.array([(np.cos(angle), np.sin(angle)) for angle in np.arange(12) * np.pi / 6])
CIRCLES = "Radius of a circle: mean distance of batches of its tokens from their mean."
_CAPTION_LINES = {120.0: 3, 80.0: 4, 0.0: 6}  # of notes, by the least width in mm
_LEAST_HIGH, _MOST_HIGH = 0.65, 1.0  # a panel's height over its width
_TITLE, _BETWEEN = 5.8 + LINE, 3.0  # mm: above a panel, between panels
_GAP, _LEGEND_ROW, _LEGEND_WIDE = 1.7, 2.9, 100.0  # mm: air, a row of the legend, what holds its entries in one
_PANELS, _ACROSS, _LEAST_WIDE = 6, 3, 56.0  # of a sheet at most, abreast; mm: a panel
_ARROWS = "An arrow leads from the reference phone of the same symbol, or else from the nearest one, which is named."
_AIR = 0.1  # mm, so that rounding makes no page too high


def draw_maps(source: StoredCorpus) -> Iterator[Drawing]:
    """Yield the sheets of the map: a panel a target over the circles of the reference, which has one if it is alone."""
    stored = source.stored
    maps = {name: tables["map"] for name, tables in stored.tables.items() if len(tables.get("map", ()))}
    if stored.reference not in maps:
        return
    reference = maps.pop(stored.reference)
    targets = {name: table[table["phone"].isin(stored.options.chosen(table["phone"]))] for name, table in maps.items()}
    targets = {name: table for name, table in targets.items() if len(table)}
    if stored.options.phones:
        near = {*stored.options.phones, *(phone for table in targets.values() for phone in table["nearest_reference"])}
        reference = reference[reference["phone"].isin(near)]
    if reference.empty:
        return
    for number, own in enumerate(_sheets(targets, stored.options.width_mm), start=1):
        figure = _laid_out(stored, {stored.reference: reference, **own})
        figure.finish()
        yield Drawing(f"map-{number}" if number > 1 else "map", figure)


def _sheets(targets: Mapping[str, pd.DataFrame], width: float) -> Iterator[dict[str, pd.DataFrame]]:
    """Yield the targets of each sheet: as many as a page has room for."""
    room = min(_across(width) * int(PAGE_HEIGHT / (width / _across(width) * _LEAST_HIGH + _TITLE + 8)), _PANELS)
    for start in range(0, max(len(targets), 1), room):
        yield dict([*targets.items()][start : start + room])


def _across(width: float) -> int:
    """Return how many panels stand abreast."""
    return max(min(int(width / _LEAST_WIDE), _ACROSS), 1)


class _Plan(NamedTuple):
    """Panels in rows and columns: the figure's width and height, and each panel's, in mm; what is below them."""

    width: float
    height: float
    columns: int
    side: float
    high: float
    below: float


def _plan(number: int, ratio: float, width: float, columns: int) -> _Plan:
    """Return so many panels, of a height `ratio` times their width, in columns that fill the figure's width."""
    columns = min(columns, number)
    side = (width - 2 * EDGE - (columns - 1) * _BETWEEN) / columns
    rows, below = -(-number // columns), EDGE + _lines(width) * LINE + _GAP + _LEGEND_ROW * (4 // _in_legend(width))
    room = (PAGE_HEIGHT - _AIR - below) / rows - _TITLE
    high = max(min(side * ratio, room), side * _LEAST_HIGH)
    return _Plan(width, below + rows * (high + _TITLE), columns, side, high, below)


def _lines(width: float) -> int:
    """Return how many lines of notes a figure of this width has room for."""
    return next(lines for least, lines in _CAPTION_LINES.items() if width >= least)


def _in_legend(width: float) -> int:
    return 4 if width >= _LEGEND_WIDE else 2


def _laid_out(stored: Stored, tables: Mapping[str, pd.DataFrame]) -> Sheet:
    """Return the panels, as many abreast as the width has room for."""
    every, width = pd.concat(tables.values()), stored.options.width_mm
    reach = every["spread"].fillna(0)
    low, high = ([limit(every[axis] + sign * reach) for axis in "xy"] for sign, limit in ((-1, np.min), (1, np.max)))
    middle, extent = np.add(low, high) / 2, np.where(np.greater(high, low), np.subtract(high, low) * 1.14, 1.0)
    number, ratio = max(len(tables) - 1, 1), min(float(extent[1] / extent[0]), _MOST_HIGH)
    plan = _plan(number, ratio, width, _across(width))
    across = max(extent[0], extent[1] / (plan.high / plan.side))  # units are equal on both axes
    size = np.array([across, across * (plan.high / plan.side)])
    return _draw(stored, tables, plan, np.array([middle - size / 2, middle + size / 2]))


def _draw(stored: Stored, tables: Mapping[str, pd.DataFrame], plan: _Plan, limits: Floats) -> Sheet:
    figure = Sheet(plan.width, plan.height)
    figure.title = "Phone map"
    (first, reference), *targets = tables.items()
    panels, left_out = dict(targets) or {first: reference}, dict[str, list[str]]()
    for place, (name, table) in enumerate(panels.items()):
        row, column = divmod(place, plan.columns)
        left = EDGE + column * (plan.side + _BETWEEN)
        bottom = plan.below + (-(-len(panels) // plan.columns) - 1 - row) * (plan.high + _TITLE)
        axes = figure.axes_at(left, bottom, plan.side, plan.high)
        axes.set(xlim=limits[:, 0], ylim=limits[:, 1], xticks=[], yticks=[])
        axes.spines[:].set(visible=True, linewidth=0.4, color=GREY)
        above, title = bottom + plan.high + 0.8, stored.title(name) + " (reference)" * (name == stored.reference)
        title = fitted(title, plan.side, bold=True)
        figure.write(left, above + LINE + 1.2, title, va="baseline", weight="bold")
        figure.write(left, above, _trust(stored.summary, name), SMALL, va="bottom")
        missed = _draw_panel(axes, reference, table if targets else None, stored.vowels)
        left_out |= {stored.title(name): missed} if missed else {}
    named = "; ".join(f"{name} {' '.join(phones)}" for name, phones in left_out.items())
    nameless = f"No free place for the labels: {named}." if named else ""
    arrows, note = _ARROWS if targets else "", _variance_note(stored, first)
    lines = wrap([arrows, _DISTANCES[stored.method], note, CIRCLES, nameless], plan.width)
    room = _lines(plan.width)
    if len(lines) > room:
        lines[room - 1] = lines[room - 1].rpartition(" ")[0] + " …"
    figure.write_notes((lines + [""] * room)[:room])
    looks: dict[str, dict[str, Any]] = {
        "vowel": {"marker": "o", "markersize": 3, "color": VOWEL},
        "consonant": {"marker": "^", "markersize": 3, "color": CONSONANT},
    }
    if targets:
        looks["reference phone"] = {"marker": "o", "markersize": 5, "color": PASSING, "markerfacecolor": PALE_GREY}
    if (pd.concat(tables.values())["tokens"] < FEW).any():
        looks[f"under {FEW} tokens"] = {"marker": "o", "markersize": 3, "color": DARK_GREY, "markerfacecolor": "white"}
    entries = {name: Line2D([], [], linestyle="none", markeredgewidth=0.4, **look) for name, look in looks.items()}
    figure.legend_at(EDGE, EDGE + room * LINE + 0.6, entries, _in_legend(plan.width))
    return figure


def _draw_panel(axes: Axes, reference: pd.DataFrame, target: pd.DataFrame | None, vowels: frozenset[str]) -> list[str]:
    """Draw the circles, and over them the target's points if there is one; return the labels left out."""
    reference = reference.sort_values("spread", ascending=False, kind="stable")  # small circles over large ones
    is_vowel = reference["phone"].isin(vowels).to_numpy()
    own = target is None
    middles = reference[["x", "y"]].to_numpy(float)
    reaches = reference["spread"].fillna(0).to_numpy(float)
    circles = [Circle((x, y), reach) for (x, y), reach in zip(middles, reaches, strict=True)]
    fills = [tint("vowel" if vowel else "consonant", 0.15) if own else PALE_GREY for vowel in is_vowel]
    edges = [tint("vowel" if vowel else "consonant", 0.28) if own else PASSING for vowel in is_vowel]
    fill = PatchCollection(circles, facecolor=fills, edgecolor="none", alpha=0.8, zorder=0.5)
    rim = PatchCollection(circles, facecolor="none", edgecolor=edges, linewidth=0.5, zorder=0.6)
    for layer in (fill, rim):
        axes.add_collection(layer, autolim=False)
    outlines = [middle + reach * _CIRCLE for middle, reach in zip(middles, reaches, strict=True) if reach]
    if target is None:
        _points_of(axes, reference, vowels)
        return write_labels(axes, reference, [VOWEL if vowel else CONSONANT for vowel in is_vowel], outlines=outlines)
    inks = [VOWEL if phone in vowels else CONSONANT for phone in target["phone"]]
    same = target["phone"].isin(reference["phone"])
    origins = reference.set_index("phone").reindex(target["phone"].where(same, target["nearest_reference"]))
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 4, "shrinkA": 0, "shrinkB": 1.5, "linewidth": 0.8}
    for start, end, ink in zip(origins[["x", "y"]].to_numpy(), target[["x", "y"]].to_numpy(), inks, strict=True):
        if np.isfinite(start).all():
            kind = "vowel" if ink == VOWEL else "consonant"
            arrow = {**look, "color": tint(kind, 0.28)}  # pale: a name may stand on it
            axes.annotate("", tuple(end), tuple(start), arrowprops=arrow, annotation_clip=False, zorder=2)
    _points_of(axes, target, vowels)
    near = reference[reference["phone"].isin(target["nearest_reference"][~same])]
    inks += [DARK_GREY] * len(near)
    return write_labels(axes, pd.concat([target, near]), inks, bold=len(target), outlines=outlines)


def _points_of(axes: Axes, points: pd.DataFrame, vowels: frozenset[str]) -> None:
    is_vowel, few = points["phone"].isin(vowels), points["tokens"] < FEW
    for kind, marker, colour in ((is_vowel, "o", VOWEL), (~is_vowel, "^", CONSONANT)):
        for which, inside in ((kind & ~few, colour), (kind & few, "white")):
            if which.any():
                (drawn,) = axes.plot(points["x"][which], points["y"][which], marker, color=colour, zorder=3)
                drawn.set(markersize=2.2, markeredgewidth=0.4, markerfacecolor=inside)


def _variance_note(stored: Stored, reference: str) -> str:
    """Return that the map keeps so little of the variance that it means little, "" where it does not."""
    numbers = stored.summary
    own = (numbers["corpus"] == reference) & (numbers["measure"] == "trustworthiness") & (stored.method == "pca")
    return " ".join(f"{note}." for note in numbers.loc[own, "note"] if note)


def _trust(summary: pd.DataFrame, corpus: str) -> str:
    rows = summary.loc[(summary["measure"] == "trustworthiness") & (summary["corpus"] == corpus), "value"].dropna()
    return "".join(f"trustworthiness {value:.2f}" for value in rows[:1])


MAP = DeclaredFigure("map", (), draw_maps, of="corpora", shows=("map",), main=True, phones=True)
