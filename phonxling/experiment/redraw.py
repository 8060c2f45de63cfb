"""Figures, papers' tables and the page of a folder of results, drawn again from its tables.

The manifest is put aside meanwhile, so the folder says that it is unfinished; one that is interrupted is begun again by
the next, or made anew by a run.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError
from phonxling.core.progress import Progress
from phonxling.experiment.comparing import draw_comparison
from phonxling.experiment.documents import write_documents
from phonxling.experiment.drawing import draw_figures
from phonxling.experiment.results import remove_scratch
from phonxling.store.folder import ASIDE, MANIFEST, changed_outputs, listed, manifest_of, outputs, read_manifest
from phonxling.store.journal import end
from phonxling.store.locking import locked
from phonxling.tables.files import write_json


def redraw(folder: Path, progress: Progress, workers: int = 1) -> list[Path]:
    """Draw everything of a folder of results again, and return the files.

    DataError when it is no folder of results, another run has it, or a table cannot be read. The folder is what it was
    then, if no file had changed yet.
    """
    read_manifest(folder, manifest_of(folder).name)
    with locked(folder, progress.say):
        found = read_manifest(folder, manifest_of(folder).name)
        _check_inside(folder, found)
        _put_aside(folder)
        try:
            files = _drawn(folder, found, progress, workers)
        except BaseException:
            _put_back(folder, found)
            raise
        named = {**listed(found), **outputs(folder, files)}
        write_json(folder / MANIFEST, {**found, "outputs": dict(sorted(named.items()))}, lasting=True)
        (folder / ASIDE).unlink(missing_ok=True)
        end(folder)
    return files


def _drawn(folder: Path, manifest: Mapping[str, Any], progress: Progress, workers: int) -> list[Path]:
    if manifest.get("kind") == "comparison":
        return draw_comparison(folder, manifest, progress)
    return [*draw_figures(folder, manifest, progress, workers), *write_documents(folder, manifest, progress)]


def _check_inside(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Raise DataError when a folder of the results is a link that leads out of them."""
    settings = manifest.get("configuration", {})
    for name in ("figures", "tables", *(settings.get("corpora", {}) if isinstance(settings, dict) else {})):
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise DataError(f"{folder / name}: a link that leads out of the results; remove it")


def _put_aside(folder: Path) -> None:
    try:
        remove_scratch(folder)
        manifest_of(folder).replace(folder / ASIDE)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error


def _put_back(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Make the folder what it was, when every file is still the one that the manifest names."""
    with suppress(OSError, DataError):  # else it stays unfinished
        if not any(changed_outputs(folder, manifest)):
            (folder / ASIDE).replace(folder / MANIFEST)
