"""The inputs of an experiment, found, and its manifest: version, settings, inputs, libraries."""

import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from phonxling.analyses.loaded import features_of
from phonxling.configuration.files import PhoneFile, PosteriorFile
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import IN_MEMORY, input_places, resolve_settings
from phonxling.core.files import digest, source_digest
from phonxling.load.building import Format
from phonxling.load.formats import format_of, transcript_files
from phonxling.load.text import files_below, is_folder, matching
from phonxling.version import __version__

LIBRARIES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "umap-learn", "matplotlib")


def manifest(experiment: Experiment) -> dict[str, Any]:
    """Return the manifest without outputs and BLAS: the same for the same inputs, settings and libraries anywhere."""
    table = features_of(experiment)
    return {
        "phonxling": __version__,
        "source": source_digest()[:12],
        "name": experiment.name,
        "seed": experiment.seed,
        "configuration": resolve_settings(experiment),
        "inputs": _digests(experiment),
        "libraries": {name: version(name) for name in LIBRARIES},
        "loaders": loaders(experiment),
        "feature_table": {"name": table.name, "sha256": table.digest},
    }


def _digests(experiment: Experiment) -> dict[str, str]:
    """Return the sha256 of each input by its name: files, and what is in memory."""
    files = {relative(path, experiment): digest(path) for path in input_files(experiment)}
    return files | {name: each for held in experiment.held.values() for name, each in held.digests.items()}


def input_files(experiment: Experiment) -> list[Path]:
    """Return every file that an experiment reads, folders and globs followed, sorted."""
    found = {file for one in _phone_files(experiment) for file in transcript_files(*one.reading)}
    for holder, name, path in input_places(experiment):
        if isinstance(holder, PhoneFile) and name == "path":
            continue
        further: list[Path] = []  # that posteriors lead on to
        if isinstance(holder, PosteriorFile) and name == "path":
            from phonxling.load.posteriors import files_referred_to

            further = files_referred_to(path)
        for each in (path, *further):
            below = is_folder(each)
            found.update([file for file in files_below(each) if file.is_file()] if below else matching(each, ())[1])
    return sorted(found)


def blas() -> str:
    """Return the library, its version and the kind of processor by which NumPy multiplies matrices."""
    import numpy as np  # noqa: F401 - brings the library
    from threadpoolctl import threadpool_info

    own = [one for one in threadpool_info() if one["user_api"] == "blas" and "numpy" in one["filepath"]]
    parts = [str(one.get(key) or "") for one in own[:1] for key in ("internal_api", "version", "architecture")]
    return " ".join(filter(None, parts)) or "unknown"


def loaders(experiment: Experiment) -> dict[str, str]:
    """Return library, version and source (sha256) of each loader that another package adds, by the format's name."""
    return {
        name: f"{form.library} {version(str(form.library))} {_source(form)}"
        for name, form in _foreign_formats(experiment)
    }


def _source(form: Format) -> str:
    module = sys.modules.get(form.load.__module__)
    return digest(Path(module.__file__))[:12] if module is not None and module.__file__ else ""


def _foreign_formats(experiment: Experiment) -> list[tuple[str, Format]]:
    formats = {form.name: form for file in _phone_files(experiment) if (form := format_of(*file.reading)).library}
    return sorted(formats.items(), key=lambda item: item[0])


def _phone_files(experiment: Experiment) -> Iterator[PhoneFile]:
    for corpus in experiment.corpora.values():
        files = (getattr(corpus, kind) for kind in corpus.FILES)
        yield from (file for file in files if isinstance(file, PhoneFile) and not file.path.name.endswith(IN_MEMORY))


def relative(path: Path, experiment: Experiment) -> str:
    """Return a path as the manifest names it: from the configuration's folder."""
    return Path(os.path.relpath(path, experiment.folder or Path.cwd())).as_posix()
