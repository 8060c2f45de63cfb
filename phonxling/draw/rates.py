"""Rates beside what they are read beside: of corpora between floors and chance, people beside them; of confidences.

A reliability diagram shows whether phones of a confidence are correct as often as it says, and how many there are.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from phonxling.analyses.languages import short_letters
from phonxling.core.arrays import Floats
from phonxling.draw.figure import MANY, StoredCorpus, StoredTables
from phonxling.draw.sheet import (
    NAMES,
    WIDE_FIGURE,
    Sheet,
    cut_to_width,
    legend_lines,
    name_rows,
    text_size,
    wrap,
    write_beside,
)
from phonxling.draw.style import (
    AMOUNT,
    DARK_GREY,
    EDGE,
    FEW_TOKENS_DRAWN,
    GRID,
    INK,
    LINE,
    PAGE_HEIGHT,
    PALE,
    PHONES,
    SMALL,
    TEXT,
    palette_colour,
    tint,
)

_NAMES = {"wper": "Weighted phone error rate (wPER)", "per": "Phone error rate (PER)"}
_ROW, _TITLE, _RATES_AXIS = 6.8, 8.0, 6.0  # mm: a row, a title, an axis
_FIGURES, _ENTRY = 18.0, 2.8  # mm: the numbers beside a row, a line of the legend
_LOW_ROW, _LETTER, _RATES_APART = 4.2, 1.5, 3.0  # mm: a row of many, a letter, between panels
_LETTERS = "Skills that share a letter do not differ clearly (q < 0.05)."
_SKILL = "Skill: 0 is chance, 1 the best that the recogniser’s phones allow."
_BAR, _RATE_LANE, _LIMITS_LANE, _NUMBERS = 0.48, 0.17, 0.37, 0.82  # of a row, from its top: where things stand
_ROOM, _FAR, _BEYOND = 1.08, 2.5, 0.16  # the axis beyond what is drawn; so many times more; what is behind a break
_REACH, _CHANCE = palette_colour("panel"), palette_colour("line")
_FLOOR: dict[str, Any] = {"facecolor": tint("absent", 0.15), "edgecolor": tint("absent", 0.8)}
_FLOOR |= {"hatch": "/////", "linewidth": 0}
_DOT: dict[str, Any] = {"color": AMOUNT, "marker": "o", "markersize": 4, "linestyle": "none", "clip_on": False}
_PEOPLE: dict[str, Any] = {**_DOT, "color": INK, "marker": "D", "markersize": 3.4, "markerfacecolor": "white"}


_LINE_OF_TEXT = 0.38  # mm a point: a row of names


def draw_rates(source: StoredCorpus) -> Sheet | None:
    """Return wPER and PER of each corpus as a point with its interval, in a bar from its floor to its chance level.

    Many corpora have a low row each, those of the most skill on top, with the letters of their groups.
    """
    stored = source.stored
    shown = _shown_rows(stored.targets_first)
    if not shown["measure"].isin(_NAMES).any():
        return None
    return _draw_rates(shown, stored, _letters(stored) if stored.many else {})


def _letters(stored: StoredTables) -> dict[str, dict[str, str]]:
    """Return the letters of the corpora's groups, by measure."""
    rows = stored.of_all("languages")
    of = {name: rows[rows["measure"] == f"skill_{name}"] for name in _NAMES} if len(rows) else {}
    letters = {name: dict(zip(own["corpus"], own["letters"], strict=True)) for name, own in of.items()}
    return {name: short_letters({one: text for one, text in own.items() if text}) for name, own in letters.items()}


