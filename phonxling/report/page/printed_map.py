"""The map of phones as it is printed: shapes that need no script, names beside their points."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from phonxling.core.arrays import Floats
from phonxling.core.display.places import Apart, Page, free_places, lines_to
from phonxling.tables.files import read_table

SIZE = (100.0, 75.0)  # of the map; a name is LETTER high
LETTER = 3.2
_EDGE = 4.0
_KINDS = ("own", "reference")
_FAR = 1.6  # a name farther off its point has a line to it
_PAGE = Page(
    limits=np.array([0.0, 0.0, *SIZE]),
    margin=np.array([0.4, 0.2]),
    nearest=np.array([1.0, 1.0]),
    farthest=np.array([24.0, 20.0]),
)
_STRICTNESS = (Apart(boxes=True, lines=True), Apart(boxes=True, lines=False), Apart(boxes=False, lines=False))


@dataclass(frozen=True)
class Name:
    """A phone on the map, and the middle of its foot."""

    phone: str
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class _Placed:
    """A phone with its point, the size of its name, and the box where that stands, None where it has no room."""

    phone: str
    point: Floats
    size: Floats
    box: Floats | None


@dataclass(frozen=True)
class Side:
    """The phones of a corpus on the map: names, and the paths of points and of lines between both."""

    kind: str
    names: Sequence[Name]
    points: str
    lines: str


@dataclass(frozen=True)
class PrintedMap:
    """A map of a corpus' phones, with those of the reference where there is one, and how many names had no room."""

    title: str
    sides: Sequence[Side]
    missing: int


def printed_maps(folder: Path, roles: Mapping[str, str], titles: Mapping[str, str]) -> Iterator[PrintedMap]:
    """Yield the map of each target of a folder of results, or of the reference where it is alone."""
    tables = {name: folder / name / "embedding.tsv" for name in roles}
    placed = {name: read_table(folder, f"{name}/embedding.tsv") for name, path in tables.items() if path.exists()}
    reference = next((name for name in placed if roles[name] == "reference"), "")
    targets = [name for name in placed if name != reference] or list(placed)
    for name in targets:
        other = placed[reference] if reference and name != reference else placed[name].iloc[:0]
        if drawn := printed_map(titles[name], placed[name], other):
            yield drawn


def printed_map(title: str, own: pd.DataFrame, reference: pd.DataFrame) -> PrintedMap | None:
    """Return the map of a corpus from its embedding.tsv and that of its reference; None without phones."""
    every = pd.concat([own.assign(kind="own"), reference.assign(kind="reference")], ignore_index=True)
    if not len(own) or every["x"].isna().all():
        return None
    every = every.dropna(subset=["x", "y"])
    phones = every["phone"].str.slice(0, 8).tolist()
    points, sizes = _scaled(every[["x", "y"]].to_numpy(float)), np.array([_size(phone) for phone in phones])
    for apart in _STRICTNESS:
        places = free_places(points, sizes, points, _PAGE, apart, all_or_none=apart is not _STRICTNESS[-1])
        if all(place is not None for place in places):
            break
    named = [_Placed(*each) for each in zip(phones, points, sizes, places, strict=True)]
    sides = [
        _side(kind, [one for one, own in zip(named, every["kind"], strict=True) if own == kind]) for kind in _KINDS
    ]
    return PrintedMap(title=title, sides=sides, missing=sum(place is None for place in places))


def _scaled(points: Floats) -> Floats:
    """Return points on the map, one unit as long on both axes, y downwards."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array(SIZE) - 2 * _EDGE
    unit = (room / np.maximum(high - low, 1e-9)).min()
    placed: Floats = np.array(SIZE) / 2 + unit * (points - (low + high) / 2) * (1, -1)
    return placed


def _size(phone: str) -> Floats:
    """Return width and height of a name: its letters, marks above and below not counted."""
    letters = sum(1 for letter in phone if not unicodedata.combining(letter))
    return np.array([0.62 * LETTER * max(1, letters), 1.15 * LETTER])


def _side(kind: str, placed: Sequence[_Placed]) -> Side:
    named = [(one, one.box) for one in placed if one.box is not None]
    feet = [(one.phone, *(box[:2] + one.size * (0.5, 0.78)).round(1).tolist()) for one, box in named]
    ends = [lines_to(one.point, box[None, :2], one.size)[0] for one, box in named]
    far = [end.round(1).tolist() for end in ends if np.hypot(*(end[2:] - end[:2])) > _FAR]
    return Side(
        kind=kind,
        names=[Name(*foot) for foot in feet],
        points="".join(f"M{x} {y}h0" for x, y in (one.point.round(1).tolist() for one in placed)),
        lines="".join(f"M{x0} {y0}L{x1} {y1}" for x0, y0, x1, y1 in far),
    )
