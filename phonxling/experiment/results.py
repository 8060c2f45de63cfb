"""What is made of tables in a folder: figures, papers' tables and the page, and comparisons; what a notebook draws.

matplotlib, SciPy and the comparison take long to import, so they wait until something is drawn or compared.
"""

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from phonxling.analyses.features import with_consonants
from phonxling.analyses.measures import headline, json_key, stored_estimates
from phonxling.configuration.checks import check_width, did_you_mean
from phonxling.core.arrays import Floats
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError, check_arguments, join_problems
from phonxling.core.estimate import Estimate, ReadableValue, format_count, list_phones, tidy
from phonxling.core.files import digest
from phonxling.core.inventory import GAP
from phonxling.core.spelling import Query
from phonxling.core.work import Progress
from phonxling.load.resources import corpus_titles, panphon_features
from phonxling.phones.chart import natural_classes
from phonxling.report.findings import display_titles, numbers_alone
from phonxling.report.guide import write_guide
from phonxling.report.numbers import round_number
from phonxling.report.paper import EACH_UP_TO, captions_file, differences, typeset, write_paper_files, write_texts
from phonxling.results import folder as on_disk, tables as on_file
from phonxling.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from phonxling.comparison.compare import Choices
    from phonxling.comparison.items import Item
    from phonxling.draw.figure import Drawing, Figure, StoredTables
    from phonxling.draw.style import FigureOptions

_PAIRS = "alignments"  # of which a figure shows one utterance
Corpora = Mapping[str, Mapping[str, "pd.DataFrame"]]
_SHOWN_ROWS = 5  # folders that a message names
_CLASSES = {"plosives": "stops"}  # other names of natural classes


