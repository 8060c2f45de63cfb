"""Phonological features of a corpus by their group: how much of each is kept, how often it changes, and how."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.core.features import feature_name
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.rows import AXIS
from phonxling.draw.sheet import NAMES, Sheet, fitted, name_rows, text_size, wrap
from phonxling.draw.style import AMOUNT, DARK_GREY, EDGE, GREY, GRID, LINE, MIDDLE, PALE, PHONE, SMALL

_ABOVE, _BETWEEN, _LEGEND, _ROW = 9.0, 5.5, 7.4, 3.2  # mm: title and names of panels; air; the legend; a row
_GROUPS = {
    "class": ("syl", "son", "cons"),
    "manner": ("cont", "delrel", "lat", "nas", "strid"),
    "larynx": ("voi", "sg", "cg"),
    "place": ("ant", "cor", "distr", "lab", "velaric"),
    "vowel": ("hi", "lo", "back", "round", "tense", "long"),
    "tone": ("hitone", "hireg"),
    "other": (),
}
_DIRECTIONS = {
    "plus_to_minus": ("+ to −", AMOUNT, ""),
    "minus_to_plus": ("− to +", MIDDLE, "////"),
    "zero": ("to or from 0", GREY, ""),
}


def draw_features(corpus: StoredCorpus) -> Drawing | None:
    """Return for each feature the share of wrong pairs in which it changed, beside the information that is kept."""
    features, width = corpus.tables["features"], corpus.options.width_mm
    own = features[features["changed"].notna()]
    if own.empty:
        return None
    still = (own["changed"] == 0) & own["transfer"].isna()
    group = own["feature"].map(lambda name: next((key for key, names in _GROUPS.items() if name in names), "other"))
    ordered = own.assign(group=pd.Categorical(group, [*_GROUPS], ordered=True))[~still]
    shown = ordered.sort_values(["group", "changed"], ascending=[True, False], kind="stable").reset_index(drop=True)
    limits = shown.reindex(columns=["transfer_low", "transfer_high"]).to_numpy(float)
    corrected = shown.reindex(columns=["transfer_corrected"])["transfer_corrected"]
    alone = corrected.fillna(shown["transfer"]).to_numpy(float)  # the estimate that the interval is of
    notes = _notes(alone, own[still]["feature"].tolist(), corrected=bool(corrected.notna().any()))
    lines = wrap(notes, width)
    first = ~shown["group"].duplicated().to_numpy()
    places = np.arange(len(shown)) + 0.5 * (np.cumsum(first) - 1)  # groups stand apart
    names = [fitted(feature_name(name), width * NAMES, size=PHONE) for name in shown["feature"]]
    beside = max([text_size(name, SMALL)[0] for name in shown["group"]], default=0) + 1.5
    left = EDGE + beside + max([text_size(name, PHONE)[0] for name in names], default=0) + 2
    legend = EDGE + LINE * len(lines) + 0.8
    last = float(places[-1]) if len(places) else 0.0
    high, below = _ROW * (last + 1), legend + _LEGEND + AXIS
    side, top = (width - left - _BETWEEN - 2 * EDGE) / 2, below + high
    figure = Sheet(width, top + _ABOVE)
    transfer = figure.axes_at(left, below, side, high)
    changes = figure.axes_at(left + side + _BETWEEN, below, side, high)
    entries = {**_draw_changes(changes, places, shown), **_draw_transfer(transfer, places, alone, limits)}
    for axes in (changes, transfer):
        axes.set(ylim=(last + 0.5, -0.5), yticks=[])
        axes.grid(axis="x", color=GRID, linewidth=0.4)
        axes.spines["left"].set_visible(False)
    name_rows(transfer, places, names)
    for place, name in zip(places[first], shown["group"][first], strict=True):
        figure.write(EDGE, below + high - _ROW * (place + 0.5), name, SMALL, va="center", color=DARK_GREY)
    figure.legend_at(EDGE, legend, entries, 3)
    figure.write_title(top + _ABOVE, corpus.titled("features"))
    figure.write(left, top + 1, "information kept", SMALL, va="bottom")
    figure.write(left + side + _BETWEEN, top + 1, "changed in errors", SMALL, va="bottom")
    figure.finish(lines)
    columns = ["group", "feature", "changed", *("plus_to_minus", "minus_to_plus", "from_zero", "to_zero")]
    columns += ["transfer", "transfer_corrected", "transfer_low", "transfer_high"]
    return Drawing("features", figure, shown[[name for name in columns if name in shown]])


def _draw_changes(axes: Axes, places: Floats, shown: pd.DataFrame) -> dict[str, Artist]:
    parts = shown.assign(zero=shown["from_zero"] + shown["to_zero"])
    start, entries = np.zeros(len(shown)), dict[str, Artist]()
    for name, (meaning, colour, hatch) in _DIRECTIONS.items():
        look: dict[str, Any] = {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        share = parts[name].to_numpy(float)
        axes.barh(places, share, 0.66, start, **look)
        start = start + share
        entries[meaning] = Patch(**look)
    axes.set_xlabel("share of wrong pairs", fontsize=SMALL)
    axes.set_xlim(0, max(float(start.max(initial=0)) * 1.05, 0.01))
    return entries


def _draw_transfer(axes: Axes, places: Floats, alone: Floats, limits: Floats) -> dict[str, Artist]:
    known = np.isfinite(limits).all(axis=1)
    axes.hlines(places, 0, 1, color=PALE, linewidth=0.6, zorder=0.9)
    axes.hlines(places[known], *limits[known].T, color=AMOUNT, linewidth=0.9)
    (dot,) = axes.plot(np.clip(alone, 0, 1), places, "o", color=AMOUNT, clip_on=False, markersize=3)
    axes.set(xlim=(0, 1), xticks=[0, 0.5, 1])
    axes.set_xlabel("share of its entropy", fontsize=SMALL)
    interval: dict[str, Artist] = {"interval": Line2D([], [], color=AMOUNT, linewidth=0.9)} if known.any() else {}
    return {"kept": dot, **interval}


def _notes(alone: Floats, still: list[str], *, corrected: bool) -> Iterator[str]:
    if corrected:
        yield "Dots and intervals are corrected for few tokens."
    if (alone < 0).any():
        yield "Estimates below 0 stand at 0."
    if still:
        yield f"Not shown, because all phones here are alike in them: {', '.join(map(feature_name, still))}."


FIGURE = DeclaredFigure("features", ("features",), draw_features)
