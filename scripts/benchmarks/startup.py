"""How long a command takes to answer, against a bare Python; in processes of their own, in turns."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from benchmarks.contest import Contest, Goal, Peer, Row, Settings, measure

_WORKS = {
    "phonxling --help": (("-m", "phonxling", "--help"), Goal(seconds=0.3)),
    "import phonxling": (("-c", "import phonxling"), None),
}


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the section's rows."""
    for work, (arguments, goal) in _WORKS.items():
        bare = Peer("bare Python", partial(_run, "-c", "pass"), goal=goal)
        contest = Contest("startup", work, partial(_run, *arguments), [bare], threads=True)
        yield from measure(contest, settings.repeats)


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)  # noqa: S603 - ourselves
