"""What is made of the tables in a folder of results: figures, papers' tables, the page; by a run, or drawn again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phonxling.core.work import Progress
from phonxling.experiment.comparing import draw_comparison, write_documents
from phonxling.experiment.drawing import draw_figures
from phonxling.store.cache import Parts, kept
from phonxling.store.folder import (
    MANIFEST,
    RUN,
    Written,
    finish_redrawing,
    finish_writing,
    manifest_of,
    read_manifest,
    redrawing,
    whole_manifest,
)
from phonxling.store.locking import locked
from phonxling.tables.files import read_once, write_json


def write_results(
    folder: Path,
    manifest: Mapping[str, Any],
    parts: Parts,
    *,
    run: Mapping[str, Any],
    progress: Progress,
    workers: int,
) -> Written:
    """Write what is made of the tables in a folder (figures, papers' tables, the page), then the manifest."""
    with read_once():
        drawn = draw_figures(folder, manifest, progress, workers, parts)
        drawn += write_documents(folder, manifest, progress, parts)
    if parts.reused:
        progress.say(kept(parts.reused))
    write_json(folder / RUN, {**run, "reused": {**run["reused"], "parts": parts.reused}})
    finish_writing(folder, manifest, {**parts.tables, **parts.named})
    return Written(folder, (*(folder / name for name in parts.tables), *drawn, folder / RUN, folder / MANIFEST))


def redraw(folder: Path, progress: Progress, workers: int = 1) -> list[Path]:
    """Draw everything of a folder of results again, from its tables, and return the files."""
    whole_manifest(folder, manifest_of(folder).name)
    with locked(folder, progress.say):
        stored = read_manifest(folder, manifest_of(folder).name)
        manifest = whole_manifest(folder, manifest_of(folder).name)
        with redrawing(folder, manifest), read_once():
            if manifest.get("kind") == "comparison":
                files = draw_comparison(folder, manifest, progress)
            else:
                files = draw_figures(folder, manifest, progress, workers)
                files += write_documents(folder, manifest, progress)
        finish_redrawing(folder, stored, files)
    return files
