"""The phone map: reference phones as circles, each target language's gold phones written where they fall."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from phonxling.draw.figure import Drawing, JointFigure, Stored
from phonxling.draw.heatmap import CAPTION_LINES, Panels, legend_columns, plan_panels, span_of
from phonxling.draw.labels import write_labels
from phonxling.draw.sheet import axes_at, fitted, legend_at, settle, sheet, wrap_notes, write_at, write_notes
from phonxling.draw.style import (
    BLUE,
    DARK_GREY,
    EDGE,
    FEW,
    GREY,
    LINE,
    ORANGE,
    PAGE_HEIGHT,
    PALE_BLUE,
    PALE_GREY,
    PALE_ORANGE,
    PASSING,
    RIM_BLUE,
    RIM_ORANGE,
    SMALL,
    TWO_COLUMNS,
    FigureOptions,
    house_style,
)

_SHOWN = ["corpus", "role", "phone", "x", "y", "spread", "tokens"]
_FAITHFUL = {
    "trustworthiness": "trustworthiness",
    "distance_correlation": "rank correlation of distances",
    "embedding_stability": "stability over seeds",
}


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Columns of the table to draw, the name of the figure, and what its distances mean."""

    x: str
    y: str
    spread: str
    name: str
    caption: str


_CIRCLE = np.array([(np.cos(angle), np.sin(angle)) for angle in np.arange(12) * np.pi / 6])
CIRCLES = "Radius of a circle: mean distance of batches of its tokens from their mean."
COORDINATES = {
    "umap": Coordinates("x", "y", "spread", "map", "UMAP keeps neighbourhoods, not distances."),
    "pca": Coordinates("pca_x", "pca_y", "pca_spread", "map-pca", "PCA: distances kept as far as two axes can."),
    "mds": Coordinates(
        "mds_x",
        "mds_y",
        "mds_spread",
        "map-mds",
        "Classical MDS of phone means: distances kept as far as two axes can.",
    ),
}


def draw_map(
    reference: pd.DataFrame,
    targets: Mapping[str, pd.DataFrame],
    vowels: Collection[str],
    options: FigureOptions,
    *,
    reference_name: str = "reference",
    coordinates: str = "umap",
    trust: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    note: str = "",
) -> Drawing:
    """Return the map: a panel of the reference's phones, and one a target corpus over the same circles in grey."""
    chosen = COORDINATES[coordinates]
    tables = {name: _points(table, chosen) for name, table in {reference_name: reference, **targets}.items()}
    with house_style(options.font):
        figure = _best(_Map(tables, frozenset(vowels), chosen, trust or {}, titles or {}, note), options.width_mm)
        settle(figure)
    roles = ["reference", *("target" for _ in targets)]
    shown = [table.assign(corpus=name, role=role) for role, (name, table) in zip(roles, tables.items(), strict=True)]
    return Drawing(chosen.name, figure, pd.concat(shown, ignore_index=True)[_SHOWN])


def _points(table: pd.DataFrame, chosen: Coordinates) -> pd.DataFrame:
    points = table.rename(columns={"x": "_", "y": "__", "spread": "___"} if chosen.x != "x" else {})
    points = points.rename(columns={chosen.x: "x", chosen.y: "y", chosen.spread: "spread"})
    points = points.assign(**{name: np.nan for name in ("spread", "tokens") if name not in points})
    return points.loc[points["x"].notna() & points["y"].notna(), ["phone", "x", "y", "spread", "tokens"]]


@dataclass(frozen=True, eq=False)
class _Map:
    """What a map shows: points by corpus, the reference first; vowels; coordinates; a line under each title; a note."""

    tables: Mapping[str, pd.DataFrame]
    vowels: frozenset[str]
    coordinates: Coordinates
    trust: Mapping[str, str]
    titles: Mapping[str, str]
    note: str


