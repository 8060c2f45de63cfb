"""Confusion entropy by gold phone: how uncertain it is what a phone is heard as."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.order import rarest
from phonxling.draw.rows import ABOVE, AXIS, ENTRY, row_figure
from phonxling.draw.sheet import NAMES, fitted, text_size
from phonxling.draw.style import AMOUNT, FEW, GREY, INK, LEAST_SIDE, PAGE_HEIGHT, PHONE

_NOTES = 16.0  # mm that a full page keeps for notes
_DOT: dict[str, Any] = {"marker": "o", "markersize": 3, "markeredgecolor": AMOUNT, "markeredgewidth": 0.7}


def draw_entropy(corpus: StoredCorpus) -> Drawing | None:
    """Return a dot a gold phone, most uncertain first, with its interval where there is one.

    Dots of phones of few tokens are hollow. Lines stand at H(predicted | gold) and at the most that is possible
    without ∅, log₂ of the number of predicted phones. Where a page has no room the rarest phones are left out.
    """
    table = corpus.tables["phones"]
    phones = table[table["phone"] != GAP]
    gold = phones[phones["side"] == "gold"]
    known = gold[gold["entropy"].notna()].sort_values("entropy", ascending=False, kind="stable")
    if known.empty:
        return None
    names = [fitted(phone, corpus.options.width_mm * NAMES, size=PHONE) for phone in known["phone"]]
    wide, high, _ = np.max([text_size(name, PHONE) for name in names], axis=0).tolist()
    step = max(2.3, LEAST_SIDE / len(known), high + 0.1)
    room = int((PAGE_HEIGHT - ABOVE - AXIS - 3 * ENTRY - _NOTES) / step)
    rare = known.iloc[rarest(known["tokens"].to_numpy(float), room + 1)]
    shown = known.drop(rare.index)
    most = float(np.log2(max((phones["side"] == "predicted").sum(), 1)))
    mean = corpus.value("conditional_entropy", "")
    ends = shown.reindex(columns=["entropy_low", "entropy_high"]).to_numpy(float)
    few, has_ends = shown["tokens"].to_numpy(float) < FEW, np.isfinite(ends).all(axis=1)
    lines: list[tuple[float, str, dict[str, Any]]] = []
    if mean is not None:
        lines.append((mean, f"H(predicted | gold) = {mean:.2f} bits", {"color": INK, "linestyle": ":"}))
    if most:
        lines.append(
            (most, f"most without ∅: log₂ {2**most:.0f} = {most:.2f} bits", {"color": GREY, "linestyle": "--"})
        )

    def draw_dots(axes: Axes, rows: Floats) -> None:
        for chosen, colour, thick in ((few, GREY, 0.5), (~few, AMOUNT, 0.9)):
            axes.hlines(rows[has_ends & chosen], *ends[has_ends & chosen].T, color=colour, linewidth=thick)
        for chosen, fill in ((~few, AMOUNT), (few, "white")):  # a dot at 0 stays whole
            dots = shown["entropy"].to_numpy(float)[chosen]
            axes.plot(dots, rows[chosen], color=fill, linestyle="none", clip_on=False, **_DOT)
        for place, _, of_line in lines:
            axes.axvline(place, linewidth=0.7, zorder=1.5, **of_line)
        axes.set_xlim(0, max(axes.get_xlim()[1], most * 1.02, 0.1))

    legend: dict[str, Artist] = {"interval": LineCollection([], color=AMOUNT, linewidth=0.9)} if has_ends.any() else {}
    for chosen, fill, meaning in ((~few, AMOUNT, f"{FEW} tokens or more"), (few, "white", f"fewer than {FEW} tokens")):
        legend |= {meaning: Line2D([], [], color=fill, linestyle="none", **_DOT)} if chosen.any() else {}
    legend |= {meaning: Line2D([], [], linewidth=0.7, **look) for _, meaning, look in lines}
    figure = row_figure(
        shown["phone"].tolist(),
        draw_dots,
        corpus.options,
        title=corpus.titled("entropy"),
        beside=("tokens", [f"{tokens:,.0f}" for tokens in shown["tokens"]], 11.0),
        notes=_notes(gold, rare, ends[has_ends], most, all_have=bool(has_ends.all())),
        legend=legend,
        columns=2,
        legend_lines=3 if few.any() and not few.all() else 2,
        axes_names=("gold phone", "entropy of the answers (bits)"),
        most=None,
        step=step,
        wide=wide + 1,
    )
    columns = ["phone", "tokens", "entropy", "entropy_low", "entropy_high"]
    return Drawing("entropy", figure, shown[[name for name in columns if name in shown]])


def _notes(gold: pd.DataFrame, rare: pd.DataFrame, ends: Floats, most: float, *, all_have: bool) -> Iterator[str]:
    yield f"Dots{' and intervals' * bool(len(ends))} are corrected for few tokens."
    if ((ends == 0) | (ends >= most)).any():
        yield "No entropy is below 0 or above the most possible: intervals end there."
    if len(ends) and not all_have:
        yield "No interval where tokens are of one speaker or utterance, or all alike."
    if none := gold.loc[gold["entropy"].isna(), "phone"].tolist():
        yield f"No entropy (no tokens): {' '.join(none)}."
    if len(rare):
        yield f"Left out: the {len(rare)} rarest phones ({' '.join(rare['phone'])})."


FIGURE = DeclaredFigure("entropy", ("phones",), draw_entropy, first=True)
