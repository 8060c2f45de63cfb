"""The configuration's inputs by URL, fetched before anything is read: from then on all are files on this machine."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from phonxling.core.errors import DataError, join_problems
from phonxling.core.progress import Progress
from phonxling.load.remote.fetching import LocalCopies
from phonxling.load.remote.listing import Wanted
from phonxling.load.remote.urls import Url
from phonxling.load.remote.wanted import TABLE, posteriors, transcripts
from phonxling.settings.files import PhoneFile, PosteriorFile, Section
from phonxling.settings.models import Experiment

FOLDER = Path(".cache") / "remote"  # of the copies, in the folder of results


@contextmanager
def local_inputs(experiment: Experiment, folder: Path | None, progress: Progress) -> Iterator[Experiment]:
    """Give an experiment whose inputs are all on this machine; errors within name URLs, not copies.

    The copies stay in `folder` for the next time; without one they are removed at the end. DataError names all inputs
    that cannot be fetched, each with the reason.
    """
    problems: list[str] = []
    with LocalCopies(folder, progress.fetched) as fetcher:

        def fetched(url: Url, wanted: Wanted) -> Path:
            progress.step(f"fetching {url}")
            try:
                return fetcher.path(url, wanted)
            except DataError as error:
                problems.append(str(error))
                return Path()

        local = experiment.model_copy(update=_with_paths(experiment, fetched))
        if problems:
            headline = f"{len(problems)} inputs cannot be fetched:"
            raise DataError(join_problems(headline, problems) if len(problems) > 1 else problems[0])
        fetcher.remove_others()
        local._copies = fetcher.copies
        yield local if fetcher.copies.files else experiment


def _with_paths(settings: Section | Mapping[str, object], fetched: Callable[[Url, Wanted], Path]) -> dict[str, object]:
    """Return the settings of a section, or of a mapping of sections, with paths of copies instead of URLs."""
    paths: dict[str, object] = {}
    for name, value in settings if isinstance(settings, Section) else settings.items():
        if isinstance(value, Url):
            paths[name] = fetched(value, _wanted(settings, name))
        elif isinstance(value, Section):
            paths[name] = value.model_copy(update=_with_paths(value, fetched))
        else:
            paths[name] = _with_paths(value, fetched) if isinstance(value, Mapping) else value
    return paths


def _wanted(section: Section | Mapping[str, object], name: str) -> Wanted:
    if name == "path" and isinstance(section, PhoneFile):
        return transcripts(section.format)
    return posteriors(section.format) if name == "path" and isinstance(section, PosteriorFile) else TABLE
