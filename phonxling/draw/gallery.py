"""Figures: all of them, in the order in which they are drawn; a new one is a function and a line here."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from phonxling.draw import charts, heatmap, phone_map, rates, rows, utterances
from phonxling.draw.figure import DeclaredFigure, Drawing, Of, StoredCorpus, StoredTables

_CHART_TABLES = ("phones", "errors")  # what the charts show of the recogniser's phones
CONFUSIONS = DeclaredFigure("confusions", ("confusions",), heatmap.draw_confusions, main=True, phones=True)
FIGURES = (
    DeclaredFigure("rates", (), rates.draw_rates, of="corpora", shows=("languages",), main=True),
    DeclaredFigure("errors", (), rows.draw_errors, of="corpora", main=True),
    CONFUSIONS,
    DeclaredFigure("vowels", ("confusions",), charts.draw_vowels, shows=_CHART_TABLES, phones=True),
    DeclaredFigure("consonants", ("confusions",), charts.draw_consonants, shows=_CHART_TABLES, phones=True),
    DeclaredFigure("phones", ("phones",), rows.draw_phones, phones=True),
    DeclaredFigure("features", ("features",), rows.draw_features),
    DeclaredFigure("residuals", ("expected",), heatmap.draw_residuals, shows=("confusions",), phones=True),
    DeclaredFigure("association", ("association",), heatmap.draw_association, shows=("confusions",), phones=True),
    DeclaredFigure("calibration", ("calibration",), rates.draw_calibration),
    DeclaredFigure("map", (), phone_map.draw_maps, of="corpora", shows=("map",), main=True, phones=True),
    DeclaredFigure("utterances", ("utterances",), utterances.draw_utterances, shows=("alignments",)),
    DeclaredFigure("languages", (), rows.draw_languages, of="corpora", shows=("languages",)),
    DeclaredFigure("differences", ("differences",), rows.draw_differences, of="comparison"),
)


def tables_drawn(of: Of, kinds: Sequence[str] = ("all",)) -> tuple[str, ...]:
    """Return the tables that the figures of some kinds are drawn from: of a corpus, of all, a comparison."""
    chosen = (figure for figure in FIGURES if figure.of == of and figure.chosen(kinds))
    return tuple(dict.fromkeys(table for figure in chosen for table in tables_of(figure)))


def tables_of(figure: DeclaredFigure) -> tuple[str, ...]:
    """Return the tables that a figure is drawn from: those that it needs, and those that it shows where there are."""
    return (*figure.tables, *figure.shows)


def draw(stored: StoredTables, of: Of) -> Iterator[Drawing]:
    """Yield the chosen figures of each corpus, of all together, or of a comparison that there are data for."""
    chosen = [figure for figure in FIGURES if figure.of == of and figure.chosen(stored.options.kinds)]
    for name in stored.tables if of == "corpus" else [""]:
        for drawing in (one for figure in chosen for one in figure.draw(StoredCorpus(name, stored))):
            yield replace(drawing, name=f"{name}-{drawing.name}") if of == "corpus" else drawing


def draw_named(stored: StoredTables, name: str, corpus: str | None) -> Drawing | None:
    """Return one figure by its name, of a corpus, or (None) of all together; None where it has no data."""
    figure = find_figure(name, corpus)
    drawings = figure.draw(StoredCorpus(corpus or "", stored)) if figure else []
    return next((drawing for drawing in drawings if corpus is not None or drawing.name == name), None)


def find_figure(name: str, corpus: str | None) -> DeclaredFigure | None:
    """Return the figure of a name: of a corpus; of a comparison (""); or (None) of all corpora together."""
    known = (one for one in figures_of(corpus) if name == one.name or (not corpus and name.startswith(f"{one.name}-")))
    return next(known, None)


def figures_of(corpus: str | None) -> list[DeclaredFigure]:
    """Return the figures that there may be: of a corpus; of a comparison (""); or (None) of all corpora together."""
    of = "corpora" if corpus is None else "corpus" if corpus else "comparison"
    return [figure for figure in FIGURES if figure.of == of]
