"""All figures, in the order in which they are drawn: a new one is its module and a line here."""

from collections.abc import Iterator
from dataclasses import replace

from phonxling.draw import (
    agreement,
    assimilation,
    calibration,
    confusions,
    correspondence,
    entropy,
    errors,
    features,
    languages,
    multiples,
    phone_map,
    plan,
    ranking,
    rates,
    recognised,
    residuals,
    timeline,
    utterances,
)
from phonxling.draw.figure import DeclaredFigure, Drawing, Of, Stored, StoredCorpus

FIGURES: tuple[DeclaredFigure, ...] = (
    confusions.FIGURE,
    entropy.FIGURE,
    correspondence.FIGURE,
    correspondence.MAPPED,
    features.FIGURE,
    utterances.FIGURE,
    utterances.BY_CHANCE,
    timeline.FIGURE,
    residuals.FIGURE,
    recognised.NPMI,
    recognised.FIGURE,
    recognised.SOUNDS,
    assimilation.FIGURE,
    calibration.FIGURE,
    rates.FIGURE,
    errors.FIGURE,
    multiples.FIGURE,
    languages.FIGURE,
    phone_map.FIGURE,
    ranking.FIGURE,
    agreement.FIGURE,
    plan.FIGURE,
)


def tables_drawn(of: Of) -> tuple[str, ...]:
    """Return the tables that the figures of a corpus, of all corpora, of a comparison or a plan are drawn from."""
    return tuple(dict.fromkeys(table for figure in FIGURES if figure.of == of for table in tables_of(figure)))


def tables_of(figure: DeclaredFigure) -> tuple[str, ...]:
    """Return the tables that a figure is drawn from: those that it needs, and those that it shows where there are."""
    return (*figure.tables, *figure.shows)


def draw(stored: Stored, of: Of) -> Iterator[Drawing]:
    """Yield the figures of each corpus, of all together, of a comparison or a plan; what has no data has no figure."""
    for name in stored.tables if of == "corpus" else [""]:
        for drawing in (
            one for figure in FIGURES if figure.of == of for one in figure.draw(StoredCorpus(name, stored))
        ):
            yield replace(drawing, name=f"{name}-{drawing.name}") if of == "corpus" else drawing


def draw_named(stored: Stored, name: str, corpus: str | None) -> Drawing | None:
    """Return one figure by its name, of a corpus, or (None) of all together; None where it has no data."""
    figure = declared(name, corpus)
    drawings = figure.draw(StoredCorpus(corpus or "", stored)) if figure else []
    return next((drawing for drawing in drawings if corpus is not None or drawing.name == name), None)


def declared(name: str, corpus: str | None) -> DeclaredFigure | None:
    """Return the figure of a name: of a corpus; of a comparison (""); or (None) of all corpora together."""
    of = "corpora" if corpus is None else "corpus" if corpus else "comparison"
    named = (figure for figure in FIGURES if figure.of == of)
    return next((one for one in named if name == one.name or (not corpus and name.startswith(f"{one.name}-"))), None)


def figure_names(of: Of) -> tuple[str, ...]:
    return tuple(figure.name for figure in FIGURES if figure.of == of)
