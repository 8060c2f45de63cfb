"""Comparisons of finished results, written into folders of their own."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from phonxling.comparison.alike import settings_apart
from phonxling.comparison.compare import Choices, Comparison, compare_items, seed_of
from phonxling.comparison.items import KIND, READ, Item, read_items
from phonxling.core.files import digest
from phonxling.core.work import Progress
from phonxling.experiment.results import draw_comparison
from phonxling.load.resources import corpus_titles
from phonxling.results import folder as on_disk
from phonxling.results.tables import file_of, read_once, tables_of
from phonxling.version import __version__


def compare_results(
    results: Sequence[Path], folder: Path, choices: Choices, progress: Progress
) -> on_disk.WrittenFiles:
    """Compare finished results and write the comparison, when everything is computed."""
    on_disk.check_folder(folder, KIND)
    with on_disk.lock_folder(folder, progress.say, kind=KIND), read_once():
        progress.begin(2 * len(results) + 3)
        # A run that writes into one of them meanwhile is an error here: a comparison of two states would be of neither.
        with ExitStack() as readings:
            for result in results:
                readings.enter_context(on_disk.guard_reading(result))
            items = read_items(results, progress)
            compared = compare_items(items, choices, progress)
        if compared.phones.empty:
            progress.say("no two items share a gold phone: there is no phones.tsv")
        if compared.features.empty:
            progress.say("there is no features.tsv: the results' feature tables are not panphon's")
        with on_disk.replace_folder(folder) as new:
            made = {name: getattr(compared, name.rpartition("/")[-1]) for name in tables_of(KIND)}
            named = on_disk.write_tables(new, {name: table for name, table in made.items() if len(table)})
            manifest = _manifest(items, choices, compared, folder)
            drawn = draw_comparison(new, manifest, progress)
            on_disk.write_manifest(new, manifest, {**named, **on_disk.outputs(new, drawn)})
        written = on_disk.read_manifest(folder)["outputs"]
    return on_disk.WrittenFiles(folder, (*(folder / name for name in written), folder / on_disk.MANIFEST))


def _manifest(items: Sequence[Item], choices: Choices, compared: Comparison, folder: Path) -> dict[str, Any]:
    settings = items[0].settings
    # Of several folders, names alone tell which corpus is whose.
    titles = corpus_titles(settings["corpora"]) if len({item.folder for item in items}) == 1 else {}
    read = (on_disk.MANIFEST, *map(file_of, READ))
    inputs = {place / name for place in {item.folder for item in items} for name in read}
    return {
        "phonxling": __version__,
        "kind": KIND,
        "items": list(compared.items),
        "settings": {**asdict(choices), "seed": seed_of(items, choices), "level": settings["uncertainty"]["level"]},
        "differ": settings_apart(items),
        "inputs": dict(sorted((_relative_path(folder, path), digest(path)) for path in inputs)),
        "libraries": {name: version(name) for name in ("numpy", "scipy", "pandas", "matplotlib")},
        "figures": {key: settings["figures"][key] for key in ("formats", "width", "font")},
        "report": settings["report"],
        "corpora": {
            item.name: {
                "folder": _relative_path(folder, item.folder),
                "corpus": item.corpus,
                "title": titles.get(item.corpus, item.name),
                "signature": item.signature,
                "contents": item.contents,
            }
            for item in items
        },
    }


def _relative_path(folder: Path, path: Path) -> str:
    # From the comparison's folder, so that both can be moved together.
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