def write_results(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> list[Path]:
    """Write what is made of the tables in a folder: figures, papers' tables, the page; return the files."""
    with on_file.read_once():
        drawn, captions = draw_figures(folder, manifest, progress)
        written = write_documents(folder, manifest, captions, progress)
        return [*drawn, *written, *write_guide(folder, manifest["name"], manifest["phonxling"])]


def redraw(folder: Path, progress: Progress, kinds: Sequence[str] = ()) -> list[Path]:
    """Draw the figures again, of the kinds given or of those of the run, and write papers' tables and the page."""
    kind = on_disk.read_manifest(folder).get("kind", "experiment")
    with on_disk.lock_folder(folder, progress.say, kind=kind):
        manifest, remedy = on_disk.whole_manifest(folder), "Restore them, or run the experiment again."
        if kinds and "configuration" in manifest:
            settings = manifest["configuration"]
            manifest["configuration"] = {**settings, "figures": {**settings["figures"], "kinds": list(kinds)}}
        problems = [*on_disk.changed_outputs(folder)]
        # It would be written again as if it were whole.
        if own := [each for each in problems if each.startswith(f"{on_disk.MANIFEST}: ")]:
            raise DataError(join_problems(f"{folder}: cannot be drawn, because settings were changed:", own, remedy))
        problems = [each for each in problems if on_file.is_table(each.partition(": ")[0])]
        if gone := [each for each in problems if each.endswith(": is gone")]:
            raise DataError(join_problems(f"{folder}: cannot be drawn, because tables are gone:", gone, remedy))
        changed = [each.partition(": ")[0] for each in problems]
        if kind == "experiment":
            on_file.check_tables(folder, manifest["configuration"]["corpora"], changed)
        with on_disk.replace_folder(folder) as new:
            tables = {name: sha256 for name, sha256 in manifest["outputs"].items() if on_file.is_table(name)}
            for name in [*tables, *({on_disk.RUN} & {path.name for path in folder.iterdir()})]:
                on_disk.link(folder / name, new / name)
            try:
                with on_file.read_once():
                    files = (draw_comparison if kind == "comparison" else write_results)(new, manifest, progress)
            # These say what is wrong; of anything else, a table that somebody changed is the likeliest cause.
            except Exception as error:
                if not changed or isinstance(error, PhonxlingError | OSError | MemoryError):
                    raise
                fault = f"{folder}: cannot be drawn, because tables were changed and contradict each other:"
                raise DataError(join_problems(fault, changed, remedy)) from error
            on_disk.write_manifest(new, manifest, {**tables, **on_disk.outputs(new, files)})
    return [folder / path.relative_to(new) for path in files]


def write_documents(
    folder: Path, manifest: Mapping[str, Any], captions: Mapping[str, str], progress: Progress
) -> list[Path]:
    """Write what a paper takes, with the captions of the figures that were drawn, and the page; return the files."""
    from phonxling.report.page import write_page  # its template engine waits until a page is written

    progress.step("writing tables and the page")
    page = [write_page(folder, manifest)] if manifest["configuration"]["report"]["html"] else []
    return [*write_paper_files(folder, manifest, captions), *page]


def compare_results(results: Sequence[Path], folder: Path, choices: "Choices", progress: Progress) -> None:
    """Compare finished results and write the comparison, when everything is computed."""
    from phonxling.comparison.compare import compare_items
    from phonxling.comparison.items import KIND, read_items

    on_disk.check_folder(folder, KIND)
    with on_disk.lock_folder(folder, progress.say, kind=KIND), on_file.read_once():
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
            made = {name: getattr(compared, name.rpartition("/")[-1]) for name in on_file.tables_of(KIND)}
            named = on_disk.write_tables(new, {name: table for name, table in made.items() if len(table)})
            manifest = _describe_comparison(items, choices, list(compared.items), folder)
            drawn = draw_comparison(new, manifest, progress)
            on_disk.write_manifest(new, manifest, {**named, **on_disk.outputs(new, drawn)})


def _describe_comparison(items: "Sequence[Item]", choices: "Choices", names: list[str], folder: Path) -> dict[str, Any]:
    from phonxling.comparison.alike import settings_apart
    from phonxling.comparison.compare import seed_of
    from phonxling.comparison.items import KIND, READ

    def relative(path: Path) -> str:  # from the comparison's folder, so that both can be moved together
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()

    settings = items[0].settings
    # Of several folders, names alone tell which corpus is whose.
    titles = corpus_titles(settings["corpora"]) if len({item.folder for item in items}) == 1 else {}
    read = (on_disk.MANIFEST, *map(on_file.file_of, READ))
    inputs = {place / name for place in {item.folder for item in items} for name in read}
    return {
        "phonxling": __version__,
        "kind": KIND,
        "items": names,
        "settings": {**asdict(choices), "seed": seed_of(items, choices), "level": settings["uncertainty"]["level"]},
        "differ": settings_apart(items),
        "inputs": dict(sorted((relative(path), digest(path)) for path in inputs)),
        "libraries": {name: version(name) for name in ("numpy", "scipy", "pandas", "matplotlib")},
        "figures": {key: settings["figures"][key] for key in ("formats", "width", "font")},
        "report": settings["report"],
        "corpora": {
            item.name: {
                "folder": relative(item.folder),
                "corpus": item.corpus,
                "title": titles.get(item.corpus, item.name),
                "signature": item.signature,
                "contents": item.contents,
            }
            for item in items
        },
    }


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
    drawn, captions = _save_figures(folder, drawings, options.formats)
    rows, shown = on_file.read_table(folder, "comparison/differences"), [one for one in ranked_measures() if one.short]
    table = differences(rows, shown, manifest["settings"]["level"])
    texts = {**dict(typeset([("differences", table)])), "captions.tex": captions_file(captions)}
    page = [write_comparison_page(folder, manifest)] if manifest["report"].get("html") else []
    return [*drawn, *write_texts(folder, texts), *page]


def draw_figures(folder: Path, manifest: Mapping[str, Any], progress: Progress) -> tuple[list[Path], dict[str, str]]:
    """Draw the chosen figures that the tables in a folder allow; return the files, and captions by figures' names."""
    from phonxling.draw.gallery import draw, tables_drawn
    from phonxling.draw.style import figure_options, font_warning

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
    options, files, captions = figure_options(settings["figures"]), list[Path](), dict[str, str]()
    for part in parts:
        progress.step(f"figures of {part or 'corpora together'}")
        of: Literal["corpus", "corpora"] = "corpora" if part is None else "corpus"
        corpora, tables = settings["corpora"] if part is None else [part], tables_drawn(of, options.kinds)
        stored = stored_results(folder, settings, options, corpora=corpora, tables=tables)
        drawn, own = _save_figures(folder, draw(stored, of), options.formats)
        files, captions = [*files, *drawn], captions | own
    return files, captions


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
    from phonxling.draw.sheet import LONGEST_TITLE, drawable_name

    titles = display_titles(settings["corpora"], numbers_alone(folder))
    stored = _load_stored(folder, corpora, tables)
    references = (name for name, about in settings["corpora"].items() if about["role"] == "reference")
    mapped = [phone for own in stored.values() if "map" in own for phone in own["map"]["phone"]]
    return StoredTables(
        tables=stored,
        options=options,
        summary=on_file.read_table(folder, "summary"),
        reference=next(references, None),
        vectors=vectors_of(stored) if options.order == "features" or mapped else {},
        vowels=frozenset(phone for phone in mapped if panphon_features().is_vowel(phone)),
        method=settings["map"]["method"],
        titles={name: drawable_name(title, LONGEST_TITLE) for name, title in titles.items()},
    )


def stored_comparison(folder: Path, options: "FigureOptions", tables: Iterable[str]) -> "StoredTables":
    """Return what figures of a comparison are drawn from."""
    from phonxling.draw.figure import StoredTables

    compared = {name: on_file.table_if_any(folder, f"comparison/{name}") for name in tables}
    return StoredTables(tables={"": compared}, options=options)


def _save_figures(
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
    """Return the tables that each corpus has, their names such as can be drawn; of its alignments one utterance."""
    from phonxling.draw.sheet import with_drawable_names
    from phonxling.draw.utterances import shown_utterance

    stored: dict[str, dict[str, pd.DataFrame]] = {}
    for corpus in corpora:
        tables = {name: on_file.table_if_any(folder, name, corpus) for name in names if name != _PAIRS}
        # The table of aligned pairs may be larger than memory: its figure shows one utterance.
        if _PAIRS in names and on_file.has_table(folder, _PAIRS):
            tables[_PAIRS] = on_file.read_utterance(folder, corpus, shown_utterance(tables["utterances"]))
        stored[corpus] = {name: with_drawable_names(table) for name, table in tables.items()}
    return stored


def _phones(corpora: Corpora) -> list[str]:
    tables = [tables["confusions"] for tables in corpora.values() if "confusions" in tables]
    return [*dict.fromkeys(phone for table in tables for side in ("gold", "predicted") for phone in table[side])]


def vectors_of(corpora: Corpora) -> dict[str, Floats]:
    vectors = {phone: panphon_features().vector(phone)[0] for phone in _phones(corpora)}
    return {phone: vector.astype(float) for phone, vector in vectors.items() if vector is not None}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Results(ReadableValue):
    """The results of a run, or a comparison, in a folder; each table is read from there at its first use.

    `manifest` tells what made them: configuration, inputs, versions, and the files with their sha256. Each table is an
    attribute with the rows of all corpora: `r.summary`, `r.phones`; `r.table("confusions", "yoruba")` has those of one.
    Of a corpus, every number is an `Estimate` by its name: `r["yoruba"]["wper"]`. `r.figure("map")` draws.
    """

    folder: Path
    manifest: Mapping[str, Any] = field(repr=False)

    def __fspath__(self) -> str:  # results stand wherever their folder may: px.compare(a, b)
        return str(self.folder)

    def _facts(self) -> Iterator[str]:
        yield f"{self.name} in {self.folder}"
        named = f"{format_count(len(self.corpora), 'corpus', 'corpora')}: {list_phones(self.corpora)}"
        yield named if self.corpora else "a comparison"
        yield f"{format_count(len(self.tables), 'table')}: {list_phones(self.tables, _SHOWN_ROWS)}"

    def _head(self) -> "pd.DataFrame | None":
        if not self.corpora:
            return None
        numbers = {
            (row["corpus"], row["measure"], row["variant"]): round_number(row["value"], row["low"], row["high"])
            for row in self.table("summary").dropna(subset="value").to_dict("records")
        }
        known = {key[1:] for key in numbers}
        named = [one for one in headline() if one.short and (one.name, one.variant) in known]
        columns = {
            one.short: [numbers.get((corpus, one.name, one.variant), "") for corpus in self.corpora] for one in named
        }
        return tidy({"corpus": [*self.corpora], **columns})

    @property
    def name(self) -> str:
        """The name of the experiment; that of its folder for a comparison."""
        return str(self.manifest.get("configuration", {}).get("name", self.folder.name))

    @property
    def corpora(self) -> tuple[str, ...]:
        """The names of the corpora; of a comparison, none."""
        return tuple(self.manifest.get("configuration", {}).get("corpora", ()))

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that there are."""
        known = on_file.tables_of("comparison" if self.manifest.get("kind") == "comparison" else "results")
        return tuple(name.rpartition("/")[-1] for name in known if on_file.file_of(name) in self.manifest["outputs"])

    def __getattr__(self, name: str) -> "pd.DataFrame":
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.tables:
            return self.table(name)
        raise AttributeError(f"results have no {name!r}; {self._lacks('table', name, self.tables)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __getitem__(self, corpus: str) -> dict[str, Estimate]:
        """Return every number of a corpus by its name, a variant after a colon; KeyError without such a corpus."""
        if corpus not in self.corpora:
            raise KeyError(self._lacks("corpus", corpus, self.corpora))
        level = float(self.manifest["configuration"]["uncertainty"]["level"])
        stored = stored_estimates(on_file.read_rows(self.folder, "summary", corpus), level)
        return {json_key(*key): number for key, number in stored.items()}

    def table(self, name: str, corpus: str | None = None) -> "pd.DataFrame":
        """Return a table by its name, of one corpus, or of all that have it with `corpus` as the first column.

        Columns of text are strings (a phone called nan or NA stays one), whole numbers int64 (float64 where some are
        missing), all other numbers float64: missing is NaN, infinite is inf. docs/tables.md says what each column is.
        DataError if there is no such table or corpus, the file is another table, or a run is writing there.
        """
        if corpus is not None and corpus not in self.corpora:
            raise DataError(self._lacks("corpus", corpus, self.corpora))
        if name not in self.tables:
            raise DataError(self._lacks("table", name, self.tables))
        kind = "" if self.corpora else "comparison/"
        with on_disk.guard_reading(self.folder):
            return on_file.typed_table(self.folder, kind + name, corpus or "")

    def to_frame(self) -> "pd.DataFrame":
        """Return the summary; of a comparison, its differences."""
        return self.table("summary" if self.corpora else "differences")

    def figure(self, name: str = "confusions", corpus: str | None = None, **options: Any) -> "Figure":  # noqa: ANN401
        """Return one figure of these results; options as for `px.figure`."""
        return figure(self, name, corpus, **options)

    def _lacks(self, what: str, name: str, known: Sequence[str], corpus: str | None = None) -> str:
        of = f" of {corpus}" if corpus else ""
        names = ", ".join(known) or "none"
        return f"{self.folder}: no {what}{of} is called {name!r}{did_you_mean(name, known)}; there are: {names}"


@check_arguments
def load_results(folder: str | Path) -> Results:
    """Return the results that a run, or a comparison, has written into a folder.

    DataError if it holds no finished results (those right below it are named); ConfigurationError if a version wrote
    them whose settings this one does not know.
    """
    path = Path(folder)
    if not path.is_dir():
        raise DataError(f"{path}: there is no such folder; results are where `run` says at its end")
    below = sorted(part.parent for part in path.glob(f"*/{on_disk.MANIFEST}"))
    if below and not (path / on_disk.MANIFEST).exists():
        named = ", ".join(map(str, below[:_SHOWN_ROWS])) + (" …" if len(below) > _SHOWN_ROWS else "")
        raise DataError(f"{path}: holds folders of results, and is not one itself; choose one: {named}")
    return Results(folder=path, manifest=on_disk.whole_manifest(path))


@check_arguments
def figure(
    source: Results | ConfusionMatrix | str | Path,
    name: str = "confusions",
    corpus: str | None = None,
    *,
    width: float | str | None = None,
    phones: str | Sequence[str] | None = None,
    entropy: bool = False,
    order: str | None = None,
    font: str | None = None,
) -> "Figure":
    """Return one figure of results, or the confusions of a matrix, as matplotlib has it; nothing is shown or written.

    In a notebook it is shown as the value of a cell; `figure.savefig("confusions.pdf")` writes it.

    Parameters
    ----------
    source : Results, path or ConfusionMatrix
        Results, the folder of some, or a matrix.
    name : str
        What the figure's file is called, without the corpus: confusions, phones, features, rates, map, … , whether or
        not the run has drawn it. A name that there is not is answered with all that there are.
    corpus : str, optional
        Whose figure; of results with one corpus it need not be said. The title, for a matrix.
    width : float or str, optional
        Millimetres, or with a unit: "84 mm" is one column, "174 mm" two. By default that of the results. The figure is
        as wide as that: letters become smaller (5 pt at least), and what has no room then is named below.
    phones : list of str, or str, optional
        The gold phones that are drawn, or the name of a natural class of them: vowels, consonants, stops (or
        plosives), fricatives, … , or a class of the configuration. All by default.
    entropy : bool, optional
        Whether the figure phones has the entropy of each phone's answers beside its accuracy.
    order, font : optional
        By default those of the results: the order of phones in heat maps (chart, similarity, features or frequency);
        a font, or auto.

    ConfigurationError if there is no such figure, corpus or phone, or an option is wrong; DataError as for
    `load_results`.
    """
    from phonxling.draw.style import FigureOptions

    chosen: dict[str, Any] = {key: value for key, value in {"order": order, "font": font}.items() if value is not None}
    if entropy and name != "phones":
        raise ConfigurationError(f"the figure phones alone has entropies, not {name!r}")
    chosen["entropy"] = entropy
    if width is not None:
        try:
            chosen["width_mm"] = check_width(width)
        except ValueError as error:
            raise ConfigurationError(f"width: {error}") from None
    if isinstance(source, ConfusionMatrix):
        return _of_matrix(source, name, corpus or "", replace(FigureOptions(), **chosen), phones)
    return _of_results(source if isinstance(source, Results) else load_results(source), name, corpus, chosen, phones)


def _of_matrix(
    matrix: ConfusionMatrix, name: str, title: str, options: "FigureOptions", phones: str | Sequence[str] | None
) -> "Figure":
    from phonxling.draw.figure import StoredCorpus, StoredTables
    from phonxling.draw.gallery import CONFUSIONS
    from phonxling.draw.sheet import with_drawable_names

    if name != CONFUSIONS.name:
        raise ConfigurationError(f"of a matrix there is the figure {CONFUSIONS.name}, not {name!r}")
    if not matrix.counts.any():
        raise DataError("the matrix has no counts, so there is nothing to draw")
    tables = {title: {CONFUSIONS.name: with_drawable_names(matrix.to_frame())}}
    stored = _choose_phones(StoredTables(tables=tables, options=options, vectors=vectors_of(tables)), phones, {})
    return CONFUSIONS.draw(StoredCorpus(title, stored))[0].figure


def _of_results(
    results: Results, name: str, corpus: str | None, chosen: dict[str, Any], phones: str | Sequence[str] | None
) -> "Figure":
    from phonxling.draw.gallery import draw_named, find_figure, tables_of
    from phonxling.draw.style import figure_options

    of, settings = _corpus(results, name, corpus), results.manifest.get("configuration", {})
    options = replace(figure_options(results.manifest.get("figures") or settings["figures"]), **chosen)
    known = find_figure(name, of)
    tables = tables_of(known) if known is not None else ()
    if of == "":
        stored = stored_comparison(results.folder, options, tables)
    else:
        corpora = results.corpora if of is None else (of,)
        wanted = dict.fromkeys((*tables, *(() if of is None else ("confusions",))))  # the order of phones is in these
        stored = stored_results(results.folder, settings, options, corpora=corpora, tables=wanted)
    if phones is not None and known is not None and not known.phones:
        raise ConfigurationError(f"the figure {name!r} shows no phones that could be chosen")
    if (drawing := draw_named(_choose_phones(stored, phones, settings.get("classes", {})), name, of)) is None:
        raise DataError(f"there are no data for the figure {name!r}")  # a score's folder is nobody's
    return drawing.figure


def _choose_phones(
    stored: "StoredTables", phones: str | Sequence[str] | None, classes: Mapping[str, str]
) -> "StoredTables":
    """Return what is stored, of which these phones alone are drawn, or those of a natural class."""
    if phones is None:
        return stored
    columns = {"gold", "predicted", "recognised", "phone"}
    tables = [table for own in stored.tables.values() for table in own.values()]
    known = sorted({phone for table in tables for column in columns & {*table} for phone in table[column]} - {"", GAP})
    own, named = frozenset(phones), phones if isinstance(phones, str) else " ".join(phones)
    if isinstance(phones, str):
        features, name = panphon_features(), _CLASSES.get(phones, phones)
        # Classes may be of a feature table that the results had and this call has not: those cannot be asked for here.
        asked = {name: query for name, query in classes.items() if {*Query(query).features} <= {*features.features}}
        natural = with_consonants(natural_classes(known, features, asked))
        if name not in natural.names:
            there = f"{did_you_mean(name, natural.names)}; there are: {', '.join(natural.names)}"
            raise ConfigurationError(f"no class of phones is called {phones!r}{there}")
        members = natural.members[natural.names.index(name)]
        own = frozenset(phone for phone, belongs in zip(known, members, strict=True) if belongs)
    if not own & {*known}:
        raise ConfigurationError(f"none of these phones is here: {named}")
    return replace(stored, options=replace(stored.options, phones=own))


def _corpus(results: Results, name: str, corpus: str | None) -> str | None:
    """Return whose figure is meant: a corpus', that of all together (None), or of a comparison ("")."""
    from phonxling.draw.gallery import figures_of, find_figure

    there = {*results.tables}
    owners: tuple[str | None, ...] = (*results.corpora, None) if results.corpora else ("",)
    if corpus is not None and corpus not in owners:
        raise ConfigurationError(results._lacks("corpus", corpus, results.corpora))
    asked = [owner for owner in owners if corpus in {None, owner}]

    def has(owner: str | None, tables: tuple[str, ...]) -> bool:
        stored = (on_file.read_table(results.folder, one)["corpus"] for one in tables)
        return {*tables} <= there and (not owner or all(owner in {*corpora} for corpora in stored))

    # A figure of one name may be of each corpus and of all together; without a corpus, the one that there is is meant.
    having = [owner for owner in asked if (one := find_figure(name, owner)) and has(owner, one.tables)]
    if not having:
        known = dict.fromkeys(one.name for owner in asked for one in figures_of(owner) if has(owner, one.tables))
        raise ConfigurationError(results._lacks("figure", name, [*known], corpus).partition(": ")[2])
    if len(having) > 1:
        raise ConfigurationError(f"the figure {name!r} of which corpus? There are: {', '.join(map(str, having))}")
    return having[0]
