"""Rates beside what they are read beside: of corpora between floors and chance, people beside them; of confidences."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from phonxling.analyses.languages import short_letters
from phonxling.core.arrays import Floats
from phonxling.draw import sheet, style
from phonxling.draw.figure import MANY, StoredCorpus
from phonxling.draw.sheet import Sheet, text_size, wrap
from phonxling.draw.style import AMOUNT, EDGE, INK, LINE, SMALL, TEXT

_NAMES = {"wper": "Weighted phone error rate (wPER)", "per": "Phone error rate (PER)"}
_ROW, _TITLE, _RATES_AXIS = 6.8, 8.0, 6.0  # mm: a row, a title, an axis
_FIGURES, _ENTRY = 18.0, 2.8  # mm: the numbers beside a row, a line of the legend
_LOW_ROW, _LETTER, _RATES_APART = 4.2, 1.5, 3.0  # mm: a row of many, a letter, between panels
_LETTERS = "Skills that share a letter do not differ clearly (q < 0.05)."
_SKILL = "Skill: 0 is chance, 1 the best that the recogniser’s phones allow{}."
_BAR, _RATE_LANE, _LIMITS_LANE, _NUMBERS = 0.48, 0.17, 0.37, 0.82  # of a row, from its top: where things stand
_ROOM, _FAR, _BEYOND = 1.08, 2.5, 0.16  # the axis beyond what is drawn; so many times more; what is behind a break
_REACH, _CHANCE = style.palette_colour("panel"), style.palette_colour("line")
_FLOOR: dict[str, Any] = {"facecolor": style.tint("absent", 0.15), "edgecolor": style.tint("absent", 0.8)}
_FLOOR |= {"hatch": "/////", "linewidth": 0}
_DOT: dict[str, Any] = {"color": AMOUNT, "marker": "o", "markersize": 4, "linestyle": "none", "clip_on": False}
_PEOPLE: dict[str, Any] = {**_DOT, "color": INK, "marker": "D", "markersize": 3.4, "markerfacecolor": "white"}
_LINE_OF_TEXT = 0.38  # mm a point: a row of names


def draw_rates(source: StoredCorpus) -> Sheet | None:
    """Return wPER and PER of each corpus as a point with its interval, in a bar from its floor to its chance level.

    Many corpora have a low row each, those of the most skill on top, with the letters of their groups.
    """
    stored, full = source.stored, source.options.width_mm
    shown = _shown_rows(stored.targets_first)
    measures = [name for name in _NAMES if (shown["measure"] == name).any()]
    if not measures:
        return None
    corpora = list(dict.fromkeys(shown.loc[shown["measure"].isin(measures), "corpus"]))
    low, abreast, entries = len(corpora) > MANY, full >= sheet.WIDE_FIGURE, _legend(shown)
    measures = measures[:1] if low and not abreast else measures
    groups = stored.of_all("languages") if stored.many else pd.DataFrame()
    letters = {name: _letters_of(groups, name) for name in _NAMES}
    skilled, floored = ({*shown.loc[shown["measure"].str.startswith(kind), "corpus"]} for kind in ("skill_", "floor_"))
    skill = _SKILL.format("" if skilled <= floored else ", or no errors where they are not declared")
    lines = wrap([*[skill] * bool(skilled), *[_LETTERS] * any(letters.values())], full)
    beside = len(measures) if abreast else 1
    stacked = -(-len(measures) // beside)
    below = EDGE + LINE * len(lines) + _ENTRY * sheet.legend_lines(entries, full) + 2.3
    row = min(_LOW_ROW, (style.PAGE_HEIGHT - 0.1 - below - _TITLE - _RATES_AXIS) / len(corpora)) if low else _ROW
    size = next((size for size in (TEXT, *style.PHONES) if size * _LINE_OF_TEXT <= row), style.PHONES[-1])
    high, width = row * len(corpora), (full - EDGE * (beside + 1)) / beside
    right = _FIGURES + _LETTER * max((len(own) + 1 for group in letters.values() for own in group.values()), default=0)
    names = [sheet.cut_to_width(stored.title(corpus), width * sheet.NAMES, size=size) for corpus in corpora]
    left, panel = max(text_size(name, size)[0] for name in names) + 2, _TITLE + high + _RATES_AXIS
    rows = np.arange(len(corpora), dtype=np.float64) + _BAR / 2
    figure = Sheet(full, panel * stacked + below)
    figure.title = "Error rates"
    for place, measure in enumerate(measures):
        start = EDGE + (width + EDGE) * (place % beside)
        bottom = below + panel * (stacked - 1 - place // beside) + _RATES_AXIS
        named = not (low and place % beside)  # names of low rows stand once
        begin = left if named else _RATES_APART
        axes = figure.axes_at(start + begin, bottom, width - begin - right, high)
        numbers, own = _numbers_of(shown, measure, corpora), letters[measure]
        _draw_panel(axes, numbers, 0 if low else width - left - right)
        texts = [_write_rate(*both) for both in zip(numbers["rate"][:, 0], numbers["skill"][:, 0], strict=True)]
        sheet.write_beside(axes, rows, texts, _FIGURES, min(size, SMALL))
        sheet.write_beside(axes, rows, [own.get(corpus, "") for corpus in corpora], right, min(size, SMALL))
        if named:
            sheet.name_rows(axes, rows, names, size=size)
        figure.write_panel_title(bottom + high + _TITLE, _NAMES[measure], start if named else start + begin)
        heads = [*["skill"] * bool(np.isfinite(numbers["skill"]).any()), *["its group"] * bool(own)]
        head = f"rate ({', '.join(heads)})" if heads else "rate"
        figure.write(start + width, bottom + high + 0.6, head, SMALL, ha="right", va="bottom")
    figure.legend_across(EDGE, EDGE + LINE * len(lines) + 0.8, entries)
    figure.finish(lines)
    return figure


def _letters_of(groups: pd.DataFrame, measure: str) -> dict[str, str]:
    if groups.empty:
        return {}
    own = groups[(groups["measure"] == f"skill_{measure}") & (groups["letters"] != "")]
    return short_letters(dict(zip(own["corpus"], own["letters"], strict=True)))


def _write_rate(rate: float, skill: float) -> str:
    if np.isnan(rate):
        return ""
    return f"{rate:.3f} ({skill:+z.2f})".replace(" (+nan)", "").replace("-", "−")


def _numbers_of(shown: pd.DataFrame, measure: str, corpora: list[str]) -> dict[str, Floats]:
    """Return value, low and high of each corpus, [C, 3], of the rate and of what it is read beside; NaN without one."""
    names = {"rate": measure, **{kind: f"{kind}_{measure}" for kind in ("skill", "floor", "people", "chance")}}
    own = {kind: shown[shown["measure"] == name].set_index("corpus") for kind, name in names.items()}
    numbers = {kind: rows[["value", "low", "high"]].reindex(corpora).to_numpy(float) for kind, rows in own.items()}
    return {**numbers, "floor": np.where(numbers["floor"][:, :1] > 0, numbers["floor"], np.nan)}  # a floor of 0 is none


def _shown_rows(summary: pd.DataFrame) -> pd.DataFrame:
    plain = [*_NAMES, *(f"{kind}_{name}" for name in _NAMES for kind in ("floor", "people"))]
    best = [f"{kind}_{name}" for name in _NAMES for kind in ("chance", "skill")]
    variant = np.where(summary["measure"].isin(best), "best", "")
    chosen = summary["measure"].isin([*plain, *best]) & (summary["variant"] == variant)
    return summary.loc[chosen & summary["value"].notna(), ["corpus", "measure", "variant", "value", "low", "high"]]


def _draw_panel(axes: Axes, numbers: Mapping[str, Floats], width: float) -> None:
    """Draw the corpora; limits have their numbers where a panel of this width in mm is given for them."""
    rate, floor, chance, people = (numbers[kind] for kind in ("rate", "floor", "chance", "people"))
    rows = np.arange(len(rate), dtype=np.float64)
    ends, places = _scale(np.nanmax(np.column_stack([rate[:, [0, 2]], chance[:, [0, 2]], people[:, [0, 2]]]), axis=1))
    most = ends[-1]
    look: dict[str, Any] = {"height": _BAR, "align": "edge"}
    axes.barh(rows, np.full(len(rows), most), color=_REACH, **look)
    axes.barh(rows, floor[:, 0], **_FLOOR, **look)
    axes.barh(rows, most - chance[:, 0], left=chance[:, 0], color=_CHANCE, **look)
    for limit in (floor, chance):
        axes.vlines(limit[:, 0], rows, rows + _BAR + 0.05, color=INK, linewidth=0.7)
        axes.hlines(rows + _LIMITS_LANE, *limit[:, 1:].T, color=style.DARK_GREY, linewidth=0.9)
    axes.hlines(rows + _RATE_LANE, *rate[:, 1:].T, color=AMOUNT, linewidth=0.9)
    axes.plot(rate[:, 0], rows + _RATE_LANE, **_DOT)
    axes.hlines(rows + _LIMITS_LANE, *people[:, 1:].T, color=style.DARK_GREY, linewidth=0.9)
    axes.plot(people[:, 0], rows + _LIMITS_LANE, **_PEOPLE)
    axes.set(xlim=(0, most), ylim=(len(rows), 0), yticks=[])
    if len(ends) > 2:  # the axis has a break, with ticks before it and one at the highest rate beyond
        end, highest = ends[1], float(np.nanmax(rate[:, 0]))
        ticks = [tick for tick in axes.xaxis.get_major_locator().tick_values(0, end) if 0 <= tick < 0.95 * end]
        there, back = partial(np.interp, xp=ends, fp=places), partial(np.interp, xp=places, fp=ends)
        axes.set_xscale("function", functions=(there, back))
        axes.set_xlim(0, most)
        axes.set_xticks([*ticks, highest], [*(f"{tick:g}" for tick in ticks), f"{highest:.2f}"])
        axes.axvline(end, color="white", linewidth=3, zorder=1.4)
        slanted: dict[str, Any] = {"marker": [(-1, -2), (1, 2)], "markersize": 5, "color": INK, "clip_on": False}
        for aside in (-1.5, 1.5):
            at = axes.get_xaxis_transform() + ScaledTranslation(aside / 72, 0, axes.figure.dpi_scale_trans)
            axes.plot(end, 0, transform=at, **slanted)
    for row, *limits in np.column_stack([rows, floor[:, 0], chance[:, 0]]).tolist() if width else ():
        # Below their lines stand the floor and the chance level; beside them where they would meet.
        known = [limit for limit in limits if np.isfinite(limit)]
        wide = np.array([text_size(f"{limit:.3f}", SMALL)[0] for limit in known])
        lines = np.interp(known, ends, places) * width
        starts = np.maximum(lines - wide / 2, 0)
        if len(known) > 1 and starts[0] + wide[0] + 1 > starts[1]:
            starts = np.maximum([lines[0] - wide[0], lines[1]], [0, wide[0] + 1])
        for limit, start in zip(known, np.interp(starts / width, places, ends).tolist(), strict=True):
            axes.text(start, row + _NUMBERS, f"{limit:.3f}", fontsize=SMALL, ha="left", va="baseline")
    axes.spines["left"].set_visible(False)


def _scale(ends: Floats) -> tuple[list[float], list[float]]:
    """Return rates, and where on the axis each stands, from 0 to 1, of corpora that reach so far: even between two.

    It is broken where some are far above half of them or more.
    """
    # Beside one rate of 3 all others would be a sliver: what is far is put behind a break, the half below never.
    ordered = np.sort(ends)
    most, half = float(ordered[-1]) * _ROOM or 1.0, (len(ordered) - 1) // 2
    far = np.flatnonzero(ordered[half + 1 :] > _FAR * ordered[half:-1])
    if not len(far) or not ordered[half + far[0]]:
        return [0.0, most], [0.0, 1.0]
    return [0.0, float(ordered[half + far[0]]) * _ROOM, most], [0.0, 1 - _BEYOND, 1.0]


def _legend(shown: pd.DataFrame) -> dict[str, Artist]:
    floors = shown["measure"].str.startswith("floor_") & (shown["value"] > 0)
    chance, people = (shown["measure"].str.startswith(f"{kind}_") for kind in ("chance", "people"))
    line = Line2D([], [], color=style.DARK_GREY, linewidth=0.9)
    sure = shown.loc[shown["measure"].isin(_NAMES), "low"].notna().any()
    dot = Line2D([], [], **_DOT | {"linestyle": "-", "linewidth": 0.9} if sure else _DOT)
    entries: list[tuple[str, Artist, bool]] = [
        ("error rate and its interval" if sure else "error rate", dot, True),
        ("a second transcriber", Line2D([], [], **_PEOPLE), bool(people.any())),
        ("below the floor: phones it lacks", Patch(**_FLOOR), bool(floors.any())),
        ("no better than chance", Patch(facecolor=_CHANCE), bool(chance.any())),
        ("interval of floor or chance" if floors.any() else "interval of chance", line, bool((floors | chance).any())),
    ]
    return {meaning: handle for meaning, handle, occurs in entries if occurs}


_LEFT, _BETWEEN, _CALIBRATION_TITLE, _LABEL = 10.0, 4.0, 6.0, 7.2  # mm: axis, before the legend, above and below panels
_LEAST_DIAGRAM, _MOST_DIAGRAM, _END, _ENTRIES = 30.0, 60.0, 1.5, 4  # mm: its side, beside it; lines of the legend
_COUNTS, _COUNTS_APART, _HANDLE = 10.0, 2.5, 5.5  # mm: the histogram, above it, the mark of an entry of the legend
_PERFECT, _DOTS, _FEW = "perfect calibration", "phones by confidence", f"fewer than {style.FEW_TOKENS_DRAWN} phones"


# A reliability diagram shows whether phones of a confidence are correct as often as it says, and how many there are.
def draw_calibration(corpus: StoredCorpus) -> Sheet:
    """Return the diagram of confidences above the number of phones."""
    shown, full, error = corpus.tables["calibration"], corpus.options.width_mm, corpus.value("ece")
    widest = max(text_size(meaning, SMALL)[0] for meaning in (_PERFECT, _DOTS, _FEW)) + _HANDLE
    room = full - 2 * EDGE - _LEFT
    aside = room - _BETWEEN - widest >= _LEAST_DIAGRAM  # else the legend stands below
    side = min(room - (_BETWEEN + widest) * aside - _END * (not aside), _MOST_DIAGRAM)
    notes = [f"{shown['n'].sum():,.0f} predicted phones."]
    lines = wrap([*notes, *([] if error is None else [f"Expected calibration error (ECE): {error:.3f}."])], full)
    legend = 0.0 if aside else _ENTRIES * _ENTRY + 0.8
    foot = EDGE + LINE * len(lines) + legend + _LABEL
    top = foot + _COUNTS + _COUNTS_APART + side
    figure, left = Sheet(full, top + _CALIBRATION_TITLE), EDGE + _LEFT
    diagram = figure.axes_at(left, foot + _COUNTS + _COUNTS_APART, side, side)
    _draw_diagram(diagram, shown[shown["n"] > 0])
    axes = figure.axes_at(left, foot, side, _COUNTS)
    start, highest = shown["from"].to_numpy(float), float(shown["n"].max())
    widths = shown["to"].to_numpy(float) - start
    axes.bar(start, shown["n"], widths, align="edge", color=style.PALE, edgecolor=AMOUNT, linewidth=0.5)
    axes.set(xlim=(0, 1), ylim=(0, max(highest, 1) * 1.05), xticks=np.arange(6) / 5)
    axes.set_yticks([0, highest], ["0", f"{highest:,.0f}"])
    figure.write(left - _LEFT, top - side / 2, "share correct", SMALL, rotation=90, va="center")
    figure.write(left - _LEFT, foot + _COUNTS / 2, "phones", SMALL, rotation=90, va="center")
    figure.write(left + side / 2, foot - _LABEL + 1, "confidence", SMALL, ha="center")
    figure.write_title(corpus.titled("calibration"))
    handles, meanings = diagram.get_legend_handles_labels()
    entries = dict(zip(reversed(meanings), reversed(handles), strict=True))
    at = (left + side + _BETWEEN, top - 3.0 * len(entries)) if aside else (EDGE, EDGE + LINE * len(lines) + 0.8)
    figure.legend_at(*at, entries, 1)
    figure.finish(lines)
    return figure


def _draw_diagram(axes: Axes, table: pd.DataFrame) -> None:
    axes.plot([0, 1], [0, 1], color=style.DARK_GREY, linewidth=0.6, linestyle=(0, (4, 2)), label=_PERFECT)
    ends = table[["accuracy_low", "accuracy_high"]].to_numpy(float)
    known = np.isfinite(ends).all(axis=1)
    if known.any():
        at = table["confidence"].to_numpy(float)[known]
        axes.vlines(at, *ends[known].T, color=AMOUNT, linewidth=0.9, label="interval", clip_on=False)
    few = table["n"].to_numpy(float) < style.FEW_TOKENS_DRAWN
    for chosen, fill, meaning in ((~few, AMOUNT, _DOTS), (few, "white", _FEW)):
        if chosen.any():
            dots = table[chosen]
            look: dict[str, Any] = {"markersize": 3.6, "color": fill, "markeredgecolor": AMOUNT, "markeredgewidth": 0.7}
            axes.plot(dots["confidence"], dots["accuracy"], "o", label=meaning, clip_on=False, **look)
    axes.set(xlim=(0, 1), ylim=(0, 1), yticks=np.arange(6) / 5)
    axes.set_xticks(np.arange(6) / 5, [""] * 6)
    axes.grid(color=style.GRID, linewidth=0.4)
