"""Residuals: where a language's confusions differ from those that the reference language leads one to expect.

A cell is the observed less the expected joint probability. Rows and columns whose residuals are all below a twentieth
of the largest show nothing: these are added up as one.
"""

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import FEW_MEANING, draw_heatmap, room_for, round_down
from phonxling.draw.order import cells, long_form, named, order_phones, phones_of, rarest, rest, split
from phonxling.draw.style import INK, diverging
from phonxling.resample.p_values import SIGNIFICANT

_LEAST = 0.05  # of the largest residual: a row or column below it everywhere shows nothing


def draw_residuals(corpus: StoredCorpus) -> Drawing:
    table, options = corpus.tables["expected"], corpus.options
    gold, predicted = phones_of(table["gold"]), phones_of(table["predicted"])
    residuals, q = (
        cells(table, name, rows=("gold", gold), columns=("predicted", predicted)) for name in ("residual", "q")
    )
    room = room_for([*gold, rest(len(gold))], [*predicted, rest(len(predicted))], options)
    residuals, q, gold, few_gold = _fold("gold", residuals, q, gold, room[0])
    residuals, q, predicted, few_predicted = _fold("predicted", residuals.T, q.T, predicted, room[1])
    strength = np.abs(np.nan_to_num(residuals.T))
    rows, columns = order_phones(strength, gold, predicted, corpus.orders[0])
    residuals, q = residuals.T[np.ix_(rows, columns)], q.T[np.ix_(rows, columns)]
    labels = [gold[row] for row in rows], [predicted[column] for column in columns]
    most = float(np.nanmax(np.abs(residuals), initial=0)) or 0.001
    few = corpus.few(labels[0], len(labels[1]))
    marks = {"few": few, "outlined": q < SIGNIFICANT, "dashed": residuals < -0.1 * most}
    meanings = {
        "few": FEW_MEANING,
        "outlined": f"q < {SIGNIFICANT:g}",
        "dashed": "less than expected",
        "missing": "no data",
    }
    occur = {**marks, "missing": np.isnan(residuals)}
    note, tick = corpus.note("expected_js"), round_down(most)  # another recogniser, phones left out
    kept = "Where both phones are the same: kept right more (or less) often than expected."
    figure = draw_heatmap(
        residuals,
        labels,
        options,
        names=("gold phone", "predicted phone"),
        title=f"{corpus.title}: residuals from the reference",
        notes=[
            *([f"{note[:1].upper()}{note[1:]}."] if note else []),
            *([kept] if set(gold) & set(predicted) else []),
            *_without_reference(corpus),
            *few_gold,
            *few_predicted,
        ],
        scale=(diverging(), Normalize(-most, most), "observed − expected (joint probability)", [-tick, 0, tick]),
        legend={kind: meaning for kind, meaning in meanings.items() if occur[kind].any()},
        marks=marks,
        outline=INK,
    )
    return Drawing("residuals", figure, long_form(*labels, names=("gold", "predicted"), residual=residuals, q=q))


def _without_reference(corpus: StoredCorpus) -> list[str]:
    """Return which gold phones are not common, with their share of the errors on gold phones."""
    table = corpus.tables.get("confusions", pd.DataFrame(columns=["gold", "predicted", "count"]))
    wrong = table[(table["gold"] != GAP) & (table["gold"] != table["predicted"])]
    left_out = wrong[~wrong["gold"].isin(corpus.tables["expected"]["gold"])]
    if left_out.empty:
        return []
    share = f"{100 * left_out['count'].sum() / wrong['count'].sum():.0f} % of the errors on gold phones"
    phones = phones_of(left_out["gold"])
    return [f"Not here, because they are no common phones: {len(phones)} gold phones ({named(phones)}), {share}."]


def _fold(
    side: str, residuals: Floats, q: Floats, phones: list[str], room: int
) -> tuple[Floats, Floats, list[str], list[str]]:
    """Return residuals, q and phones with rows that show nothing added up as one, which has no q, and a note."""
    strongest = np.abs(np.nan_to_num(residuals)).max(axis=1, initial=0)
    weak = np.flatnonzero(strongest < _LEAST * strongest.max(initial=0))
    few = np.union1d(weak if len(weak) > 1 else weak[:0], rarest(strongest, room)).astype(np.intp)
    if not len(few):
        return residuals, q, phones, []
    others, labels = split(phones, few)
    together = np.vstack([residuals[others], np.nansum(residuals[few], axis=0)])
    note = f"{labels[-1]}: the {side} phones with the least residuals, added up: {named([phones[k] for k in few])}."
    return together, np.vstack([q[others], np.full((1, q.shape[1]), np.nan)]), labels, [note]


FIGURE = DeclaredFigure(
    "residuals",
    ("expected",),
    draw_residuals,
    shows=("confusions",),
    reading="A cell is how much more often (blue) or less often (orange) a gold phone is predicted as another "
    "than the reference language leads one to expect. Outlined cells differ by more than chance explains.",
)
