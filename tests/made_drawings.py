"""Figures of small tables, each drawn in the house's style as the gallery draws it; FIGURE_OF has them by name."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from phonxling.draw.figure import DeclaredFigure, Drawing, JointFigure, Stored, StoredCorpus
from phonxling.draw.gallery import FIGURES
from phonxling.draw.style import FigureOptions, house_style

FIGURE_OF = {figure.name: figure for figure in FIGURES}
NUMBERS = ["corpus", "measure", "variant", "value", "note"]


def maybe_drawn(
    name: str,
    tables: pd.DataFrame | Mapping[str, pd.DataFrame],
    title: str,
    options: FigureOptions,
    orders: tuple[list[str] | None, list[str] | None] = (None, None),
    **values: float | None,
) -> Drawing | None:
    """Return a figure of one corpus, of its table or tables, in given orders; values as `measure__variant`."""
    figure = FIGURE_OF[name]
    assert isinstance(figure, DeclaredFigure)
    own = {figure.tables[0]: tables} if isinstance(tables, pd.DataFrame) else tables
    rows = [("c", *key.split("__"), value, "") for key, value in values.items() if value is not None]
    stored = Stored(
        tables={"c": own}, options=options, summary=pd.DataFrame(rows, columns=NUMBERS), titles={"c": title}
    )
    source = StoredCorpus("c", stored)
    source.__dict__["orders"] = orders
    return figure.draw(source)


def drawn(*parts: Any, **more: Any) -> Drawing:  # noqa: ANN401 - as above
    drawing = maybe_drawn(*parts, **more)
    assert drawing is not None
    return drawing


def joint(name: str, options: FigureOptions, **stored: Any) -> Drawing:  # noqa: ANN401 - the fields of Stored
    figure = FIGURE_OF[name]
    assert isinstance(figure, JointFigure)
    with house_style(options.font):
        return next(iter(figure.draw_all(Stored(options=options, **{"tables": {}, **stored}))))


def draw_entropy(
    phones: pd.DataFrame, title: str, options: FigureOptions, conditional_entropy: float | None = None
) -> Drawing:
    return drawn("entropy", phones, title, options, conditional_entropy__=conditional_entropy)


def draw_confusions(
    table: pd.DataFrame,
    title: str,
    options: FigureOptions,
    gold: list[str] | None = None,
    predicted: list[str] | None = None,
) -> Drawing:
    return drawn("confusions", table, title, options, orders=(gold, predicted))


draw_assimilation, draw_association, draw_calibration, draw_features, draw_pooled, draw_residuals = (
    partial(drawn, name) for name in ("assimilation", "association", "calibration", "features", "pooled", "residuals")
)


def draw_errors(
    summary: pd.DataFrame, options: FigureOptions, titles: Mapping[str, str] | None = None, reference: str | None = None
) -> Drawing:
    return joint("errors", options, summary=summary, titles=titles or {}, reference=reference)


def draw_rates(summary: pd.DataFrame, options: FigureOptions, titles: Mapping[str, str] | None = None) -> Drawing:
    return joint("rates", options, summary=summary, titles=titles or {})


def draw_agreement(table: pd.DataFrame, options: FigureOptions, name: str = "agreement") -> Drawing:
    return drawn(name, table, "", options)


draw_ranking = partial(draw_agreement, name="ranking")


def draw_plan(table: pd.DataFrame, options: FigureOptions) -> Drawing | None:
    return maybe_drawn("plan-curve", table, "", options)


def draw_correspondence(table: pd.DataFrame, title: str, options: FigureOptions, tau: float | None = None) -> Drawing:
    return drawn("correspondence", table, title, options, correspondence_tau__estimate=tau)


def draw_utterance_rates(
    table: pd.DataFrame, title: str, options: FigureOptions, chance: float | None = None
) -> Drawing:
    return drawn("utterances", table, title, options, chance_wper__best=chance)


def draw_sounds(
    table: pd.DataFrame,
    title: str,
    options: FigureOptions,
    tokens: Mapping[str, float],
    gold: list[str] | None = None,
) -> Drawing:
    phones = pd.DataFrame({"phone": [*tokens], "tokens": [*tokens.values()]})
    return drawn("sounds", {"sounds_like": table, "forced": phones}, title, options, orders=(gold, None))


def draw_timeline(
    pairs: pd.DataFrame, title: str, options: FigureOptions, *, steps: pd.DataFrame | None = None
) -> Drawing | None:
    tables = {"alignments": pairs, "utterances": pd.DataFrame({"utterance": ["u"], "per": [0.5]})}
    return maybe_drawn("timeline", {**tables, **({} if steps is None else {"posteriorgrams": steps})}, title, options)


def draw_map(
    reference: pd.DataFrame,
    targets: Mapping[str, pd.DataFrame],
    vowels: Iterable[str],
    options: FigureOptions,
    *,
    reference_name: str = "reference",
    coordinates: str = "umap",
    faithful: Mapping[str, float] | None = None,
    titles: Mapping[str, str] | None = None,
) -> Drawing:
    """Return the map by a method; `faithful` are numbers of each of its panels."""
    tables = {name: {"embedding": table} for name, table in {reference_name: reference, **targets}.items()}
    rows = [(name, measure, coordinates, value, "") for name in tables for measure, value in (faithful or {}).items()]
    summary = pd.DataFrame(rows, columns=NUMBERS)
    about: dict[str, Any] = {"reference": reference_name, "titles": titles or {}, "method": coordinates}
    return joint("map", options, tables=tables, summary=summary, vowels=frozenset(vowels), **about)
