"""The configuration of jobs on a cluster: who computes, which changes no number."""

import re
from functools import partial
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

from phonxling.settings import checks
from phonxling.settings.files import Section
from phonxling.settings.sections import UpTo1000

_WORD = re.compile(r"[\w./+@:=,${}-]+")  # what a shell leaves as it is, but for variables
_MEMORY = re.compile(r"[0-9]+(\.[0-9]+)? ?[kMGT]i?B")
_WALLTIME = re.compile(r"([0-9]+-)?[0-9]{1,2}:[0-9]{2}:[0-9]{2}")


def _check_word(value: object, pattern: re.Pattern[str] = _WORD, what: str = "a word") -> str:
    """Return a text that can stand in a job's script as it is."""
    text = checks.check_text(value)
    if pattern.fullmatch(text):
        return text
    raise ValueError(f"must be {what}, not {checks.shown(text)}")


def _check_lines(value: object) -> object:
    """Return a list, which may be empty, of texts of one line each."""
    if value in ([], ()):
        return value
    lines = checks.check_list(value)
    for line in lines if isinstance(lines, list | tuple) else ():
        if not checks.check_text(line).isprintable():
            raise ValueError(f"each entry must be one line, not {checks.shown(line)}")
    return lines


Word: TypeAlias = Annotated[str, BeforeValidator(_check_word)]
Lines: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_check_lines)]


class ClusterJobs(Section):
    """The jobs of `--scheduler slurm`: who computes. Results are the same without, and do not tell of it."""

    queue: Word | None = None
    """The partition that jobs are submitted to."""
    account: Word | None = None
    """The account that they are charged to."""
    jobs: UpTo1000 = 1
    """How many."""
    cores: UpTo1000 = 1
    """The cores of a job, each with a process."""
    memory: Annotated[str, BeforeValidator(partial(_check_word, pattern=_MEMORY, what="a size such as 8 GB"))] = "4 GB"
    """The memory of a job."""
    walltime: Annotated[
        str, BeforeValidator(partial(_check_word, pattern=_WALLTIME, what="a time such as 02:00:00 or 1-12:00:00"))
    ] = "01:00:00"
    """How long a job may take, hours:minutes:seconds."""
    directives: Lines = ()
    """Further options of sbatch, such as --constraint=avx2."""
    prologue: Lines = ()
    """Commands that a job's shell runs first, such as module load python."""
    interface: Word | None = None
    """The network by which jobs and this machine reach each other, such as ib0."""
    python: Word | None = None
    """The Python of the jobs, with this package; the one that runs here by default."""
    scratch: Word | None = None
    """A folder on the jobs' own disks."""
    folder: Word | None = None
    """A folder that this machine and the jobs see, for the jobs' output; .cache of the results' folder by default."""
