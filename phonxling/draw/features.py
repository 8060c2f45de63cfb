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
from phonxling.draw.rows import AXIS, ROW
from phonxling.draw.sheet import NAMES, Sheet, fitted, name_rows, text_size, wrap
from phonxling.draw.style import BLUE, EDGE, GREY, INK, LINE, ORANGE, PALE_BLUE, PHONE, SMALL

_ABOVE, _BETWEEN, _LEGEND = 9.0, 5.5, 7.4  # mm: title and names of panels; air; the legend
_ASIDE = 0.18  # of a row: how far dots stand above its middle, diamonds below it, so that none hides another
_DIRECTIONS = {
    "plus_to_minus": ("+ to −", BLUE, ""),
    "minus_to_plus": ("− to +", ORANGE, "////"),
    "zero": ("to or from 0", GREY, ""),
}


def draw_features(corpus: StoredCorpus) -> Drawing | None:
    """Return for each feature the share of wrong pairs in which it changed, beside the information that is kept."""
    features, width = corpus.tables["features"], corpus.options.width_mm
    own = features[features["changed"].notna()]
    if own.empty:
        return None
    still = (own["changed"] == 0) & own["transfer"].isna()
    shown = own[~still].sort_values("changed", ascending=False, kind="stable").reset_index(drop=True)
    limits = shown.reindex(columns=["transfer_low", "transfer_high"]).to_numpy(float)
    corrected = shown.reindex(columns=["transfer_corrected"])["transfer_corrected"]
    alone = corrected.fillna(shown["transfer"]).to_numpy(float)  # the estimate that the interval is of
    notes = _notes(shown, alone, own[still]["feature"].tolist(), corrected=bool(corrected.notna().any()))
    lines = wrap(notes, width)
    names = [fitted(feature_name(name), width * NAMES, size=PHONE) for name in shown["feature"]]
    left = EDGE + max([text_size(name, PHONE)[0] for name in names], default=0) + 2
    legend = EDGE + LINE * len(lines) + 0.8
    high, below = ROW * max(len(shown), 1), legend + _LEGEND + AXIS
    side, top = (width - left - _BETWEEN - 2 * EDGE) / 2, below + high
    figure = Sheet(width, top + _ABOVE)
    changes = figure.axes_at(left, below, side, high)
    transfer = figure.axes_at(left + side + _BETWEEN, below, side, high)
    entries = {**_draw_changes(changes, shown), **_draw_transfer(transfer, shown, alone, limits)}
    for axes in (changes, transfer):
        axes.set_ylim(max(len(shown), 1) - 0.5, -0.5)
        axes.grid(axis="x", color="#e0e0e0", linewidth=0.4)
        axes.spines["left"].set_visible(False)
    name_rows(changes, np.arange(len(shown), dtype=np.float64), names)
    transfer.set_yticks([])
    figure.legend_at(EDGE, legend, entries, 3)
    figure.write_title(top + _ABOVE, f"{corpus.title}: features")
    figure.write(left, top + 1, "changed in wrong pairs", SMALL, va="bottom")
    figure.write(left + side + _BETWEEN, top + 1, "information kept", SMALL, va="bottom")
    figure.finish(lines)
    columns = ["feature", "changed", *("plus_to_minus", "minus_to_plus", "from_zero", "to_zero")]
    columns += ["transfer", "transfer_corrected", "transfer_low", "transfer_high", "transfer_sinfa"]
    return Drawing("features", figure, shown[[name for name in columns if name in shown]])


def _draw_changes(axes: Axes, shown: pd.DataFrame) -> dict[str, Artist]:
    parts = shown.assign(zero=shown["from_zero"] + shown["to_zero"])
    start, entries = np.zeros(len(shown)), dict[str, Artist]()
    for name, (meaning, colour, hatch) in _DIRECTIONS.items():
        look: dict[str, Any] = {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        share = parts[name].to_numpy(float)
        axes.barh(np.arange(len(shown)), share, 0.66, start, **look)
        start = start + share
        entries[meaning] = Patch(**look)
    axes.set_xlabel("share of wrong pairs", fontsize=SMALL)
    axes.set_xlim(0, max(float(start.max(initial=0)) * 1.05, 0.01))
    return entries


def _draw_transfer(axes: Axes, shown: pd.DataFrame, alone: Floats, limits: Floats) -> dict[str, Artist]:
    dots, in_turn = np.clip(alone, 0, 1), shown["transfer_sinfa"].to_numpy(float)
    above, below = (np.arange(len(shown)) + aside for aside in (-_ASIDE, _ASIDE))
    known = np.isfinite(limits).all(axis=1)
    interval = axes.hlines(above[known], *limits[known].T, color=BLUE, linewidth=0.9)
    axes.hlines(range(len(shown)), 0, 1, color=PALE_BLUE, linewidth=0.6, zorder=0.9)
    look: dict[str, Any] = {"linestyle": "none", "clip_on": False, "markersize": 3}
    (dot,) = axes.plot(dots, above, marker="o", color=BLUE, **look)
    look |= {"color": "white", "markeredgecolor": INK, "markeredgewidth": 0.6}
    (diamond,) = axes.plot(in_turn, below, marker="D", **look)
    most = float(np.nanmax([0.15, *dots, *in_turn, *limits.ravel()]))
    axes.set_xlim(0, min(1.0, np.ceil(10 * most * 1.05) / 10))
    axes.set_xlabel("share of its entropy", fontsize=SMALL)
    kept: dict[str, Artist] = {"interval": interval} if "transfer_low" in shown else {}
    return {"each feature alone": dot, **kept, "in sequence (SINFA)": diamond}


def _notes(shown: pd.DataFrame, alone: Floats, still: list[str], *, corrected: bool) -> Iterator[str]:
    if corrected:
        yield "Dots and intervals are corrected for few tokens, diamonds are not."
    if (shown["transfer"].notna() & shown["transfer_sinfa"].isna()).any():
        yield "Without a diamond: determined by the features that SINFA takes before."
    if (alone < 0).any():
        yield "Estimates below 0 stand at 0."
    if still:
        yield f"Not shown, for all phones here are alike in them: {', '.join(map(feature_name, still))}."


FIGURE = DeclaredFigure(
    "features",
    ("features",),
    draw_features,
    reading="The dot is the share of a feature’s information that survives in the predictions: 1 where it is "
    "never lost, 0 where nothing is kept. The bar is how often the feature changes in a wrong pair, and "
    "in which direction.",
)
