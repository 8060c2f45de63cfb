"""Finished results: tables and figures, read and drawn when they are asked for.

matplotlib, which takes long to import, waits for a figure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phonxling.analyses.features import with_consonants
from phonxling.analyses.measures import headline, json_key, stored_estimates
from phonxling.configuration.checks import check_width, did_you_mean
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import ConfigurationError, DataError, check_arguments
from phonxling.core.estimate import Estimate, ReadableValue, format_count, list_phones, tidy
from phonxling.core.inventory import GAP
from phonxling.core.spelling import Query
from phonxling.experiment.results import stored_comparison, stored_results, vectors_of
from phonxling.load.resources import panphon_features
from phonxling.phones.chart import natural_classes
from phonxling.report.numbers import round_number
from phonxling.results.folder import MANIFEST, guard_reading, whole_manifest
from phonxling.results.tables import file_of, read_rows, read_table, tables_of, typed_table

if TYPE_CHECKING:
    import pandas as pd

    from phonxling.draw.figure import Figure, StoredTables
    from phonxling.draw.style import FigureOptions

_SHOWN_ROWS = 5  # folders that a message names
_CLASSES = {"plosives": "stops"}  # other names of natural classes


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Results(ReadableValue):
    """The results of a run, or a comparison, in a folder; each table is read from there at its first use.

    `manifest` tells what made them: configuration, inputs, versions, and the files with their sha256. Each table is an
    attribute with the rows of all corpora: `r.summary`, `r.phones`; `r.table("confusions", "yoruba")` has those of one.
    Of a corpus, every number is an `Estimate` by its name: `r["yoruba"]["wper"]`. `r.figure("map")` draws.
    """

    folder: Path
    manifest: Mapping[str, Any] = field(repr=False)

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
    def files(self) -> tuple[Path, ...]:
        """Every file of the results: tables, figures, tables for papers, the page."""
        return tuple(self.folder / name for name in self.manifest["outputs"])

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that there are."""
        known = tables_of("comparison" if self.manifest.get("kind") == "comparison" else "results")
        return tuple(name.rpartition("/")[-1] for name in known if file_of(name) in self.manifest["outputs"])

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
        stored = stored_estimates(read_rows(self.folder, "summary", corpus), level)
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
        with guard_reading(self.folder):
            return typed_table(self.folder, kind + name, corpus or "")

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
    if not (path / MANIFEST).exists() and (below := sorted(part.parent for part in path.glob(f"*/{MANIFEST}"))):
        named = ", ".join(map(str, below[:_SHOWN_ROWS])) + (" …" if len(below) > _SHOWN_ROWS else "")
        raise DataError(f"{path}: holds folders of results, and is not one itself; choose one: {named}")
    return Results(folder=path, manifest=whole_manifest(path))


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
        chosen["width_mm"] = _width(width)
    if isinstance(source, ConfusionMatrix):
        return _of_matrix(source, name, corpus or "", replace(FigureOptions(), **chosen), phones)
    return _of_results(source if isinstance(source, Results) else load_results(source), name, corpus, chosen, phones)


def _width(width: float | str) -> float:
    try:
        return check_width(width)
    except ValueError as error:
        raise ConfigurationError(f"width: {error}") from None


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
    drawing = draw_named(_choose_phones(stored, phones, settings.get("classes", {})), name, of)
    if drawing is None:
        raise DataError(f"{results.folder}: there are no data for the figure {name!r}")
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
    own = frozenset(phones)
    if isinstance(phones, str):
        features = panphon_features()
        # Classes may be of a feature table that the results had and this call has not: those cannot be asked for here.
        asked = {name: query for name, query in classes.items() if {*Query(query).features} <= {*features.features}}
        natural = with_consonants(natural_classes(known, features, asked))
        name = _CLASSES.get(phones, phones)
        if name not in natural.names:
            there = ", ".join(natural.names)
            raise ConfigurationError(
                f"no class of phones is called {phones!r}{did_you_mean(name, natural.names)}; there are: {there}"
            )
        own = frozenset(
            phone for phone, belongs in zip(known, natural.members[natural.names.index(name)], strict=True) if belongs
        )
    if not own & {*known}:
        raise ConfigurationError(
            f"none of these phones is here: {phones if isinstance(phones, str) else ' '.join(phones)}"
        )
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
        return {*tables} <= there and (
            not owner or all(owner in {*read_table(results.folder, one)["corpus"]} for one in tables)
        )

    # A figure of one name may be of each corpus and of all together; without a corpus, the one that there is is meant.
    having = [owner for owner in asked if (one := find_figure(name, owner)) and has(owner, one.tables)]
    if not having:
        known = [one.name for owner in asked for one in figures_of(owner) if {*one.tables} <= there]
        raise ConfigurationError(results._lacks("figure", name, [*dict.fromkeys(known)], corpus).partition(": ")[2])
    if len(having) > 1:
        raise ConfigurationError(f"the figure {name!r} of which corpus? There are: {', '.join(map(str, having))}")
    return having[0]
