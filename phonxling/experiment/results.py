"""What is made of tables in a folder: figures, papers' tables and the page; and what a notebook draws of them.

The manifest is written last: a folder without one holds no finished results. Figures are drawn in processes of their
own where there are several workers.
"""

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError, PhonxlingError, join_problems
from phonxling.core.work import Progress
from phonxling.load.resources import corpus_titles, panphon_features
from phonxling.report.findings import numbers_alone, told_titles
from phonxling.report.paper import captions_file, captions_of, differences, typeset, write_paper_files, write_texts
from phonxling.store import folder as on_disk
from phonxling.store.tasks import Parts, kept
from phonxling.tables.files import (
    NUMBERS,
    check_tables,
    declared_table,
    files_in,
    read_numbers,
    read_once,
    read_table,
    read_utterance,
    write_json,
)
from phonxling.workers.scheduling import begin

if TYPE_CHECKING:
    import pandas as pd

    from phonxling.draw.figure import Drawing, Stored
    from phonxling.draw.style import FigureOptions


# matplotlib takes long to import, so whatever draws is imported when something is drawn

BESIDE = ("confusions", "phones", "missed")  # tables of the reference that may stand beside a target's
_PAIRS = "alignments"  # of which a figure shows one utterance
_CORPUS: Literal["corpus"] = "corpus"
_CORPORA: Literal["corpora"] = "corpora"
Corpora = Mapping[str, Mapping[str, "pd.DataFrame"]]


def write_results(
    folder: Path,
    manifest: Mapping[str, Any],
    parts: Parts,
    *,
    run: Mapping[str, Any],
    progress: Progress,
    workers: int,
) -> on_disk.Written:
    """Write what is made of the tables in a folder (figures, papers' tables, the page), then the manifest."""
    with read_once():
        drawn = draw_figures(folder, manifest, progress, workers, parts)
        drawn += write_documents(folder, manifest, drawn, progress, parts)
    if parts.reused:
        progress.say(kept(parts.reused))
    write_json(folder / on_disk.RUN, {**run, "reused": {**run["reused"], "parts": parts.reused}})
    on_disk.finish_writing(folder, manifest, {**parts.tables, **parts.named})
    return on_disk.Written(
        folder, (*(folder / name for name in parts.tables), *drawn, folder / on_disk.RUN, folder / on_disk.MANIFEST)
    )


def redraw(folder: Path, progress: Progress, workers: int = 1, kinds: Sequence[str] = ()) -> list[Path]:
    """Draw the figures again, of the kinds given or of those of the run, and write papers' tables and the page."""
    on_disk.whole_manifest(folder, on_disk.manifest_of(folder).name)
    with on_disk.locked(folder, progress.say):
        stored = on_disk.read_manifest(folder, on_disk.manifest_of(folder).name)
        manifest = on_disk.whole_manifest(folder, on_disk.manifest_of(folder).name)
        if kinds and "configuration" in manifest:
            settings = manifest["configuration"]
            manifest["configuration"] = {**settings, "figures": {**settings["figures"], "kinds": list(kinds)}}
        with on_disk.redrawing(folder, manifest), read_once(), _of_changed_tables(folder, manifest):
            if manifest.get("kind") == "comparison":
                files = draw_comparison(folder, manifest, progress)
            else:
                check_tables(folder, manifest["configuration"]["corpora"], _changed_tables(folder, manifest))
                files = draw_figures(folder, manifest, progress, workers)
                files += write_documents(folder, manifest, files, progress)
        on_disk.finish_redrawing(folder, stored, files)
    return files


