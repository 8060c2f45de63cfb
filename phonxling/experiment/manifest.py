"""What a result came from: version, settings, inputs and libraries; and what it holds."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from phonxling.analyses.loaded import features_of
from phonxling.core.errors import DataError, join_problems
from phonxling.core.files import digest
from phonxling.experiment.configuration import resolved
from phonxling.load.formats import format_of, transcript_files
from phonxling.load.paths import files_below, is_folder, matching
from phonxling.load.posteriors import files_referred_to
from phonxling.load.reading import Format
from phonxling.load.urls import Url, local
from phonxling.settings.files import PhoneFile, PosteriorFile, Section
from phonxling.settings.models import Experiment
from phonxling.store.content import Inputs
from phonxling.version import __version__

_SHOWN = 10  # inputs that came or went
LIBRARIES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "umap-learn", "matplotlib", "panphon")


def manifest(experiment: Experiment, inputs: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the manifest without outputs: the same for the same inputs, settings and libraries on any machine."""
    read = {relative(path, experiment): digest(path) for path in input_files(experiment)} if inputs is None else inputs
    table = features_of(experiment)
    return {
        "phonxling": __version__,
        "name": experiment.name,
        "seed": experiment.seed,
        "configuration": resolved(experiment),
        "inputs": dict(read),
        "libraries": {name: version(name) for name in LIBRARIES},
        "loaders": loaders(experiment),
        "feature_table": {"name": table.name, "sha256": table.digest},
    }


def read_inputs(experiment: Experiment) -> tuple[Inputs, dict[str, str]]:
    """Return what an experiment reads, and the sha256 of each file by its name in the manifest."""
    paths = input_files(experiment)
    inputs = Inputs(paths)
    return inputs, {relative(path, experiment): inputs.digest(path) for path in paths}


def check_inputs(experiment: Experiment, inputs: Inputs, names: Iterable[str]) -> None:
    """Raise DataError when a file's content changed since `read_inputs`, or a folder or pattern holds other files."""
    inputs.check()
    earlier, current = set(names), {relative(path, experiment) for path in input_files(experiment)}
    if earlier != current:
        odd = [f"{name}: {'is new' if name in current else 'is gone'}" for name in sorted(earlier ^ current)]
        remedy = "Nothing was written. Wait until all are there, then run again."
        raise DataError(join_problems("inputs came or went while they were read:", odd, remedy, limit=_SHOWN))


def input_files(experiment: Experiment) -> list[Path]:
    """Return every file that an experiment reads, folders and globs followed: sorted, copies last by address."""
    phones = (file for file in _phone_files(experiment) if not isinstance(file.path, Url))
    transcripts = [file for one in phones for file in transcript_files(*_how(one))]
    files = {*transcripts, *(file for path in _other_paths(experiment) for file in _files(path))}
    return sorted(files, key=lambda path: (experiment.copies.get(path) or "", path))


def loaders(experiment: Experiment) -> dict[str, str]:
    """Return who reads the formats that need more than this package: name and version, by format."""
    used = {form.name: form.library for file in _phone_files(experiment) if (form := _form(file)).library}
    return {name: f"{library} {version(library)}" for name, library in sorted(used.items())}


def loader_sources(experiment: Experiment) -> dict[str, str]:
    """Return the sha256 of the source of each loader that another package adds, by the format's name."""
    loads = {form.name: form.load.__module__ for file in _phone_files(experiment) if (form := _form(file)).library}
    sources = {name: getattr(sys.modules.get(module), "__file__", None) for name, module in sorted(loads.items())}
    return {name: digest(Path(source)) for name, source in sources.items() if source}


def _phone_files(experiment: Experiment) -> Iterator[PhoneFile]:
    for corpus in experiment.corpora.values():
        yield from (file for file in (corpus.gold, corpus.predicted, corpus.segments) if file is not None)


def _how(file: PhoneFile) -> tuple[Path, str | None, dict[str, str]]:
    return local(file.path), file.format, {str(name): title for name, title in file.columns.items()}


def _form(file: PhoneFile) -> Format:
    return format_of(*_how(file))


def _other_paths(holder: Section | Mapping[str, object]) -> Iterator[Path]:
    """Yield every path that a section, or a mapping of them, holds but those of phones, and what they lead on to."""
    for name, value in holder if isinstance(holder, Section) else holder.items():
        if isinstance(value, Section | Mapping):
            yield from _other_paths(value)
        elif isinstance(value, Path) and not (isinstance(holder, PhoneFile) and name == "path"):
            yield value
            if isinstance(holder, PosteriorFile) and name == "path":
                yield from files_referred_to(value)
        elif isinstance(value, tuple):
            yield from (one for one in value if isinstance(one, Path))


def _files(path: Path) -> list[Path]:
    return [file for file in files_below(path) if file.is_file()] if is_folder(path) else matching(path, ())[1]


def relative(path: Path, experiment: Experiment) -> str:
    """Return a path as the manifest names it: from the configuration's folder, or the address it was fetched from."""
    return experiment.copies.get(path) or Path(os.path.relpath(path, experiment.folder or Path.cwd())).as_posix()
