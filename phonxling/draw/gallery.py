"""All figures that the stored tables of an experiment allow."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.draw.figures.calibration import draw_calibration
from phonxling.draw.figures.confusions import draw_confusions
from phonxling.draw.figures.correspondence import draw_correspondence
from phonxling.draw.figures.embedding import draw_map
from phonxling.draw.figures.entropy import draw_entropy
from phonxling.draw.figures.features import draw_features
from phonxling.draw.figures.npmi import draw_association
from phonxling.draw.figures.rates import draw_rates
from phonxling.draw.figures.residuals import draw_residuals
from phonxling.draw.figures.utterances import draw_utterance_rates
from phonxling.draw.map_texts import COORDINATES
from phonxling.draw.phone_orders import phone_orders
from phonxling.draw.style import Drawing, FigureOptions

_Tables = Mapping[str, pd.DataFrame]
_FAITHFUL = {
    "trustworthiness": "trustworthiness",
    "distance_correlation": "rank correlation of distances",
    "embedding_stability": "stability over seeds",
    "variance_kept": "variance kept",
}


def draw_corpora(
    summary: pd.DataFrame,
    corpora: Mapping[str, _Tables],
    options: FigureOptions,
    vectors: Mapping[str, NDArray[np.float64]],
) -> Iterator[Drawing]:
    """Yield the figures of each corpus whose table exists and has rows; what has no data has no figure.

    Names: `<corpus>-confusions`, `-entropy`, `-correspondence`, `-features`, `-utterances`, `-residuals`,
    `-association`, `-calibration`. The heat maps of one corpus share the order of gold phones that its confusions have.

    Parameters
    ----------
    summary : DataFrame
        The summary table of all corpora.
    corpora : mapping
        Corpus name to table name (those that `_of_corpus` names) to table.
    vectors : mapping
        Features of each phone, for figures whose phones stand in the order of features.
    """
    for corpus, tables in corpora.items():
        rows = {name: table for name, table in tables.items() if len(table)}
        yield from _of_corpus(corpus, rows, summary, options, vectors)


def draw_together(
    summary: pd.DataFrame,
    corpora: Mapping[str, _Tables],
    reference: str | None,
    vowels: frozenset[str],
    options: FigureOptions,
    method: str = "umap",
) -> Iterator[Drawing]:
    """Yield the figures of all corpora together: `rates`, then `map`, `map-pca`, `map-mds`.

    Parameters
    ----------
    summary, corpora
        As for `draw_corpora`; of the tables `embedding` alone is drawn.
    reference : str or None
        The corpus whose phones are the map's circles; without it there is no map.
    vowels : frozenset of str
        Which phones are vowels.
    method : {"umap", "pca", "mds"}
        How `map` was made; the other deterministic maps stand beside it.
    """
    if summary.loc[summary["measure"].isin(["per", "wper"]), "value"].notna().any():
        yield draw_rates(summary, options)
    maps = {name: tables["embedding"] for name, tables in corpora.items() if len(tables.get("embedding", ()))}
    if reference in maps:
        yield from _maps(maps, reference, vowels, options, summary, method)


def _of_corpus(
    corpus: str,
    tables: _Tables,
    summary: pd.DataFrame,
    options: FigureOptions,
    vectors: Mapping[str, NDArray[np.float64]],
) -> Iterator[Drawing]:
    order = None
    if "confusions" in tables:
        order, heard = phone_orders(tables["confusions"], options.order, vectors)
        yield draw_confusions(tables["confusions"], corpus, options, order, heard)
    if "phones" in tables and tables["phones"].loc[tables["phones"]["side"] == "gold", "entropy"].notna().any():
        yield draw_entropy(tables["phones"], corpus, options, _value(summary, corpus, "conditional_entropy", "ml"))
    if "cost" in tables.get("confusions", ()) and tables["confusions"]["cost"].notna().any():
        tau = _value(summary, corpus, "correspondence_tau", "estimate")
        yield draw_correspondence(tables["confusions"], corpus, options, tau)
    if "features" in tables and tables["features"]["changed"].notna().any():
        yield draw_features(tables["features"], corpus, options)
    if "utterances" in tables and tables["utterances"]["wper"].notna().any():
        chance = _value(summary, corpus, "chance_wper", "best")
        yield draw_utterance_rates(tables["utterances"], corpus, options, chance)
    if "expected" in tables:
        yield draw_residuals(tables["expected"], corpus, options, order, _comparison_note(summary, corpus))
    if "association" in tables:
        yield draw_association(tables["association"], corpus, options, order)
    if "calibration" in tables:
        yield draw_calibration(tables["calibration"], corpus, options)


def _value(summary: pd.DataFrame, corpus: str, measure: str, variant: str) -> float | None:
    chosen = (summary["corpus"] == corpus) & (summary["measure"] == measure) & (summary["variant"] == variant)
    return next(iter(summary.loc[chosen, "value"].dropna().tolist()), None)


def _comparison_note(summary: pd.DataFrame, corpus: str) -> str:
    """Return what the summary warns of in the comparison with the reference: another recogniser, phones left out."""
    chosen = (summary["corpus"] == corpus) & (summary["measure"] == "expected_js")
    note = next(iter(summary.loc[chosen, "note"].dropna().tolist()), "")
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def _maps(
    placed: _Tables, reference: str, vowels: frozenset[str], options: FigureOptions, summary: pd.DataFrame, method: str
) -> Iterator[Drawing]:
    circles, targets = placed[reference], {name: table for name, table in placed.items() if name != reference}
    for name in dict.fromkeys([method, "pca", "mds"]):
        column = COORDINATES[name].x
        if column in circles and circles[column].notna().any():
            have = {corpus: table for corpus, table in targets.items() if column in table}
            trust = {corpus: _trust(summary, corpus, name) for corpus in placed}
            drawing = draw_map(circles, have, vowels, options, reference_name=reference, coordinates=name, trust=trust)
            yield replace(drawing, name="map") if name == method else drawing


def _trust(summary: pd.DataFrame, corpus: str, method: str) -> str:
    """Return what the summary says of how faithful a panel is."""
    rows = summary[(summary["corpus"] == corpus) & (summary["variant"] == method) & summary["value"].notna()]
    values = dict(zip(rows["measure"], rows["value"], strict=True))
    return ", ".join(f"{said} {values[measure]:.2f}" for measure, said in _FAITHFUL.items() if measure in values)
