"""All figures that the stored tables of an experiment allow."""

from collections.abc import Iterator, Mapping

import pandas as pd

from phonxling.draw.calibration import draw_calibration
from phonxling.draw.confusions import draw_confusions, order_gold
from phonxling.draw.correspondence import draw_correspondence
from phonxling.draw.embedding import COORDINATES, draw_map
from phonxling.draw.entropy import draw_entropy
from phonxling.draw.features import draw_features
from phonxling.draw.npmi import draw_association
from phonxling.draw.rates import draw_rates
from phonxling.draw.residuals import draw_residuals
from phonxling.draw.style import Drawing, FigureOptions
from phonxling.draw.utterances import draw_utterance_rates

_Tables = Mapping[str, pd.DataFrame]


def draw_all(
    summary: pd.DataFrame,
    corpora: Mapping[str, _Tables],
    reference: str | None,
    vowels: frozenset[str],
    options: FigureOptions,
) -> Iterator[Drawing]:
    """Yield each figure whose table exists and has rows; what has no data has no figure.

    Names: `<corpus>-confusions`, `-entropy`, `-correspondence`, `-features`, `-utterances`, `-residuals`,
    `-association`, `-calibration`, then `rates`, `map`, `map-pca`. The heat maps of one corpus share the order of gold
    phones that its confusions have.

    Parameters
    ----------
    summary : DataFrame
        The summary table of all corpora.
    corpora : mapping
        Corpus name to table name (those that `_of_corpus` and `_maps` name) to table.
    reference : str or None
        The corpus whose phones are the map's circles; without it there is no map.
    vowels : frozenset of str
        Which phones are vowels.
    """
    for corpus, tables in corpora.items():
        yield from _of_corpus(corpus, {name: table for name, table in tables.items() if len(table)}, summary, options)
    if summary.loc[summary["measure"].isin(["per", "wper"]), "value"].notna().any():
        yield draw_rates(summary, options)
    yield from _maps(corpora, reference, vowels, options)


def _of_corpus(corpus: str, tables: _Tables, summary: pd.DataFrame, options: FigureOptions) -> Iterator[Drawing]:
    order = order_gold(tables["confusions"]) if "confusions" in tables else None
    if "confusions" in tables:
        yield draw_confusions(tables["confusions"], corpus, options, order)
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
    corpora: Mapping[str, _Tables], reference: str | None, vowels: frozenset[str], options: FigureOptions
) -> Iterator[Drawing]:
    placed = {name: tables["embedding"] for name, tables in corpora.items() if len(tables.get("embedding", ()))}
    if reference is None or reference not in placed:
        return
    circles = placed.pop(reference)
    for name, columns in COORDINATES.items():
        if {columns.x, columns.y} <= set(circles.columns) and circles[columns.x].notna().any():
            have = {corpus: table for corpus, table in placed.items() if columns.x in table}
            yield draw_map(circles, have, vowels, options, reference_name=reference, coordinates=name)
