"""A folder of results: written when everything is computed, the manifest last; read back to draw again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.drawing import draw_figures
from phonxling.experiment.manifest import outputs
from phonxling.experiment.paper_tables import write_paper_tables
from phonxling.experiment.progress import Progress
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


def write_results(
    folder: Path,
    tables: Mapping[str, Table],
    manifest: Mapping[str, Any],
    run: Mapping[str, object],
    progress: Progress,
    workers: int = 1,
) -> Written:
    """Write tables, then figures drawn from them, then the manifest; results of an earlier run are replaced.

    A folder without a manifest is an unfinished one: whatever stops a run, it can be run again.

    Raises
    ------
    ConfigurationError
        If the folder holds something else than results.
    DataError
        If a file cannot be written.
    """
    clear(folder)
    for name, table in tables.items():
        write_table(folder / name, table)
    files = [folder / name for name in tables]
    files += draw_figures(folder, manifest, progress, workers)
    files += _documents(folder, manifest, progress)
    write_json(folder / RUN, run)
    write_json(folder / MANIFEST, {**manifest, "outputs": outputs(folder, files)})
    return Written(folder, (*files, folder / RUN, folder / MANIFEST))


def check_folder(folder: Path, kind: str = "experiment") -> None:
    """Raise ConfigurationError when a folder holds files but no results of this kind, or is a file."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: is a file; results need a folder")
    if (folder / MANIFEST).exists():
        held = read_manifest(folder).get("kind", "experiment")
        if held != kind:
            raise ConfigurationError(f"{folder}: holds the results of another kind ({held}); choose another folder")
        return
    known = _UNFINISHED.get(kind, frozenset())
    others = [path.name for path in folder.iterdir() if path.is_file() and path.name not in known]
    others = [name for name in others if not name.endswith(".part")]
    if others:
        shown = ", ".join(sorted(others)[:3])
        raise ConfigurationError(f"{folder}: holds files that are no results ({shown} …); choose an empty folder")


def clear(folder: Path, kind: str = "experiment") -> None:
    """Remove the results of an earlier run, the manifest first; files that no manifest names stay.

    ConfigurationError when the folder holds files but no results of this kind.
    """
    check_folder(folder, kind)
    for scratch in folder.rglob(".*.part"):  # of a run that was killed while it wrote
        scratch.unlink(missing_ok=True)
    if not (folder / MANIFEST).exists():
        return
    listed = read_manifest(folder).get("outputs", {})
    (folder / MANIFEST).unlink()
    for name in listed if isinstance(listed, dict) else ():
        path = folder / name
        if path.resolve().is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)


def redraw(folder: Path, progress: Progress, workers: int = 1) -> list[Path]:
    """Draw figures, papers' tables and the page of a folder of results again from its tables, and return them.

    DataError when it is no folder of results, or a table cannot be read.
    """
    found = read_manifest(folder)
    if found.get("kind") == "comparison":
        files = _drawn_comparison(folder, found, progress)
    else:
        files = [*draw_figures(folder, found, progress, workers), *_documents(folder, found, progress)]
    kept = found.get("outputs", {})
    named = {**(kept if isinstance(kept, dict) else {}), **outputs(folder, files)}
    write_json(folder / MANIFEST, {**found, "outputs": dict(sorted(named.items()))})
    return files


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
    return found


def _documents(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Write the tables for papers, and the page where it is wanted."""
    from phonxling.experiment.page import write_page  # its template engine waits until a page is written

    progress.step("writing tables and the page")
    page = [write_page(folder, manifest)] if manifest["configuration"]["report"]["html"] else []
    return [*write_paper_tables(folder, manifest), *page]
