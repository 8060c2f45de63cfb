"""What pooling changes most: observed and pooled shares of what gold phones are heard as, and the habit."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.rows import row_figure
from phonxling.draw.style import BLUE, GREY, ORANGE

_MOST, _LEAST = 24, 0.05  # cells, and a share that one of them has at least
_LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "observed": ("observed share", {"marker": "o", "color": GREY, "markerfacecolor": "white"}),
    "pooled": ("pooled share of the speakers’ mean, with its limits", {"marker": "o", "color": BLUE}),
    "habit": ("habit of the recogniser", {"marker": "|", "color": ORANGE, "markeredgewidth": 1.2}),
}


def draw_pooled(corpus: StoredCorpus) -> Drawing:
    """Return the shares that pooling changes most, each observed and pooled, with the habit where there is one.

    At most 24 cells, of those with a share of .05 or more, by how far the two are apart; phones with fewest tokens
    stand on top.
    """
    shown = _shown(corpus.tables["pooled"])

    def draw_shares(axes: Axes, rows: Floats) -> None:
        axes.hlines(rows, shown["low"], shown["high"], color=BLUE, linewidth=0.9, zorder=1.5)
        for name, (_, look) in _LOOKS.items():
            size = 5.0 if name == "habit" else 3.2
            axes.plot(shown[name], rows, linestyle="none", markersize=size, clip_on=False, **look)

    known = [look for name, look in _LOOKS.items() if shown[name].notna().any()]
    figure = row_figure(
        [f"{gold} → {heard}" for gold, heard in zip(shown["gold"], shown["predicted"], strict=True)],
        draw_shares,
        corpus.options,
        title=f"{corpus.title}: what pooling changes most",
        beside=("tokens", [f"{tokens:,.0f}" for tokens in shown["tokens"]], 12.0),
        notes=[
            f"The {len(shown)} cells of pooled.tsv with a share of {_LEAST:g} or more that pooling changes most.",
            "Limits are of the mean of the language’s speakers, not of one of them.",
        ],
        legend={meaning: Line2D([], [], linestyle="none", markersize=3.4, **look) for meaning, look in known},
        axes_names=("cell", "share of the tokens of the gold phone"),
    )
    return Drawing("pooled", figure, shown)


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    large = table[table[["observed", "pooled"]].max(axis=1) >= _LEAST]
    moved = (large["pooled"] - large["observed"]).abs().sort_values(ascending=False, kind="stable")
    ordered = large.loc[moved.index[:_MOST]].sort_index().sort_values("tokens", kind="stable").reset_index(drop=True)
    return ordered[["gold", "predicted", "tokens", "observed", "pooled", "low", "high", "habit"]]


FIGURE = DeclaredFigure("pooled", ("pooled",), draw_pooled)
