"""The feature distance of two phones against how often one is heard as the other."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from phonxling.core.inventory import GAP
from phonxling.draw.colours import BLUE, INK
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.labels import write_labels
from phonxling.draw.sheet import axes_at, settle, sheet, wrap_notes, write_notes, write_title
from phonxling.draw.style import EDGE, FEW, LINE, SMALL, FigureOptions, house_style

_LEFT, _AXIS, _ABOVE = 9.0, 8.5, 6.0  # mm
_NAMED = 12  # the confusions whose names are written
_TICKS = (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1)


def draw_correspondence(
    confusions: pd.DataFrame, corpus: str, options: FigureOptions, tau: float | None = None
) -> Drawing:
    """Return each confusion of two different phones as a point: feature distance across, probability up (square root).

    The most frequent confusions are named. Gold phones of fewer than 20 tokens, ∅, and phones without features are left
    out, and a note counts what is.

    Parameters
    ----------
    confusions : DataFrame
        gold, predicted, count, p_predicted_given_gold, cost (the feature distance).
    tau : float, optional
        Kendall's τ_b overall, for the note.
    """
    pairs = confusions[(confusions["gold"] != GAP) & (confusions["predicted"] != GAP)]
    tokens = pairs.groupby("gold")["count"].transform("sum")
    wrong = pairs[pairs["gold"] != pairs["predicted"]]
    shown = wrong[(tokens[wrong.index] >= FEW) & wrong["cost"].notna()]
    shown = shown.sort_values("p_predicted_given_gold", ascending=False, kind="stable").reset_index(drop=True)
    with house_style(options.font):
        lines = _notes(len(wrong) - len(shown), tau, options.width_mm)
        high = 0.72 * (options.width_mm - _LEFT - EDGE)
        below = EDGE + LINE * len(lines) + _AXIS
        figure = sheet(options.width_mm, below + high + _ABOVE)
        axes = axes_at(figure, _LEFT, below, options.width_mm - _LEFT - EDGE, high)
        _draw_points(axes, shown)
        write_title(figure, below + high + _ABOVE, f"{corpus}: confusions and features")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("correspondence", figure, shown[["gold", "predicted", "count", "cost", "p_predicted_given_gold"]])


def _draw_points(axes: Axes, shown: pd.DataFrame) -> None:
    """Draw on the square root itself: places for labels are looked for on straight axes."""
    points = pd.DataFrame({"x": shown["cost"], "y": np.sqrt(shown["p_predicted_given_gold"])})
    axes.plot(points["x"], points["y"], "o", color=BLUE, alpha=0.45, markersize=2.2, markeredgewidth=0)
    far = max(float(shown["cost"].max()) * 1.05, 0.05) if len(shown) else 1.0
    axes.set_xlim(-0.01, far)
    axes.set_xticks(np.arange(0, far, 0.1 if far > 0.2 else 0.05))
    top = float(points["y"].max()) * 1.08 if len(shown) else 1.0
    axes.set_ylim(0, top)
    ticks = [tick for tick in _TICKS if np.sqrt(tick) <= top]
    axes.set_yticks(np.sqrt(ticks), [f"{tick:g}" for tick in ticks])
    axes.set_xlabel("feature distance of gold and predicted phone", fontsize=SMALL + 0.5)
    axes.set_ylabel("P(predicted | gold)", fontsize=SMALL + 0.5)
    axes.grid(color="#e8e8e8", linewidth=0.4)
    arrows = [f"{gold} → {predicted}" for gold, predicted in zip(shown["gold"], shown["predicted"], strict=True)]
    named = points.assign(phone=arrows).head(_NAMED)
    if len(named):
        write_labels(axes, named, [INK] * len(named))


def _notes(left_out: int, tau: float | None, width: float) -> list[str]:
    notes = [f"Named: the {_NAMED} most frequent confusions."]
    notes += [f"Kendall’s τ over all pairs of phones: {tau:.2f}.".replace("-", "−")] if tau is not None else []
    if left_out:
        named = "confusion" if left_out == 1 else "confusions"
        notes += [f"Left out: {left_out} {named} of gold phones with fewer than {FEW} tokens or without features."]
    return wrap_notes(" ".join(notes), width)


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    confusions = corpus.tables["confusions"]
    if "cost" not in confusions or confusions["cost"].isna().all():
        return None
    return draw_correspondence(confusions, corpus.title, corpus.options, corpus.value("correspondence_tau", "estimate"))


FIGURE = DeclaredFigure("correspondence", ("confusions",), _of_corpus)
