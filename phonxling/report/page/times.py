"""Times and confidences of aligned pairs on the page, packed beside their phones; nothing where a corpus has none.

How they are packed
-------------------
Each is an array with a number for each pair that the page carries, deflated, in base64 (little-endian):

`gold_gaps`, `gold_lengths`, `predicted_gaps`, `predicted_lengths` : int32
    Times in hundredths of a second: how long after the end of the phone before, on the same side of the same utterance,
    a phone begins (of the first: after 0), and how long it lasts; −1 lasts a phone without times, and ∅, after which
    the end of the phone before stays what it was.
`confidence` : uint8
    Hundredths of the predicted phone's confidence; 255 for none.
`times` : str, not packed
    "forced" where the gold times were found from the posteriors, else "".

A corpus has those that alignments.tsv has columns for. `readAlignments` in `scripts/data.js` makes seconds and shares
of them again.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Floats
from phonxling.report.page.packing import PagePairs, carried_pairs, packed
from phonxling.tables.files import header_of

_CHUNK = 1_000_000
_SIDES = ("gold", "predicted")


def packed_times(file: Path, pairs: PagePairs, chosen: NDArray[np.int64]) -> dict[str, str]:
    """Return what alignments.tsv says of times and confidences of the pairs of the chosen utterances, packed."""
    columns = header_of(file)
    of_sides = {side: [f"{side}_start", f"{side}_end"] for side in _SIDES if f"{side}_end" in columns}
    scored = ["confidence"] if "confidence" in columns else []
    wanted = [*(name for names in of_sides.values() for name in names), *scored]
    if not wanted:
        return {}
    values = _values(file, wanted, carried_pairs(pairs, chosen))
    owner = np.repeat(chosen, pairs.lengths[chosen])
    result = {"times": "forced" if "times" in columns else ""}
    for side, names in of_sides.items():
        gaps, lasting = gaps_and_lengths(values[names[0]], values[names[1]], owner)
        result |= {f"{side}_gaps": packed(gaps.tobytes()), f"{side}_lengths": packed(lasting.tobytes())}
    for name in scored:
        result[name] = packed(np.where(np.isnan(values[name]), 255, hundredths(values[name])).astype("u1").tobytes())
    return result


def _values(file: Path, columns: list[str], carried: Bools) -> dict[str, Floats]:
    """Return columns of numbers of those pairs of a file that are carried; it is read a million rows at a time."""
    options: dict[str, Any] = {"sep": "\t", "usecols": columns, "dtype": np.float64, "quoting": 3}
    parts, first = [pd.DataFrame(columns=columns, dtype=np.float64)], 0
    for part in pd.read_csv(file, chunksize=_CHUNK, **options):
        parts.append(part[carried[first : first + len(part)]])
        first += len(part)
    return {name: np.concatenate([part[name].to_numpy(np.float64) for part in parts]) for name in columns}


def gaps_and_lengths(start: Floats, end: Floats, owner: NDArray[np.int64]) -> tuple[NDArray[np.int32], ...]:
    """Return what is packed of the times of pairs, whose utterances are `owner`.

    Examples
    --------
    >>> nan = float("nan")
    >>> start, end = np.array([0.1, nan, 0.5, 0.0]), np.array([0.25, nan, 0.6, 0.1])
    >>> [one.tolist() for one in gaps_and_lengths(start, end, np.array([0, 0, 0, 1]))]
    [[10, 0, 25, 0], [15, -1, 10, 10]]
    """
    timed = np.flatnonzero(~np.isnan(start) & ~np.isnan(end))
    begins, ends, of = hundredths(start[timed]), hundredths(end[timed]), owner[timed]
    before = np.concatenate([np.zeros(1, np.int32), ends])[:-1][: len(ends)]
    gaps, lengths = np.zeros(len(start), "<i4"), np.full(len(start), -1, "<i4")
    gaps[timed] = begins - np.where(np.diff(of, prepend=-1) == 0, before, 0)
    lengths[timed] = ends - begins
    return gaps, lengths


def hundredths(values: Floats) -> NDArray[np.int32]:
    """Return seconds, or shares, as whole hundredths; of NaN anything."""
    return np.rint(np.nan_to_num(values) * 100).astype("<i4")
