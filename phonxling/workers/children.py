"""Processes that this one starts to work for it."""

import os
import signal
from multiprocessing import parent_process
from threading import Thread


def end_with_parent() -> None:
    """Make this process end when the one that started it does, however that ends; for a pool's `initializer`.

    A pool's own processes wait for work for ever when their parent is killed, or go on to write. Ctrl-C in a terminal
    reaches all of them: what is to be done then is the parent's business.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_wait, daemon=True).start()


def _wait() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
