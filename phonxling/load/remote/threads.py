"""Many requests at once, in threads that nobody waits for when the program is stopped."""

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def each_of(
    items: Sequence[_Item], ask: Callable[[_Item], _Result], threads: int
) -> Iterator[tuple[_Item, _Result | Exception]]:
    """Yield each item with what was answered, or the error, as they come; what has not begun is left when closed.

    Examples
    --------
    >>> sorted(each_of([1, 2, 3], lambda number: number * number, 2))
    [(1, 1), (2, 4), (3, 9)]
    """
    waiting: SimpleQueue[_Item] = SimpleQueue()
    answers: SimpleQueue[tuple[_Item, _Result | Exception]] = SimpleQueue()
    stop = threading.Event()
    for item in items:
        waiting.put(item)

    def work() -> None:
        while not stop.is_set():
            try:
                item = waiting.get_nowait()
            except Empty:
                return
            try:
                answers.put((item, ask(item)))
            except Exception as error:  # noqa: BLE001 - told to who asked
                answers.put((item, error))

    for _ in range(min(threads, len(items))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in items:
            yield answers.get()
    finally:
        stop.set()
