"""Work on utterances in threads, with the results in their order."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Found = TypeVar("_Found")
_TOGETHER = 2_000  # tokens that one thread takes at a time
_WAITING = 3  # parts a thread that may be done or under way at a time


def in_order(work: Callable[[int], _Found], offsets: NDArray[np.int64], workers: int) -> Iterator[_Found]:
    """Yield work(u) of each utterance u, in order; utterance u has offsets[u + 1] − offsets[u] tokens.

    With several workers at most a few thousand tokens a thread are worked on ahead, so that memory stays small.

    Examples
    --------
    >>> list(in_order(lambda utterance: 10 * utterance, np.array([0, 5, 7, 9]), workers=2))
    [0, 10, 20]
    """
    if workers < 2:
        yield from map(work, range(len(offsets) - 1))
        return
    waiting: deque[Future[list[_Found]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for part in _parts(offsets):
                waiting.append(pool.submit(lambda part: list(map(work, part)), part))
                if len(waiting) >= _WAITING * workers:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()


def _parts(offsets: NDArray[np.int64]) -> Iterator[range]:
    """Yield runs of utterances that have a few thousand tokens together."""
    begin, last = 0, len(offsets) - 1
    while begin < last:
        end = int(np.searchsorted(offsets, offsets[begin] + _TOGETHER, side="right"))
        end = min(max(begin + 1, end - 1), last)
        yield range(begin, end)
        begin = end