def _best(shown: _Map, width: float) -> Figure:
    """Return the first layout on one page with all labels, else the one that leaves out fewest."""
    wide, span = max(width, TWO_COLUMNS), span_of(pd.concat(shown.tables.values()))
    few, many = [(width, 1 if width < 150 else 2), (wide, 2), (wide, 1)], [(wide, 3), (wide, 4)]
    plans, more = ([plan_panels(len(shown.tables), span.ratio, *choice) for choice in some] for some in (few, many))
    fitting = _on_a_page(plans) or _on_a_page(more) or [min(plans + more, key=lambda plan: plan.height)]
    drawn: list[tuple[int, int, Figure]] = []
    for plan in dict.fromkeys(fitting):
        figure, left_out = _draw(shown, plan, span.limits(plan.high / plan.side))
        if not left_out:
            return figure
        drawn.append((left_out, len(drawn), figure))
    return min(drawn, key=lambda draft: draft[:2])[-1]


def _on_a_page(plans: list[Panels]) -> list[Panels]:
    return [plan for plan in plans if plan.height <= PAGE_HEIGHT]


def _draw(shown: _Map, plan: Panels, limits: tuple[float, float, float, float]) -> tuple[Figure, int]:
    """Return the figure and how many labels it leaves out."""
    figure = sheet(plan.width, plan.height)
    reference, *_ = shown.tables.values()
    left_out: dict[str, list[str]] = {}
    for place, (name, table) in enumerate(shown.tables.items()):
        left, bottom = plan.corner(place)
        axes = axes_at(figure, left, bottom, plan.side, plan.high)
        axes.set(xlim=limits[:2], ylim=limits[2:], xticks=[], yticks=[])
        axes.spines[:].set(visible=True, linewidth=0.4, color=GREY)
        called = shown.titles.get(name, name)
        title = called + (" (reference)" if place == 0 else "")
        above = bottom + plan.high + 0.8
        write_at(figure, left, above + LINE + 0.8, fitted(title, plan.side, bold=True), va="bottom", bold=True)
        write_at(figure, left, above, shown.trust.get(name, ""), SMALL, va="bottom")
        missed = _draw_panel(axes, reference, None if place == 0 else table, shown.vowels)
        left_out |= {called: missed} if missed else {}
    few = bool((pd.concat(shown.tables.values())["tokens"] < FEW).any())
    _write_caption(figure, shown, left_out, hollow=few)
    return figure, sum(map(len, left_out.values()))


def _draw_panel(axes: Axes, reference: pd.DataFrame, target: pd.DataFrame | None, vowels: frozenset[str]) -> list[str]:
    """Draw the circles, and over them the target's points if there is one; return the labels left out."""
    reference = reference.sort_values("spread", ascending=False, kind="stable")  # small circles over large ones
    is_vowel = reference["phone"].isin(vowels).to_numpy()
    own = target is None
    middles = reference[["x", "y"]].to_numpy(float)
    reaches = reference["spread"].fillna(0).to_numpy(float)
    circles = [Circle((x, y), reach) for (x, y), reach in zip(middles, reaches, strict=True)]
    fills = [(PALE_BLUE if vowel else PALE_ORANGE) if own else PALE_GREY for vowel in is_vowel]
    edges = [(RIM_BLUE if vowel else RIM_ORANGE) if own else PASSING for vowel in is_vowel]
    fill = PatchCollection(circles, facecolor=fills, edgecolor="none", alpha=0.8, zorder=0.5)
    rim = PatchCollection(circles, facecolor="none", edgecolor=edges, linewidth=0.5, zorder=0.6)
    for layer in (fill, rim):
        axes.add_collection(layer, autolim=False)
    outlines = [middle + reach * _CIRCLE for middle, reach in zip(middles, reaches, strict=True) if reach]
    if target is None:
        _points_of(axes, reference, vowels)
        return write_labels(axes, reference, [BLUE if vowel else ORANGE for vowel in is_vowel], outlines=outlines)
    axes.plot(reference["x"], reference["y"], "+", markersize=2, markeredgewidth=0.4, color=GREY, zorder=1)
    _points_of(axes, target, vowels)
    inks = [BLUE if phone in vowels else ORANGE for phone in target["phone"]]
    inks += [DARK_GREY] * len(reference)
    return write_labels(axes, pd.concat([target, reference]), inks, bold=len(target), outlines=outlines)


