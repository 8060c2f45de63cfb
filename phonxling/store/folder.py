"""A folder of results: its manifest, and whether its files are as the manifest says."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.files import digest
from phonxling.settings.folder_names import check_corpus_name
from phonxling.store.locking import refuse_if_held

MANIFEST, RUN = "manifest.json", "run.json"
PAGE = "report.html"
ASIDE = ".manifest.redrawing"  # the manifest's name while figures, papers' tables and the page are drawn again


def outputs(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return the sha256 of each result file, by its path below the folder."""
    return {path.relative_to(folder).as_posix(): digest(path) for path in sorted(files)}


def manifest_of(folder: Path) -> Path:
    """Return the manifest's file; where there is none, the one that an interrupted `redraw` has left aside."""
    if (folder / ASIDE).exists() and not (folder / MANIFEST).exists():
        return folder / ASIDE
    return folder / MANIFEST


def listed(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the sha256 of each file that a manifest names, by its path below the folder."""
    found = manifest.get("outputs", {})
    return found if isinstance(found, dict) else {}


def changed_outputs(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield which of the files that a manifest names are not as they were written, and why."""
    for name, expected in listed(manifest).items():
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            yield f"{name}: lies outside the folder"
        elif not path.is_file():
            yield f"{name}: is gone"
        elif digest(path) != expected:
            yield f"{name}: was changed after it was written"


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Read a folder of results while no run writes there.

    DataError when a run has it, or has had it by the end.
    """
    refuse_if_held(folder)
    before = _state(folder)
    yield
    if _state(folder) != before:
        raise DataError(f"{folder}: another run wrote there while it was read; try again")


def _state(folder: Path) -> tuple[int, int] | None:
    try:
        found = (folder / MANIFEST).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def read_manifest(folder: Path, name: str = MANIFEST) -> dict[str, Any]:
    """Return a result folder's manifest; DataError when there is none."""
    try:
        found = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(_unfinished(folder)) from None
    except (OSError, ValueError) as error:
        raise DataError(f"{folder / name}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise DataError(f"{folder / name}: is no manifest")
    check_manifest(folder / name, found)
    return found


def _unfinished(folder: Path) -> str:
    if (folder / ASIDE).exists():
        return f"{folder}: drawing it again was interrupted; finish that with: phonxling report {folder}"
    return f"{folder}: no folder of finished results (it has no {MANIFEST})"


def check_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise ConfigurationError when the corpora of a manifest are no folders of results: files are written there."""
    settings = manifest.get("configuration", {})
    corpora = settings.get("corpora", {}) if isinstance(settings, dict) else {}
    for name in corpora:
        try:
            check_corpus_name(name)
        except ValueError:
            raise ConfigurationError(f"{path}: {str(name)[:100]!r} is no name of a corpus; was it changed?") from None
