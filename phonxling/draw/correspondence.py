"""The feature distance of two phones against how often one is heard as the other, and against that on the map."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import Sheet, fitted, text_size, wrap
from phonxling.draw.style import AMOUNT, EDGE, FEW, GREY, GRID, INK, LINE, PHONE, SMALL, WRONG

_BESIDE, _AXIS, _ABOVE, _BETWEEN = 6.0, 8.5, 6.0, 3.0  # mm: left of an axis' numbers, below, above; before the list
_NAMED, _ROW = 12, 3.2  # the confusions that are listed; mm: a row of the list
_BIN = 0.05  # of the feature distance
_APART = 0.1  # of the axis: ticks are not nearer


def draw_correspondence(corpus: StoredCorpus) -> Drawing | None:
    """Return each confusion of two different phones as a point: feature distance across."""
    confusions = corpus.tables["confusions"]
    if "cost" not in confusions or confusions["cost"].isna().all():
        return None
    pairs = confusions[(confusions["gold"] != GAP) & (confusions["predicted"] != GAP)]
    tokens = pairs.groupby("gold")["count"].transform("sum")
    wrong = pairs[pairs["gold"] != pairs["predicted"]]
    shown = wrong[(tokens[wrong.index] >= FEW) & wrong["cost"].notna()]
    shown = shown.sort_values("p_predicted_given_gold", ascending=False, kind="stable").reset_index(drop=True)
    tau, left_out = corpus.value("correspondence_tau", "estimate"), len(wrong) - len(shown)
    notes = [f"Red diamonds: the confusions listed. Lines: median and range within {_BIN:g} of the distance."]
    if tau is not None:
        notes.append(f"Kendall’s τ of P and similarity (above 0: near phones more): {tau:.2f}.".replace("-", "−"))
    if left_out:
        named = "confusion" if left_out == 1 else "confusions"
        notes.append(f"Left out: {left_out} {named} of gold phones with fewer than {FEW} tokens or without features.")
    columns = ["gold", "predicted", "count", "cost", "p_predicted_given_gold"]
    return Drawing("correspondence", _draw(shown, corpus, wrap(notes, corpus.options.width_mm)), shown[columns])


def draw_map_distances(corpus: StoredCorpus) -> Drawing | None:
    """Return each pair of phones of the map as a point: feature distance across, distance on the map upwards."""
    vectors, table = corpus.stored.vectors, corpus.tables["embedding"]
    table = table[table["phone"].isin([*vectors]) & table["x"].notna()]
    first, second = np.triu_indices(len(table), 1)
    if len(table) < 3:
        return None
    places, phones = table[["x", "y"]].to_numpy(float), table["phone"].to_numpy()
    features = np.array([vectors[phone] for phone in phones])
    apart = np.abs(features[first] - features[second]).mean(axis=1) / 2
    mapped = np.linalg.norm(places[first] - places[second], axis=1)
    if not np.ptp(apart) or not np.ptp(mapped):
        return None
    said = f"Pearson’s r: {np.corrcoef(apart, mapped)[0, 1]:.2f}, over {len(apart):,} pairs of {len(table)} phones"
    line, width = np.polyfit(apart, mapped, 1), corpus.options.width_mm
    lines = wrap([f"{said}; line of least squares.".replace("-", "−")], width)
    below, left = EDGE + LINE * len(lines) + _AXIS, _BESIDE + text_size(f"{mapped.max():.0f}.5", SMALL)[0]
    wide, high = width - left - EDGE, 0.72 * (width - left - EDGE)
    figure = Sheet(width, below + high + _ABOVE)
    axes = figure.axes_at(left, below, wide, high)
    axes.plot(apart, mapped, "o", color=AMOUNT, alpha=0.35, markersize=2.2, markeredgewidth=0)
    ends = np.array([0, apart.max()])
    axes.plot(ends, np.polyval(line, ends), color=INK, linewidth=0.9)
    axes.set(xlim=(0, 1.04 * apart.max()), ylim=(0, 1.04 * mapped.max()))
    axes.set_xlabel("feature distance of two phones (panphon)", fontsize=SMALL)
    axes.set_ylabel("distance on the map", fontsize=SMALL)
    axes.grid(color=GRID, linewidth=0.4)
    figure.write_title(corpus.titled("correspondence-map"))
    figure.finish(lines)
    pairs = {"phone": phones[first], "other": phones[second], "features": apart, "map": mapped}
    return Drawing("correspondence-map", figure, pd.DataFrame(pairs))


def _draw(shown: pd.DataFrame, corpus: StoredCorpus, lines: list[str]) -> Sheet:
    width, most = corpus.options.width_mm, shown.head(_NAMED)
    names = [fitted(name, 0.3 * width, size=PHONE) for name in most["gold"] + " → " + most["predicted"]]
    shares = [f"{100 * share:.0f} %" if share >= 0.01 else "< 1 %" for share in most["p_predicted_given_gold"]]
    wide_name = max((text_size(name, PHONE)[0] for name in names), default=0.0)
    listed = wide_name + max((text_size(share, SMALL)[0] for share in shares), default=0.0) + 2.0
    top = float(np.sqrt(shown["p_predicted_given_gold"].max())) * 1.08 if len(shown) else 1.0
    left = _BESIDE + max(text_size(f"{tick:g}", SMALL)[0] for tick in _ticks(top))
    wide, below = width - left - _BETWEEN - listed - EDGE, EDGE + LINE * len(lines) + _AXIS
    high = max(0.72 * wide, _ROW * len(names))
    figure = Sheet(width, below + high + _ABOVE)
    _draw_points(figure.axes_at(left, below, wide, high), shown, top)
    for place, (name, share) in enumerate(zip(names, shares, strict=True)):
        at = below + high - _ROW * (place + 0.75)
        figure.write(left + wide + _BETWEEN, at, name, PHONE, va="baseline")
        figure.write(width - EDGE, at, share, SMALL, va="baseline", ha="right")
    figure.write_title(corpus.titled("correspondence"))
    figure.finish(lines)
    return figure


def _draw_points(axes: Axes, shown: pd.DataFrame, top: float) -> None:
    x, y = shown["cost"], np.sqrt(shown["p_predicted_given_gold"])
    middles = _BIN * (np.floor(x / _BIN + 1e-9) + 0.5)
    for middle, heights in y.groupby(middles):
        axes.plot([middle, middle], [heights.min(), heights.max()], color=GREY, linewidth=0.5, zorder=1)
        axes.plot([middle - _BIN / 3, middle + _BIN / 3], [heights.median()] * 2, color=GREY, linewidth=1.2, zorder=1)
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 2.4, "markeredgewidth": 0}
    axes.plot(x[_NAMED:], y[_NAMED:], color=AMOUNT, alpha=0.45, **look)
    axes.plot(x[:_NAMED], y[:_NAMED], color=WRONG, **look | {"marker": "D"})
    far = max(float(x.max()) * 1.05, 0.05) if len(shown) else 1.0
    across, ticks = np.arange(0, far, 0.1 if far > 0.2 else 0.05), _ticks(top)
    axes.set(xlim=(-0.01, far), ylim=(0, top))
    axes.set_xticks(across, [f"{tick:g}" for tick in across])
    axes.set_yticks(np.sqrt(ticks), [f"{tick:g}" for tick in ticks])
    axes.set_xlabel("feature distance of gold and predicted phone", fontsize=SMALL)
    axes.set_ylabel("P(predicted | gold)", fontsize=SMALL)


def _ticks(top: float) -> list[float]:
    """Return 0 and 1, 2 and 5 times powers of ten whose square roots lie apart on an axis that ends at `top`."""
    ticks, last = [0.0], np.inf
    for tick in (float(f"{step}e-{power}") for power in range(8) for step in (5, 2, 1)):
        if np.sqrt(tick) <= top and last - np.sqrt(tick) >= _APART * top <= np.sqrt(tick):
            ticks, last = [*ticks, tick], np.sqrt(tick)
    return ticks


MAPPED = DeclaredFigure("correspondence-map", ("embedding",), draw_map_distances)
FIGURE = DeclaredFigure("correspondence", ("confusions",), draw_correspondence)
