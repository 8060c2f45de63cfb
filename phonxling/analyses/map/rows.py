"""How far the phone map can be trusted: rows of summary.tsv."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phonxling.analyses.map.faithfulness import distance_correlation, neighbourhood_trust
from phonxling.analyses.map.projection import Projection
from phonxling.analyses.map.stability import agreements
from phonxling.analyses.rows import Row, row_of

Floats = NDArray[np.float64]
FAITHFULNESS = ("trustworthiness", "distance_correlation")


def coordinates(plane: Projection, place: int) -> Floats:
    """Return the coordinates of the reference's phones, or of a target's, counted from 1."""
    return plane.reference if place == 0 else plane.targets[place - 1]


def shown(plane: Projection, place: int) -> Floats:
    """Return what a panel shows: the reference's phones, and with a target its phones too."""
    return np.concatenate([coordinates(plane, number) for number in sorted({0, place})])


def map_rows(
    before: Floats, planes: list[Projection], refitted: list[Projection], place: int, note: str = ""
) -> Iterator[Row]:
    """Yield the rows of one corpus, over what its panel shows; `before` are the mean posteriors of these phones.

    `refitted` are maps of other seeds than that of the first plane.
    """
    n = float(len(before))
    for plane in planes:
        after = shown(plane, place)
        trust, rank = neighbourhood_trust(before, after), distance_correlation(before, after)
        few = "too few phones" if math.isnan(trust) else note
        flat = "too few phones, or all distances are equal" if math.isnan(rank) else note
        yield row_of(FAITHFULNESS[0], trust, n, plane.method, few)
        yield row_of(FAITHFULNESS[1], rank, n, plane.method, flat)
        if place == 0 and not math.isnan(plane.variance_kept):
            yield row_of("variance_kept", plane.variance_kept, n, plane.method)
    if refitted:
        yield _stability(planes[0], refitted, place, n, note)


def missing_rows(why: str) -> list[Row]:
    """Return the rows of a corpus that has no place on a map."""
    return [row_of(measure, math.nan, 0, "", why) for measure in FAITHFULNESS]


def _stability(plane: Projection, refitted: list[Projection], place: int, n: float, note: str) -> Row:
    found = agreements(shown(plane, place), [shown(other, place) for other in refitted])
    seeds = f"{len(found)} other seed{'s' * (len(found) > 1)}: {found.min():.3g} to {found.max():.3g}"
    told = "; ".join(filter(None, [note, seeds]))
    return row_of("embedding_stability", float(found.mean()), n, plane.method, told)