def _points_of(axes: Axes, points: pd.DataFrame, vowels: frozenset[str]) -> None:
    is_vowel, few = points["phone"].isin(vowels), points["tokens"] < FEW
    for kind, marker, colour in ((is_vowel, "o", BLUE), (~is_vowel, "^", ORANGE)):
        for which, inside in ((kind & ~few, colour), (kind & few, "white")):
            if which.any():
                (drawn,) = axes.plot(points["x"][which], points["y"][which], marker, color=colour, zorder=3)
                drawn.set(markersize=2.2, markeredgewidth=0.4, markerfacecolor=inside)


def _write_caption(figure: Figure, shown: _Map, left_out: Mapping[str, list[str]], *, hollow: bool) -> None:
    """Write the caption, with the labels left out, and the legend; `hollow` when any mean rests on few tokens."""
    missed = "; ".join(f"{name} {' '.join(phones)}" for name, phones in left_out.items())
    nameless = f"No free place for the labels: {missed}." if missed else ""
    caption = f"{shown.coordinates.caption} {shown.note} {CIRCLES} {nameless}"
    width = figure.get_size_inches()[0] * 25.4
    lines = wrap_notes(caption, width)
    if len(lines) > CAPTION_LINES:
        lines[CAPTION_LINES - 1] += " …"
    write_notes(figure, (lines + [""] * CAPTION_LINES)[:CAPTION_LINES])
    looks: dict[str, dict[str, Any]] = {
        "vowel": {"marker": "o", "markersize": 3, "color": BLUE},
        "consonant": {"marker": "^", "markersize": 3, "color": ORANGE},
        "reference phone": {"marker": "o", "markersize": 5, "color": PASSING, "markerfacecolor": PALE_GREY},
    }
    if hollow:
        looks[f"under {FEW} tokens"] = {"marker": "o", "markersize": 3, "color": DARK_GREY, "markerfacecolor": "white"}
    entries = {
        meaning: Line2D([], [], linestyle="none", markeredgewidth=0.4, **look) for meaning, look in looks.items()
    }
    legend_at(figure, EDGE, EDGE + CAPTION_LINES * LINE + 0.6, entries, legend_columns(width))


def _of_corpora(stored: Stored) -> Iterator[Drawing]:
    """Yield `map`, then the maps without chance that stand beside it: `map-pca`, `map-mds`."""
    maps = {name: tables["embedding"] for name, tables in stored.tables.items() if len(tables.get("embedding", ()))}
    if stored.reference not in maps:
        return
    for name in dict.fromkeys([stored.method, "pca", "mds"]):
        placed = {corpus: table for corpus, table in maps.items() if COORDINATES[name].x in table}
        circles = placed.pop(stored.reference, None)
        if circles is None or circles[COORDINATES[name].x].isna().all():
            continue
        trust = {corpus: _trust(stored.summary, corpus, name) for corpus in maps}
        drawing = draw_map(
            circles,
            placed,
            stored.vowels,
            stored.options,
            reference_name=stored.reference,
            coordinates=name,
            trust=trust,
            titles=stored.titles,
            note=_variance_note(stored) if name == stored.method else "",
        )
        yield replace(drawing, name="map") if name == stored.method else drawing


def _variance_note(stored: Stored) -> str:
    """Return which pictures keep so little of the variance that they mean little, or are not drawn."""
    numbers = stored.summary
    rows = numbers[(numbers["corpus"] == stored.reference) & (numbers["measure"] == "trustworthiness")]
    notes = zip(rows["variant"], rows["note"], strict=True) if len(rows) else ()
    return " ".join(f"{variant.upper()} {note}." for variant, note in notes if str(note).startswith("keeps "))


def _trust(summary: pd.DataFrame, corpus: str, method: str) -> str:
    """Return what the numbers say of how faithful a panel is."""
    rows = summary[(summary["corpus"] == corpus) & (summary["variant"] == method) & summary["value"].notna()]
    values = dict(zip(rows["measure"], rows["value"], strict=True))
    return ", ".join(f"{name} {values[measure]:.2f}" for measure, name in _FAITHFUL.items() if measure in values)


FIGURE = JointFigure("map", ("embedding",), _of_corpora)
