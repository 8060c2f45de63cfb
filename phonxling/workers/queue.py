"""What became of SLURM's jobs: asked of the queue every few seconds, so that nobody waits for jobs that are over."""

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.errors import join_problems, shown

_ALIVE = frozenset(
    [
        "PENDING",
        "RUNNING",
        "CONFIGURING",
        "COMPLETING",
        "SUSPENDED",
        "REQUEUED",
        "REQUEUE_HOLD",
        "REQUEUE_FED",
        "RESIZING",
        "SIGNALING",
        "STAGE_OUT",
        "SPECIAL_EXIT",
        "STOPPED",
        "RESV_DEL_HOLD",
    ]
)
_OFTEN, _LONG, _SILENT = 4.0, 15.0, 300.0  # seconds from question to question; of waiting; without an answer
_SHOWN, _LINES, _LONGEST = 10, 8, 300  # jobs, lines of their output, letters of these
_GONE = "no longer known to SLURM"


@dataclass(eq=False)
class JobQueue:
    """The jobs of a run.

    Parameters
    ----------
    jobs : sequence of str
        Their numbers.
    folder : Path
        Where their output is, `slurm-<number>.out`.
    say : callable
        Is told when jobs wait, for what, and when one has ended.
    """

    jobs: Sequence[str]
    folder: Path
    say: Callable[[str], object]
    _states: dict[str, str] = field(default_factory=dict, init=False)
    _asked: float = field(default=-_OFTEN, init=False)
    _answered: float = field(default_factory=time.monotonic, init=False)
    _problem: str = field(default="", init=False)
    _messages: set[str] = field(default_factory=set, init=False)

    def why_none(self, seconds: float) -> str:
        """Return why no worker will come, "" while one may; `seconds` is the time since there was one."""
        self._ask(seconds)
        if self._states and not any(map(_alive, self._states.values())):
            return self._all_over() if seconds > 0 else ""
        if seconds > _SILENT < time.monotonic() - self._answered:
            return f"the queue cannot be asked what became of the jobs: {self._problem}"
        return ""

    def _ask(self, seconds: float) -> None:
        if time.monotonic() - self._asked < _OFTEN:
            return
        self._asked = time.monotonic()
        states = self._now()
        if states is None:
            return
        self._answered = time.monotonic()
        self._states = states
        for job, state in states.items():
            if not _alive(state):
                self._tell(f"job {job}: {state}; its output: {self._output(job)}")
            elif seconds > _LONG and state.startswith("PENDING"):
                self._tell(f"job {job} waits in the queue: {state}")

    def _tell(self, message: str) -> None:
        if message not in self._messages:
            self._messages.add(message)
            self.say(message)

    def _now(self) -> dict[str, str] | None:
        """Return each job's state, and the reason where there is one; None when the queue does not answer."""
        command = ["squeue", "--noheader", "--states=all", f"--jobs={','.join(self.jobs)}", "--format=%i|%T|%r"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - numbers
        except (OSError, subprocess.SubprocessError) as error:
            self._problem = str(error)
            return None
        if answer.returncode and "Invalid job id" not in answer.stderr:
            self._problem = shown(answer.stderr.strip(), _LONGEST)
            return None
        lines = [line.split("|") for line in answer.stdout.splitlines() if line.count("|") == 2]
        states = {job: state if reason == "None" else f"{state} ({reason})" for job, state, reason in lines}
        return {job: states.get(job, _GONE) for job in sorted(self.jobs, key=lambda job: (len(job), job))}

    def _all_over(self) -> str:
        headline = "all jobs have ended, and work is left:"
        jobs = [f"job {job}: {state}" for job, state in self._states.items()]
        return join_problems(
            headline,
            jobs,
            "\n".join([*self._tail(), "When jobs can run, run again: what is finished is kept."]),
            limit=_SHOWN,
        )

    def _tail(self) -> list[str]:
        """Return the end of what one of the jobs wrote."""
        for job in self.jobs:
            try:
                text = self._output(job).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if lines := [shown(line, _LONGEST) for line in text.splitlines() if line.strip()]:
                return [f"The end of {self._output(job)}:", *(f"  {line}" for line in lines[-_LINES:])]
        return ["They wrote nothing."]

    def _output(self, job: str) -> Path:
        return self.folder / f"slurm-{job}.out"


def _alive(state: str) -> bool:
    return state.partition(" ")[0] in _ALIVE
