"""Rows of time on a page: how many an utterance needs, and the level of each phone's label, so that none meet."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    axes_at,
    fitted,
    legend_at,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_notes,
    write_title,
)
from phonxling.draw.style import (
    EDGE,
    GREY,
    INK,
    LINE,
    PAGE_HEIGHT,
    PHONE,
    SMALL,
    FigureOptions,
    house_style,
    sequential,
)

BOX, LEVEL, BAND, AXIS, BETWEEN = 1.8, 3.2, 2.5, 4.2, 2.2  # mm: heights
BESIDE = 25.0  # mm of a page for title, legend and notes
MOST_BANDS, LEAST, _MOST_ROWS = 16, 0.2, 40  # of a row of time; the probability that a band's label reaches there
NAMES, _AIR = 9.0, 0.4  # mm: what names beside a row may take, between labels
_LEAST_PHONE = 1.6  # mm: of the median phone, where not all of a long utterance is drawn
_BEFORE = 0.05  # seconds before the first phone and after the last


@dataclass(frozen=True, eq=False, kw_only=True)
class TimeRow:
    """A row of time: its limits in seconds, the bands of its posteriors, and the level of each label by lane."""

    begin: float
    end: float
    bands: Mapping[str, pd.DataFrame]
    levels: Mapping[str, Mapping[int, int | None]]

    @property
    def height(self) -> float:
        """All of it in mm, with its axis and what keeps it apart."""
        lanes = sum(BOX + 0.5 + self.labels(side) for side in self.levels)
        return lanes + len(self.bands) * BAND + 0.8 + AXIS + BETWEEN

    def labels(self, side: str) -> float:
        """Return what the labels of a lane take, in mm."""
        return (1 + max((level or 0 for level in self.levels[side].values()), default=0)) * LEVEL


@dataclass(frozen=True, eq=False, kw_only=True)
class TimePlan:
    """The rows of time, where their axes stand and how wide they are, in mm, and when the whole utterance ends."""

    rows: tuple[TimeRow, ...]
    left: float
    width: float
    until: float

    @property
    def height(self) -> float:
        """All rows, in mm."""
        return sum(row.height for row in self.rows)

    @property
    def unlabelled(self) -> int:
        """How many phones have no room for their label."""
        return sum(level is None for row in self.rows for lane in row.levels.values() for level in lane.values())


def plan_rows(lanes: Mapping[str, pd.DataFrame], steps: pd.DataFrame | None, width_mm: float) -> TimePlan:
    """Return the fewest rows of time in which all labels have room, else as many as a page holds."""
    begin = max(min(lane["start"].min() for lane in lanes.values()) - _BEFORE, 0.0)
    until = max(lane["end"].max() for lane in lanes.values()) + _BEFORE
    names = ["heard", *(() if steps is None else steps["phone"].unique())]
    left = EDGE + 1 + min(max(text_size(name, SMALL)[0] for name in names), NAMES)
    width = width_mm - left - EDGE - 1
    make = partial(_of_edges, lanes, steps, left=left, width=width, until=until)
    plan = make(np.array([begin, until]))
    for number in range(2, _MOST_ROWS):
        finer = make(np.linspace(begin, until, number + 1)) if plan.unlabelled else plan
        if finer is plan or finer.height > PAGE_HEIGHT - BESIDE:
            break
        plan = finer
    phone = float(np.median(np.concatenate([lane["end"] - lane["start"] for lane in lanes.values()])))
    longest, number = width * phone / _LEAST_PHONE, len(plan.rows)
    if not plan.unlabelled or not phone or plan.rows[0].end - begin <= longest:
        return plan
    return make(begin + longest * np.arange(number + 1))


def _of_edges(
    lanes: Mapping[str, pd.DataFrame],
    steps: pd.DataFrame | None,
    edges: Floats,
    *,
    left: float,
    width: float,
    until: float,
) -> TimePlan:
    rows = (
        TimeRow(
            begin=begin,
            end=end,
            bands={} if steps is None else _bands(steps, begin, end),
            levels={side: _levels(lane, begin, end, width) for side, lane in lanes.items()},
        )
        for begin, end in pairwise(edges.tolist())
    )
    return TimePlan(rows=tuple(rows), left=left, width=width, until=until)


def _bands(steps: pd.DataFrame, begin: float, end: float) -> dict[str, pd.DataFrame]:
    """Return the steps of the labels that have the most of a row of time, in the order in which they are heard."""
    here = steps[(steps["end"] > begin) & (steps["start"] < end)]
    here = here[here.groupby("phone")["probability"].transform("max") >= LEAST]
    mass = here["probability"] * (here["end"].clip(upper=end) - here["start"].clip(lower=begin))
    middle = (here["start"] + here["end"]) / 2
    sums = (
        pd.DataFrame({"phone": here["phone"], "mass": mass, "moment": mass * middle}).groupby("phone", sort=False).sum()
    )
    largest = sums.sort_values("mass", ascending=False, kind="stable")[:MOST_BANDS]
    heard = (largest["moment"] / largest["mass"]).sort_values(kind="stable").index
    return {str(phone): here[here["phone"] == phone] for phone in heard}


def _levels(lane: pd.DataFrame, begin: float, end: float, width: float) -> dict[int, int | None]:
    """Return the level of the label of each phone whose middle is in a row of time, None where neither has room."""
    middles = ((lane["start"] + lane["end"]) / 2 - begin) / (end - begin) * width
    ends = [-EDGE, -EDGE]  # of the last label on each level
    line = -EDGE
    levels: dict[int, int | None] = {}
    for place in np.flatnonzero((middles >= 0) & (middles < width)).tolist():
        half, middle = text_size(label_of(lane["phone"][place]), PHONE)[0] / 2, float(middles[place])
        if middle + half > width + EDGE:
            levels[place] = None
        elif middle - half >= max(ends[0], line) + _AIR:
            levels[place], ends[0] = 0, middle + half
        elif middle - half >= ends[1] + _AIR and middle >= ends[0] + _AIR / 2:
            levels[place], ends[1], line = 1, middle + half, middle
        else:
            levels[place] = None
    return levels


def label_of(phone: str) -> str:
    """Return what stands at a phone: the phone, cut in its middle where it is very long."""
    return fitted(phone, NAMES, size=PHONE)


# One utterance over time: gold phones above, heard phones below, and between them what the posteriors say.

_TITLE, _LEGEND = 5.0, 3.2  # mm: the title, a row of the legend
_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "correct": {"facecolor": "white"},
    "substituted": {"facecolor": "#d98a3d"},
    "deleted or inserted": {"facecolor": "white", "hatch": "//////"},
}
_KINDS = {"correct": "correct", "substitution": "substituted"}  # any other is deleted or inserted
_SIDES = ("gold", "predicted")


def shown_utterance(utterances: pd.DataFrame, steps: pd.DataFrame | None) -> str:
    """Return the median utterance by phone error rate, of those in the steps where there are such; "" for none."""
    rated = utterances[utterances["per"].notna()]
    if steps is not None:
        rated = rated[rated["utterance"].isin(steps["utterance"].unique())]
    order = rated.sort_values("per", kind="stable")["utterance"].tolist()
    return order[(len(order) - 1) // 2] if order else ""


def draw_timeline(
    pairs: pd.DataFrame, corpus: str, options: FigureOptions, *, steps: pd.DataFrame | None = None, note: str = ""
) -> Drawing | None:
    """Return an utterance over time, in as many rows of time as its labels need; None where no phone has times."""
    lanes = {side: lane for side in _SIDES if len(lane := _lane(pairs, side))}
    if not lanes:
        return None
    with house_style(options.font):
        plan = plan_rows(lanes, steps, options.width_mm)
        lines = wrap_notes(" ".join(filter(None, [note, *_notes(plan, steps)])), options.width_mm)
        entries = _legend(steps is not None)
        columns = 3 if options.width_mm < 150 else 6
        below = EDGE + LINE * len(lines) + 1 + _LEGEND * -(-len(entries) // columns)
        figure = sheet(options.width_mm, below + plan.height + _TITLE)
        foot = below + plan.height
        for row in plan.rows:
            foot -= row.height
            axes = axes_at(figure, plan.left, foot + AXIS + BETWEEN, plan.width, row.height - AXIS - BETWEEN)
            _draw_row(axes, row, plan, lanes)
        figure.axes[-1].set_xlabel("seconds", fontsize=SMALL, labelpad=1)
        legend_at(figure, EDGE, EDGE + LINE * len(lines) + 0.6, entries, columns)
        write_title(figure, below + plan.height + _TITLE, f"{corpus}: an utterance over time")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("timeline", figure, _shown(lanes, plan))


def _lane(pairs: pd.DataFrame, side: str) -> pd.DataFrame:
    """Return start, end, phone and what became of it, of the phones of a side that have times."""
    if f"{side}_start" not in pairs:
        return pd.DataFrame()
    timed = pairs[pairs[f"{side}_start"].notna() & pairs[f"{side}_end"].notna()]
    columns = {"start": f"{side}_start", "end": f"{side}_end", "phone": side, "operation": "operation"}
    return pd.DataFrame({name: timed[column] for name, column in columns.items()}).reset_index(drop=True)


def _draw_row(axes: Axes, row: TimeRow, plan: TimePlan, lanes: Mapping[str, pd.DataFrame]) -> None:
    """Draw one row of time; heights are in mm from the foot of the axes."""
    top = row.height - AXIS - BETWEEN
    axes.set(xlim=(row.begin, row.end), ylim=(0, top), yticks=[])
    axes.spines["left"].set_visible(False)
    seconds = (row.end - row.begin) / plan.width  # a mm
    high = {side: top - row.labels(side) - BOX if side == "gold" else row.labels(side) for side in lanes}
    for side, lane in lanes.items():
        _draw_lane(axes, lane, row.levels[side], high[side], up=side == "gold")
        name = {"gold": "gold", "predicted": "heard"}[side]
        axes.text(row.begin - seconds, high[side] + BOX / 2, name, size=SMALL, ha="right", va="center_baseline")
    foot = high["predicted"] + BOX + 0.6 if "predicted" in lanes else 0.3
    for place, (phone, steps) in enumerate(reversed([*row.bands.items()])):
        low = foot + place * BAND
        spans = list(zip(steps["start"], steps["end"] - steps["start"], strict=True))
        shades = sequential()(steps["probability"].to_numpy(float))
        axes.broken_barh(spans, (low + 0.15, BAND - 0.3), facecolors=shades, linewidth=0)
        axes.text(
            row.begin - seconds,
            low + BAND / 2,
            fitted(phone, NAMES, size=SMALL),
            size=SMALL,
            ha="right",
            va="center_baseline",
        )
    if row.bands and "gold" in lanes:
        axes.vlines(lanes["gold"][["start", "end"]].to_numpy().ravel(), foot, high["gold"], color=GREY, linewidth=0.25)


def _draw_lane(axes: Axes, lane: pd.DataFrame, levels: Mapping[int, int | None], low: float, *, up: bool) -> None:
    """Draw the phones of a lane as boxes, and their labels above or below them."""
    for meaning, look in _LOOKS.items():
        own = lane[lane["operation"].map(_KINDS).fillna("deleted or inserted") == meaning]
        spans = list(zip(own["start"], own["end"] - own["start"], strict=True))
        axes.broken_barh(spans, (low, BOX), edgecolor=INK, linewidth=0.4, **look)
    for place, level in levels.items():
        middle, edge = (lane["start"][place] + lane["end"][place]) / 2, low + BOX if up else low
        sign = 1 if up else -1
        if level is None:
            axes.plot(middle, edge + sign * 0.35, "o", color=INK, markersize=0.9)
            continue
        foot = edge + LEVEL * level + 1.1 if up else edge - LEVEL * (level + 1) + 0.65
        axes.text(middle, foot, label_of(lane["phone"][place]), size=PHONE, ha="center", va="baseline", clip_on=False)
        if level:
            axes.plot([middle, middle], [edge, edge + sign * LEVEL * level], color=GREY, linewidth=0.3)


def _legend(posteriors: bool) -> dict[str, Patch]:
    looks = {meaning: Patch(edgecolor=INK, linewidth=0.4, **look) for meaning, look in _LOOKS.items()}
    shades = {f"p = {share:g}": Patch(facecolor=sequential()(share)) for share in (0.1, 0.5, 1.0)} if posteriors else {}
    return {**looks, **shades}


def _notes(plan: TimePlan, steps: pd.DataFrame | None) -> Iterator[str]:
    if plan.rows[-1].end < plan.until:
        yield f"Drawn are the first {plan.rows[-1].end:.1f} of {plan.until:.1f} s."
    if steps is not None:
        yield f"Shades: posteriors of labels that reach {LEAST:g} in a row of time, at most {MOST_BANDS} of them."
    if plan.unlabelled:
        yield f"A dot is a phone too short for its label ({plan.unlabelled})."


def _shown(lanes: Mapping[str, pd.DataFrame], plan: TimePlan) -> pd.DataFrame:
    """Return what is drawn: the phones of each side, and the steps of the labels in each row of time."""
    until = plan.rows[-1].end
    parts = [lane[lane["start"] < until].assign(what=side) for side, lane in lanes.items()]
    drawn = [band for row in plan.rows for band in row.bands.values()]
    if drawn:
        parts.append(pd.concat(drawn).drop_duplicates().sort_values("start", kind="stable").assign(what="posterior"))
    columns = ["what", "start", "end", "phone", "operation", "probability"]
    return pd.concat(parts, ignore_index=True).reindex(columns=columns)


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    pairs, utterances = corpus.tables["alignments"], corpus.tables["utterances"]
    steps = corpus.tables.get("posteriorgrams")
    name = shown_utterance(utterances, steps)
    rate = utterances.set_index("utterance")["per"].get(name)
    number = len(utterances) if steps is None else steps["utterance"].nunique()
    among = f"all {number} utterances" if steps is None else f"the {number} utterances of posteriorgrams.tsv"
    note = f"{name}: the median of {among} by phone error rate ({rate:.3f})."
    note += " Gold times were found from the posteriors." if "times" in pairs else ""
    own = None if steps is None else steps[steps["utterance"] == name]
    return draw_timeline(pairs, corpus.title, corpus.options, steps=own, note=note)


FIGURE = DeclaredFigure("timeline", ("alignments", "utterances"), _of_corpus, shows=("posteriorgrams",))
