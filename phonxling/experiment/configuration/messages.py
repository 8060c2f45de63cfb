"""What pydantic finds wrong → problems with their place in the file, in words for those who write it."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from phonxling.experiment.configuration.documents import Document, KeyPath, Problem, nearest
from phonxling.experiment.configuration.layers import paths_in
from phonxling.load.remote.urls import is_url
from phonxling.load.unreadable import is_file
from phonxling.load.unreadable import nearest as nearest_file
from phonxling.settings.checks import (
    LONGEST_PATH,
    did_you_mean,
    listed,
    shown,
)
from phonxling.settings.files import Corpus, Section, corpora_problems, section_of
from phonxling.settings.models import RETIRED, CorporaError, Experiment

_MISSING = {
    "corpora": "missing: a configuration needs at least one corpus",
    "gold": "missing: every corpus needs gold, what was said",
    "path": "missing: a file needs its path",
}


def model_problems(error: ValidationError, document: Document) -> Iterator[Problem]:
    """Yield a problem for every error of the models; what corpora have wrong between them is left to the others."""
    for details in error.errors(include_url=False):
        if not isinstance(details.get("ctx", {}).get("error"), CorporaError):
            yield _problem(details, document)


def document_problems(document: Document) -> Iterator[Problem]:
    """Yield what is wrong between the corpora, which the models cannot say while a part is wrong itself."""
    corpora = document.data.get("corpora") if isinstance(document.data, dict) else None
    for path, text in corpora_problems(corpora) if isinstance(corpora, dict) else ():
        yield Problem(nearest(path, document.values_at), path, text)


def missing_tables(document: Document) -> Iterator[Problem]:
    """Yield which tables of costs, phones and symbols are not there; of files of data, the loaders tell."""
    for path in paths_in(document.data):
        if path.mark.of and _missing(path.text):
            table = Path(path.text)
            near = nearest_file(table) if path.mark.of == "symbols" else did_you_mean(table.name, path.mark.names)
            text = f"there is no table of {path.mark.of} {path.text}{near}"
            yield Problem(nearest(path.place, document.values_at), path.place, text)


def _missing(table: str) -> bool:
    """Return whether there is no such file; of what is no path at all, the checks tell."""
    return not is_url(table) and len(table) <= LONGEST_PATH and not is_file(Path(table))


def _problem(details: ErrorDetails, document: Document) -> Problem:
    path = tuple(str(key) for key in details["loc"] if key != "[key]")
    is_key = details["type"] == "extra_forbidden" or "[key]" in details["loc"]
    positions = document.keys_at if is_key else document.values_at
    return Problem(nearest(path, positions if path in positions else document.values_at), path, _text(details, path))


def _text(details: ErrorDetails, path: KeyPath) -> str:
    if details["type"] == "value_error":
        return str(details["ctx"]["error"])
    if details["type"] == "missing":
        return _MISSING.get(path[-1], "missing")
    if details["type"] == "extra_forbidden":
        return _unknown_key(path)
    if len(path) == 3 and path[0] == "corpora":
        return f"must be a path or a mapping with a path, not {shown(details['input'])}"
    return f"must be a mapping of settings, not {shown(details['input'])}"


def _unknown_key(path: KeyPath) -> str:
    *around, key = path
    if not around and key in RETIRED:
        return f"is a section of earlier versions: {RETIRED[key]}"
    section = _section(tuple(around))
    names = list(section.model_fields) + (["extends"] if section is Experiment else [])
    files = [kind for kind, model in Corpus.FILES.items() if key in model.model_fields]
    if files and section in Corpus.FILES.values():
        return f"has no meaning for {around[-1]}; it belongs to {listed(files)}"
    return f"unknown key{did_you_mean(key, names) or '; the keys here: ' + ', '.join(names)}"


def _section(path: KeyPath) -> type[Section]:
    """Return the model of the mapping at a path."""
    if path[:1] == ("corpora",):
        model = Corpus if len(path) == 2 else section_of(Corpus.model_fields[path[2]])
    else:
        model = section_of(Experiment.model_fields[path[0]]) if path else Experiment
    if model is None:
        raise TypeError(f"no section at {path}")
    return model
