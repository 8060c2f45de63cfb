"""Association: which recognised phones' probability goes with which gold phones, from posteriors."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from phonxling.analyses.features import order_rows
from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import Grid, Scale, draw_heatmap, plan_layout
from phonxling.draw.order import cells, given_order, long_form, order_columns, phones_of, rarest
from phonxling.draw.style import FigureOptions, sequential
from phonxling.resample.p_values import SIGNIFICANT

_FORCED = "At times that were found from the posteriors."
_CLEARLY = 0.1  # NPMI: up to this a cell is left blank


def draw_association(
    table: pd.DataFrame, corpus: str, options: FigureOptions, gold_order: Sequence[str] | None = None
) -> Drawing:
    """Return the heat map of NPMI(gold, recognised) above 0.1 from the `association` table."""
    gold, recognised = phones_of(table["gold"]), phones_of(table["recognised"])
    room = plan_layout(gold, recognised, options)
    gold, no_gold = _keep(table, "gold", gold, room.room_rows)
    recognised, no_recognised = _keep(table, "recognised", recognised, room.room_columns)
    chosen = table[table["gold"].isin(gold) & table["recognised"].isin(recognised)]
    cells_of = partial(cells, rows=("gold", gold), columns=("recognised", recognised))
    npmi = cells_of(chosen, "npmi")
    q = cells_of(chosen, "q") if "q" in chosen else np.full(npmi.shape, np.nan)
    together = np.clip(np.nan_to_num(npmi), 0, None)
    rows = order_rows(together) if gold_order is None else given_order(gold, gold_order)
    columns = order_columns(together[rows])
    npmi, q = npmi[rows][:, columns], q[rows][:, columns]
    labels = [gold[row] for row in rows], [recognised[column] for column in columns]
    drawn = npmi > _CLEARLY
    unsure = drawn & ~(q < SIGNIFICANT)
    missing = np.isnan(npmi)
    legend = {
        "outlined": "same symbol",
        **({"dotted": f"q ≥ {SIGNIFICANT:g}, or not tested"} if unsure.any() else {}),
        **({"missing": "no data"} if missing.any() else {}),
    }
    values = np.where(drawn | missing, npmi, 0)
    same = np.array([[one == other for other in labels[1]] for one in labels[0]])
    grid = Grid(values, *labels, "gold phone", "recognised phone", outlined=same, dotted=unsure, legend=legend)
    scale = Scale(sequential(), Normalize(0, 1), "NPMI (0 independent, 1 only together)", [0, 0.25, 0.5, 0.75, 1])
    forced = [_FORCED] * ("times" in table)
    notes = [_say_blank(npmi, q), *forced, *_say("gold", no_gold), *_say("recognised", no_recognised)]
    title = f"{corpus}: association with posteriors"
    figure = draw_heatmap(grid, scale, plan_layout(*labels, options), title=title, notes=notes, font=options.font)
    shown = long_form(*labels, names=("gold", "recognised"), npmi=npmi, q=q)
    return Drawing("association", figure, shown[(drawn | missing).ravel()])


def _say_blank(npmi: Floats, q: Floats) -> str:
    """Return the note on the cells that are not drawn."""
    blank, clear = int((npmi <= _CLEARLY).sum()), int(((npmi < -_CLEARLY) & (q < SIGNIFICANT)).sum())
    return (
        f"Left blank: {blank:,} of {npmi.size:,} cells, whose NPMI is {_CLEARLY:g} or less; of these {clear:,} are "
        f"together less often than if independent (below −{_CLEARLY:g}, q < {SIGNIFICANT:g})."
    )


def _keep(table: pd.DataFrame, side: str, phones: list[str], room: int) -> tuple[list[str], list[str]]:
    """Return the phones that have room, in their order, and the rarest ones that have none."""
    share = table.groupby(side, sort=False)["p_joint"].sum().reindex(phones).to_numpy(float)
    out = {phones[place] for place in rarest(np.nan_to_num(share), room + 1)}
    return [phone for phone in phones if phone not in out], [phone for phone in phones if phone in out]


def _say(side: str, phones: Sequence[str]) -> list[str]:
    return [f"Left out: the {len(phones)} rarest {side} phones ({' '.join(phones)})."] if phones else []


def _of_corpus(corpus: StoredCorpus) -> Drawing:
    return draw_association(corpus.tables["association"], corpus.title, corpus.options, corpus.orders[0])


FIGURE = DeclaredFigure("association", ("association",), _of_corpus)
