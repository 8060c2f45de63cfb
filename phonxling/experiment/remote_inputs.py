"""The configuration's inputs by URL, fetched before anything is read: from then on all are files on this machine."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from phonxling.core.errors import DataError, join_problems
from phonxling.core.work import Progress
from phonxling.load import formats, posteriors
from phonxling.load.remote import LocalCopies
from phonxling.load.urls import Url
from phonxling.settings.files import PhoneFile, PosteriorFile, Section
from phonxling.settings.models import Experiment
from phonxling.store.folder import CACHE

FOLDER = Path(CACHE) / "remote"  # of the copies, in the folder of results


@contextmanager
def local_inputs(
    experiment: Experiment, folder: Path | None, progress: Progress, sign: Callable[[str], str] = str
) -> Iterator[Experiment]:
    """Give an experiment whose inputs are all on this machine; errors within name URLs, not copies."""
    problems: list[str] = []
    with LocalCopies(folder, progress.fetched, sign) as fetcher:

        def fetch(url: Url, endings: tuple[str, ...]) -> Path:
            progress.step(f"fetching {url}")
            try:
                return fetcher.path(url, endings)
            except DataError as error:
                problems.append(str(error))
                return Path()

        local = experiment.model_copy(update=_with_paths(experiment, fetch))
        if problems:
            headline = f"{len(problems)} inputs cannot be fetched:"
            raise DataError(join_problems(headline, problems) if len(problems) > 1 else problems[0])
        fetcher.remove_others()
        local._copies = fetcher.urls
        yield local if fetcher.urls else experiment


def addresses(experiment: Experiment) -> list[Url]:
    """Return the addresses in the settings of an experiment, each once."""
    seen: dict[Url, Path] = {}
    _with_paths(experiment, lambda url, _: seen.setdefault(url, Path()))
    return list(seen)


_Fetch = Callable[[Url, tuple[str, ...]], Path]


def _with_paths(settings: Section | Mapping[str, object], fetch: _Fetch) -> dict[str, object]:
    """Return the settings of a section, or of a mapping of sections, with paths of copies instead of URLs."""
    paths = dict(settings)
    for name, value in paths.items():
        if isinstance(value, Url):
            paths[name] = fetch(value, _endings(settings) if name == "path" else ())
        elif isinstance(value, tuple):
            paths[name] = tuple(fetch(one, ()) if isinstance(one, Url) else one for one in value)
        elif isinstance(value, Section):
            paths[name] = value.model_copy(update=_with_paths(value, fetch))
        elif isinstance(value, Mapping):
            paths[name] = _with_paths(value, fetch)
    return paths


def _endings(section: object) -> tuple[str, ...]:
    """Return the endings of what a section's reader takes from a folder; none where it reads one file."""
    if isinstance(section, PhoneFile):
        return formats.known_endings(section.format)
    return posteriors.known_endings(section.format) if isinstance(section, PosteriorFile) else ()
