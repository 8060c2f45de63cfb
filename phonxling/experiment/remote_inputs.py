"""The configuration's inputs by URL, fetched before anything is read: from then on all are files on this machine."""

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from phonxling.core.errors import DataError, PhonxlingError, join_problems
from phonxling.core.progress import Progress
from phonxling.load.remote.copies import Copies, Copy
from phonxling.load.remote.errors import NoAnswerError
from phonxling.load.remote.fetching import fetch
from phonxling.load.remote.kinds import TABLE, posteriors, transcripts
from phonxling.load.remote.urls import Url
from phonxling.load.remote.wanted import Wanted
from phonxling.settings.files import PhoneFile, PosteriorFile, Section
from phonxling.settings.models import Experiment

FOLDER = Path(".cache") / "remote"  # of the copies, in the folder of results

_Place: TypeAlias = tuple[Url, Wanted]


@contextmanager
def local_inputs(experiment: Experiment, root: Path | None, progress: Progress) -> Iterator[Experiment]:
    """Give an experiment whose inputs are all on this machine; errors within name the addresses, not the copies.

    Parameters
    ----------
    experiment : Experiment
        With addresses of inputs; without any, it is given as it is.
    root : Path, optional
        Where copies stay for the next time; by default they are removed in the end.

    Raises
    ------
    DataError
        If inputs cannot be fetched: all are named, each with the reason.
    """
    places = dict.fromkeys(_places(experiment))
    if not places:
        yield experiment
        return
    with ExitStack() as stack:
        folder = root or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="phonxling-", ignore_cleanup_errors=True))
        )
        found = _fetched(places, folder.absolute(), progress)
        copies = Copies(tuple(found.values()))
        try:
            yield _reading(experiment, found, copies)
        except PhonxlingError as error:
            if (said := copies.named(str(error))) == str(error):
                raise
            raise type(error)(said) from error


def _fetched(places: Mapping[_Place, None], folder: Path, progress: Progress) -> dict[_Place, Copy]:
    found: dict[_Place, Copy] = {}
    problems: list[str] = []
    silent: set[str] = set()
    for url, wanted in places:
        if url.host in silent:
            problems.append(f"{url}: was not asked for, since its host gave no answer")
            continue
        progress.step(f"fetching {url}")
        try:
            found[url, wanted] = fetch(url, wanted, folder, progress.fetched)
        except DataError as error:
            problems.append(str(error))
            silent |= {url.host} if isinstance(error, NoAnswerError) else set()
    if len(problems) > 1:
        raise DataError(join_problems(f"{len(problems)} inputs cannot be fetched:", problems))
    if problems:
        raise DataError(problems[0])
    _remove_unused(folder, {copy.folder.name for copy in found.values()})
    return found


def _remove_unused(folder: Path, used: set[str]) -> None:
    """Remove what earlier runs fetched and this one has no use for, and nothing else: the folder could be a link."""
    for path in folder.iterdir():
        key = path.name.partition(".")[0]
        if re.fullmatch("[0-9a-f]{16}", key) and key not in used:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _reading(experiment: Experiment, found: Mapping[_Place, Copy], copies: Copies) -> Experiment:
    """Return the experiment with the paths of copies instead of addresses."""
    paths = {place: copy.path for place, copy in found.items()}
    local = experiment.model_copy(update=_changed(experiment, paths))
    local._copies = copies
    return local


def _places(holder: Section | Mapping[str, object]) -> Iterator[_Place]:
    """Yield each address in a section, or in a mapping of them, and what its reader needs."""
    for name, held in _held(holder):
        if isinstance(held, Url):
            yield held, _wanted(holder, name)
        elif isinstance(held, Section | Mapping):
            yield from _places(held)


def _changed(holder: Section | Mapping[str, object], paths: Mapping[_Place, Path]) -> dict[str, object]:
    """Return what a section, or a mapping of them, holds, with paths instead of addresses."""
    found: dict[str, object] = {}
    for name, held in _held(holder):
        if isinstance(held, Url):
            found[name] = paths[held, _wanted(holder, name)]
        elif isinstance(held, Section):
            found[name] = held.model_copy(update=_changed(held, paths))
        else:
            found[name] = _changed(held, paths) if isinstance(held, Mapping) else held
    return found


def _held(value: Section | Mapping[str, object]) -> Iterator[tuple[str, object]]:
    yield from value if isinstance(value, Section) else value.items()


def _wanted(section: Section | Mapping[str, object], name: str) -> Wanted:
    if name == "path" and isinstance(section, PhoneFile):
        return transcripts(section.format)
    return posteriors(section.format) if name == "path" and isinstance(section, PosteriorFile) else TABLE
