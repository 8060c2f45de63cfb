"""Confusion entropy by gold phone: how uncertain it is what a phone is heard as."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import AXIS_LABEL, LEAST_SIDE
from phonxling.draw.order import rarest
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    labelled,
    legend_at,
    name_rows,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_beside,
    write_notes,
    write_title,
)
from phonxling.draw.style import BLUE, EDGE, FEW, GREY, INK, LINE, PAGE_HEIGHT, PHONE, SMALL, FigureOptions, house_style

_ABOVE, _AXIS, _ENTRY, _TOKENS = 8.0, 7.4, 2.8, 11.0  # mm: title and header; axis; a line of the legend; token counts
_NOTES = 16.0  # mm that a full page keeps for notes
_PAD = 4.0  # points between names and the axis, so that a dot at 0 stands off its name


def draw_entropy(
    phones: pd.DataFrame, corpus: str, options: FigureOptions, conditional_entropy: float | None = None
) -> Drawing:
    """Return a dot a gold phone, most uncertain first, with its interval where there is one."""
    phones = phones[phones["phone"] != GAP]
    gold = phones[phones["side"] == "gold"]
    known = gold[gold["entropy"].notna()].sort_values("entropy", ascending=False, kind="stable")
    with house_style(options.font):
        names = {phone: fitted(phone, options.width_mm * NAMES, size=PHONE) for phone in known["phone"]}
        sizes = [text_size(name, PHONE) for name in names.values()]
        step = max([2.3, LEAST_SIDE / max(len(known), 1), *(height + 0.1 for _, height, _ in sizes)])
        room = int((PAGE_HEIGHT - _ABOVE - _AXIS - 3 * _ENTRY - _NOTES) / step)
        out = rarest(known["tokens"].to_numpy(float), room + 1)
        shown = known.drop(known.index[out])
        most = float(np.log2(max((phones["side"] == "predicted").sum(), 1)))
        lines = wrap_notes(" ".join(_notes(gold, shown, known.iloc[out], most)), options.width_mm)
        legend = EDGE + LINE * len(lines) + 0.8
        entries = 2 if (shown["tokens"] >= FEW).all() or (shown["tokens"] < FEW).all() else 3
        bottom = legend + _ENTRY * entries + _AXIS
        left = EDGE + AXIS_LABEL + max([0, *(width for width, *_ in sizes)]) + 3.5
        figure = sheet(options.width_mm, bottom + step * len(shown) + _ABOVE)
        axes = axes_at(figure, left, bottom, options.width_mm - left - _TOKENS - EDGE, step * len(shown))
        _draw_dots(axes, shown, [names[phone] for phone in shown["phone"]])
        _draw_lines(axes, most, conditional_entropy)
        legend_at(figure, EDGE, legend, dict(reversed(labelled(figure).items())), 2)
        top = bottom + step * len(shown)
        write_title(figure, top + _ABOVE, f"{corpus}: confusion entropy")
        write_at(figure, options.width_mm - EDGE, top + 0.8, "tokens", SMALL, ha="right", va="bottom")
        write_at(figure, EDGE, (bottom + top) / 2, "gold phone", upwards=True, va="center")
        write_notes(figure, lines)
        settle(figure)
    columns = ["phone", "tokens", "entropy", "entropy_low", "entropy_high"]
    return Drawing("entropy", figure, shown[[name for name in columns if name in shown]])


def _draw_dots(axes: Axes, shown: pd.DataFrame, names: list[str]) -> None:
    y, few = np.arange(len(shown), dtype=np.float64), shown["tokens"].to_numpy(float) < FEW
    known = np.isfinite(ends := _intervals(shown)).all(axis=1)
    axes.hlines(y, 0, 1, color="#efefef", linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
    axes.hlines(y[known & few], *ends[known & few].T, color=GREY, linewidth=0.5)
    if known.any():
        axes.hlines(y[known & ~few], *ends[known & ~few].T, color=BLUE, linewidth=0.9, label="interval")
    for chosen, fill, meaning in ((~few, BLUE, f"{FEW} tokens or more"), (few, "white", f"fewer than {FEW} tokens")):
        if chosen.any():
            dots = shown["entropy"].to_numpy(float)[chosen]
            look: dict[str, Any] = {"markersize": 3, "color": fill, "markeredgecolor": BLUE, "markeredgewidth": 0.7}
            axes.plot(dots, y[chosen], "o", label=meaning, clip_on=False, **look)  # a dot at 0 stays whole
    name_rows(axes, y, names, pad=_PAD)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.grid(axis="x", color="#e0e0e0", linewidth=0.4)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("entropy of what it is heard as (bits)", fontsize=SMALL + 0.5)
    for place, tokens in zip(y, shown["tokens"], strict=True):
        write_beside(axes, float(place), f"{tokens:,.0f}", _TOKENS)


def _intervals(shown: pd.DataFrame) -> Floats:
    """Return the limits of each phone's entropy, [S, 2], NaN without."""
    return shown.reindex(columns=["entropy_low", "entropy_high"]).to_numpy(float)


def _draw_lines(axes: Axes, most: float, mean: float | None) -> None:
    if mean is not None and np.isfinite(mean):
        meaning = f"H(predicted | gold) = {mean:.2f} bits"
        axes.axvline(mean, color=INK, linewidth=0.7, linestyle=":", zorder=1.5, label=meaning)
    if most:
        meaning = f"most without ∅: log₂ {2**most:.0f} = {most:.2f} bits"
        axes.axvline(most, color=GREY, linewidth=0.7, linestyle="--", zorder=1.5, label=meaning)
    axes.set_xlim(0, max(axes.get_xlim()[1], most * 1.02, 0.1))


def _notes(gold: pd.DataFrame, shown: pd.DataFrame, rare: pd.DataFrame, most: float) -> Iterator[str]:
    ends = _intervals(shown)
    known = np.isfinite(ends).all(axis=1)
    yield f"Dots{' and intervals' * bool(known.any())} are corrected for few tokens."
    if ((ends[known] == 0) | (ends[known] >= most)).any():
        yield "No entropy is below 0 or above the most possible: intervals end there."
    if known.any() and not known.all():
        yield "No interval where tokens are of one speaker or utterance, or all alike."
    if none := gold.loc[gold["entropy"].isna(), "phone"].tolist():
        yield f"No entropy (no tokens): {' '.join(none)}."
    if len(rare):
        yield f"Left out: the {len(rare)} rarest phones ({' '.join(rare['phone'])})."


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    phones = corpus.tables["phones"]
    if phones.loc[phones["side"] == "gold", "entropy"].isna().all():
        return None
    return draw_entropy(phones, corpus.title, corpus.options, corpus.value("conditional_entropy", ""))


FIGURE = DeclaredFigure("entropy", ("phones",), _of_corpus)
