"""A folder of results: written when everything is computed, the manifest last; read back to draw again.

The manifest goes first and comes last, so a folder without one is unfinished. In between, files are replaced one by
one, each whole; what an earlier run named and this one did not write is removed before the manifest is written. While
figures are drawn again the manifest is put aside, where another `redraw` finds it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.progress import Progress
from phonxling.experiment.documents import write_documents
from phonxling.experiment.drawing import draw_figures
from phonxling.store.cache import Cache
from phonxling.store.folder import ASIDE, MANIFEST, PAGE, RUN, listed, manifest_of, read_manifest
from phonxling.store.journal import JOURNAL, end, note, noted, remove_others
from phonxling.store.locking import LOCK
from phonxling.store.parts import Parts
from phonxling.tables.columns import files_in
from phonxling.tables.files import Table, write_json, write_table

_UNFINISHED = {  # what a run that was stopped leaves in its folder
    "experiment": frozenset({*files_in("results"), RUN}),
    "comparison": frozenset(files_in("comparison")),
}


@dataclass(frozen=True, slots=True)
class Written:
    """Where results were written, and which files."""

    folder: Path
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables that stand in a folder: the manifest but for outputs, their sha256 by name, and what was reused."""

    manifest: Mapping[str, Any]
    files: Mapping[str, str]
    reused: Mapping[str, Any]


def write_results(
    folder: Path, tables: Tables, run: Mapping[str, object], progress: Progress, workers: int, cache: Cache
) -> Written:
    """Write what is made of the tables in a folder (figures, papers' tables, the page), then the manifest.

    DataError when a file cannot be written.
    """
    parts = Parts(cache.records, tables.files)
    drawn = draw_figures(folder, tables.manifest, progress, workers, parts)
    drawn += write_documents(folder, tables.manifest, progress, parts)
    if parts.reused:
        progress.say(f"kept from an earlier run: {', '.join(parts.reused)}")
    write_json(folder / RUN, {**run, "reused": {**tables.reused, "parts": parts.reused}})
    finish_writing(folder, tables.manifest, {**tables.files, **parts.named})
    written = [*(folder / name for name in tables.files), *drawn, folder / RUN, folder / MANIFEST]
    return Written(folder, tuple(written))


def check_folder(folder: Path, kind: str = "experiment") -> None:
    """Raise ConfigurationError when a folder holds files but no results of this kind, or is a file.

    DataError when that cannot be found out.
    """
    try:
        _check(folder, kind)
    except OSError as error:  # no permission
        raise DataError(f"{folder}: cannot be read: {error.strerror}") from error


def _check(folder: Path, kind: str) -> None:
    if not folder.exists():
        if folder.is_symlink():
            raise ConfigurationError(f"{folder}: is a link that leads nowhere; remove it, or make what it leads to")
        return
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: is a file; results need a folder")
    if (found := manifest_of(folder)).exists():
        held = read_manifest(folder, found.name).get("kind", "experiment")
        if held != kind:
            raise ConfigurationError(f"{folder}: holds the results of another kind ({held}); choose another folder")
        return
    known = _UNFINISHED.get(kind, frozenset()) | {LOCK, JOURNAL} | ({PAGE} & set(noted(folder)))
    others = [path.name for path in folder.iterdir() if path.is_file() and path.name not in known]
    others = [name for name in others if not name.endswith(".part")]
    if others:
        shown = ", ".join(sorted(others)[:3])
        raise ConfigurationError(f"{folder}: holds files that are no results ({shown} …); choose an empty folder")


def begin_writing(folder: Path) -> None:
    """Make a folder unfinished: what its manifest names is noted, and the manifest goes.

    DataError when the folder cannot be written to.
    """
    found = manifest_of(folder)
    note(folder, listed(read_manifest(folder, found.name)) if found.exists() else ())
    try:
        remove_scratch(folder)
        for name in (ASIDE, MANIFEST):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error


def remove_scratch(folder: Path) -> None:
    """Remove what a process that was killed while it wrote has left."""
    for scratch in folder.rglob(".*.part"):
        scratch.unlink(missing_ok=True)


def write_tables(folder: Path, tables: Mapping[str, Table]) -> dict[str, str]:
    """Write tables by their paths below the folder, and return the sha256 of each; DataError when that cannot be."""
    note(folder, tables)
    written = {name: write_table(folder, name, table) for name, table in tables.items()}
    remove_other_tables(folder, tables)
    return written


def remove_other_tables(folder: Path, tables: Iterable[str]) -> None:
    """Remove the tables of other runs: figures and the page are made of all tables that are there."""
    drawn = [name for name in noted(folder) if not name.endswith(".tsv") or name.startswith("figures/")]
    remove_others(folder, [*tables, *drawn])


def finish_writing(folder: Path, manifest: Mapping[str, Any], named: Mapping[str, str]) -> None:
    """Remove what else was noted, and write the manifest with the sha256 of each file; DataError when it cannot be."""
    remove_others(folder, [*named, RUN])
    write_json(folder / MANIFEST, {**manifest, "outputs": dict(sorted(named.items()))}, lasting=True)
    end(folder)
