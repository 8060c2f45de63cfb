"""All figures, in the order in which they are drawn: a new one is its module and a line here."""

from collections.abc import Iterator
from dataclasses import replace

from phonxling.draw import (
    agreement,
    assimilation,
    association,
    calibration,
    confusions,
    correspondence,
    entropy,
    errors,
    features,
    phone_map,
    plan,
    pooled,
    ranking,
    rates,
    residuals,
    sounds,
    timeline,
    utterances,
)
from phonxling.draw.figure import DeclaredFigure, Drawing, JointFigure, Of, Stored, StoredCorpus

FIGURES: tuple[DeclaredFigure | JointFigure, ...] = (
    confusions.FIGURE,
    entropy.FIGURE,
    correspondence.FIGURE,
    features.FIGURE,
    utterances.FIGURE,
    timeline.FIGURE,
    residuals.FIGURE,
    association.FIGURE,
    sounds.FIGURE,
    assimilation.FIGURE,
    pooled.FIGURE,
    calibration.FIGURE,
    rates.FIGURE,
    errors.FIGURE,
    phone_map.FIGURE,
    ranking.FIGURE,
    agreement.FIGURE,
    plan.FIGURE,
)


def tables_drawn(of: Of) -> tuple[str, ...]:
    """Return the tables that the figures of a corpus, of all corpora, of a comparison or a plan are drawn from."""
    return tuple(dict.fromkeys(table for figure in FIGURES if figure.of == of for table in tables_of(figure)))


def tables_of(figure: DeclaredFigure | JointFigure) -> tuple[str, ...]:
    """Return the tables that a figure is drawn from: those that it needs, and those that it shows where there are."""
    return (*figure.tables, *figure.shows)


def draw(stored: Stored, of: Of) -> Iterator[Drawing]:
    """Yield the figures of each corpus, of all together, of a comparison or a plan; what has no data has no figure."""
    if of == "corpora":
        yield from (drawing for figure in FIGURES if isinstance(figure, JointFigure) for drawing in figure.draw(stored))
        return
    for source in (StoredCorpus(name, stored) for name in stored.tables):
        for figure in FIGURES:
            if isinstance(figure, DeclaredFigure) and figure.of == of and (drawing := figure.draw(source)):
                yield replace(drawing, name=f"{source.name}-{drawing.name}") if of == "corpus" else drawing


def draw_named(stored: Stored, name: str, corpus: str | None) -> Drawing | None:
    """Return one figure by its name, of a corpus, or (None) of all together; None where it has no data."""
    figure = declared(name, corpus)
    if isinstance(figure, DeclaredFigure):
        return figure.draw(StoredCorpus(corpus or "", stored))
    return next((drawing for drawing in figure.draw(stored) if drawing.name == name), None) if figure else None


def declared(name: str, corpus: str | None) -> DeclaredFigure | JointFigure | None:
    """Return the figure of a name: of a corpus; of a comparison (""); or (None) of all corpora together."""
    of = "corpora" if corpus is None else "corpus" if corpus else "comparison"
    named = (figure for figure in FIGURES if figure.of == of)
    return next((one for one in named if name == one.name or (not corpus and name.startswith(f"{one.name}-"))), None)


def figure_names(of: Of) -> tuple[str, ...]:
    """Return the names of the figures of a corpus, of all corpora together, or of a comparison."""
    return tuple(figure.name for figure in FIGURES if figure.of == of)
