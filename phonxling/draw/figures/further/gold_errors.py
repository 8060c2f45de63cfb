"""Rates, entropies and claims over the share of the gold phones that are taken to be wrong."""

import pandas as pd
from matplotlib.axes import Axes

from phonxling.draw.colours import BLUE, DARK_GREY, INK, ORANGE, PALE_BLUE, PALE_ORANGE
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    axes_at,
    fitted,
    labelled,
    legend_at,
    settle,
    sheet,
    wrap_notes,
    write_at,
    write_notes,
    write_title,
)
from phonxling.draw.style import EDGE, LINE, SMALL, FigureOptions, house_style

_PANELS = (
    ("rate", (("per", "PER"), ("wper", "wPER"))),
    ("skill", (("skill_per", "of the PER"), ("skill_wper", "of the wPER"))),
    ("bits", (("conditional_entropy", "H(X|Y)"), ("mutual_information_excess", "I(X;Y) above chance"))),
)
_LOOKS = ((BLUE, PALE_BLUE, "o"), (ORANGE, PALE_ORANGE, "s"))
_LEFT, _TITLE, _AXIS, _BETWEEN, _HIGH, _ENTRY = 10.0, 5.0, 7.0, 4.0, 20.0, 3.2  # mm
_CLAIM = 5.0  # mm: a claim with its bar
_MOST = 8  # claims that are drawn


def draw_gold_errors(numbers: pd.DataFrame, claims: pd.DataFrame, corpus: str, options: FigureOptions) -> Drawing:
    """Return numbers with their intervals over the rate of errors, and up to which rate claims hold.

    A claim's bar is full up to the largest rate at which it holds, and ends in a mark at the first one at which another
    thing is said. Claims that hold throughout are counted in a note.

    Parameters
    ----------
    numbers : DataFrame
        rate, measure, value, low, high.
    claims : DataFrame
        claim, holds_to, ends_at.
    """
    panels = [(label, some) for label, some in _PANELS if numbers["measure"].isin([name for name, _ in some]).any()]
    ending = claims[claims["ends_at"].notna()].sort_values("ends_at", kind="stable")
    shown = ending.head(_MOST)
    with house_style(options.font):
        lines = wrap_notes(_note(claims, ending, shown), options.width_mm)
        foot = EDGE + LINE * len(lines) + 0.8 + _AXIS
        bars = _CLAIM * len(shown)
        high = foot + bars + len(panels) * (_HIGH + _ENTRY + _BETWEEN)
        figure = sheet(options.width_mm, high + _TITLE)
        width, known = options.width_mm - _LEFT - EDGE - 2, numbers.loc[numbers["value"].notna(), "rate"]
        most = 100 * float(known.max()) or 1.0
        for place, (label, measures) in enumerate(panels):
            bottom = high - (place + 1) * (_HIGH + _ENTRY + _BETWEEN) + _BETWEEN
            axes = axes_at(figure, _LEFT + EDGE, bottom, width, _HIGH)
            _draw_curves(axes, numbers, measures)
            axes.set_xlim(0, most * 1.02)
            write_at(figure, EDGE, bottom + _HIGH / 2, label, SMALL + 0.5, upwards=True, va="center")
            entries = labelled(figure)
            own = {meaning: entries[meaning] for _, meaning in measures if meaning in entries}
            legend_at(figure, _LEFT + EDGE, bottom + _HIGH + 0.6, own, len(own))
        axes = axes_at(figure, _LEFT + EDGE, foot, width, max(bars, 0.5))
        _draw_claims(axes, shown, width, most)
        write_at(
            figure,
            _LEFT + EDGE + width / 2,
            foot - _AXIS + 1,
            "gold phones that are wrong (%)",
            SMALL + 0.5,
            ha="center",
        )
        write_title(figure, high + _TITLE, f"{corpus}: if gold phones are wrong")
        write_notes(figure, lines)
        settle(figure)
    columns = ["rate", "measure", "value", "low", "high"]
    names = [name for _, some in panels for name, _ in some]
    return Drawing("gold_errors", figure, numbers.loc[numbers["measure"].isin(names), columns])


def _draw_curves(axes: Axes, numbers: pd.DataFrame, measures: tuple[tuple[str, str], ...]) -> None:
    for (name, meaning), (colour, pale, mark) in zip(measures, _LOOKS, strict=True):
        rows = numbers[(numbers["measure"] == name) & numbers["value"].notna()]
        if len(rows):
            rate = 100 * rows["rate"].to_numpy(float)
            low, high = rows["low"].to_numpy(float), rows["high"].to_numpy(float)
            axes.fill_between(rate, low, high, color=pale, linewidth=0, alpha=0.7)
            axes.plot(rate, rows["value"], color=colour, marker=mark, markersize=2.4, linewidth=0.9, label=meaning)
    bottom, top = axes.get_ylim()
    if 0 < bottom < 0.5 * top:
        axes.set_ylim(bottom=0)
    elif bottom < 0 < top:
        axes.axhline(0, color=DARK_GREY, linewidth=0.5)
    axes.grid(axis="y", color="#e0e0e0", linewidth=0.4)
    axes.tick_params(axis="x", labelbottom=False)


def _draw_claims(axes: Axes, shown: pd.DataFrame, width: float, most: float) -> None:
    """Draw a bar a claim below its words, from 0 to where it holds, and a mark where it ends."""
    ends = 100 * shown[["holds_to", "ends_at"]].to_numpy(float)
    for row, (words, (last, end)) in enumerate(zip(shown["claim"].tolist(), ends.tolist(), strict=True)):
        at = row + 0.72
        axes.plot([0, last], [at, at], color=BLUE, linewidth=2.2, solid_capstyle="butt")
        axes.plot([last, end], [at, at], color=BLUE, linewidth=0.6)
        axes.plot([end], [at], "x", color=INK, markersize=3.4, markeredgewidth=0.9)
        axes.text(0, row + 0.42, fitted(words, width, size=SMALL), fontsize=SMALL, va="baseline")
    axes.set(xlim=(0, most * 1.02), ylim=(max(len(shown), 1), 0))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def _note(claims: pd.DataFrame, ending: pd.DataFrame, shown: pd.DataFrame) -> str:
    holding, left = len(claims) - len(ending), len(ending) - len(shown)
    parts = ["Bands are intervals for a given rate; which rate it is, these data do not tell."]
    if len(shown):
        parts.append("A claim holds along its bar; at the cross another thing is said.")
    if left:
        parts.append(f"{left} more claims end, see gold_error_claims.tsv.")
    if len(claims):
        parts.append(f"{holding} of {len(claims)} claims hold at all rates shown.")
    return " ".join(parts)


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    numbers = corpus.tables["gold_errors"]
    if numbers["value"].isna().all():
        return None
    none = pd.DataFrame(columns=["claim", "holds_to", "ends_at"])
    return draw_gold_errors(numbers, corpus.tables.get("gold_error_claims", none), corpus.title, corpus.options)


FIGURE = DeclaredFigure("gold_errors", ("gold_errors",), _of_corpus, shows=("gold_error_claims",))
