"""Phonological features of a corpus: how often each changes, in which direction, what is kept of it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.core.queries import feature_name
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    legend_at,
    name_rows,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_notes,
    write_title,
)
from phonxling.draw.style import (
    BLUE,
    EDGE,
    GREY,
    INK,
    LINE,
    ORANGE,
    PALE_BLUE,
    PHONE,
    SMALL,
    FigureOptions,
    house_style,
)

_STEP, _ABOVE, _AXIS, _BETWEEN = 3.0, 9.0, 7.4, 5.5  # mm: a row; title and names of panels; an axis; air
_LEGEND = 7.4  # mm
_ASIDE = 0.18  # of a row: how far dots stand above its middle, diamonds below it, so that none hides another
_DIRECTIONS = {
    "plus_to_minus": ("+ to −", BLUE, ""),
    "minus_to_plus": ("− to +", ORANGE, "////"),
    "zero": ("to or from 0", GREY, ""),
}


def draw_features(features: pd.DataFrame, corpus: str, options: FigureOptions) -> Drawing:
    """Return for each feature the share of wrong pairs in which it changed, beside the information that is kept."""
    own = features[features["changed"].notna()]
    still = (own["changed"] == 0) & own["transfer"].isna()
    shown = own[~still].sort_values("changed", ascending=False, kind="stable").reset_index(drop=True)
    with house_style(options.font):
        lines = wrap_notes(" ".join(_notes(shown, own[still]["feature"].tolist())), options.width_mm)
        names = [fitted(feature_name(name), options.width_mm * NAMES, size=PHONE) for name in shown["feature"]]
        left = EDGE + max([text_size(name, PHONE)[0] for name in names], default=0) + 2
        legend = EDGE + LINE * len(lines) + 0.8
        high, below = _STEP * max(len(shown), 1), legend + _LEGEND + _AXIS
        side = (options.width_mm - left - _BETWEEN - 2 * EDGE) / 2
        figure = sheet(options.width_mm, below + high + _ABOVE)
        changes = axes_at(figure, left, below, side, high)
        transfer = axes_at(figure, left + side + _BETWEEN, below, side, high)
        entries = {**_draw_changes(changes, shown), **_draw_transfer(transfer, shown)}
        for axes in (changes, transfer):
            _dress(axes, len(shown))
        name_rows(changes, np.arange(len(shown), dtype=np.float64), names)
        transfer.set_yticks([])
        legend_at(figure, EDGE, legend, entries, 3)
        top = below + high
        write_title(figure, top + _ABOVE, f"{corpus}: features")
        write_at(figure, left, top + 1, "changed in wrong pairs", SMALL, va="bottom")
        write_at(figure, left + side + _BETWEEN, top + 1, "information kept", SMALL, va="bottom")
        write_notes(figure, lines)
        settle(figure)
    columns = ["feature", "changed", *("plus_to_minus", "minus_to_plus", "from_zero", "to_zero")]
    columns += ["transfer", "transfer_corrected", "transfer_low", "transfer_high", "transfer_sinfa"]
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
    alone, in_turn = np.clip(_alone(shown), 0, 1), shown["transfer_sinfa"].to_numpy(float)
    above, below = (np.arange(len(shown)) + aside for aside in (-_ASIDE, _ASIDE))
    entries: dict[str, Artist] = {}
    look: dict[str, Any] = {"linestyle": "none", "clip_on": False}
    if len(ends := _intervals(shown)):
        known = np.isfinite(ends).all(axis=1)
        entries["interval"] = axes.hlines(above[known], *ends[known].T, color=BLUE, linewidth=0.9)
    axes.hlines(range(len(shown)), 0, 1, color=PALE_BLUE, linewidth=0.6, zorder=0.9)
    (entries["each feature alone"],) = axes.plot(alone, above, marker="o", color=BLUE, markersize=3, **look)
    look |= {"markersize": 3, "color": "white", "markeredgecolor": INK, "markeredgewidth": 0.6}
    (entries["in sequence (SINFA)"],) = axes.plot(in_turn, below, marker="D", **look)
    most = float(np.nanmax([0.15, *alone, *in_turn, *_intervals(shown).ravel()]))
    axes.set_xlim(0, min(1.0, np.ceil(10 * most * 1.05) / 10))
    axes.set_xlabel("share of its entropy", fontsize=SMALL + 0.5)
    order = ("each feature alone", "interval", "in sequence (SINFA)")
    return {name: entries[name] for name in order if name in entries}


def _alone(shown: pd.DataFrame) -> Floats:
    """Return what is kept of each feature alone: the estimate that the interval is of, where there is one."""
    plain = shown["transfer"]
    return (shown["transfer_corrected"].fillna(plain) if "transfer_corrected" in shown else plain).to_numpy(float)


def _intervals(shown: pd.DataFrame) -> Floats:
    """Return the limits of what is kept of each feature alone, [F, 2]; none where the table has none."""
    limits = ["transfer_low", "transfer_high"]
    return shown[limits].to_numpy(float) if set(limits) <= set(shown) else np.zeros((0, 2))


def _dress(axes: Axes, rows: int) -> None:
    axes.set_ylim(max(rows, 1) - 0.5, -0.5)
    axes.grid(axis="x", color="#e0e0e0", linewidth=0.4)
    axes.spines["left"].set_visible(False)


def _notes(shown: pd.DataFrame, still: list[str]) -> Iterator[str]:
    if "transfer_corrected" in shown and shown["transfer_corrected"].notna().any():
        yield "Dots and intervals are corrected for few tokens, diamonds are not."
    if (shown["transfer"].notna() & shown["transfer_sinfa"].isna()).any():
        yield "Without a diamond: determined by the features that SINFA takes before."
    if (_alone(shown) < 0).any():
        yield "Estimates below 0 stand at 0."
    if still:
        yield f"Not shown, for all phones here are alike in them: {', '.join(map(feature_name, still))}."


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    features = corpus.tables["features"]
    return None if features["changed"].isna().all() else draw_features(features, corpus.title, corpus.options)


FIGURE = DeclaredFigure("features", ("features",), _of_corpus)
