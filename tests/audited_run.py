"""Runs the command line and writes what the interpreter was asked to do meanwhile, as JSON: [event, what] each.

Usage: python audited_run.py EVENTS ARGUMENTS…
"""

import json
import sys
from pathlib import Path
from types import CodeType

WATCHED = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.startfile", "socket.", "urllib.")
WRITES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")
events: list[tuple[str, str]] = []


def watch(event: str, given: tuple[object, ...]) -> None:
    """Keep what is run, opened for writing, connected to or changed on the disk."""
    if event == "exec" and given and isinstance(given[0], CodeType):
        events.append((event, given[0].co_filename))
    elif event == "compile":
        source = given[0]
        events.append((event, source.decode(errors="replace") if isinstance(source, bytes) else str(source)))
    elif event == "open" and not isinstance(given[0], int) and _writes(*given[1:3]):
        events.append((event, str(given[0])))
    elif event.startswith((*WATCHED, *WRITES)):
        events.extend((event, str(what)) for what in given if not isinstance(what, int))


def _writes(mode: object, flags: object) -> bool:
    return bool(set(str(mode)) & set("wax+")) or (isinstance(flags, int) and bool(flags & 3))


if __name__ == "__main__":
    sys.addaudithook(watch)
    target, sys.argv[1:] = Path(sys.argv[1]), sys.argv[2:]
    from phonxling.cli import main

    code = 0
    try:
        main()
    except SystemExit as end:
        code = int(end.code or 0)
    seen = sorted(set(events))
    target.write_text(json.dumps(seen), encoding="utf-8")
    sys.exit(code)