def _changed_tables(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Return the tables that are not as they were written; DataError when one is gone."""
    named = {name: sha256 for name, sha256 in manifest["outputs"].items() if declared_table(name)}
    problems = [*on_disk.changed_outputs(folder, {"outputs": named})]
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
        changed = [problem for problem in on_disk.changed_outputs(folder, manifest) if ".tsv: " in problem]
        if not changed:
            raise
        told = f"{folder}: cannot be drawn, because tables were changed and contradict each other:"
        raise DataError(join_problems(told, changed, "Restore them, or run the experiment again.")) from error


def write_documents(
    folder: Path, manifest: Mapping[str, Any], drawn: Iterable[Path], progress: Progress, earlier: Parts | None = None
) -> list[Path]:
    """Write what a paper takes, with the captions of the figures that were drawn, and the page; return the files."""
    from phonxling.report.page import write_page  # its template engine waits until a page is written

    captions = captions_of(drawn)
    content = "tables and the page", (manifest, captions)
    if earlier is not None and (files := earlier.unchanged(*content)) is not None:
        return files
    progress.step("writing tables and the page")
    on_disk.note(folder, [on_disk.PAGE])
    page = [write_page(folder, manifest)] if manifest["configuration"]["report"]["html"] else []
    files = [*write_paper_files(folder, manifest, captions), *page]
    if earlier is not None:
        earlier.add(*content, files)
    return files


def draw_comparison(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Draw a comparison's figures, write what a paper takes from it, and its page where wanted; return the files."""
    from phonxling.comparison.items import ranked
    from phonxling.draw.figure import Stored
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
    texts = {**dict(typeset([("differences", table)])), "captions.tex": captions_file(captions_of(drawn))}
    on_disk.note(folder, [on_disk.PAGE])
    wanted = manifest.get("report")  # which a comparison of an older version does not have
    page = [write_comparison_page(folder, manifest)] if isinstance(wanted, dict) and wanted.get("html") else []
    return [*drawn, *write_texts(folder, texts), *page]


def draw_figures(
    folder: Path, manifest: Mapping[str, Any], progress: Progress, workers: int = 1, earlier: Parts | None = None
) -> list[Path]:
    """Draw the chosen figures that the tables in a folder allow; return the files, the same for any workers."""
    from phonxling.draw.style import font_warning

    progress.step("preparing figures")
    settings = manifest["configuration"]
    phones = _phones(_stored(folder, settings["corpora"], ["confusions"]))
    if warning := font_warning(settings["figures"]["font"], [*corpus_titles(settings["corpora"]).values(), *phones]):
        progress.say(warning)
        if earlier is not None:
            earlier.messages.append(warning)
    parts: list[str | None] = [*settings["corpora"], None]  # the last: the figures of all corpora together
    if len(parts) - 1 > (most := settings["figures"].get("each_up_to", len(parts))):
        here = f"{len(parts) - 1} corpora: figures and LaTeX tables of all together alone, because each has its own"
        progress.say(f"{here} up to {most} (figures: {{each_up_to: {len(parts) - 1}}} makes all)")
        parts = [None]
    numbers = read_numbers(folder)
    contents = {part: _content(part, settings, numbers) for part in parts}
    files = {part: None if earlier is None else earlier.unchanged(*contents[part]) for part in parts}
    missing = [part for part in parts if files[part] is None]
    progress.begin(len(missing) + 2)
    for part, drawn in _drawn(partial(_draw, folder, settings), missing, workers, progress):
        files[part] = drawn
        if earlier is not None:
            name, looks, tables = contents[part]
            earlier.add(name, looks, drawn, tables)
    return [file for part in parts for file in files[part] or ()]


def _content(part: str | None, settings: Mapping[str, Any], numbers: "pd.DataFrame") -> tuple[str, object, list[str]]:
    from phonxling.draw.gallery import tables_drawn
    from phonxling.draw.style import font_files

    titles = corpus_titles(settings["corpora"])
    looks = settings["figures"], font_files(settings["figures"]["font"])
    if part is not None:  # which shows no number of another corpus
        own = numbers[numbers["corpus"] == part].to_csv(index=False)
        reference = reference_of(settings)
        tables = [f"{part}/{name}.tsv" for name in tables_drawn("corpus", settings["figures"]["kinds"])]
        tables += [f"{reference}/{name}.tsv" for name in BESIDE if reference not in {None, part}]
        return f"figures of {part}", (looks, titles[part], titles.get(reference or ""), own), tables
    roles = [(name, about["role"]) for name, about in settings["corpora"].items()]
    drawn = tables_drawn("corpora", settings["figures"]["kinds"])
    joint = {_file(name, corpus) for corpus, _ in roles for name in drawn}
    settled = looks, roles, titles, settings["embedding"]["method"], settings["embedding"].get("fit")
    return "figures of corpora together", settled, [*NUMBERS, *sorted(joint)]


def _drawn(
    draw: Callable[[str | None], list[Path]], parts: list[str | None], workers: int, progress: Progress
) -> Iterator[tuple[str | None, list[Path]]]:
    """Yield each part with its files: drawn in processes, which end with this one; here where one was killed."""
    labels = {part: f"figures of {part or 'corpora together'}" for part in parts}
    waiting = list(parts)
    if min(workers, len(parts)) > 1:
        pool = ProcessPoolExecutor(min(workers, len(parts)), get_context("spawn"), initializer=begin)
        try:
            for part, future in {part: pool.submit(draw, part) for part in parts}.items():
                progress.step(labels[part])
                yield part, future.result()
                waiting.remove(part)
        except BaseException as error:
            for process in list((pool._processes or {}).values()):  # an interruption waits for no figure
                process.kill()
            if not isinstance(error, BrokenProcessPool):
                raise
            progress.say("a process that draws was killed; the rest is drawn one after the other")
        finally:
            pool.shutdown(cancel_futures=True)
    for part in waiting:
        progress.step(labels[part])
        yield part, draw(part)


def _draw(folder: Path, settings: Mapping[str, Any], part: str | None) -> list[Path]:
    from phonxling.draw.gallery import draw, tables_drawn
    from phonxling.draw.style import figure_options

    options, of = figure_options(settings["figures"]), _CORPORA if part is None else _CORPUS
    corpora = settings["corpora"] if part is None else [part]
    stored = stored_results(folder, settings, options, corpora=corpora, tables=tables_drawn(of, options.kinds))
    return save_all(folder, draw(stored, of), options.formats)


def stored_results(
    folder: Path,
    settings: Mapping[str, Any],
    options: "FigureOptions",
    *,
    corpora: Iterable[str],
    tables: Collection[str],
) -> "Stored":
    """Return what figures of these corpora are drawn from: these tables of each; DataError where one is bad."""
    from phonxling.draw.figure import Stored
    from phonxling.draw.labels import drawable

    titles = told_titles(settings["corpora"], numbers_alone(folder))
    stored = _stored(folder, corpora, tables)
    reference = reference_of(settings)
    mapped = [phone for own in stored.values() if "embedding" in own for phone in own["embedding"]["phone"]]
    return Stored(
        tables=stored,
        options=options,
        summary=read_numbers(folder),
        reference=reference,
        vectors=vectors_of(stored) if options.order == "features" or mapped else {},
        vowels=frozenset(phone for phone in mapped if panphon_features().is_vowel(phone)),
        method=settings["embedding"]["method"],
        own_maps=settings["embedding"].get("fit") == "own",
        titles={name: drawable(title) for name, title in titles.items()},
        of_reference={} if reference is None else dict(_tables(folder, reference, BESIDE)),
    )


def reference_of(settings: Mapping[str, Any]) -> str | None:
    return next((name for name, about in settings["corpora"].items() if about["role"] == "reference"), None)


def save_all(folder: Path, drawings: "Iterable[Drawing]", formats: Collection[str]) -> list[Path]:
    from phonxling.draw.save import save

    files: list[Path] = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # `font_warning` tells of it
        for drawing in drawings:
            on_disk.note(folder, [f"figures/{drawing.name}.{ending}" for ending in (*formats, "tsv", "txt")])
            files += save(drawing, folder / "figures", formats)
    return files


def _stored(folder: Path, corpora: Iterable[str], names: Iterable[str]) -> Corpora:
    return {corpus: dict(_tables(folder, corpus, names)) for corpus in corpora}


def _tables(folder: Path, corpus: str, names: Iterable[str]) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the tables that a corpus has, their names such as can be drawn; of its alignments one utterance alone."""
    from phonxling.draw.labels import with_drawable_names

    files = {name: file for name in names if (folder / (file := _file(name, corpus))).exists()}
    tables = {name: read_table(folder, file) for name, file in files.items() if name != _PAIRS}
    if _PAIRS in files:
        from phonxling.draw.timeline import shown_utterance

        utterance = shown_utterance(tables["utterances"], tables.get("posteriorgrams"))
        tables[_PAIRS] = read_utterance(folder, files[_PAIRS], utterance)
    yield from ((name, with_drawable_names(table)) for name, table in tables.items())


def _file(table: str, corpus: str) -> str:
    return f"{table}.tsv" if f"{table}.tsv" in files_in("results") else f"{corpus}/{table}.tsv"


def _phones(corpora: Corpora) -> list[str]:
    tables = [tables["confusions"] for tables in corpora.values() if "confusions" in tables]
    phones = [phone for table in tables for side in ("gold", "predicted") for phone in table[side]]
    return list(dict.fromkeys(phones))


def vectors_of(corpora: Corpora) -> dict[str, Floats]:
    table = panphon_features()
    vectors = {phone: table.vector(phone)[0] for phone in _phones(corpora)}
    return {phone: vector.astype(float) for phone, vector in vectors.items() if vector is not None}
