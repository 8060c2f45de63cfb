"""One figure, drawn when it is asked for: of results in a folder, or of a matrix."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phonxling.core.arguments import checked_types
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.drawing import figure_options, stored_results, vectors_of
from phonxling.experiment.notebook import Results, load_results
from phonxling.settings.checks import did_you_mean
from phonxling.tables.files import read_table

if TYPE_CHECKING:
    from phonxling.draw.figure import Figure
    from phonxling.draw.style import FigureOptions


# matplotlib takes long to import, so whatever draws is imported when something is drawn


@checked_types
def figure(
    source: Results | ConfusionMatrix | str | Path,
    name: str = "confusions",
    corpus: str | None = None,
    *,
    width: float | None = None,
    order: str | None = None,
    cells: str | None = None,
    font: str | None = None,
) -> "Figure":
    """Return one figure of results, or the confusions of a matrix, as matplotlib has it; nothing is shown or written.

    In a notebook it is shown as the value of a cell; `figure.savefig("confusions.pdf")` writes it.

    Parameters
    ----------
    source : Results, path or ConfusionMatrix
        Results, the folder of some, or a matrix.
    name : str
        What the figure's file is called, without the corpus: confusions, entropy, features, rates, map, … A name that
        there is not is answered with all that there are.
    corpus : str, optional
        Whose figure; of results with one corpus it need not be said. The title, for a matrix.
    width : float, optional
        Millimetres: 84 one column, 174 two. This and the others are by default those of the results.
    order : {"similarity", "features", "frequency", "inventory"}, optional
        Of the phones among confusions.
    cells : {"probability", "count"}, optional
        What confusions show.
    font : str, optional
        A font family, or auto.

    Raises
    ------
    ConfigurationError
        If there is no such figure or corpus: those that there are are named. If an option is wrong.
    DataError
        If the folder holds no finished results.
    """
    from phonxling.draw.style import FigureOptions

    given = {"width_mm": width, "order": order, "cells": cells, "font": font}
    chosen: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if isinstance(source, ConfusionMatrix):
        return _of_matrix(source, name, corpus, replace(FigureOptions(), **chosen))
    results = source if isinstance(source, Results) else load_results(source)
    return _of_results(results, name, corpus, chosen)


def _of_matrix(matrix: ConfusionMatrix, name: str, corpus: str | None, options: "FigureOptions") -> "Figure":
    from phonxling.draw.confusions import FIGURE
    from phonxling.draw.figure import Stored, StoredCorpus
    from phonxling.draw.labels import with_drawable_names

    if name != FIGURE.name:
        raise ConfigurationError(f"of a matrix there is the figure {FIGURE.name}, not {name!r}")
    title = corpus or ""
    tables = {title: {FIGURE.name: with_drawable_names(matrix.to_frame())}}
    stored = Stored(tables=tables, options=options, vectors=vectors_of(tables))
    drawing = FIGURE.draw(StoredCorpus(title, stored)) if matrix.counts.any() else None
    if drawing is None:
        raise DataError("the matrix has no counts, so there is nothing to draw")
    return drawing.figure


def _of_results(results: Results, name: str, corpus: str | None, chosen: dict[str, Any]) -> "Figure":
    from phonxling.draw.figure import Stored
    from phonxling.draw.gallery import declared, draw_named, tables_of

    of = _corpus(results, name, corpus)
    looks = results.manifest.get("figures") or results.manifest["configuration"]["figures"]
    options = replace(figure_options(looks), **chosen)
    known = declared(name, of)
    tables = tables_of(known) if known is not None else ()
    if of == "":
        ranking = {table: read_table(results.folder, f"{table}.tsv") for table in tables}
        stored = Stored(tables={"": ranking}, options=options)
    else:
        corpora = results.corpora if of is None else (of,)
        wanted = dict.fromkeys((*tables, *(() if of is None else ("confusions",))))  # the order of phones is in these
        settings = results.manifest["configuration"]
        stored = stored_results(results.folder, settings, options, corpora=corpora, tables=wanted)
    drawing = draw_named(stored, name, of)
    if drawing is None:
        raise DataError(f"{results.folder}: there are no data for the figure {name!r}")
    return drawing.figure


def _names(results: Results) -> dict[str | None, list[str]]:
    """Return the names of the figures that were drawn of each corpus, of all together (None), of a comparison ("")."""
    from phonxling.draw.gallery import figure_names

    drawn = {file.stem for file in results.files if file.parent.name == "figures" and file.suffix == ".tsv"}
    if not results.corpora:
        return {"": [name for name in figure_names("comparison") if name in drawn]}
    own: dict[str | None, list[str]] = {
        corpus: [name for name in figure_names("corpus") if f"{corpus}-{name}" in drawn] for corpus in results.corpora
    }
    joint = [stem for stem in sorted(drawn) if stem.partition("-")[0] in figure_names("corpora")]
    return {**own, None: joint}


def _corpus(results: Results, name: str, corpus: str | None) -> str | None:
    """Return whose figure is meant; ConfigurationError for a figure or a corpus that there is not."""
    names = _names(results)
    if corpus is not None and corpus not in names:
        corpora, hint = ", ".join(results.corpora) or "none", did_you_mean(corpus, results.corpora)
        raise ConfigurationError(f"{results.folder}: no corpus is called {corpus!r}{hint}; there are: {corpora}")
    having = [owner for owner, own in names.items() if name in own and corpus in {None, owner}]
    if not having:
        known = list(dict.fromkeys(one for owner, own in names.items() for one in own if corpus in {None, owner}))
        of, hint = f" of {corpus}" if corpus else "", did_you_mean(name, known)
        raise ConfigurationError(f"no figure{of} is called {name!r}{hint}; there are: {', '.join(known) or 'none'}")
    if len(having) > 1:
        owners = ", ".join(str(owner) for owner in having)
        raise ConfigurationError(f"the figure {name!r} of which corpus? There are: {owners}")
    return having[0]
