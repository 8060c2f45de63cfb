"""What is made of finished results: a comparison's folder, its manifest last; a plan's own small files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from phonxling.comparison.compare import Choices, Comparison, compare_items, seed_of
from phonxling.comparison.items import KIND, READ, Item, read_items
from phonxling.comparison.other_gold import ranked
from phonxling.comparison.plan import Plan
from phonxling.core.errors import ConfigurationError
from phonxling.core.files import digest
from phonxling.core.work import Progress
from phonxling.experiment.drawing import figure_options, save_all
from phonxling.load.resources import corpus_titles
from phonxling.report.paper import difference_numbers, differences, typeset, write_paper_files, write_texts
from phonxling.store.cache import Parts
from phonxling.store.folder import (
    MANIFEST,
    PAGE,
    Written,
    begin_writing,
    check_folder,
    finish_writing,
    note,
    outputs,
    reading,
    write_tables,
    writing,
)
from phonxling.tables.columns import files_in
from phonxling.tables.files import NUMBERS, read_table, write_table
from phonxling.version import __version__
from phonxling.workers.compiled import saying_what_compiles

# The tables for papers and the page of a folder of results, from its stored tables.


def write_documents(
    folder: Path, manifest: Mapping[str, Any], progress: Progress, earlier: Parts | None = None
) -> list[Path]:
    """Write the tables for papers, and the page where it is wanted, and return the files."""
    from phonxling.report.page import write_page  # its template engine waits until a page is written

    if earlier is not None and (files := earlier.unchanged("tables and the page", manifest)) is not None:
        return files
    progress.step("writing tables and the page")
    note(folder, [PAGE])
    page = [write_page(folder, manifest)] if manifest["configuration"]["report"]["html"] else []
    files = [*write_paper_files(folder, manifest), *page]
    if earlier is not None:
        earlier.add("tables and the page", manifest, files)
    return files


def write_comparison_files(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Write what a paper takes from a comparison, and its page where it is wanted, and return the files."""
    from phonxling.report.page_comparison import write_comparison_page

    rows = read_table(folder, "comparison.tsv")
    table = differences(rows, [one for one in ranked() if one.short])
    texts = {**dict(typeset([("differences", table)])), "numbers.tex": difference_numbers(rows)}
    note(folder, [PAGE])
    wanted = manifest.get("report")  # which a comparison of an older version does not have
    page = [write_comparison_page(folder, manifest)] if isinstance(wanted, dict) and wanted.get("html") else []
    return [*write_texts(folder, texts), *page]


def compare_results(results: Sequence[Path], folder: Path, choices: Choices, progress: Progress) -> Written:
    """Compare finished results and write the comparison; nothing is written before everything is computed."""
    _check_output(folder, results)
    with writing(folder, (), progress.say), saying_what_compiles(progress.say):
        return _compared(results, folder, choices, progress)


def _compared(results: Sequence[Path], folder: Path, choices: Choices, progress: Progress) -> Written:
    progress.begin(2 * len(results) + 3)
    with ExitStack() as readings:
        for result in results:
            readings.enter_context(reading(result))
        items = read_items(results, progress)
        compared = compare_items(items, choices, progress)
    if compared.phones.empty:
        progress.say("no two items share a gold phone: phones.tsv has no rows")
    if compared.features.empty:
        progress.say("features.tsv has no rows: the results' feature tables are not panphon's")
    begin_writing(folder)
    named = write_tables(folder, {file: getattr(compared, Path(file).stem) for file in files_in("comparison")})
    manifest = _manifest(items, choices, compared, folder)
    drawn = draw_comparison(folder, manifest, progress)
    finish_writing(folder, manifest, {**named, **outputs(folder, drawn)})
    return Written(folder, (*(folder / name for name in named), *drawn, folder / MANIFEST))


def draw_comparison(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Draw a comparison's figures, write its tables for papers and its page, and return the files."""
    from phonxling.draw.figure import Stored  # matplotlib takes long to import
    from phonxling.draw.gallery import draw, tables_drawn

    files = {name: f"{name}.tsv" for name in tables_drawn("comparison")}
    written = manifest.get("outputs", files_in("comparison"))  # of an older version: not every table
    tables = {name: read_table(folder, file) for name, file in files.items() if file in written}
    options = figure_options(manifest["figures"])
    drawings = draw(Stored(tables={"": tables}, options=options), "comparison")
    return [*save_all(folder, drawings, options.formats, progress), *write_comparison_files(folder, manifest)]


def write_plan(plan: Plan, folder: Path) -> list[Path]:
    """Write a plan's table and figure into a folder, and return the files; an earlier plan there is replaced."""
    from phonxling.draw.figure import Stored
    from phonxling.draw.gallery import draw
    from phonxling.draw.save import save
    from phonxling.draw.style import FigureOptions

    if (folder / MANIFEST).exists():
        raise ConfigurationError(f"{folder}: holds results; choose another folder for the plan")
    write_table(folder, "plan.tsv", plan.table)
    stored = Stored(tables={"": {"plan": plan.table}}, options=FigureOptions())
    drawn = [file for one in draw(stored, "plan") for file in save(one, folder, stored.options.formats)]
    return [folder / "plan.tsv", *drawn]


def _check_output(folder: Path, results: Sequence[Path]) -> None:
    for result in results:
        if folder.resolve() in (result.resolve(), *result.resolve().parents):
            raise ConfigurationError(f"{folder}: holds the results that are compared; choose another folder")
    check_folder(folder, KIND)


def _manifest(items: Sequence[Item], choices: Choices, compared: Comparison, folder: Path) -> dict[str, Any]:
    figures = items[0].settings["figures"]
    return {
        "phonxling": __version__,
        "kind": KIND,
        "items": list(compared.items),
        "settings": {**asdict(choices), "seed": seed_of(items, choices)},
        "inputs": dict(sorted(_inputs(items, folder))),
        "libraries": {name: version(name) for name in ("numpy", "scipy", "pandas", "matplotlib", "panphon")},
        "figures": {key: figures[key] for key in ("formats", "width", "font")},
        "report": items[0].settings["report"],
        "corpora": dict(_places(items, folder)),
    }


def _places(items: Sequence[Item], folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where each item's results are, from the comparison's folder, and what the item is called on the page."""
    alone = len({item.folder for item in items}) == 1
    titles = corpus_titles(items[0].settings["corpora"]) if alone else {}
    for item in items:
        place = Path(os.path.relpath(item.folder.resolve(), folder.resolve())).as_posix()
        yield item.name, {"folder": place, "corpus": item.corpus, "title": titles.get(item.corpus, item.name)}


def _inputs(items: Sequence[Item], folder: Path) -> Iterator[tuple[str, str]]:
    for item in items:
        for name in (MANIFEST, *NUMBERS, *(f"{item.corpus}/{table}.tsv" for table in READ)):
            path = item.folder / name
            yield Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix(), digest(path)
