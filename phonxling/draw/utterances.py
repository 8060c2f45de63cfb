"""How the rates of single utterances lie, beside what chance would score on each."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist

from phonxling.core.arrays import Codes, Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import axes_at, legend_at, settle, sheet, wrap_notes, write_notes, write_title
from phonxling.draw.style import BLUE, DARK_GREY, EDGE, INK, LINE, SMALL, FigureOptions, house_style

_LEFT, _AXIS, _LEGEND, _ABOVE, _HIGH = 8.0, 7.0, 6.0, 6.0, 34.0  # mm
_MOST_BINS = 60


def draw_utterance_rates(
    utterances: pd.DataFrame, corpus: str, options: FigureOptions, chance: float | None = None
) -> Drawing:
    """Return the histogram of wPER by utterance, that of the chance level of each where it is known."""
    rates = utterances["wper"].dropna().to_numpy(float)
    by_chance = _chance(utterances)
    edges, beyond = _edges(rates, by_chance)
    counts = {"utterances": _counts(rates, edges), "chance": _counts(by_chance, edges)}
    pooled = utterances["cost"].sum() / utterances["gold_tokens"].sum()
    with house_style(options.font):
        lines = _notes(int(utterances["wper"].isna().sum()), beyond, edges[-1], options.width_mm)
        legend = EDGE + LINE * len(lines) + 0.8
        below = legend + _LEGEND + _AXIS
        figure = sheet(options.width_mm, below + _HIGH + _ABOVE)
        axes = axes_at(figure, _LEFT, below, options.width_mm - _LEFT - EDGE, _HIGH)
        entries: dict[str, Artist] = {
            "utterances, as heard": axes.stairs(
                counts["utterances"], edges, fill=True, facecolor="#b9d0e8", edgecolor=BLUE, linewidth=0.8
            )
        }
        if len(by_chance):
            entries["the same utterances at chance"] = axes.stairs(
                counts["chance"], edges, color=DARK_GREY, linewidth=0.9, hatch="////"
            )
        look: dict[str, Any] = {"linewidth": 0.9, "color": INK}
        entries[f"wPER of all: {pooled:.3f}"] = axes.axvline(pooled, **look)
        if chance is not None and np.isfinite(chance):
            entries[f"chance level of all: {chance:.3f}"] = axes.axvline(chance, linestyle="--", **look)
        axes.set(xlim=(0, edges[-1]), ylim=(0, 1.04 * max(map(max, counts.values()))))
        axes.set_xlabel("wPER of an utterance", fontsize=SMALL + 0.5)
        axes.set_ylabel("utterances", fontsize=SMALL + 0.5)
        legend_at(figure, EDGE, legend, entries, 2)
        write_title(figure, below + _HIGH + _ABOVE, f"{corpus}: rates of utterances")
        write_notes(figure, lines)
        settle(figure)
    table = pd.DataFrame({"from": edges[:-1], "to": edges[1:], **counts})
    return Drawing("utterances", figure, table)


def _chance(utterances: pd.DataFrame) -> Floats:
    if "chance_cost" not in utterances:
        return np.zeros(0)
    spoken = utterances[utterances["gold_tokens"] > 0]
    return (spoken["chance_cost"] / spoken["gold_tokens"]).dropna().to_numpy(float)


def _edges(rates: Floats, chance: Floats) -> tuple[Floats, int]:
    """Return the bins' edges from 0, and how many rates lie beyond the last."""
    every = np.concatenate([rates, chance])
    top = float(np.quantile(every, 0.995))
    quarter, half = np.quantile(rates, [0.25, 0.75])
    width = 2 * (half - quarter) / len(rates) ** (1 / 3)
    bins = int(np.clip(np.ceil(top / width) if width > 0 else 10, 5, _MOST_BINS))
    edges = np.linspace(0, top if top > 0 else 1.0, bins + 1)
    return edges, int((rates > edges[-1]).sum())


def _counts(rates: Floats, edges: Floats) -> Codes:
    return np.histogram(np.minimum(rates, edges[-1]), edges)[0]


def _notes(empty: int, beyond: int, top: float, width: float) -> list[str]:
    notes = [f"Without a rate, for their gold is empty: {empty}."] if empty else []
    notes += [f"The last bin holds all above {top:.2f}, too: {beyond}."] if beyond else []
    return wrap_notes(" ".join(notes), width)


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    utterances = corpus.tables["utterances"]
    if utterances["wper"].isna().all():
        return None
    return draw_utterance_rates(utterances, corpus.title, corpus.options, corpus.value("chance_wper", "best"))


FIGURE = DeclaredFigure("utterances", ("utterances",), _of_corpus)
