"""How the rates of single utterances lie, beside what chance would score on each."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import round_down
from phonxling.draw.sheet import Sheet, wrap
from phonxling.draw.style import AMOUNT, DARK_GREY, EDGE, INK, LINE, PALE, PASSING, SMALL

_LEFT, _AXIS, _LEGEND, _ABOVE, _HIGH = 10.0, 7.0, 6.0, 6.0, 34.0  # mm
_MOST_BINS = 60
_PANEL, _APART = 14.0, 1.5  # mm: the height of a chance model's histogram, and between two
_OF_CHANCE = "chance_wper_"


def draw_utterance_rates(corpus: StoredCorpus) -> Drawing | None:
    """Return the histogram of wPER by utterance, that of the chance level of each where it is known."""
    utterances, width = corpus.tables["utterances"], corpus.options.width_mm
    rates = utterances["wper"].dropna().to_numpy(float)
    if not len(rates):
        return None
    spoken = utterances[utterances["gold_tokens"] > 0]
    costs = spoken.reindex(columns=["chance_cost"])["chance_cost"]
    by_chance = (costs / spoken["gold_tokens"]).dropna().to_numpy(float)
    edges = _edges(rates, by_chance)
    counts, chances = (np.histogram(np.minimum(some, edges[-1]), edges)[0] for some in (rates, by_chance))
    empty, beyond = int(utterances["wper"].isna().sum()), int((rates > edges[-1]).sum())
    notes = [f"Without a rate, because their gold is empty: {empty}."] if empty else []
    notes += [f"The last bin holds all above {edges[-1]:.2f}, too: {beyond}."] if beyond else []
    lines = wrap(notes, width)
    legend = EDGE + LINE * len(lines) + 0.8
    below = legend + _LEGEND + _AXIS
    figure = Sheet(width, below + _HIGH + _ABOVE)
    axes = figure.axes_at(_LEFT, below, width - _LEFT - EDGE, _HIGH)
    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": AMOUNT, "linewidth": 0.8}
    entries: dict[str, Artist] = {"utterances, as recognised": axes.stairs(counts, edges, fill=True, **look)}
    if len(by_chance):
        look = {"color": DARK_GREY, "linewidth": 0.9, "hatch": "////"}
        entries["the same utterances at chance"] = axes.stairs(chances, edges, **look)
    pooled, chance = utterances["cost"].sum() / utterances["gold_tokens"].sum(), corpus.value("chance_wper", "best")
    entries[f"wPER of all: {pooled:.3f}"] = axes.axvline(pooled, linewidth=0.9, color=INK)
    if chance is not None:
        line = axes.axvline(chance, linestyle="--", linewidth=0.9, color=INK)
        entries[f"chance level of all: {chance:.3f}"] = line
    axes.set(xlim=(0, edges[-1]), ylim=(0, 1.04 * max(counts.max(), chances.max())))
    axes.set_xlabel("wPER of an utterance", fontsize=SMALL)
    axes.set_ylabel("utterances", fontsize=SMALL)
    figure.legend_at(EDGE, legend, entries, 2)
    figure.write_title(below + _HIGH + _ABOVE, corpus.titled("rates-utterances"))
    figure.finish(lines)
    table = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "utterances": counts, "chance": chances})
    return Drawing("rates-utterances", figure, table)


def draw_chance_rates(corpus: StoredCorpus) -> Drawing | None:
    """Return a histogram of wPER by utterance for each chance model, with that of the recogniser as a line."""
    utterances, width = corpus.tables["utterances"], corpus.options.width_mm
    names = [name for name in map(str, utterances) if name.startswith(_OF_CHANCE) and utterances[name].notna().any()]
    heard = utterances["wper"].dropna().to_numpy(float)
    if not names or not len(heard):
        return None
    drawn = {name.removeprefix(_OF_CHANCE): utterances[name].dropna().to_numpy(float) for name in names}
    edges = _edges(heard, np.concatenate([*drawn.values()]))
    counts = {name: np.histogram(np.minimum(some, edges[-1]), edges)[0] for name, some in drawn.items()}
    own = np.histogram(np.minimum(heard, edges[-1]), edges)[0]
    lines = wrap(
        [f"Heights: utterances. One replicate of each model; the last bin holds all above {edges[-1]:.2f}, too."], width
    )
    legend = EDGE + LINE * len(lines) + 0.8
    below = legend + _LEGEND + _AXIS
    top = below + len(drawn) * (_PANEL + _APART) - _APART
    figure, table = Sheet(width, top + _ABOVE), {"from": edges[:-1], "to": edges[1:], "utterances": own}
    for place, (model, some) in enumerate(counts.items()):
        last = place == len(counts) - 1
        axes = figure.axes_at(_LEFT, top - _PANEL - place * (_PANEL + _APART), width - _LEFT - 3 * EDGE, _PANEL)
        chance = axes.stairs(some, edges, fill=True, facecolor=PASSING, edgecolor=DARK_GREY, linewidth=0.6)
        line = axes.stairs(own, edges, color=AMOUNT, linewidth=0.9)
        most = max(some.max(), own.max())
        axes.set(xlim=(0, edges[-1]), ylim=(0, 1.3 * most), yticks=[0, round_down(most)])
        axes.tick_params(labelbottom=last)
        said = f"{model}: mean {drawn[model].mean():.3f}, median {np.median(drawn[model]):.3f}"
        axes.text(0.99, 0.95, said, transform=axes.transAxes, ha="right", va="top", fontsize=SMALL)
        if last:
            axes.set_xlabel("wPER of an utterance", fontsize=SMALL)
            figure.legend_at(EDGE, legend, {"chance model": chance, "utterances, as recognised": line}, 2)
        table[model] = some
    figure.write_title(top + _ABOVE, corpus.titled("rates-chance"))
    figure.finish(lines)
    return Drawing("rates-chance", figure, pd.DataFrame(table))


def _edges(rates: Floats, chance: Floats) -> Floats:
    """Return the bins' edges from 0 (Freedman and Diaconis' width), the last where few rates lie beyond."""
    top = float(np.quantile(np.concatenate([rates, chance]), 0.995))
    quarter, three_quarters = np.quantile(rates, [0.25, 0.75])
    width = 2 * (three_quarters - quarter) / len(rates) ** (1 / 3)
    bins = int(np.clip(np.ceil(top / width) if width > 0 else 10, 5, _MOST_BINS))
    return np.linspace(0, top if top > 0 else 1.0, bins + 1)


FIGURE = DeclaredFigure("rates-utterances", ("utterances",), draw_utterance_rates)
BY_CHANCE = DeclaredFigure("rates-chance", ("utterances",), draw_chance_rates)
