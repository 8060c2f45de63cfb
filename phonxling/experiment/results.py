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
from phonxling.report.findings import display_titles, numbers_alone
from phonxling.report.guide import write_guide
from phonxling.report.paper import EACH_UP_TO, captions_file, differences, typeset, write_paper_files, write_texts
from phonxling.results import folder as on_disk
from phonxling.results.tables import (
    check_tables,
    has_table,
    is_table,
    read_once,
    read_table,
    read_utterance,
    table_if_any,
)

if TYPE_CHECKING:
    import pandas as pd

    from phonxling.draw.figure import Drawing, StoredTables
    from phonxling.draw.style import FigureOptions


# matplotlib takes long to import, so whatever draws is imported when something is drawn

_PAIRS = "alignments"  # of which a figure shows one utterance
_CORPUS: Literal["corpus"] = "corpus"
_CORPORA: Literal["corpora"] = "corpora"
Corpora = Mapping[str, Mapping[str, "pd.DataFrame"]]


def write_results(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Write what is made of the tables in a folder: figures, papers' tables, the page; return the files."""
    with read_once():
        drawn, captions = draw_figures(folder, manifest, progress)
        return [
            *drawn,
            *write_documents(folder, manifest, captions, progress),
            *write_guide(folder, manifest["name"], manifest["phonxling"]),
        ]


def redraw(folder: Path, progress: Progress, kinds: Sequence[str] = ()) -> list[Path]:
    """Draw the figures again, of the kinds given or of those of the run, and write papers' tables and the page."""
    kind = on_disk.read_manifest(folder).get("kind", "experiment")
    with on_disk.lock_folder(folder, progress.say, kind=kind):
        manifest = on_disk.whole_manifest(folder)
        named = manifest["outputs"]
        if kinds and "configuration" in manifest:
            settings = manifest["configuration"]
            manifest["configuration"] = {**settings, "figures": {**settings["figures"], "kinds": list(kinds)}}
        changed = _changed_tables(folder)
        if kind == "experiment":
            check_tables(folder, manifest["configuration"]["corpora"], changed)
        with on_disk.replace_folder(folder) as new, _of_changed_tables(folder, changed):
            tables = {name: sha256 for name, sha256 in named.items() if is_table(name)}
            for name in [*tables, *({on_disk.RUN} & {path.name for path in folder.iterdir()})]:
                on_disk.link(folder / name, new / name)
            if kind == "comparison":
                with read_once():
                    files = draw_comparison(new, manifest, progress)
            else:
                files = write_results(new, manifest, progress)
            on_disk.write_manifest(new, manifest, {**tables, **on_disk.outputs(new, files)})
    return [folder / path.relative_to(new) for path in files]


def _changed_tables(folder: Path) -> list[str]:
    """Return the tables that are not as they were written; DataError when one is gone."""
    problems = [problem for problem in on_disk.changed_outputs(folder) if is_table(problem.partition(": ")[0])]
    if gone := [problem for problem in problems if problem.endswith(": is gone")]:
        fault = f"{folder}: cannot be drawn, because tables are gone:"
        raise DataError(join_problems(fault, gone, "Restore them, or run the experiment again."))
    return [problem.partition(": ")[0] for problem in problems]


@contextmanager
def _of_changed_tables(folder: Path, changed: Sequence[str]) -> Iterator[None]:
    """Tell of tables that were changed where they contradict each other so that nothing can be made of them."""
    try:
        yield
    # These say themselves what is wrong; of anything else, a table that somebody changed is the likeliest cause.
    except (PhonxlingError, OSError, MemoryError):
        raise
    except Exception as error:
        if not changed:
            raise
        fault = f"{folder}: cannot be drawn, because tables were changed and contradict each other:"
        raise DataError(join_problems(fault, changed, "Restore them, or run the experiment again.")) from error


def write_documents(
    folder: Path, manifest: Mapping[str, Any], captions: Mapping[str, str], progress: Progress
) -> list[Path]:
    """Write what a paper takes, with the captions of the figures that were drawn, and the page; return the files."""
    from phonxling.report.page import write_page  # its template engine waits until a page is written

    progress.step("writing tables and the page")
    page = [write_page(folder, manifest)] if manifest["configuration"]["report"]["html"] else []
    return [*write_paper_files(folder, manifest, captions), *page]


def draw_comparison(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Draw a comparison's figures, write what a paper takes from it, and its page where wanted; return the files."""
    from phonxling.analyses.languages import ranked_measures
    from phonxling.draw.gallery import draw, tables_drawn
    from phonxling.draw.style import figure_options
    from phonxling.report.page_comparison import places_of, write_comparison_page

    places_of(folder, manifest)
    progress.step("drawing figures")
    options = figure_options(manifest["figures"])
    drawings = draw(stored_comparison(folder, options, tables_drawn("comparison")), "comparison")
    drawn, captions = save_all(folder, drawings, options.formats)
    rows, shown = read_table(folder, "comparison/differences"), [one for one in ranked_measures() if one.short]
    table = differences(rows, shown, manifest["settings"]["level"])
    texts = {**dict(typeset([("differences", table)])), "captions.tex": captions_file(captions)}
    page = [write_comparison_page(folder, manifest)] if manifest["report"].get("html") else []
    return [*drawn, *write_texts(folder, texts), *page]


def draw_figures(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> tuple[list[Path], dict[str, str]]:
    """Draw the chosen figures that the tables in a folder allow; return the files, and captions by figures' names."""
    from phonxling.draw.style import font_warning

    progress.step("preparing figures")
    settings = manifest["configuration"]
    phones = _phones(_load_stored(folder, settings["corpora"], ["confusions"]))
    if warning := font_warning(settings["figures"]["font"], [*corpus_titles(settings["corpora"]).values(), *phones]):
        progress.say(warning)
    parts: list[str | None] = [*settings["corpora"], None]  # the last: the figures of all corpora together
    # Hundreds of languages would have thousands of files, which nobody opens.
    if len(parts) - 1 > EACH_UP_TO:
        kinds = "figures and LaTeX tables are of all together"
        progress.say(f"{len(parts) - 1} corpora: {kinds}; up to {EACH_UP_TO}, each corpus has its own, too")
        parts = [None]
    progress.begin(len(parts) + 2)
    files, captions = list[Path](), dict[str, str]()
    for part in parts:
        progress.step(f"figures of {part or 'corpora together'}")
        drawn, own = _draw(folder, settings, part)
        files, captions = [*files, *drawn], captions | own
    return files, captions


def _draw(folder: Path, settings: Mapping[str, Any], part: str | None) -> tuple[list[Path], dict[str, str]]:
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
) -> "StoredTables":
    """Return what figures of these corpora are drawn from: these tables of each; DataError where one is bad."""
    from phonxling.draw.figure import StoredTables
    from phonxling.draw.sheet import drawable_name

    titles = display_titles(settings["corpora"], numbers_alone(folder))
    stored = _load_stored(folder, corpora, tables)
    references = (name for name, about in settings["corpora"].items() if about["role"] == "reference")
    mapped = [phone for own in stored.values() if "map" in own for phone in own["map"]["phone"]]
    return StoredTables(
        tables=stored,
        options=options,
        summary=read_table(folder, "summary"),
        reference=next(references, None),
        vectors=vectors_of(stored) if options.order == "features" or mapped else {},
        vowels=frozenset(phone for phone in mapped if panphon_features().is_vowel(phone)),
        method=settings["map"]["method"],
        titles={name: drawable_name(title) for name, title in titles.items()},
    )


def stored_comparison(folder: Path, options: "FigureOptions", tables: Iterable[str]) -> "StoredTables":
    """Return what figures of a comparison are drawn from."""
    from phonxling.draw.figure import StoredTables

    compared = {name: table_if_any(folder, f"comparison/{name}") for name in tables}
    return StoredTables(tables={"": compared}, options=options)


def save_all(
    folder: Path, drawings: "Iterable[Drawing]", formats: Collection[str]
) -> tuple[list[Path], dict[str, str]]:
    """Write figures; return the files, and the captions by the figures' names."""
    files, captions = list[Path](), dict[str, str]()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # `font_warning` tells of it
        for drawing in drawings:
            files += drawing.save(folder / "figures", formats)
            captions[drawing.name] = drawing.caption
    return files, captions


def _load_stored(folder: Path, corpora: Iterable[str], names: Collection[str]) -> Corpora:
    return {corpus: dict(_tables(folder, corpus, names)) for corpus in corpora}


def _tables(folder: Path, corpus: str, names: Collection[str]) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the tables that a corpus has, their names such as can be drawn; of its alignments one utterance alone."""
    from phonxling.draw.sheet import with_drawable_names

    tables = {name: table_if_any(folder, name, corpus) for name in names if name != _PAIRS}
    if _PAIRS in names and has_table(folder, _PAIRS):
        from phonxling.draw.utterances import shown_utterance

        tables[_PAIRS] = read_utterance(folder, corpus, shown_utterance(tables["utterances"]))
    yield from ((name, with_drawable_names(table)) for name, table in tables.items())


def _phones(corpora: Corpora) -> list[str]:
    tables = [tables["confusions"] for tables in corpora.values() if "confusions" in tables]
    phones = [phone for table in tables for side in ("gold", "predicted") for phone in table[side]]
    return list(dict.fromkeys(phones))


def vectors_of(corpora: Corpora) -> dict[str, Floats]:
    table = panphon_features()
    vectors = {phone: table.vector(phone)[0] for phone in _phones(corpora)}
    return {phone: vector.astype(float) for phone, vector in vectors.items() if vector is not None}
