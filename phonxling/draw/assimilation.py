"""Contrasts by predicted discriminability, each with its type of assimilation."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.rows import row_figure
from phonxling.draw.style import AMOUNT, GREY, INK, MIDDLE, WRONG

_MOST, _SURE = 30, 0.8  # contrasts; a share of the replicates
_TOKENS = ["tokens", "tokens_other"]
_TYPES = {  # marker, colour, meaning
    "TC": ("o", AMOUNT, "TC two-category"),
    "CG": ("^", MIDDLE, "CG category-goodness"),
    "SC": ("s", WRONG, "SC single-category"),
    "UC": ("D", GREY, "UC uncategorised–categorised"),
    "UU": ("X", INK, "UU uncategorised–uncategorised"),
    "": (".", GREY, "no type"),
}


def draw_assimilation(corpus: StoredCorpus) -> Drawing | None:
    """Return a mark a contrast at its Jensen–Shannon divergence, with its interval, the hardest on top.

    The mark says the type; it is hollow where fewer than 80 % of the replicates have it. At most 30 contrasts are
    shown, the first of the table: of least feature distance, or as listed.
    """
    table = corpus.tables["assimilation"]
    known = table[table["js"].notna()].assign(type=lambda rows: rows["type"].fillna(""))
    if known.empty:
        return None
    shown = known.head(_MOST).sort_values("js", kind="stable").reset_index(drop=True)

    def draw_marks(axes: Axes, rows: Floats) -> None:
        axes.hlines(rows, shown["js_low"], shown["js_high"], color=GREY, linewidth=0.9)
        for row, name, share, value in zip(rows, shown["type"], shown["probability"], shown["js"], strict=True):
            axes.plot(value, row, markersize=3.4, markeredgewidth=0.7, clip_on=False, **_look(name, share >= _SURE))

    occur = [name for name in _TYPES if name in set(shown["type"])]
    figure = row_figure(
        [f"{phone} – {other}" for phone, other in zip(shown["phone"], shown["other"], strict=True)],
        draw_marks,
        corpus.options,
        title=corpus.titled("confusions-contrasts"),
        beside=("tokens", [f"{one:,.0f} {other:,.0f}" for one, other in shown[_TOKENS].to_numpy(float)], 16.0),
        notes=_notes(table, known, shown),
        legend={
            _TYPES[name][2]: Line2D([], [], linestyle="none", markersize=3.4, **_look(name, True)) for name in occur
        },
        columns=2,
        axes_names=("contrast", "Jensen–Shannon divergence of their answers (bits)"),
    )
    return Drawing(
        "confusions-contrasts",
        figure,
        shown[["phone", "other", *_TOKENS, "type", "probability", "js", "js_low", "js_high"]],
    )


def _look(name: str, sure: bool) -> dict[str, Any]:
    marker, colour, _ = _TYPES[name]
    return {"marker": marker, "markerfacecolor": colour if sure else "white", "markeredgecolor": colour}


def _notes(table: pd.DataFrame, known: pd.DataFrame, shown: pd.DataFrame) -> Iterator[str]:
    yield "0: the same answers; 1: no answer in common. Corrected for few tokens."
    if (shown["probability"] < _SURE).any():
        yield f"Hollow: fewer than {100 * _SURE:.0f} % of the replicates have the type."
    if (shown["type"] == "").all():
        yield "Nothing can be said of types: no phone is shown to be recognised so more often than all phones are."
    elif (shown["type"] == "").any():
        yield "No type: a phone is not shown to be recognised so more often than all phones are."
    if len(known) > len(shown):
        yield f"Shown: the first {len(shown)} of {len(known)} contrasts of assimilation.tsv."
    if len(table) > len(known):
        yield f"Left out: {len(table) - len(known)} with too few tokens."


FIGURE = DeclaredFigure("confusions-contrasts", ("assimilation",), draw_assimilation)
