"""The phone map: reference phones as circles, and where each target language's gold phones lie among them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from phonxling.core.estimate import list_phones
from phonxling.draw import style
from phonxling.draw.figure import StoredCorpus, StoredTables
from phonxling.draw.sheet import Sheet, cut_to_width, wrap, write_labels
from phonxling.draw.style import EDGE, FEW_TOKENS_DRAWN, GREY, LINE, SMALL

_DISTANCES = {  # what those of each method mean
    "umap": "UMAP keeps neighbourhoods, not distances.",
    "pca": "PCA: distances kept as far as two axes can.",
}
_CIRCLE = np.array([(np.cos(angle), np.sin(angle)) for angle in np.arange(12) * np.pi / 6])
CIRCLES = "Radius of a circle: mean distance of batches of its tokens from their mean."
_NAMED = 6  # phones of a target with the longest arrows, and as many of most tokens
_LEAST_HIGH, _MOST_HIGH = 0.65, 1.0  # a panel's height over its width
_TITLE, _BETWEEN = 5.8 + LINE, 3.0  # mm: above a panel, between panels
_GAP, _LEGEND_ROW, _LEGEND_WIDE = 1.7, 2.9, 100.0  # mm: air, a row of the legend, what holds its entries in one
_PANELS, _ACROSS, _LEAST_WIDE = 6, 3, 56.0  # of a sheet at most, abreast; mm: a panel
_ARROWS = (
    "An arrow leads from the reference phone of the same symbol, or else from the nearest one, which is named.",
    f"Named are the {_NAMED} phones with the longest arrows and the {_NAMED} of most tokens.",
)
_INKS = {"vowel": style.VOWEL, "consonant": style.CONSONANT}
# Fill and rim of a circle: a tint of the colour of its kind where the reference is alone, else grey.
_OF_CIRCLES = ((0.15, style.PALE_GREY), (0.28, style.PASSING))
_FEW = f"under {FEW_TOKENS_DRAWN} tokens"
_MARKS: dict[str, dict[str, Any]] = {
    "vowel": {"marker": "o", "markersize": 3, "color": style.VOWEL},
    "consonant": {"marker": "^", "markersize": 3, "color": style.CONSONANT},
    "reference phone": {"marker": "o", "markersize": 5, "color": style.PASSING, "markerfacecolor": style.PALE_GREY},
    _FEW: {"marker": "o", "markersize": 3, "color": style.DARK_GREY, "markerfacecolor": "white"},
}
_AIR = 0.1  # mm, so that rounding makes no page too high
_DIRECTIONS = np.array([-1, 1])  # sides of the middle


def draw_maps(source: StoredCorpus) -> Iterator[Sheet]:
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
    width, every = stored.options.width_mm, [*targets.items()]
    abreast = max(min(int(width / _LEAST_WIDE), _ACROSS), 1)
    room = min(abreast * int(style.PAGE_HEIGHT / (width / abreast * _LEAST_HIGH + _TITLE + 8)), _PANELS)
    for start in range(0, max(len(targets), 1), room):
        yield _draw(stored, reference, dict(every[start : start + room]), abreast)


def _draw(
    stored: StoredTables, reference: pd.DataFrame, targets: Mapping[str, pd.DataFrame], abreast: int, nameless: str = ""
) -> Sheet:
    """Return a sheet of panels, so many abreast at most: of the targets, or else of the reference alone."""
    width, first = stored.options.width_mm, stored.reference or ""
    panels = targets or {first: reference}
    columns, points = min(abreast, len(panels)), pd.concat([reference, *targets.values()])
    # Units are equal on both axes, and circles have air on both sides.
    middles, reach = points[["x", "y"]].to_numpy(float), points["spread"].fillna(0).to_numpy(float)[:, None]
    low, high_end = np.nanmin(middles - reach, axis=0), np.nanmax(middles + reach, axis=0)
    extent = np.where(high_end > low, (high_end - low) * 1.14, 1.0)
    side = (width - 2 * EDGE - (columns - 1) * _BETWEEN) / columns
    rows, in_legend = -(-len(panels) // columns), 4 if width >= _LEGEND_WIDE else 2
    note = StoredCorpus(first, stored).note("trustworthiness") if stored.method == "pca" else ""  # of little variance
    notes = [*(_ARROWS if targets else ()), _DISTANCES[stored.method], *[f"{note}."] * bool(note), CIRCLES, nameless]
    lines = wrap(notes, width)
    below = EDGE + len(lines) * LINE + _GAP + _LEGEND_ROW * (4 // in_legend)
    highest = (style.PAGE_HEIGHT - _AIR - below) / rows - _TITLE
    high = max(min(side * min(float(extent[1] / extent[0]), _MOST_HIGH), highest), side * _LEAST_HIGH)
    across = max(extent[0], extent[1] / (high / side))
    middle, half = (low + high_end) / 2, np.array([across, across * (high / side)]) / 2
    figure, unplaced = Sheet(width, below + rows * (high + _TITLE)), list[str]()
    figure.title = "Phone map"
    for place, (name, table) in enumerate(panels.items()):
        row, column = divmod(place, columns)
        left, bottom = EDGE + column * (side + _BETWEEN), below + (rows - 1 - row) * (high + _TITLE)
        axes = figure.axes_at(left, bottom, side, high)
        axes.set(xlim=middle[0] + half[0] * _DIRECTIONS, ylim=middle[1] + half[1] * _DIRECTIONS, xticks=[], yticks=[])
        axes.spines[:].set(visible=True, linewidth=0.4, color=GREY)
        above, title = bottom + high + 0.8, stored.title(name) + " (reference)" * (name == first)
        figure.write(left, above + LINE + 1.2, cut_to_width(title, side, bold=True), va="baseline", weight="bold")
        trust = StoredCorpus(name, stored).value("trustworthiness")
        figure.write(left, above, "" if trust is None else f"trustworthiness {trust:.2f}", SMALL, va="bottom")
        unplaced += _draw_panel(axes, reference, table if targets else None, stored.vowels)
    # Which labels find no place is known once all are drawn; a note that names them takes room, so all is drawn again.
    if unplaced and not nameless:
        return _draw(stored, reference, targets, abreast, f"No free place for the labels: {list_phones(unplaced)}.")
    few = any((table["tokens"] < FEW_TOKENS_DRAWN).any() for table in (reference, *targets.values()))
    shown = {meaning: look for meaning, look in _MARKS.items() if meaning != _FEW or few}
    if not targets:
        del shown["reference phone"]
    marks = {name: Line2D([], [], linestyle="none", markeredgewidth=0.4, **look) for name, look in shown.items()}
    figure.legend_at(EDGE, EDGE + len(lines) * LINE + 0.6, marks, in_legend)
    figure.finish(lines)
    return figure


# An arrow leads to a gold phone from the reference phone of the same symbol, else from the nearest one, which is named.
# Of a target only the phones with the longest arrows and those of most tokens have names, so that names can be read.
def _draw_panel(axes: Axes, reference: pd.DataFrame, target: pd.DataFrame | None, vowels: frozenset[str]) -> list[str]:
    """Draw the circles, and over them the target's points if there is one; return the labels left out."""
    reference = reference.sort_values("spread", ascending=False, kind="stable")  # small circles over large ones
    own = target is None
    kinds = ["vowel" if phone in vowels else "consonant" for phone in reference["phone"]]
    middles = reference[["x", "y"]].to_numpy(float)
    reaches = reference["spread"].fillna(0).to_numpy(float)
    circles = [Circle((x, y), reach) for (x, y), reach in zip(middles, reaches, strict=True)]
    fills, edges = ([style.tint(kind, share) if own else grey for kind in kinds] for share, grey in _OF_CIRCLES)
    # Rims over all fills: a circle below others is still seen whole.
    fill = PatchCollection(circles, facecolor=fills, edgecolor="none", alpha=0.8, zorder=0.5)
    rim = PatchCollection(circles, facecolor="none", edgecolor=edges, linewidth=0.5, zorder=0.6)
    for layer in (fill, rim):
        axes.add_collection(layer, autolim=False)
    outlines = [middle + reach * _CIRCLE for middle, reach in zip(middles, reaches, strict=True) if reach]
    if target is None:
        _draw_points(axes, reference, vowels)
        return write_labels(axes, reference, [_INKS[kind] for kind in kinds], outlines=outlines)
    # An arrow leads from what the reference would have the phone be: the same symbol, else its nearest phone.
    same, ends = target["phone"].isin(reference["phone"]).to_numpy(), target[["x", "y"]].to_numpy(float)
    origins = reference.set_index("phone").reindex(target["phone"].where(same, target["nearest_reference"]))
    starts = origins[["x", "y"]].to_numpy(float)
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 4, "shrinkA": 0, "shrinkB": 1.5, "linewidth": 0.8}
    of_target = ["vowel" if phone in vowels else "consonant" for phone in target["phone"]]
    for kind, start, end in zip(of_target, starts, ends, strict=True):
        if np.isfinite(start).all():
            arrow = {**look, "color": style.tint(kind, 0.28)}  # a name may stand on it
            axes.annotate("", tuple(end), tuple(start), arrowprops=arrow, annotation_clip=False, zorder=2)
    _draw_points(axes, target, vowels)
    lengths = np.nan_to_num(np.hypot(*(ends - starts).T))
    sizes = target["tokens"].to_numpy(), lengths
    ranks = [np.argsort(np.argsort(-own, kind="stable"), kind="stable") for own in sizes]
    named = np.min(ranks, axis=0) < _NAMED
    near = reference[reference["phone"].isin(target["nearest_reference"][named & ~same])]
    inks = [_INKS[kind] for kind, has_name in zip(of_target, named, strict=True) if has_name]
    points, inks = pd.concat([target[named], near]), inks + [style.DARK_GREY] * len(near)
    return write_labels(axes, points, inks, bold=int(named.sum()), outlines=outlines, marks=[ends])


def _draw_points(axes: Axes, points: pd.DataFrame, vowels: frozenset[str]) -> None:
    is_vowel, few = points["phone"].isin(vowels), points["tokens"] < FEW_TOKENS_DRAWN
    for kind, marker, colour in ((is_vowel, "o", style.VOWEL), (~is_vowel, "^", style.CONSONANT)):
        for which, inside in ((kind & ~few, colour), (kind & few, "white")):
            if which.any():
                (drawn,) = axes.plot(points["x"][which], points["y"][which], marker, color=colour, zorder=3)
                drawn.set(markersize=2.2, markeredgewidth=0.4, markerfacecolor=inside)
