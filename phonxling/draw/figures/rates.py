"""Error rates by language between their floors and their chance levels: how good they are for this inventory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from phonxling.draw.colours import BLUE, GREY, INK, PALE_GREY
from phonxling.draw.figure import Drawing, JointFigure, Stored
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    labelled,
    legend_at,
    settle,
    sheet,
    text_size,
    write_at,
    write_beside,
    write_title,
)
from phonxling.draw.style import EDGE, SMALL, TEXT, FigureOptions, house_style

_NAMES = {"wper": "Weighted phone error rate (wPER)", "per": "Phone error rate (PER)"}
_MARKERS = {"constant": "s", "uniform": "x", "unigram": "^", "bigram": "v", "shuffled": "D"}
_HATCHED: dict[str, Any] = {"facecolor": "none", "edgecolor": GREY, "hatch": "/////", "linewidth": 0.5}
_LANE, _TITLE, _AXIS, _FIGURES = 1.9, 6.5, 6.5, 17.0  # mm: a lane of marks, a title, an axis, the column of numbers
_RATE, _OUT_OF_REACH = "rate of the recogniser", "below the floor: phones it lacks"
_WIDE = 150.0  # mm from which the panels stand side by side


def draw_rates(summary: pd.DataFrame, options: FigureOptions, titles: Mapping[str, str] | None = None) -> Drawing:
    """Return wPER and PER of each corpus as a point with its interval, above marks for its chance levels.

    The shaded part of a row is no better than the lowest chance level, the hatched part is better than any recogniser
    with the same inventory can be. Beside a row stand the rate and, in brackets, the attainable skill, (chance − rate)
    / (chance − floor), or, where no corpus has a floor, the plain one (negative is worse than chance).

    Parameters
    ----------
    summary : DataFrame
        corpus, measure, variant, value, low, high: per and wper, with the prefixes chance_ and floor_; skill_ and
        attainable_skill_ (best).
    titles : mapping of str to str, optional
        What corpora are called, where it is not by their names.
    """
    shown = _shown(summary)
    corpora = list(dict.fromkeys(shown["corpus"]))
    measures = [name for name in _NAMES if (shown["measure"] == name).any()]
    models = [name for name in dict.fromkeys(shown["variant"]) if name not in {"", "best"}]
    with house_style(options.font):
        high = len(corpora) * (len(models) + 2) * _LANE
        beside = len(measures) if options.width_mm >= _WIDE else 1
        width, panel = (options.width_mm - EDGE * (beside + 1)) / beside, _TITLE + high + _AXIS
        floors = shown["measure"].str.startswith("floor_") & (shown["value"] > 0)
        below = EDGE + 3.4 * -(-(len(models) + 2 + floors.any()) // 2)
        names = [fitted((titles or {}).get(corpus, corpus), width * NAMES) for corpus in corpora]
        left, stacked = max(text_size(name, TEXT)[0] for name in names) + 2, len(measures) // beside
        figure = sheet(options.width_mm, panel * stacked + below)
        for place, measure in enumerate(measures):
            start = EDGE + (width + EDGE) * (place % beside)
            bottom = below + panel * (stacked - 1 - place // beside) + _AXIS
            axes = axes_at(figure, start + left, bottom, width - left - _FIGURES, high)
            _draw_panel(axes, shown, measure, dict(zip(corpora, names, strict=True)), models)
            write_title(figure, bottom + high + _TITLE, _NAMES[measure], start)
            heads = f"rate ({_skill_of(shown, measure).replace('_', ' ').rpartition(' ')[0]})"
            write_at(figure, start + width, bottom + high + 0.6, heads, SMALL, ha="right", va="bottom")
        _draw_legend(figure)
        settle(figure)
    return Drawing("rates", figure, shown)


def _shown(summary: pd.DataFrame) -> pd.DataFrame:
    variant = summary["variant"].astype(object).where(summary["variant"].notna(), "")
    rate = summary["measure"].isin([*_NAMES, *(f"floor_{name}" for name in _NAMES)]) & (variant == "")
    chance = summary["measure"].isin([f"chance_{name}" for name in _NAMES]) & ~variant.isin(["", "best"])
    skills = [f"{kind}_{name}" for name in _NAMES for kind in ("skill", "attainable_skill")]
    skill = summary["measure"].isin(skills) & (variant == "best")
    chosen = summary.assign(variant=variant)[(rate | chance | skill) & summary["value"].notna()]
    return chosen[["corpus", "measure", "variant", "value", "low", "high"]]


def _skill_of(shown: pd.DataFrame, measure: str) -> str:
    attainable = f"attainable_skill_{measure}"
    return attainable if (shown["measure"] == attainable).any() else f"skill_{measure}"


def _draw_panel(
    axes: Axes, shown: pd.DataFrame, measure: str, titles: Mapping[str, str], models: Sequence[str]
) -> None:
    rows = len(models) + 2  # lanes of a corpus: the rate, each chance model, air
    names = (measure, f"chance_{measure}", f"floor_{measure}", _skill_of(shown, measure))
    of_measure = {name: shown[shown["measure"] == name] for name in names}
    rates = pd.concat([of_measure[measure], of_measure[f"chance_{measure}"]])
    highest = float(np.nanmax(rates[["value", "high"]].to_numpy(float)))
    axes.set(xlim=(0, highest * 1.08), ylim=(len(titles) * rows - 0.5, -0.5))
    for place, corpus in enumerate(titles):
        rate, chance, floor, skill = (table[table["corpus"] == corpus] for table in of_measure.values())
        top = place * rows
        span = (top - 0.35, top + rows - 1.35)
        for least in floor.loc[floor["value"] > 0, "value"]:
            axes.fill_betweenx(span, 0, least, label=_OUT_OF_REACH, **_HATCHED)
        if len(chance):
            lowest = chance["value"].min()
            axes.fill_betweenx(span, lowest, highest * 1.08, color=PALE_GREY, linewidth=0)
            axes.vlines(lowest, *span, color=INK, linewidth=0.7)
        for lane, model in enumerate(models, start=1):
            look = {"color": GREY, "marker": _MARKERS.get(model, "x"), "markersize": 2.6, "markerfacecolor": "white"}
            _mark(axes, chance[chance["variant"] == model], top + lane, f"chance: {model}", look)
        _mark(axes, rate, top, _RATE, {"color": BLUE, "marker": "o", "markersize": 4})
        write_beside(axes, top, _in_figures(rate, skill), _FIGURES)
    axes.set_yticks(np.arange(len(titles)) * rows, [*titles.values()], fontsize=TEXT, va="center")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _draw_legend(figure: Figure) -> None:
    handles = labelled(figure)
    first = {name: handles.pop(name) for name in (_RATE, _OUT_OF_REACH) if name in handles}
    shade = {"no better than chance": Patch(facecolor=PALE_GREY)} if handles else {}
    entries: dict[str, Artist] = {**first, **shade, **dict(reversed(handles.items()))}
    legend_at(figure, EDGE, EDGE, entries, 2)


def _mark(axes: Axes, rate: pd.DataFrame, lane: float, meaning: str, look: dict[str, Any]) -> None:
    """Draw one rate (a row, or none) as a mark, with its interval if it has one."""
    for value, low, high in rate[["value", "low", "high"]].to_numpy(float):
        if np.isfinite(low) and np.isfinite(high):
            axes.hlines(lane, low, high, color=look["color"], linewidth=0.9)
        axes.plot(value, lane, linestyle="none", markeredgewidth=0.7, label=meaning, clip_on=False, **look)


def _in_figures(rate: pd.DataFrame, skill: pd.DataFrame) -> str:
    words = [f"{value:.3f}" for value in rate["value"]] + [f"({value:+.2f})" for value in skill["value"]]
    return " ".join(words).replace("-", "−")


def _of_corpora(stored: Stored) -> Iterator[Drawing]:
    if stored.summary.loc[stored.summary["measure"].isin(_NAMES), "value"].notna().any():
        yield draw_rates(stored.summary, stored.options, stored.titles)


FIGURE = JointFigure("rates", (), _of_corpora)
