"""What is made of tables in a folder: figures, papers' tables and the page; comparisons of results; a plan's files.

A run's manifest, or a comparison's, is written last: a folder without one holds no finished results.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from phonxling.comparison.compare import Choices, Comparison, compare_items, seed_of
from phonxling.comparison.items import CONTRASTS, KIND, READ, Item, ranked, read_items
from phonxling.comparison.plan import Plan
from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError, join_problems
from phonxling.core.files import digest
from phonxling.core.work import Progress
from phonxling.experiment.drawing import draw_figures, save_all
from phonxling.load.resources import corpus_titles
from phonxling.report.paper import difference_numbers, differences, typeset, write_paper_files, write_texts
from phonxling.store.folder import (
    MANIFEST,
    PAGE,
    RUN,
    Written,
    begin_writing,
    changed_outputs,
    check_folder,
    finish_redrawing,
    finish_writing,
    locked,
    manifest_of,
    note,
    outputs,
    read_manifest,
    reading,
    redrawing,
    whole_manifest,
    write_tables,
    writing,
)
from phonxling.store.tasks import Parts, kept
from phonxling.tables.files import (
    NUMBERS,
    check_tables,
    declared_table,
    files_in,
    read_once,
    read_table,
    write_json,
    write_table,
)
from phonxling.version import __version__
from phonxling.workers.compiled import saying_what_compiles


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


def redraw(folder: Path, progress: Progress, workers: int = 1, kinds: Sequence[str] = ()) -> list[Path]:
    """Draw the figures again, of the kinds given or of those of the run, and write papers' tables and the page."""
    whole_manifest(folder, manifest_of(folder).name)
    with locked(folder, progress.say):
        stored = read_manifest(folder, manifest_of(folder).name)
        manifest = whole_manifest(folder, manifest_of(folder).name)
        if kinds and "configuration" in manifest:
            settings = manifest["configuration"]
            manifest["configuration"] = {**settings, "figures": {**settings["figures"], "kinds": list(kinds)}}
        with redrawing(folder, manifest), read_once(), _of_changed_tables(folder, manifest):
            if manifest.get("kind") == "comparison":
                files = draw_comparison(folder, manifest, progress)
            else:
                check_tables(folder, manifest["configuration"]["corpora"], _changed_tables(folder, manifest))
                files = draw_figures(folder, manifest, progress, workers)
                files += write_documents(folder, manifest, progress)
        finish_redrawing(folder, stored, files)
    return files


def _changed_tables(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Return the tables that are not as they were written; DataError when one is gone."""
    named = {name: sha256 for name, sha256 in manifest["outputs"].items() if declared_table(name)}
    problems = [*changed_outputs(folder, {"outputs": named})]
    if gone := [problem for problem in problems if problem.endswith(": is gone")]:
        told = f"{folder}: cannot be drawn, because tables are gone:"
        raise DataError(join_problems(told, gone, "Restore them, or run the experiment again."))
    return [problem.partition(": ")[0] for problem in problems]


@contextmanager
def _of_changed_tables(folder: Path, manifest: Mapping[str, Any]) -> Iterator[None]:
    """Tell of tables that were changed where they contradict each other so that nothing can be made of them."""
    try:
        yield
    except (PhonxlingError, OSError, MemoryError):
        raise
    except Exception as error:
        changed = [problem for problem in changed_outputs(folder, manifest) if ".tsv: " in problem]
        if not changed:
            raise
        told = f"{folder}: cannot be drawn, because tables were changed and contradict each other:"
        raise DataError(join_problems(told, changed, "Restore them, or run the experiment again.")) from error


def write_documents(
    folder: Path, manifest: Mapping[str, Any], progress: Progress, earlier: Parts | None = None
) -> list[Path]:
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


def compare_results(results: Sequence[Path], folder: Path, choices: Choices, progress: Progress) -> Written:
    """Compare finished results and write the comparison; nothing is written before everything is computed."""
    for result in results:
        if folder.resolve() in (result.resolve(), *result.resolve().parents):
            raise ConfigurationError(f"{folder}: holds the results that are compared; choose another folder")
    check_folder(folder, KIND)
    with writing(folder, (), progress.say), saying_what_compiles(progress.say), read_once():
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
    """Draw a comparison's figures, write what a paper takes from it, and its page where wanted; return the files."""
    from phonxling.draw.figure import Stored  # matplotlib takes long to import
    from phonxling.draw.gallery import draw, tables_drawn
    from phonxling.draw.style import figure_options
    from phonxling.report.page_comparison import write_comparison_page

    progress.step("drawing figures")
    files = {name: f"{name}.tsv" for name in tables_drawn("comparison")}
    written = manifest.get("outputs", files_in("comparison"))  # of an older version: not every table
    tables = {name: read_table(folder, file) for name, file in files.items() if file in written}
    options = figure_options(manifest["figures"])
    drawings = draw(Stored(tables={"": tables}, options=options), "comparison")
    drawn = save_all(folder, drawings, options.formats)
    rows = read_table(folder, "comparison.tsv")
    table = differences(rows, [one for one in ranked() if one.short])
    texts = {**dict(typeset([("differences", table)])), "numbers.tex": difference_numbers(rows)}
    note(folder, [PAGE])
    wanted = manifest.get("report")  # which a comparison of an older version does not have
    page = [write_comparison_page(folder, manifest)] if isinstance(wanted, dict) and wanted.get("html") else []
    return [*drawn, *write_texts(folder, texts), *page]


def write_plan(plan: Plan, folder: Path) -> list[Path]:
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


def _manifest(items: Sequence[Item], choices: Choices, compared: Comparison, folder: Path) -> dict[str, Any]:
    settings = items[0].settings
    titles = corpus_titles(settings["corpora"]) if len({item.folder for item in items}) == 1 else {}
    read = (MANIFEST, *NUMBERS)
    inputs = [item.folder / name for item in items for name in read]
    for item in items:
        own = (*READ, CONTRASTS) if item.contrasts is not None else READ
        inputs += [item.folder / item.corpus / f"{name}.tsv" for name in own]
    return {
        "phonxling": __version__,
        "kind": KIND,
        "items": list(compared.items),
        "settings": {**asdict(choices), "seed": seed_of(items, choices)},
        "inputs": dict(sorted((_from(folder, path), digest(path)) for path in inputs)),
        "libraries": {name: version(name) for name in ("numpy", "scipy", "pandas", "matplotlib", "panphon")},
        "figures": {key: settings["figures"][key] for key in ("formats", "width", "font")},
        "report": settings["report"],
        "corpora": {
            item.name: {
                "folder": _from(folder, item.folder),
                "corpus": item.corpus,
                "title": titles.get(item.corpus, item.name),
            }
            for item in items
        },
    }


def _from(folder: Path, path: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
