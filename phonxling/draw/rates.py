"""Error rates by language between their floors and their chance levels, people beside them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, Stored, StoredCorpus
from phonxling.draw.sheet import NAMES, WIDE, Sheet, fitted, name_rows, text_size, write_beside
from phonxling.draw.style import BLUE, DARK_GREY, EDGE, INK, SMALL, TEXT

_NAMES = {"wper": "Weighted phone error rate (wPER)", "per": "Phone error rate (PER)"}
_ROW, _TITLE, _AXIS, _FIGURES, _ENTRY = 6.8, 8.0, 6.0, 17.0, 2.8  # mm: a row, a title, an axis, numbers, the legend
_LOW_ROW = 3.4  # mm: a row where there are many
_KINDS = "^(floor|people|chance|skill)_"
_BAR, _RATE_LANE, _LIMITS_LANE, _NUMBERS = 0.48, 0.17, 0.37, 0.82  # of a row, from its top: where things stand
_REACH, _CHANCE = "#edf1f6", "#c6ccd4"
_FLOOR: dict[str, Any] = {"facecolor": "#e3daee", "edgecolor": "#7d6a9c", "hatch": "/////", "linewidth": 0}
_DOT: dict[str, Any] = {"color": BLUE, "marker": "o", "markersize": 4, "linestyle": "none", "clip_on": False}
_PEOPLE: dict[str, Any] = {**_DOT, "color": INK, "marker": "D", "markersize": 3.4, "markerfacecolor": "white"}


def draw_rates(source: StoredCorpus) -> Iterator[Drawing]:
    """Yield wPER and PER of each corpus as a point with its interval, in a bar from its floor to its chance level.

    Of many corpora each rate is a figure, and a ranking: the best stand on top.
    """
    stored = source.stored
    if stored.summary.loc[stored.summary["measure"].isin(_NAMES), "value"].isna().all():
        return
    shown = _shown(stored.targets_first)
    measures = [name for name in _NAMES if (shown["measure"] == name).any()]
    for own in [[name] for name in measures] if stored.many else [measures]:
        of_own = shown[shown["measure"].str.removeprefix("attainable_").str.replace(_KINDS, "", regex=True).isin(own)]
        yield Drawing("rates" if own[0] == measures[0] else f"rates-{own[0]}", _drawn(stored, of_own, own), of_own)


def _drawn(stored: Stored, shown: pd.DataFrame, measures: Sequence[str]) -> Sheet:
    full, row = stored.options.width_mm, _LOW_ROW if stored.many else _ROW
    corpora = list(dict.fromkeys(shown["corpus"]))
    high, entries, beside = row * len(corpora), _legend(shown), len(measures) if full >= WIDE else 1
    width, panel = (full - EDGE * (beside + 1)) / beside, _TITLE + high + _AXIS
    below = EDGE + _ENTRY * -(-len(entries) // 2) + 1.5
    names = [fitted(stored.title(corpus), width * NAMES) for corpus in corpora]
    left, stacked = max(text_size(name, TEXT)[0] for name in names) + 2, len(measures) // beside
    figure = Sheet(full, panel * stacked + below)
    for place, measure in enumerate(measures):
        start = EDGE + (width + EDGE) * (place % beside)
        bottom = below + panel * (stacked - 1 - place // beside) + _AXIS
        axes = figure.axes_at(start + left, bottom, width - left - _FIGURES, high)
        skill = _skill_of(shown, measure)
        _draw_panel(axes, _by_corpus(shown, measure, skill, corpora), 0 if stored.many else width - left - _FIGURES)
        name_rows(axes, np.arange(len(names), dtype=np.float64) + _BAR / 2, names, size=TEXT)
        figure.write_title(bottom + high + _TITLE, _NAMES[measure], start)
        heads = f"rate ({skill.replace('_', ' ').rpartition(' ')[0]})"
        figure.write(start + width, bottom + high + 0.6, heads, SMALL, ha="right", va="bottom")
    figure.legend_at(EDGE, EDGE, entries, 2)
    figure.finish()
    return figure


def _shown(summary: pd.DataFrame) -> pd.DataFrame:
    variant = summary["variant"].astype(object).where(summary["variant"].notna(), "")
    plain = summary["measure"].isin(
        [*_NAMES, *(f"{kind}_{name}" for name in _NAMES for kind in ("floor", "people"))]
    ) & (variant == "")
    best = [f"{kind}_{name}" for name in _NAMES for kind in ("chance", "skill", "attainable_skill")]
    chosen = plain | (summary["measure"].isin(best) & (variant == "best"))
    columns = ["corpus", "measure", "variant", "value", "low", "high"]
    return summary.assign(variant=variant)[chosen & summary["value"].notna()][columns]


def _skill_of(shown: pd.DataFrame, measure: str) -> str:
    kinds = [f"{kind}_{measure}" for kind in ("attainable_skill", "skill")]
    attainable, plain = (set(shown.loc[shown["measure"] == kind, "corpus"]) for kind in kinds)
    return kinds[not attainable >= plain]


def _by_corpus(shown: pd.DataFrame, measure: str, skill: str, corpora: list[str]) -> dict[str, Floats]:
    """Return value, low and high of each corpus, [C, 3], of the rate and of what it is read beside; NaN without one."""
    names = {"rate": measure, "skill": skill, **{kind: f"{kind}_{measure}" for kind in ("floor", "people", "chance")}}
    own = {kind: shown[shown["measure"] == name].set_index("corpus") for kind, name in names.items()}
    numbers = {kind: rows[["value", "low", "high"]].reindex(corpora).to_numpy(float) for kind, rows in own.items()}
    return {**numbers, "floor": np.where(numbers["floor"][:, :1] > 0, numbers["floor"], np.nan)}  # a floor of 0 is none


def _draw_panel(axes: Axes, numbers: Mapping[str, Floats], width: float) -> None:
    """Draw the corpora; limits have their numbers where a panel of this width in mm is given for them."""
    rate, floor, chance = (numbers[kind] for kind in ("rate", "floor", "chance"))
    rows = np.arange(len(rate), dtype=np.float64)
    people = numbers["people"]
    most = float(np.nanmax([rate, chance, people])) * 1.08 or 1.0
    look: dict[str, Any] = {"height": _BAR, "align": "edge"}
    axes.barh(rows, np.full(len(rows), most), color=_REACH, **look)
    axes.barh(rows, floor[:, 0], **_FLOOR, **look)
    axes.barh(rows, most - chance[:, 0], left=chance[:, 0], color=_CHANCE, **look)
    for limit in (floor, chance):
        axes.vlines(limit[:, 0], rows, rows + _BAR + 0.05, color=INK, linewidth=0.7)
        axes.hlines(rows + _LIMITS_LANE, *limit[:, 1:].T, color=DARK_GREY, linewidth=0.9)
    axes.hlines(rows + _RATE_LANE, *rate[:, 1:].T, color=BLUE, linewidth=0.9)
    axes.plot(rate[:, 0], rows + _RATE_LANE, **_DOT)
    axes.hlines(rows + _LIMITS_LANE, *people[:, 1:].T, color=DARK_GREY, linewidth=0.9)
    axes.plot(people[:, 0], rows + _LIMITS_LANE, **_PEOPLE)
    write_beside(axes, rows + _BAR / 2, map(_in_figures, rate[:, 0], numbers["skill"][:, 0]), _FIGURES)
    for row, *limits in np.column_stack([rows, floor[:, 0], chance[:, 0]]).tolist() if width else ():
        _write_limits(axes, row, limits, width / most)
    axes.set(xlim=(0, most), ylim=(len(rows), 0))
    axes.spines["left"].set_visible(False)


def _write_limits(axes: Axes, row: float, limits: list[float], scale: float) -> None:
    """Write the floor and the chance level below their lines; beside them where they would meet."""
    texts = [f"{limit:.3f}" for limit in limits if np.isfinite(limit)]
    at = np.array([limit for limit in limits if np.isfinite(limit)]) * scale
    wide = np.array([text_size(text, SMALL)[0] for text in texts])
    starts = np.maximum(at - wide / 2, 0)
    if len(texts) > 1 and starts[0] + wide[0] + 1 > starts[1]:
        starts = np.maximum([at[0] - wide[0], at[1]], [0, wide[0] + 1])
    for start, text in zip(starts, texts, strict=True):
        axes.text(start / scale, row + _NUMBERS, text, fontsize=SMALL, ha="left", va="baseline")


def _legend(shown: pd.DataFrame) -> dict[str, Artist]:
    floors = shown["measure"].str.startswith("floor_") & (shown["value"] > 0)
    chance, people = (shown["measure"].str.startswith(f"{kind}_") for kind in ("chance", "people"))
    line = Line2D([], [], color=DARK_GREY, linewidth=0.9)
    entries: list[tuple[str, Artist, bool]] = [
        ("rate of the recogniser", Line2D([], [], **_DOT), True),
        ("a second transcriber", Line2D([], [], **_PEOPLE), bool(people.any())),
        ("below the floor: phones it lacks", Patch(**_FLOOR), bool(floors.any())),
        ("no better than chance", Patch(facecolor=_CHANCE), bool(chance.any())),
        ("interval of floor or chance", line, bool((floors | chance).any())),
    ]
    return {meaning: handle for meaning, handle, occurs in entries if occurs}


def _in_figures(rate: float, skill: float) -> str:
    words = [form.format(value) for form, value in (("{:.3f}", rate), ("({:+z.2f})", skill)) if np.isfinite(value)]
    return " ".join(words).replace("-", "−")


FIGURE = DeclaredFigure(
    "rates",
    (),
    draw_rates,
    of="corpora",
    first=True,
    reading="A dot is a corpus’ error rate with its interval, between the floor that the recogniser’s phones set "
    "and the rate of chance. A dot in or near the grey part is no better than chance; wPER counts an "
    "error by how unlike the two phones are, PER counts each as one.",
)