def _draw_rates(shown: pd.DataFrame, stored: StoredTables, letters: Mapping[str, Mapping[str, str]]) -> Sheet:
    measures, full = [name for name in _NAMES if (shown["measure"] == name).any()], stored.options.width_mm
    corpora = list(dict.fromkeys(shown.loc[shown["measure"].isin(measures), "corpus"]))
    low, grouped, entries = len(corpora) > MANY, any(letters.values()), _legend(shown)
    measures = measures[:1] if low and full < WIDE_FIGURE else measures
    skilled = shown["measure"].str.startswith("skill_").any()
    lines = wrap([*[_SKILL] * bool(skilled), *[_LETTERS] * grouped], full)
    beside = len(measures) if full >= WIDE_FIGURE else 1
    below = EDGE + LINE * len(lines) + _ENTRY * legend_lines(entries, full) + 2.3
    row = min(_LOW_ROW, (PAGE_HEIGHT - 0.1 - below - _TITLE - _RATES_AXIS) / len(corpora)) if low else _ROW
    size = next((size for size in (TEXT, *PHONES) if size * _LINE_OF_TEXT <= row), PHONES[-1])
    high, width = row * len(corpora), (full - EDGE * (beside + 1)) / beside
    right = _FIGURES + _LETTER * max((len(own) + 1 for group in letters.values() for own in group.values()), default=0)
    names = [cut_to_width(stored.title(corpus), width * NAMES, size=size) for corpus in corpora]
    left, panel = max(text_size(name, size)[0] for name in names) + 2, _TITLE + high + _RATES_AXIS
    stacked = -(-len(measures) // beside)
    figure = Sheet(full, panel * stacked + below)
    figure.title = "Error rates"
    for place, measure in enumerate(measures):
        start = EDGE + (width + EDGE) * (place % beside)
        bottom = below + panel * (stacked - 1 - place // beside) + _RATES_AXIS
        named = not (low and place % beside)  # names of low rows stand once
        begin = left if named else _RATES_APART
        axes = figure.axes_at(start + begin, bottom, width - begin - right, high)
        numbers = _by_corpus(shown, measure, corpora)
        _draw_panel(axes, numbers, 0 if low else width - left - right)
        own = letters.get(measure, {})
        beside_rows, small = np.arange(len(corpora)) + _BAR / 2, min(size, SMALL)
        pairs = zip(numbers["rate"][:, 0], numbers["skill"][:, 0], strict=True)
        texts = (
            "" if np.isnan(rate) else f"{rate:.3f} ({skill:+z.2f})".replace(" (+nan)", "").replace("-", "−")
            for rate, skill in pairs
        )
        write_beside(axes, beside_rows, texts, _FIGURES, small)
        write_beside(axes, beside_rows, [own.get(corpus, "") for corpus in corpora], right, small)
        if named:
            name_rows(axes, np.arange(len(names), dtype=np.float64) + _BAR / 2, names, size=size)
        figure.write_panel_title(bottom + high + _TITLE, _NAMES[measure], start if named else start + begin)
        told = [*["skill"] * bool(np.isfinite(numbers["skill"]).any()), *["its group"] * bool(own)]
        heads = f"rate ({', '.join(told)})" if told else "rate"
        figure.write(start + width, bottom + high + 0.6, heads, SMALL, ha="right", va="bottom")
    figure.legend_across(EDGE, EDGE + LINE * len(lines) + 0.8, entries)
    figure.finish(lines)
    return figure


def _shown_rows(summary: pd.DataFrame) -> pd.DataFrame:
    plain = [*_NAMES, *(f"{kind}_{name}" for name in _NAMES for kind in ("floor", "people"))]
    best = [f"{kind}_{name}" for name in _NAMES for kind in ("chance", "skill")]
    variant = np.where(summary["measure"].isin(best), "best", "")
    chosen = summary["measure"].isin([*plain, *best]) & (summary["variant"] == variant)
    return summary.loc[chosen & summary["value"].notna(), ["corpus", "measure", "variant", "value", "low", "high"]]


def _by_corpus(shown: pd.DataFrame, measure: str, corpora: list[str]) -> dict[str, Floats]:
    """Return value, low and high of each corpus, [C, 3], of the rate and of what it is read beside; NaN without one."""
    names = {"rate": measure, **{kind: f"{kind}_{measure}" for kind in ("skill", "floor", "people", "chance")}}
    own = {kind: shown[shown["measure"] == name].set_index("corpus") for kind, name in names.items()}
    numbers = {kind: rows[["value", "low", "high"]].reindex(corpora).to_numpy(float) for kind, rows in own.items()}
    return {**numbers, "floor": np.where(numbers["floor"][:, :1] > 0, numbers["floor"], np.nan)}  # a floor of 0 is none


def _draw_panel(axes: Axes, numbers: Mapping[str, Floats], width: float) -> None:
    """Draw the corpora; limits have their numbers where a panel of this width in mm is given for them."""
    rate, floor, chance, people = (numbers[kind] for kind in ("rate", "floor", "chance", "people"))
    rows = np.arange(len(rate), dtype=np.float64)
    scale = _scale(np.nanmax(np.column_stack([rate[:, [0, 2]], chance[:, [0, 2]], people[:, [0, 2]]]), axis=1))
    most = scale.rates[-1]
    look: dict[str, Any] = {"height": _BAR, "align": "edge"}
    axes.barh(rows, np.full(len(rows), most), color=_REACH, **look)
    axes.barh(rows, floor[:, 0], **_FLOOR, **look)
    axes.barh(rows, most - chance[:, 0], left=chance[:, 0], color=_CHANCE, **look)
    for limit in (floor, chance):
        axes.vlines(limit[:, 0], rows, rows + _BAR + 0.05, color=INK, linewidth=0.7)
        axes.hlines(rows + _LIMITS_LANE, *limit[:, 1:].T, color=DARK_GREY, linewidth=0.9)
    axes.hlines(rows + _RATE_LANE, *rate[:, 1:].T, color=AMOUNT, linewidth=0.9)
    axes.plot(rate[:, 0], rows + _RATE_LANE, **_DOT)
    axes.hlines(rows + _LIMITS_LANE, *people[:, 1:].T, color=DARK_GREY, linewidth=0.9)
    axes.plot(people[:, 0], rows + _LIMITS_LANE, **_PEOPLE)
    axes.set(xlim=(0, most), ylim=(len(rows), 0), yticks=[])
    if len(scale.rates) > 2:
        _break_axis(axes, scale, float(np.nanmax(rate[:, 0])))
    for row, *limits in np.column_stack([rows, floor[:, 0], chance[:, 0]]).tolist() if width else ():
        _write_limits(axes, row, [limit for limit in limits if np.isfinite(limit)], width, scale)
    axes.spines["left"].set_visible(False)


class _Scale(NamedTuple):
    """Rates, and where on the axis each stands, from 0 to 1; between two of them it is even."""

    rates: tuple[float, ...]
    places: tuple[float, ...]

    def place(self, rate: Floats) -> Floats:
        return np.asarray(np.interp(rate, self.rates, self.places))

    def rate(self, place: Floats) -> Floats:
        return np.asarray(np.interp(place, self.places, self.rates))


def _scale(ends: Floats) -> _Scale:
    """Return the scale of corpora that reach so far: broken where some are far above half of them or more."""
    ordered = np.sort(ends)
    most, half = float(ordered[-1]) * _ROOM or 1.0, (len(ordered) - 1) // 2
    far = np.flatnonzero(ordered[half + 1 :] > _FAR * ordered[half:-1])
    if not len(far) or not ordered[half + far[0]]:
        return _Scale((0.0, most), (0.0, 1.0))
    return _Scale((0.0, float(ordered[half + far[0]]) * _ROOM, most), (0.0, 1 - _BEYOND, 1.0))


def _break_axis(axes: Axes, scale: _Scale, highest: float) -> None:
    """Let the axis have a break, with ticks before it and one at the highest rate beyond."""
    end = scale.rates[1]
    ticks = [tick for tick in axes.xaxis.get_major_locator().tick_values(0, end) if 0 <= tick < 0.95 * end]
    axes.set_xscale("function", functions=(scale.place, scale.rate))
    axes.set_xlim(0, scale.rates[-1])
    axes.set_xticks([*ticks, highest], [*(f"{tick:g}" for tick in ticks), f"{highest:.2f}"])
    axes.axvline(end, color="white", linewidth=3, zorder=1.4)
    slanted: dict[str, Any] = {"marker": [(-1, -2), (1, 2)], "markersize": 5, "color": INK, "clip_on": False}
    for aside in (-1.5, 1.5):
        at = axes.get_xaxis_transform() + ScaledTranslation(aside / 72, 0, axes.figure.dpi_scale_trans)
        axes.plot(end, 0, transform=at, **slanted)


def _write_limits(axes: Axes, row: float, limits: list[float], width: float, scale: _Scale) -> None:
    """Write the floor and the chance level below their lines; beside them where they would meet."""
    texts = [f"{limit:.3f}" for limit in limits]
    at = scale.place(np.array(limits)) * width
    wide = np.array([text_size(text, SMALL)[0] for text in texts])
    starts = np.maximum(at - wide / 2, 0)
    if len(texts) > 1 and starts[0] + wide[0] + 1 > starts[1]:
        starts = np.maximum([at[0] - wide[0], at[1]], [0, wide[0] + 1])
    for start, text in zip(starts, texts, strict=True):
        axes.text(float(scale.rate(start / width)), row + _NUMBERS, text, fontsize=SMALL, ha="left", va="baseline")


def _legend(shown: pd.DataFrame) -> dict[str, Artist]:
    floors = shown["measure"].str.startswith("floor_") & (shown["value"] > 0)
    chance, people = (shown["measure"].str.startswith(f"{kind}_") for kind in ("chance", "people"))
    line = Line2D([], [], color=DARK_GREY, linewidth=0.9)
    sure = shown.loc[shown["measure"].isin(_NAMES), "low"].notna().any()
    dot = Line2D([], [], **_DOT | {"linestyle": "-", "linewidth": 0.9} if sure else _DOT)
    entries: list[tuple[str, Artist, bool]] = [
        ("error rate and its interval" if sure else "error rate", dot, True),
        ("a second transcriber", Line2D([], [], **_PEOPLE), bool(people.any())),
        ("below the floor: phones it lacks", Patch(**_FLOOR), bool(floors.any())),
        ("no better than chance", Patch(facecolor=_CHANCE), bool(chance.any())),
        ("interval of floor or chance", line, bool((floors | chance).any())),
    ]
    return {meaning: handle for meaning, handle, occurs in entries if occurs}


_LEFT, _BETWEEN, _CALIBRATION_TITLE, _LABEL = 10.0, 4.0, 6.0, 7.2  # mm: axis, before the legend, above and below panels
_LEAST_DIAGRAM, _MOST_DIAGRAM, _END, _ENTRIES = 30.0, 60.0, 1.5, 4  # mm: its side, beside it; lines of the legend
_COUNTS, _AIR, _HANDLE = 10.0, 2.5, 5.5  # mm: the histogram, above it, the mark of an entry of the legend
_PERFECT, _DOTS, _INTERVAL, _FEW = (
    "perfect calibration",
    "phones by confidence",
    "interval",
    f"fewer than {FEW_TOKENS_DRAWN} phones",
)


def draw_calibration(corpus: StoredCorpus) -> Sheet:
    """Return the diagram of confidences above the number of phones."""
    shown, full, error = corpus.tables["calibration"], corpus.options.width_mm, corpus.value("ece")
    widest = max(text_size(meaning, SMALL)[0] for meaning in (_PERFECT, _DOTS, _FEW)) + _HANDLE
    room = full - 2 * EDGE - _LEFT
    aside = room - _BETWEEN - widest >= _LEAST_DIAGRAM  # else the legend stands below
    side = min(room - (_BETWEEN + widest) * aside - _END * (not aside), _MOST_DIAGRAM)
    told = [] if error is None else [f"Expected calibration error (ECE): {error:.3f}."]
    said = f"{shown['n'].sum():,.0f} predicted phones."
    lines = wrap([said, *told], full)
    legend = 0.0 if aside else _ENTRIES * _ENTRY + 0.8
    foot = EDGE + LINE * len(lines) + legend + _LABEL
    top = foot + _COUNTS + _AIR + side
    figure, left = Sheet(full, top + _CALIBRATION_TITLE), EDGE + _LEFT
    _draw_diagram(figure.axes_at(left, foot + _COUNTS + _AIR, side, side), shown[shown["n"] > 0])
    _draw_counts(figure.axes_at(left, foot, side, _COUNTS), shown)
    figure.write(left - _LEFT, top - side / 2, "share correct", SMALL, rotation=90, va="center")
    figure.write(left - _LEFT, foot + _COUNTS / 2, "phones", SMALL, rotation=90, va="center")
    figure.write(left + side / 2, foot - _LABEL + 1, "confidence", SMALL, ha="center")
    figure.write_title(corpus.titled("calibration"))
    handles, meanings = figure.axes[0].get_legend_handles_labels()
    entries = dict(zip(reversed(meanings), reversed(handles), strict=True))
    at = (left + side + _BETWEEN, top - 3.0 * len(entries)) if aside else (EDGE, EDGE + LINE * len(lines) + 0.8)
    figure.legend_at(*at, entries, 1)
    figure.finish(lines)
    return figure


def _draw_diagram(axes: Axes, table: pd.DataFrame) -> None:
    axes.plot([0, 1], [0, 1], color=DARK_GREY, linewidth=0.6, linestyle=(0, (4, 2)), label=_PERFECT)
    ends = table[["accuracy_low", "accuracy_high"]].to_numpy(float)
    known = np.isfinite(ends).all(axis=1)
    if known.any():
        at = table["confidence"].to_numpy(float)[known]
        axes.vlines(at, *ends[known].T, color=AMOUNT, linewidth=0.9, label=_INTERVAL, clip_on=False)
    few = table["n"].to_numpy(float) < FEW_TOKENS_DRAWN
    for chosen, fill, meaning in ((~few, AMOUNT, _DOTS), (few, "white", _FEW)):
        if chosen.any():
            dots = table[chosen]
            look: dict[str, Any] = {"markersize": 3.6, "color": fill, "markeredgecolor": AMOUNT, "markeredgewidth": 0.7}
            axes.plot(dots["confidence"], dots["accuracy"], "o", label=meaning, clip_on=False, **look)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_xticks(np.arange(6) / 5, [""] * 6)
    axes.set_yticks(np.arange(6) / 5)
    axes.grid(color=GRID, linewidth=0.4)


def _draw_counts(axes: Axes, table: pd.DataFrame) -> None:
    start, end = table["from"].to_numpy(float), table["to"].to_numpy(float)
    axes.bar(start, table["n"], end - start, align="edge", color=PALE, edgecolor=AMOUNT, linewidth=0.5)
    highest = float(table["n"].max())
    axes.set(xlim=(0, 1), ylim=(0, max(highest, 1) * 1.05))
    axes.set_xticks(np.arange(6) / 5)
    axes.set_yticks([0, highest], ["0", f"{highest:,.0f}"])
