"""Where to strike: spread over all changes that an undisturbed run makes to its folder, and over its time."""

import signal
from collections.abc import Sequence
from typing import Any

import numpy as np

from faults.processes import Ended, Strike

_INTERRUPTS = ((signal.SIGINT,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT))


def kills(undisturbed: Ended, number: int, seed: int) -> list[Strike]:
    """Return kill points: two fifths before a change, two within a write, one after a random time."""
    before, within = round(0.4 * number), round(0.4 * number)
    changes, writes = undisturbed.changes, _writes(undisturbed.changes)
    times = np.sort(np.random.default_rng(seed).uniform(0.3, undisturbed.seconds, number - before - within))
    return [
        *(Strike(at=at + 1, path=_name(changes[at])) for at in _spread(len(changes), before)),
        *(
            Strike(at=writes[at][0], how="within", size=writes[at][1], path=writes[at][2])
            for at in _spread(len(writes), within)
        ),
        *(Strike(after=float(after)) for after in times),
    ]


def interrupts(undisturbed: Ended, number: int, seed: int) -> list[Strike]:
    """Return moments to interrupt: Ctrl-C, SIGTERM, Ctrl-C twice; half at changes, half by time, none in the start."""
    changes = undisturbed.changes
    times = np.sort(np.random.default_rng(seed).uniform(1.0, undisturbed.seconds, number - number // 2))
    found = [Strike(at=at + 1, path=_name(changes[at])) for at in _spread(len(changes), number // 2)]
    found += [Strike(after=float(after)) for after in times]
    return [
        Strike(at=one.at, path=one.path, after=one.after, signals=_INTERRUPTS[place % 3])
        for place, one in enumerate(found)
    ]


def _writes(changes: Sequence[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """Return the writes whose size is known, since the file was renamed later: change, half of the size, path."""
    found: list[tuple[int, int, str]] = []
    opened: dict[str, int] = {}
    for place, change in enumerate(changes, start=1):
        if change["event"] == "open":
            opened[change["path"]] = place
        elif change["event"] == "os.rename" and change["path"] in opened and (change["size"] or 0) > 1:
            found.append((opened[change["path"]], change["size"] // 2, change["path"]))
    return found


def _spread(length: int, number: int) -> list[int]:
    """Return so many places of a list of a length, evenly spread, the first and last among them."""
    return [int(place) for place in np.linspace(0, length - 1, min(number, length)).round()]


def _name(change: dict[str, Any]) -> str:
    return f"{change['event']} {change['path']}"
