"""A folder of results: written when everything is computed, the manifest last; read back to draw again.

The manifest goes first and comes last, so a folder without one is unfinished. In between, files are replaced one by
one, each whole; what an earlier run named and this one did not write is removed before the manifest is written.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.configuration.folder_names import check_corpus_name
from phonxling.experiment.documents import PAGE, write_documents
from phonxling.experiment.drawing import draw_figures
from phonxling.experiment.manifest import outputs
from phonxling.experiment.progress import Progress
from phonxling.experiment.store.cache import Cache
from phonxling.experiment.store.journal import JOURNAL, end, note, noted, remove_others
from phonxling.experiment.store.locking import LOCK, locked, refuse_if_held
from phonxling.experiment.store.parts import Parts
from phonxling.report.store import Table, write_json, write_table

MANIFEST, RUN = "manifest.json", "run.json"
_UNFINISHED = {  # what a run that was stopped leaves in its folder
    "experiment": frozenset({"summary.tsv", "symbols.tsv", RUN}),
    "comparison": frozenset({"comparison.tsv", "ranking.tsv", "phones.tsv", "features.tsv", "settings.tsv"}),
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
    if (folder / MANIFEST).exists():
        held = read_manifest(folder).get("kind", "experiment")
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
    listed = read_manifest(folder).get("outputs", {}) if (folder / MANIFEST).exists() else {}
    note(folder, listed if isinstance(listed, dict) else ())
    try:
        for scratch in folder.rglob(".*.part"):  # of a run that was killed while it wrote
            scratch.unlink(missing_ok=True)
        (folder / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from error


def write_tables(folder: Path, tables: Mapping[str, Table]) -> dict[str, str]:
    """Write tables by their paths below the folder, and return the sha256 of each; DataError when that cannot be."""
    note(folder, tables)
    written = {name: write_table(folder / name, table) for name, table in tables.items()}
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


def _check_inside(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Raise DataError when a folder of the results is a link that leads out of them."""
    settings = manifest.get("configuration", {})
    for name in ("figures", "tables", *(settings.get("corpora", {}) if isinstance(settings, dict) else {})):
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise DataError(f"{folder / name}: a link that leads out of the results; remove it")


def redraw(folder: Path, progress: Progress, workers: int = 1) -> list[Path]:
    """Draw figures, papers' tables and the page of a folder of results again from its tables, and return them.

    DataError when it is no folder of results, another run has it, or a table cannot be read.
    """
    read_manifest(folder)
    with locked(folder, progress.say):
        found = read_manifest(folder)
        _check_inside(folder, found)
        if found.get("kind") == "comparison":
            files = _drawn_comparison(folder, found, progress)
        else:
            files = [*draw_figures(folder, found, progress, workers), *write_documents(folder, found, progress)]
        kept = found.get("outputs", {})
        named = {**(kept if isinstance(kept, dict) else {}), **outputs(folder, files)}
        write_json(folder / MANIFEST, {**found, "outputs": dict(sorted(named.items()))})
        end(folder)
    return files


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


def _drawn_comparison(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    from phonxling.experiment.comparison.writing import draw_comparison  # which reads results through this module

    return draw_comparison(folder, manifest, progress)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a result folder's manifest; DataError when there is none."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{folder}: no folder of finished results (it has no {MANIFEST})") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{folder / MANIFEST}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise DataError(f"{folder / MANIFEST}: is no manifest")
    check_manifest(folder / MANIFEST, found)
    return found


def check_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise ConfigurationError when the corpora of a manifest are no folders of results: files are written there."""
    settings = manifest.get("configuration", {})
    corpora = settings.get("corpora", {}) if isinstance(settings, dict) else {}
    for name in corpora:
        try:
            check_corpus_name(name)
        except ValueError:
            raise ConfigurationError(f"{path}: {str(name)[:100]!r} is no name of a corpus; was it changed?") from None
