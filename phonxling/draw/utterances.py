"""Utterances: the rates of all of them, and one of them over time, gold phones above and predicted ones below."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import StoredCorpus
from phonxling.draw.sheet import Sheet, cut_to_width, legend_lines, text_size, wrap
from phonxling.draw.style import AMOUNT, DARK_GREY, EDGE, INK, LINE, PAGE_HEIGHT, PALE, PHONE, SMALL, tint

_BOX, _LABEL, _AXIS, _BETWEEN = 1.8, 3.2, 4.2, 2.2  # mm: heights
_TITLE, _LEGEND, _ELSE = 5.0, 3.1, 78.0  # mm: the title, a row of a legend, a page's title, rates, legends and notes
_MOST_ROWS = 40
_NAMES, _AIR = 11.0, 0.4  # mm: what names beside a row may take, between labels
_LEAST_PHONE = 1.6  # mm: of the median phone, where not all of a long utterance is drawn
_HALF_X = 0.25 * SMALL * 25.4 / 72  # mm: half of the height of an x
_LEAD_SECONDS = 0.05  # seconds before the first phone and after the last
_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "correct": {"facecolor": "white"},
    "substituted": {"facecolor": tint("wrong", 0.45)},
    "deleted or inserted": {"facecolor": "white", "hatch": "//////"},
}
_KINDS = {"correct": "correct", "substitution": "substituted"}  # any other is deleted or inserted
_SIDES, _ENDS = ("gold", "predicted"), ("start", "end")
_Lanes = Mapping[str, pd.DataFrame]


class _Row(NamedTuple):
    """A row of time: its limits in seconds, and which phones have room for their label, by lane."""

    begin: float
    end: float
    labelled: dict[str, dict[int, bool]]

    @property
    def height(self) -> float:
        """All of it in mm, with its axis and what keeps it apart."""
        return len(self.labelled) * (_BOX + 0.5 + _LABEL) + 0.8 + _AXIS + _BETWEEN

    @property
    def unlabelled(self) -> int:
        """How many phones have no room for their label."""
        return sum(not has_room for lane in self.labelled.values() for has_room in lane.values())


def shown_utterance(utterances: pd.DataFrame) -> str:
    """Return the median utterance by phone error rate, "" for none."""
    order = utterances[utterances["per"].notna()].sort_values("per", kind="stable")["utterance"].tolist()
    return order[(len(order) - 1) // 2] if order else ""


# The one is the median by phone error rate. Where gold phones have no times, phones stand at their places in the
# alignment. The utterance takes the fewest rows of time in which all labels have room beside each other. Where a page
# is full, only the first part is drawn; a phone that is too short for its label has a dot.
def draw_utterances(corpus: StoredCorpus) -> Sheet | None:
    """Return the histogram of wPER by utterance, and the median utterance over time, or by place without times."""
    utterances, width = corpus.tables["utterances"], corpus.options.width_mm
    rates = utterances["wper"].dropna().to_numpy(float)
    if not len(rates):
        return None
    name, pairs = shown_utterance(utterances), corpus.tables.get("alignments", pd.DataFrame())
    timed = len(_lane(pairs, "gold")) > 0
    if not timed and len(pairs):  # a place of the alignment is as wide as one second
        places = {side: np.where(pairs[side] == GAP, np.nan, np.arange(len(pairs))) for side in _SIDES}
        pairs = pairs.assign(**{f"{side}_{end}": places[side] + (end == "end") for side in _SIDES for end in _ENDS})
    lanes = {side: lane for side in _SIDES if len(lane := _lane(pairs, side))}
    left = EDGE + 1 + max(text_size(side, SMALL)[0] for side in _SIDES)
    room, until = width - left - EDGE - 1, max((lane["end"].max() for lane in lanes.values()), default=0)
    rows = _rows(lanes, room, until + _LEAD_SECONDS) if lanes else []
    spoken = utterances[utterances["gold_tokens"] > 0]
    by_chance = (spoken["chance_cost"] / spoken["gold_tokens"]).dropna().to_numpy(float)
    edges = _edges(rates, by_chance)
    lines = wrap(_notes(corpus, edges[-1], name, rows, until + _LEAD_SECONDS), width)
    looks = {meaning: Patch(edgecolor=INK, linewidth=0.4, **look) for meaning, look in _LOOKS.items()} if rows else {}
    foot = EDGE + LINE * len(lines) + 0.8
    below = foot + _LEGEND * legend_lines(looks, width) + sum(row.height for row in rows)
    levels = {"wPER of all": (corpus.value("wper"), "-"), "chance level of all": (corpus.value(*_CHANCE), "--")}
    known = {f"{what}: {value:.3f}": (value, line) for what, (value, line) in levels.items() if value is not None}
    meanings = ["utterances, as recognised", *["the same utterances at chance"] * bool(len(by_chance)), *known]
    bottom = below + _LEGEND * legend_lines(meanings, width) + _RATES_AXIS
    figure = Sheet(width, bottom + _HIGH + _TITLE + 1)
    axes = figure.axes_at(_LEFT, bottom, width - _LEFT - EDGE, _HIGH)
    drawn = _draw_histogram(axes, rates, by_chance, edges)
    drawn += [axes.axvline(value, linestyle=line, linewidth=0.9, color=INK) for value, line in known.values()]
    figure.legend_across(EDGE, below + 0.8, dict(zip(meanings, drawn, strict=True)))
    at = below
    for row in rows:
        at -= row.height
        part = figure.axes_at(left, at + _AXIS + _BETWEEN, room, row.height - _AXIS - _BETWEEN)
        _draw_row(part, row, lanes, (row.end - row.begin) / room)
        part.locator_params(axis="x", integer=not timed)
    if rows:
        figure.axes[-1].set_xlabel("seconds" if timed else "place in the alignment", fontsize=SMALL, labelpad=1)
        figure.legend_across(EDGE, foot, looks)
    figure.write_title(corpus.titled("utterances"))
    figure.finish(lines)
    return figure


_LEFT, _RATES_AXIS, _HIGH, _MOST_BINS = 10.0, 8.0, 30.0, 60  # mm; of the histogram
_CHANCE = ("chance_wper", "best")


def _draw_histogram(axes: Axes, rates: Floats, by_chance: Floats, edges: Floats) -> list[Artist]:
    counts, chances = (np.histogram(np.minimum(own, edges[-1]), edges)[0] for own in (rates, by_chance))
    drawn: list[Artist] = [axes.stairs(counts, edges, fill=True, facecolor=PALE, edgecolor=AMOUNT, linewidth=0.8)]
    if len(by_chance):
        drawn.append(axes.stairs(chances, edges, color=DARK_GREY, linewidth=0.9, hatch="////"))
    axes.set(xlim=(0, edges[-1]), ylim=(0, 1.04 * max(counts.max(), chances.max())))
    axes.set_xlabel("wPER of an utterance", fontsize=SMALL)
    axes.set_ylabel("utterances", fontsize=SMALL)
    axes.locator_params(axis="y", integer=True)
    return drawn


def _edges(rates: Floats, chance: Floats) -> Floats:
    """Return the bins' edges from 0 (Freedman and Diaconis' width), the last where few rates lie beyond."""
    # Up to nearly all: one utterance of a rate of 12 would leave the histogram a single bar.
    top = float(np.quantile(np.concatenate([rates, chance]), 0.995))
    quarter, three_quarters = np.quantile(rates, [0.25, 0.75])
    width = 2 * (three_quarters - quarter) / len(rates) ** (1 / 3)
    bins = int(np.clip(np.ceil(top / width) if width > 0 else 10, 5, _MOST_BINS))
    return np.linspace(0, top if top > 0 else 1.0, bins + 1)


def _lane(pairs: pd.DataFrame, side: str) -> pd.DataFrame:
    """Return start, end, phone and what became of it, of the phones of a side that have times."""
    columns = {f"{side}_start": "start", f"{side}_end": "end", side: "phone", "operation": "operation"}
    lane = pairs.reindex(columns=[*columns]).rename(columns=columns)
    return lane[lane["start"].notna() & lane["end"].notna()].reset_index(drop=True)


def _rows(lanes: _Lanes, width: float, until: float) -> list[_Row]:
    """Return the fewest rows of time, `width` mm long, in which all labels have room, else as many as a page holds."""

    def make(edges: Floats) -> list[_Row]:
        return [
            _Row(begin, end, {side: _find_label_room(lane, begin, end, width) for side, lane in lanes.items()})
            for begin, end in pairwise(edges.tolist())
        ]

    begin = max(min(lane["start"].min() for lane in lanes.values()) - _LEAD_SECONDS, 0.0)
    rows = make(np.array([begin, until]))
    for number in range(2, _MOST_ROWS):
        if not any(row.unlabelled for row in rows):
            return rows
        finer = make(np.linspace(begin, until, number + 1))
        if sum(row.height for row in finer) > PAGE_HEIGHT - _ELSE:
            break
        rows = finer
    # No number of rows that a page holds is enough: then the median phone gets its width, and the rest is left out.
    phone = float(np.median(np.concatenate([lane["end"] - lane["start"] for lane in lanes.values()])))
    longest = width * phone / _LEAST_PHONE
    if not any(row.unlabelled for row in rows) or not phone or rows[0].end - begin <= longest:
        return rows
    return make(begin + longest * np.arange(len(rows) + 1))


def _find_label_room(lane: pd.DataFrame, begin: float, end: float, width: float) -> dict[int, bool]:
    """Return whether each phone whose middle is in a row of time has room for its label after the one before."""
    middles = ((lane["start"] + lane["end"]) / 2 - begin) / (end - begin) * width
    last, labelled = -EDGE, dict[int, bool]()
    for place in np.flatnonzero((middles >= 0) & (middles < width)).tolist():
        half, middle = text_size(_label(lane["phone"][place]), PHONE)[0] / 2, float(middles[place])
        labelled[place] = last + _AIR <= middle - half and middle + half <= width + EDGE
        if labelled[place]:
            last = middle + half
    return labelled


def _label(phone: str) -> str:
    return cut_to_width(phone, _NAMES, size=PHONE)


def _draw_row(axes: Axes, row: _Row, lanes: _Lanes, seconds: float) -> None:
    """Draw one row of time, of so many seconds a mm: phones as boxes, labels of gold ones above, of others below.

    Heights are in mm from the foot of the axes.
    """
    top = row.height - _AXIS - _BETWEEN
    axes.set(xlim=(row.begin, row.end), ylim=(0, top), yticks=[])
    axes.spines["left"].set_visible(False)
    for side, lane in lanes.items():
        low = top - _LABEL - _BOX if side == "gold" else _LABEL
        dot, foot = (low + _BOX + 0.35, low + _BOX + 1.1) if side == "gold" else (low - 0.35, low - _LABEL + 0.65)
        for meaning, look in _LOOKS.items():
            own = lane[lane["operation"].map(_KINDS).fillna("deleted or inserted") == meaning]
            spans = list(zip(own["start"], own["end"] - own["start"], strict=True))
            axes.broken_barh(spans, (low, _BOX), edgecolor=INK, linewidth=0.4, **look)
        for place, has_room in row.labelled[side].items():
            middle, label = (lane["start"][place] + lane["end"][place]) / 2, _label(lane["phone"][place])
            if has_room:
                axes.text(middle, foot, label, size=PHONE, ha="center", va="baseline", clip_on=False)
            else:
                axes.plot(middle, dot, "o", color=INK, markersize=0.9)
        middle = low + _BOX / 2 - _HALF_X
        axes.text(row.begin - seconds, middle, side, size=SMALL, ha="right", va="baseline")


def _notes(corpus: StoredCorpus, last: float, name: str, rows: list[_Row], until: float) -> Iterator[str]:
    """Yield what is not in the histogram up to its last edge, and which utterance of how many is drawn how far."""
    utterances = corpus.tables["utterances"]
    if empty := int(utterances["wper"].isna().sum()):
        yield f"Without a rate, because their gold is empty: {empty}."
    if beyond := int((utterances["wper"] > last).sum()):
        yield f"The last bin holds all above {last:.2f}, too: {beyond}."
    if not rows:
        return
    rate = utterances.set_index("utterance")["per"].get(name)
    yield f"Gold and predicted: {name}, the median of {len(utterances):,} utterances by phone error rate ({rate:.3f})."
    if corpus.value("times_certainty") is not None:
        yield "Gold times are forced: computed from the posteriors."
    if rows[-1].end < until:
        yield f"Drawn are the first {rows[-1].end:.1f} of {until:.1f} s."
    if without := sum(row.unlabelled for row in rows):
        yield f"Each dot: a phone too short for its label ({without})."
