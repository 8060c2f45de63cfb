"""Rows of time on a page: how many an utterance needs, and the level of each phone's label, so that none meet."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from phonxling.core.arrays import Floats
from phonxling.draw.sheet import fitted, text_size
from phonxling.draw.style import EDGE, PAGE_HEIGHT, PHONE, SMALL

BOX, LEVEL, BAND, AXIS, BETWEEN = 1.8, 3.2, 2.5, 4.2, 2.2  # mm: heights
BESIDE = 25.0  # mm of a page for title, legend and notes
MOST_BANDS, LEAST, _MOST_ROWS = 16, 0.2, 40  # of a row of time; the probability that a band's label reaches there
NAMES, _AIR = 9.0, 0.4  # mm: what names beside a row may take, between labels
_LEAST_PHONE = 1.6  # mm: of the median phone, where not all of a long utterance is drawn
_BEFORE = 0.05  # seconds before the first phone and after the last


@dataclass(frozen=True, eq=False, kw_only=True)
class TimeRow:
    """A row of time: its limits in seconds, the bands of its posteriors, and the level of each label by lane.

    `levels` has the places of phones in a lane; None for one without room.
    """

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
    """Return the fewest rows of time in which all labels have room, else as many as a page holds.

    Where these would be too crowded, they end before the utterance does. `lanes` are phones by side, with start, end
    and phone; `steps` have probability, too.
    """
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
    """Return the level of the label of each phone whose middle is in a row of time, None where neither has room.

    A label of the upper level has a line down to its phone, which no label of the lower level may stand on.
    """
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
