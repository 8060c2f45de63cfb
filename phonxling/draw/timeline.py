"""One utterance over time: gold phones above, heard phones below, and between them what the posteriors say.

Where gold phones have no times, phones stand at their places in the alignment. The utterance takes the fewest rows of
time in which all labels have room: a label stands on one of two levels, so that none meet. Where a page is full, only
the first part is drawn; a phone that is too short for its label has a dot.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP, chart_key
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import WIDE, Sheet, fitted, text_size, wrap
from phonxling.draw.style import EDGE, GREY, INK, LINE, PAGE_HEIGHT, PHONE, SMALL, sequential, tint

_BOX, _LEVEL, _BAND, _AXIS, _BETWEEN = 1.8, 3.2, 2.9, 4.2, 2.2  # mm: heights
_TITLE, _LEGEND, _ELSE = 5.0, 3.2, 25.0  # mm: the title, a row of the legend, a page's title, legend and notes
_MOST_BANDS, _LEAST, _MOST_ROWS = 16, 0.2, 40  # of a row of time; the probability that a band's label reaches there
_NAMES, _AIR = 11.0, 0.4  # mm: what names beside a row may take, between labels
_LEAST_PHONE = 1.6  # mm: of the median phone, where not all of a long utterance is drawn
_HALF_X = 0.25 * SMALL * 25.4 / 72  # mm: half of the height of an x
_BEFORE = 0.05  # seconds before the first phone and after the last
_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "correct": {"facecolor": "white"},
    "substituted": {"facecolor": tint("wrong", 0.45)},
    "deleted or inserted": {"facecolor": "white", "hatch": "//////"},
}
_KINDS = {"correct": "correct", "substitution": "substituted"}  # any other is deleted or inserted
_SIDES = {"gold": "gold", "predicted": "predicted"}
_Lanes = Mapping[str, pd.DataFrame]


class _Row(NamedTuple):
    """A row of time: its limits in seconds, the bands of its posteriors, and the level of each label by lane."""

    begin: float
    end: float
    bands: dict[str, pd.DataFrame]
    levels: dict[str, dict[int, int | None]]

    @property
    def height(self) -> float:
        """All of it in mm, with its axis and what keeps it apart."""
        lanes = sum(_BOX + 0.5 + self.labels(side) for side in self.levels)
        return lanes + len(self.bands) * _BAND + 0.8 + _AXIS + _BETWEEN

    def labels(self, side: str) -> float:
        """Return what the labels of a lane take, in mm."""
        return (1 + max((level or 0 for level in self.levels[side].values()), default=0)) * _LEVEL

    @property
    def unlabelled(self) -> int:
        """How many phones have no room for their label."""
        return sum(level is None for lane in self.levels.values() for level in lane.values())


def shown_utterance(utterances: pd.DataFrame, steps: pd.DataFrame | None) -> str:
    """Return the median utterance by phone error rate, of those in the steps where there are such; "" for none."""
    rated = utterances[utterances["per"].notna()]
    if steps is not None:
        rated = rated[rated["utterance"].isin(steps["utterance"].unique())]
    order = rated.sort_values("per", kind="stable")["utterance"].tolist()
    return order[(len(order) - 1) // 2] if order else ""


def draw_timeline(corpus: StoredCorpus) -> Drawing | None:
    """Return the median utterance over time, or by place in the alignment where no gold phone has times."""
    pairs, utterances = corpus.tables["alignments"], corpus.tables["utterances"]
    timed = len(_lane(pairs, "gold")) > 0
    if not timed:
        pairs = pairs.assign(**_places(pairs))
    lanes = {side: lane for side in _SIDES if len(lane := _lane(pairs, side))}
    every = corpus.tables.get("posteriorgrams") if timed else None
    name = shown_utterance(utterances, every)
    steps = None if every is None else every[every["utterance"] == name]
    width_mm = corpus.options.width_mm
    beside = ["predicted", *(() if steps is None else steps["phone"].unique())]
    left = EDGE + 1 + min(max(text_size(name, SMALL)[0] for name in beside), _NAMES)
    width, until = width_mm - left - EDGE - 1, max(lane["end"].max() for lane in lanes.values()) + _BEFORE
    rows = _rows(lanes, steps, width, until)
    high = sum(row.height for row in rows)
    lines = wrap(_notes(corpus, name, rows, until), width_mm)
    entries = {meaning: Patch(edgecolor=INK, linewidth=0.4, **look) for meaning, look in _LOOKS.items()}
    for share in (0.1, 0.5, 1.0) if steps is not None else ():
        entries[f"p = {share:g}"] = Patch(facecolor=sequential()(share))
    columns = 3 if width_mm < WIDE else 6
    below = EDGE + LINE * len(lines) + 1 + _LEGEND * -(-len(entries) // columns)
    figure = Sheet(width_mm, below + high + _TITLE)
    foot = below + high
    for row in rows:
        foot -= row.height
        axes = figure.axes_at(left, foot + _AXIS + _BETWEEN, width, row.height - _AXIS - _BETWEEN)
        _draw_row(axes, row, lanes, (row.end - row.begin) / width)
    figure.axes[-1].set_xlabel("seconds" if timed else "place in the alignment", fontsize=SMALL, labelpad=1)
    figure.legend_at(EDGE, EDGE + LINE * len(lines) + 0.6, entries, columns)
    figure.write_title(corpus.titled("timeline") + " over time" * timed)
    figure.finish(lines)
    parts = [lane[lane["start"] < rows[-1].end].assign(what=side) for side, lane in lanes.items()]
    if drawn := [band for row in rows for band in row.bands.values()]:
        parts.append(pd.concat(drawn).drop_duplicates().sort_values("start", kind="stable").assign(what="posterior"))
    table = pd.concat(parts, ignore_index=True)
    return Drawing(
        "timeline", figure, table.reindex(columns=["what", "start", "end", "phone", "operation", "probability"])
    )


def _lane(pairs: pd.DataFrame, side: str) -> pd.DataFrame:
    """Return start, end, phone and what became of it, of the phones of a side that have times."""
    columns = {f"{side}_start": "start", f"{side}_end": "end", side: "phone", "operation": "operation"}
    lane = pairs.reindex(columns=[*columns]).rename(columns=columns)
    return lane[lane["start"].notna() & lane["end"].notna()].reset_index(drop=True)


def _places(pairs: pd.DataFrame) -> dict[str, Floats]:
    """Return where each phone of an alignment begins and ends if a place is as wide as one second; NaN for ∅."""
    places = np.arange(len(pairs), dtype=np.float64)
    here = {side: np.where(pairs[side] == GAP, np.nan, places) for side in _SIDES}
    return {f"{side}_{end}": here[side] + (end == "end") for side in _SIDES for end in ("start", "end")}


def _rows(lanes: _Lanes, steps: pd.DataFrame | None, width: float, until: float) -> list[_Row]:
    """Return the fewest rows of time, `width` mm long, in which all labels have room, else as many as a page holds."""

    def make(edges: Floats) -> list[_Row]:
        return [
            _Row(
                begin,
                end,
                {} if steps is None else _bands(steps, begin, end),
                {side: _levels(lane, begin, end, width) for side, lane in lanes.items()},
            )
            for begin, end in pairwise(edges.tolist())
        ]

    begin = max(min(lane["start"].min() for lane in lanes.values()) - _BEFORE, 0.0)
    rows = make(np.array([begin, until]))
    for number in range(2, _MOST_ROWS):
        if not any(row.unlabelled for row in rows):
            return rows
        finer = make(np.linspace(begin, until, number + 1))
        if sum(row.height for row in finer) > PAGE_HEIGHT - _ELSE:
            break
        rows = finer
    phone = float(np.median(np.concatenate([lane["end"] - lane["start"] for lane in lanes.values()])))
    longest = width * phone / _LEAST_PHONE
    if not any(row.unlabelled for row in rows) or not phone or rows[0].end - begin <= longest:
        return rows
    return make(begin + longest * np.arange(len(rows) + 1))


def _bands(steps: pd.DataFrame, begin: float, end: float) -> dict[str, pd.DataFrame]:
    """Return the steps of the labels that have the most of a row of time, in the order of the chart, silence last."""
    here = steps[(steps["end"] > begin) & (steps["start"] < end)]
    here = here[here.groupby("phone")["probability"].transform("max") >= _LEAST]
    mass = here["probability"] * (here["end"].clip(upper=end) - here["start"].clip(lower=begin))
    sums = mass.groupby(here["phone"], sort=False).sum().sort_values(ascending=False, kind="stable")
    phones = sorted(map(str, sums.index[:_MOST_BANDS]), key=chart_key)
    return {phone: here[here["phone"] == phone] for phone in phones}


def _levels(lane: pd.DataFrame, begin: float, end: float, width: float) -> dict[int, int | None]:
    """Return the level of the label of each phone whose middle is in a row of time, None where neither has room."""
    middles = ((lane["start"] + lane["end"]) / 2 - begin) / (end - begin) * width
    ends = [-EDGE, -EDGE]  # of the last label on each level
    line = -EDGE
    levels: dict[int, int | None] = {}
    for place in np.flatnonzero((middles >= 0) & (middles < width)).tolist():
        half, middle = text_size(_label(lane["phone"][place]), PHONE)[0] / 2, float(middles[place])
        levels[place] = None
        if middle + half > width + EDGE:
            continue
        if middle - half >= max(ends[0], line) + _AIR:
            levels[place], ends[0] = 0, middle + half
        elif middle - half >= ends[1] + _AIR and middle >= ends[0] + _AIR / 2:
            levels[place], ends[1], line = 1, middle + half, middle
    return levels


def _label(phone: str) -> str:
    return fitted(phone, _NAMES, size=PHONE)


def _draw_row(axes: Axes, row: _Row, lanes: _Lanes, seconds: float) -> None:
    """Draw one row of time, of so many seconds a mm; heights are in mm from the foot of the axes."""
    top = row.height - _AXIS - _BETWEEN
    axes.set(xlim=(row.begin, row.end), ylim=(0, top), yticks=[])
    axes.spines["left"].set_visible(False)
    high = {side: top - row.labels(side) - _BOX if side == "gold" else row.labels(side) for side in lanes}
    beside: dict[str, Any] = {"size": SMALL, "ha": "right", "va": "baseline"}
    for side, lane in lanes.items():
        _draw_lane(axes, lane, row.levels[side], high[side], up=side == "gold")
        axes.text(row.begin - seconds, high[side] + _BOX / 2 - _HALF_X, _SIDES[side], **beside)
    foot = high["predicted"] + _BOX + 0.6 if "predicted" in lanes else 0.3
    for place, (phone, steps) in enumerate(reversed([*row.bands.items()])):
        low, shades = foot + place * _BAND, sequential()(steps["probability"].to_numpy(float))
        spans = list(zip(steps["start"], steps["end"] - steps["start"], strict=True))
        axes.broken_barh(spans, (low + 0.15, _BAND - 0.3), facecolors=shades, linewidth=0)
        axes.text(row.begin - seconds, low + _BAND / 2 - _HALF_X, fitted(phone, _NAMES, size=SMALL), **beside)
    if row.bands and "gold" in lanes:
        axes.vlines(lanes["gold"][["start", "end"]].to_numpy().ravel(), foot, high["gold"], color=GREY, linewidth=0.25)


def _draw_lane(axes: Axes, lane: pd.DataFrame, levels: Mapping[int, int | None], low: float, *, up: bool) -> None:
    """Draw the phones of a lane as boxes, and their labels above or below them."""
    for meaning, look in _LOOKS.items():
        own = lane[lane["operation"].map(_KINDS).fillna("deleted or inserted") == meaning]
        spans = list(zip(own["start"], own["end"] - own["start"], strict=True))
        axes.broken_barh(spans, (low, _BOX), edgecolor=INK, linewidth=0.4, **look)
    sign, edge = (1, low + _BOX) if up else (-1, low)
    for place, level in levels.items():
        middle = (lane["start"][place] + lane["end"][place]) / 2
        if level is None:
            axes.plot(middle, edge + sign * 0.35, "o", color=INK, markersize=0.9)
            continue
        foot = edge + _LEVEL * level + 1.1 if up else edge - _LEVEL * (level + 1) + 0.65
        axes.text(middle, foot, _label(lane["phone"][place]), size=PHONE, ha="center", va="baseline", clip_on=False)
        if level:
            axes.plot([middle, middle], [edge, edge + sign * _LEVEL * level], color=GREY, linewidth=0.3)


def _notes(corpus: StoredCorpus, name: str, rows: list[_Row], until: float) -> Iterator[str]:
    utterances, steps = corpus.tables["utterances"], corpus.tables.get("posteriorgrams")
    among = f"all {len(utterances)} utterances"
    if steps is not None:
        among = f"the {steps['utterance'].nunique()} utterances of posteriorgrams.tsv"
    rate = utterances.set_index("utterance")["per"].get(name)
    yield f"{name}: the median of {among} by phone error rate ({rate:.3f})."
    if "times" in corpus.tables["alignments"]:
        yield "Gold times are forced: computed from the posteriors."
    if rows[-1].end < until:
        yield f"Drawn are the first {rows[-1].end:.1f} of {until:.1f} s."
    if steps is not None:
        yield f"Shades: posteriors of labels that reach {_LEAST:g} in a row of time, at most {_MOST_BANDS} of them."
    if without := sum(row.unlabelled for row in rows):
        yield f"A dot is a phone too short for its label ({without})."


FIGURE = DeclaredFigure("timeline", ("alignments", "utterances"), draw_timeline, shows=("posteriorgrams", "confusions"))
