"""Run the command line, and strike at a chosen moment: before the n-th change to a folder, or within a write to it.

What it is told (see `serve`) is this specification:

folder     the folder whose changes are counted
log        a file that gets a line of JSON for each change, and one when it has struck
at         the change, from 1, at which to strike; 0 for never
how        before: as the change is asked for; within: when a file that is opened then has `size` bytes
signals    signals, sent one after the other
limit      bytes that no file may grow beyond, as if the disk were full; 0 for any
"""

import json
import os
import resource
import signal
import sys
import time
from importlib import import_module
from typing import Any

_CHANGES = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"})
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
BETWEEN = 0.05  # seconds between two signals


class Striker:
    """An audit hook that counts changes and strikes at one of them."""

    def __init__(self, specification: dict[str, Any]) -> None:
        self._told = specification
        self._folder = specification["folder"]
        self._log = os.open(specification["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._number, self._struck = 0, False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Hear of an event."""
        if (event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES) or event in _CHANGES:
            self._change(event, arguments[0])

    def _change(self, event: str, path: object) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        place = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - Path would be slower
        if place != self._folder and not place.startswith(self._folder + os.sep):
            return
        self._number += 1
        size = os.path.getsize(place) if event == "os.rename" and os.path.isfile(place) else None  # noqa: PTH113, PTH202
        self._tell(event=event, path=os.path.relpath(place, self._folder), size=size)
        at = self._told["at"]
        if at and self._number >= at and not self._struck:
            self._strike()

    def _strike(self) -> None:
        self._struck = True
        if self._told["how"] == "within":
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self._told["size"], self._told["size"]))
            return
        self._tell(struck=os.getpid())
        for number in self._told["signals"]:
            os.kill(os.getpid(), number)
            time.sleep(BETWEEN)

    def _tell(self, **what: object) -> None:
        if self._told["limit"]:
            return  # the log would meet it too
        os.write(self._log, (json.dumps(what) + "\n").encode())


_SHARDS = {  # a small experiment has many shards, too
    ("phonxling.alignment.corpus", "_CELLS"): 300,
    ("phonxling.count.tokens", "_FRAMES"): 100,
    ("phonxling.analyses.chance", "_CELLS"): 1,
}


def serve() -> None:
    """Fork a run for each line of standard input, from a process that has everything imported, until the input ends.

    A line is JSON: the specification, the command line's arguments, files for standard output and error. The answers
    are the process id of the run, which leads a session of its own, and, when it has ended, its exit code.
    """
    import matplotlib.backends.backend_agg  # noqa: F401 - what a run would import, once for all runs
    import sklearn.manifold  # noqa: F401

    for (module, name), size in _SHARDS.items():
        found = import_module(module)
        if not hasattr(found, name):
            raise SystemExit(f"{module} has no {name} any more: mend scripts/faults/launch.py")
        setattr(found, name, size)
    for line in sys.stdin:
        told = json.loads(line)
        pid = os.fork()
        if not pid:
            os.setsid()
            for number, name in ((0, os.devnull), (1, told["out"]), (2, told["error"])):
                os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
            run(told["specification"], told["arguments"])
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def run(specification: dict[str, Any], arguments: list[str]) -> None:
    """Run the command line in this process, to its end."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if specification["limit"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (specification["limit"], resource.RLIM_INFINITY))
    striker = Striker(specification)
    sys.argv = ["phonxling", *arguments]
    from phonxling.cli import main

    sys.addaudithook(striker)
    main()
    sys.exit()


if __name__ == "__main__":
    serve()
