"""What is made of tables in a folder: figures, papers' tables and the page; and what a notebook draws of them."""

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from phonxling.core.arrays import Floats
from phonxling.core.errors import DataError, PhonxlingError, join_problems
from phonxling.core.work import Progress
from phonxling.load.resources import corpus_titles, panphon_features
from phonxling.report.findings import numbers_alone, told_titles
from phonxling.report.paper import captions_file, captions_of, differences, typeset, write_paper_files, write_texts
from phonxling.results import folder as on_disk
from phonxling.tables.files import (
    check_tables,
    declared_table,
    files_in,
    read_numbers,
    read_once,
    read_table,
    read_utterance,
)

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


def write_results(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Write what is made of the tables in a folder: figures, papers' tables, the page; return the files."""
    with read_once():
        drawn = draw_figures(folder, manifest, progress)
        return [*drawn, *write_documents(folder, manifest, drawn, progress)]


def redraw(folder: Path, progress: Progress, kinds: Sequence[str] = ()) -> list[Path]:
    """Draw the figures again, of the kinds given or of those of the run, and write papers' tables and the page."""
    kind = on_disk.read_manifest(folder).get("kind", "experiment")
    with on_disk.locked(folder, progress.say, kind=kind):
        manifest = on_disk.whole_manifest(folder)
        named = manifest["outputs"]
        if kinds and "configuration" in manifest:
            settings = manifest["configuration"]
            manifest["configuration"] = {**settings, "figures": {**settings["figures"], "kinds": list(kinds)}}
        changed = _changed_tables(folder)
        if kind == "experiment":
            check_tables(folder, manifest["configuration"]["corpora"], changed)
        with on_disk.replacing(folder) as new, _of_changed_tables(folder, changed):
            for name in [*filter(declared_table, named), *({on_disk.RUN} & {path.name for path in folder.iterdir()})]:
                on_disk.link(folder / name, new / name)
            if kind == "comparison":
                with read_once():
                    files = draw_comparison(new, manifest, progress)
            else:
                files = write_results(new, manifest, progress)
            tables = {name: sha256 for name, sha256 in named.items() if declared_table(name)}
            on_disk.write_manifest(new, manifest, {**tables, **on_disk.outputs(new, files)})
    return [folder / path.relative_to(new) for path in files]


def _changed_tables(folder: Path) -> list[str]:
    """Return the tables that are not as they were written; DataError when one is gone."""
    problems = [problem for problem in on_disk.changed_outputs(folder) if declared_table(problem.partition(": ")[0])]
    if gone := [problem for problem in problems if problem.endswith(": is gone")]:
        told = f"{folder}: cannot be drawn, because tables are gone:"
        raise DataError(join_problems(told, gone, "Restore them, or run the experiment again."))
    return [problem.partition(": ")[0] for problem in problems]


@contextmanager
def _of_changed_tables(folder: Path, changed: Sequence[str]) -> Iterator[None]:
    """Tell of tables that were changed where they contradict each other so that nothing can be made of them."""
    try:
        yield
    except (PhonxlingError, OSError, MemoryError):
        raise
    except Exception as error:
        if not changed:
            raise
        told = f"{folder}: cannot be drawn, because tables were changed and contradict each other:"
        raise DataError(join_problems(told, changed, "Restore them, or run the experiment again.")) from error


def write_documents(folder: Path, manifest: Mapping[str, Any], drawn: Iterable[Path], progress: Progress) -> list[Path]:
    """Write what a paper takes, with the captions of the figures that were drawn, and the page; return the files."""
    from phonxling.report.page import write_page  # its template engine waits until a page is written

    progress.step("writing tables and the page")
    page = [write_page(folder, manifest)] if manifest["configuration"]["report"]["html"] else []
    return [*write_paper_files(folder, manifest, captions_of(drawn)), *page]


def draw_comparison(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Draw a comparison's figures, write what a paper takes from it, and its page where wanted; return the files."""
    from phonxling.comparison.alike import ranked
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
    wanted = manifest.get("report")  # which a comparison of an older version does not have
    page = [write_comparison_page(folder, manifest)] if isinstance(wanted, dict) and wanted.get("html") else []
    return [*drawn, *write_texts(folder, texts), *page]


def draw_figures(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Draw the chosen figures that the tables in a folder allow; return the files."""
    from phonxling.draw.style import font_warning

    progress.step("preparing figures")
    settings = manifest["configuration"]
    phones = _phones(_stored(folder, settings["corpora"], ["confusions"]))
    if warning := font_warning(settings["figures"]["font"], [*corpus_titles(settings["corpora"]).values(), *phones]):
        progress.say(warning)
    parts: list[str | None] = [*settings["corpora"], None]  # the last: the figures of all corpora together
    if len(parts) - 1 > (most := settings["figures"].get("each_up_to", len(parts))):
        here = f"{len(parts) - 1} corpora: figures and LaTeX tables of all together alone, because each has its own"
        progress.say(f"{here} up to {most} (figures: {{each_up_to: {len(parts) - 1}}} makes all)")
        parts = [None]
    progress.begin(len(parts) + 2)
    files: list[Path] = []
    for part in parts:
        progress.step(f"figures of {part or 'corpora together'}")
        files += _draw(folder, settings, part)
    return files


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
