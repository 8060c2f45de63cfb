"""One piece of work done by us and by others, in turns; results are compared before anything is timed."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.rows import Goal, Row

Work = Callable[[], object]


class MismatchError(Exception):
    """A peer's result is not ours: a ratio would compare different work."""


@dataclass(frozen=True)
class Peer:
    """Another way to do the work.

    Parameters
    ----------
    name : str
        What is measured against.
    work : callable, optional
        Does it; None when the library is not there, and `note` says why.
    same : callable, optional
        Returns whether the peer's result is ours.
    share : float
        The share of our work that it does, where it is too slow for all of it.
    """

    name: str
    work: Work | None
    same: Callable[[], bool] | None = None
    goal: Goal | None = None
    share: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class Contest:
    """Our way to do some work, and the others.

    Timed is the processor's time, which other programs on the machine change little; the clock's where several threads
    or processes work.
    """

    section: str
    work: str
    ours: Work
    peers: Sequence[Peer]
    threads: bool = False


def measure(contest: Contest, repeats: int) -> list[Row]:
    """Return a row for each peer: the median, over rounds, of its time over ours in the same round.

    Raises
    ------
    MismatchError
        If a peer's result is not ours.
    """
    print(f"{contest.section}: {contest.work}", file=sys.stderr)
    there = [peer for peer in contest.peers if peer.work is not None]
    for peer in there:
        if peer.same is not None and not peer.same():
            raise MismatchError(f"{contest.section}, {contest.work}: the result of {peer.name} is not ours")
    contest.ours()  # compiled and warm
    clock = time.perf_counter if contest.threads else time.process_time
    works = (contest.ours, *_works(there))
    seconds = np.array([[_timed(work, clock) for work in works] for _ in range(repeats)])
    found = {peer.name: seconds[:, place] / peer.share for place, peer in enumerate(there, 1)}
    return [_row(contest, peer, seconds[:, 0], found.get(peer.name), repeats) for peer in contest.peers]


def _works(peers: list[Peer]) -> list[Work]:
    return [peer.work for peer in peers if peer.work is not None]


def _timed(work: Work, clock: Callable[[], float]) -> float:
    start = clock()
    result = work()
    seconds = clock() - start
    del result  # freeing is not timed
    return seconds


def _row(contest: Contest, peer: Peer, ours: np.ndarray, theirs: np.ndarray | None, repeats: int) -> Row:
    if theirs is None:
        return Row(contest.section, contest.work, peer.name, peer.goal, note=peer.note)
    low, middle, high = (float(value) for value in np.quantile(theirs / ours, [0.25, 0.5, 0.75]))
    return Row(
        section=contest.section,
        work=contest.work,
        against=peer.name,
        goal=peer.goal,
        ratio=middle,
        ratio_low=low,
        ratio_high=high,
        ours_seconds=float(np.median(ours)),
        peer_seconds=float(np.median(theirs)),
        repeats=repeats,
        note=peer.note,
    )
