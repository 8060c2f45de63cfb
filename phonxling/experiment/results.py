"""What is made of the tables in a folder of results: figures, papers' tables, the page; by a run, or drawn again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class StoredTables:
    """The tables that stand in a folder: the manifest but for outputs, their sha256, what was reused and said."""

    manifest: Mapping[str, Any]
    files: Mapping[str, str]
    reused: Mapping[str, Any]
    messages: Sequence[str]


def write_results(
    folder: Path, tables: StoredTables, parts: Parts, *, run: Mapping[str, object], progress: Progress, workers: int
) -> Written:
    """Write what is made of the tables in a folder (figures, papers' tables, the page), then the manifest."""
    with read_once():
        drawn = draw_figures(folder, tables.manifest, progress, workers, parts)
        drawn += write_documents(folder, tables.manifest, progress, parts)
    if parts.reused:
        progress.say(kept(parts.reused))
    write_json(folder / RUN, {**run, "reused": {**tables.reused, "parts": parts.reused}})
    finish_writing(folder, tables.manifest, {**tables.files, **parts.named})
    return Written(folder, (*(folder / name for name in tables.files), *drawn, folder / RUN, folder / MANIFEST))


def redraw(folder: Path, progress: Progress, workers: int = 1) -> list[Path]:
    """Draw everything of a folder of results again, from its tables, and return the files."""
    whole_manifest(folder, manifest_of(folder).name)
    with locked(folder, progress.say):
        stored = read_manifest(folder, manifest_of(folder).name)
        manifest = whole_manifest(folder, manifest_of(folder).name)
        with redrawing(folder, manifest):
            if manifest.get("kind") == "comparison":
                files = draw_comparison(folder, manifest, progress)
            else:
                with read_once():
                    files = draw_figures(folder, manifest, progress, workers)
                    files += write_documents(folder, manifest, progress)
        finish_redrawing(folder, stored, files)
    return files
