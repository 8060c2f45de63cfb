"""Residuals: where a language's confusions differ from those that the reference language leads one to expect."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from phonxling.analyses.features import order_rows
from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import Grid, Scale, draw_heatmap, plan_layout, round_down
from phonxling.draw.order import cells, given_order, long_form, order_columns, phones_of, rarest, rest, rest_last
from phonxling.draw.style import INK, FigureOptions, diverging
from phonxling.resample.p_values import SIGNIFICANT

_LEAST = 0.05  # of the largest residual: a row or column below it everywhere shows nothing


def draw_residuals(
    table: pd.DataFrame,
    corpus: str,
    options: FigureOptions,
    gold_order: Sequence[str] | None = None,
    warning: str = "",
) -> Drawing:
    """Return the heat map of observed less expected joint probabilities from the `expected` table."""
    gold, predicted = phones_of(table["gold"]), phones_of(table["predicted"])
    cells_of = partial(cells, rows=("gold", gold), columns=("predicted", predicted))
    residuals = cells_of(table, "residual")
    q = cells_of(table, "q") if "q" in table else np.full(residuals.shape, np.nan)
    room = plan_layout([*gold, rest(len(gold))], [*predicted, rest(len(predicted))], options)
    (residuals, q), gold, few_gold = _fold([residuals, q], gold, room.room_rows)
    (turned, q), predicted, few_predicted = _fold([residuals.T, q.T], predicted, room.room_columns)
    strength = np.abs(np.nan_to_num(turned.T))
    rows = order_rows(strength) if gold_order is None else given_order(gold, gold_order)
    rows = rest_last(rows, gold)
    columns = order_columns(strength[rows])
    columns = rest_last(columns, predicted)
    residuals, q = turned.T[rows][:, columns], q.T[rows][:, columns]
    labels = [gold[row] for row in rows], [predicted[column] for column in columns]
    most = float(np.nanmax(np.abs(residuals), initial=0)) or 0.001
    significant = q < SIGNIFICANT
    dashed = residuals < -0.1 * most
    legend = {
        **({"outlined": f"q < {SIGNIFICANT:g}"} if significant.any() else {}),
        **({"dashed": "less than expected"} if dashed.any() else {}),
        **({"missing": "no data"} if np.isnan(residuals).any() else {}),
    }
    names = ("gold phone", "predicted phone")
    grid = Grid(residuals, *labels, *names, outlined=significant, outline=INK, dashed=dashed, legend=legend)
    tick = round_down(most)
    scale = Scale(
        diverging(),
        Normalize(-most, most),
        "observed − expected (joint probability)",
        [-tick, 0, tick],
    )
    kept = ["Where both phones are the same: kept right more (or less) often than expected."]
    notes = [
        *([warning] if warning else []),
        *(kept if set(gold) & set(predicted) else []),
        *_say("gold", few_gold),
        *_say("predicted", few_predicted),
    ]
    title = f"{corpus}: residuals from the reference"
    figure = draw_heatmap(grid, scale, plan_layout(*labels, options), title=title, notes=notes, font=options.font)
    return Drawing("residuals", figure, long_form(*labels, names=("gold", "predicted"), residual=residuals, q=q))


def _fold(values: list[Floats], phones: list[str], room: int) -> tuple[list[Floats], list[str], list[str]]:
    """Return residuals and q with the rows that show nothing added up as one (which has no q), and their phones."""
    residuals, q = values
    strongest = np.abs(np.nan_to_num(residuals)).max(axis=1, initial=0)
    weak = np.flatnonzero(strongest < _LEAST * strongest.max(initial=0))
    few = np.union1d(weak if len(weak) > 1 else weak[:0], rarest(strongest, room)).astype(np.intp)
    if not len(few):
        return values, phones, []
    others = np.setdiff1d(np.arange(len(phones)), few)
    together = np.vstack([residuals[others], np.nansum(residuals[few], axis=0)])
    none = np.full((1, q.shape[1]), np.nan)
    labels = [*(phones[k] for k in others), rest(len(few))]
    return [together, np.vstack([q[others], none])], labels, [phones[k] for k in few]


def _say(side: str, phones: Sequence[str]) -> list[str]:
    if not phones:
        return []
    named = " ".join(phones[:12]) + (" …" if len(phones) > 12 else "")
    return [f"{rest(len(phones))}: the {side} phones with the least residuals, added up: {named}."]


def _of_corpus(corpus: StoredCorpus) -> Drawing:
    note = corpus.note("expected_js")  # another recogniser, phones left out
    warning = f"{note[:1].upper()}{note[1:]}." if note else ""
    return draw_residuals(corpus.tables["expected"], corpus.title, corpus.options, corpus.orders[0], warning)


FIGURE = DeclaredFigure("residuals", ("expected",), _of_corpus)
