"""Phonological features of a corpus: how often each changes, in which direction, and how much of it comes through."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.draw.colours import BLUE, GREY, INK, ORANGE, PALE_BLUE
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    legend_at,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_notes,
    write_title,
)
from phonxling.draw.style import EDGE, LINE, PHONE, SMALL, FigureOptions, house_style
from phonxling.draw.ticks import name_rows

_STEP, _ABOVE, _AXIS, _BETWEEN = 3.0, 10.0, 10.0, 4.0  # mm: a row; title and names of panels; an axis; air
_DIRECTIONS = {
    "plus_to_minus": ("+ to −", BLUE, ""),
    "minus_to_plus": ("− to +", ORANGE, "////"),
    "zero": ("to or from 0", GREY, ""),
}


def draw_features(features: pd.DataFrame, corpus: str, options: FigureOptions) -> Drawing:
    """Return for each feature the share of wrong pairs in which it changed, beside the information that comes through.

    Left: bars by direction, most often changed first. Right: T = I / H(feature), at once as a dot with its interval
    where there is one, and sequentially (SINFA) as a hollow diamond. Features that never change and tell nothing are
    left out, and named in a note.

    Parameters
    ----------
    features : DataFrame
        feature, changed, plus_to_minus, minus_to_plus, from_zero, to_zero, transfer, transfer_sinfa and optionally
        transfer_low and transfer_high; rows that are no features (deletions, …) have no `changed`.
    """
    own = features[features["changed"].notna()]
    still = (own["changed"] == 0) & own["transfer"].isna()
    shown = own[~still].sort_values("changed", ascending=False, kind="stable").reset_index(drop=True)
    with house_style(options.font):
        lines = _notes(own[still]["feature"].tolist(), options.width_mm)
        names = [fitted(name, options.width_mm * NAMES, size=PHONE) for name in shown["feature"]]
        left = EDGE + max([text_size(name, PHONE)[0] for name in names], default=0) + 2
        high, below = _STEP * max(len(shown), 1), EDGE + LINE * len(lines) + 6.5 + _AXIS
        side = (options.width_mm - left - _BETWEEN - 2 * EDGE) / 2
        figure = sheet(options.width_mm, below + high + _ABOVE)
        changes = axes_at(figure, left, below, side, high)
        transfer = axes_at(figure, left + side + _BETWEEN, below, side, high)
        entries = {**_draw_changes(changes, shown), **_draw_transfer(transfer, shown)}
        for axes in (changes, transfer):
            _dress(axes, len(shown))
        name_rows(changes, np.arange(len(shown), dtype=np.float64), names)
        transfer.set_yticks([])
        legend_at(figure, EDGE, EDGE + LINE * len(lines), entries, 3)
        top = below + high
        write_title(figure, top + _ABOVE, f"{corpus}: features")
        write_at(figure, left, top + 1, "changed in wrong pairs", SMALL, va="bottom")
        write_at(figure, left + side + _BETWEEN, top + 1, "information that comes through", SMALL, va="bottom")
        write_notes(figure, lines)
        settle(figure)
    columns = ["feature", "changed", *("plus_to_minus", "minus_to_plus", "from_zero", "to_zero")]
    columns += ["transfer", "transfer_low", "transfer_high", "transfer_sinfa"]
    return Drawing("features", figure, shown[[name for name in columns if name in shown]])


def _draw_changes(axes: Axes, shown: pd.DataFrame) -> dict[str, Artist]:
    parts = shown.assign(zero=shown["from_zero"] + shown["to_zero"])
    start, entries = np.zeros(len(shown)), dict[str, Artist]()
    look: dict[str, Any] = {"height": 0.66, "edgecolor": "white", "linewidth": 0}
    for name, (meaning, colour, hatch) in _DIRECTIONS.items():
        share = parts[name].to_numpy(float)
        axes.barh(np.arange(len(shown)), share, left=start, color=colour, hatch=hatch, **look)
        start = start + share
        entries[meaning] = Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0)
    axes.set_xlabel("share of wrong pairs", fontsize=SMALL + 0.5)
    axes.set_xlim(0, max(float(start.max(initial=0)) * 1.05, 0.01))
    return entries


def _draw_transfer(axes: Axes, shown: pd.DataFrame) -> dict[str, Artist]:
    places, transfer = np.arange(len(shown)), shown["transfer"].to_numpy(float)
    if {"transfer_low", "transfer_high"} <= set(shown):
        ends = shown[["transfer_low", "transfer_high"]].to_numpy(float)
        known = np.isfinite(ends).all(axis=1)
        axes.hlines(places[known], *ends[known].T, color=BLUE, linewidth=0.9)
    axes.hlines(places, 0, np.nan_to_num(transfer), color=PALE_BLUE, linewidth=0.6, zorder=0.9)
    (dots,) = axes.plot(transfer, places, "o", color=BLUE, markersize=3, clip_on=False)
    look: dict[str, Any] = {"markersize": 3.2, "color": "white", "markeredgecolor": INK, "markeredgewidth": 0.6}
    (held,) = axes.plot(shown["transfer_sinfa"].to_numpy(float), places, "D", clip_on=False, **look)
    most = float(np.nanmax([0.15, *transfer, *shown["transfer_sinfa"]]))
    axes.set_xlim(0, min(1.0, np.ceil(10 * most * 1.05) / 10))
    axes.set_xlabel("T = I / H(feature)", fontsize=SMALL + 0.5)
    return {"T, each feature alone": dots, "T, sequentially (SINFA)": held}


def _dress(axes: Axes, rows: int) -> None:
    axes.set_ylim(max(rows, 1) - 0.5, -0.5)
    axes.grid(axis="x", color="#e0e0e0", linewidth=0.4)
    axes.spines["left"].set_visible(False)


def _notes(still: list[str], width: float) -> list[str]:
    if not still:
        return []
    return wrap_notes(f"Left out, for they neither change nor tell anything: {' '.join(still)}.", width)


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    features = corpus.tables["features"]
    return None if features["changed"].isna().all() else draw_features(features, corpus.title, corpus.options)


FIGURE = DeclaredFigure("features", ("features",), _of_corpus)
