"""Association: which recognised phones' probability goes with which gold phones, from posteriors."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from phonxling.draw.colours import diverging
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import Grid, Scale, draw_heatmap
from phonxling.draw.layout import plan_layout
from phonxling.draw.matrices import cells, long_form, phones_of
from phonxling.draw.order import given_order, order_columns, order_rows, rarest
from phonxling.draw.style import FigureOptions

_FORCED = "At times that were found from the posteriors."
_CLEARLY = 0.1  # NPMI below minus this carries a dash


def draw_association(
    table: pd.DataFrame, corpus: str, options: FigureOptions, gold_order: Sequence[str] | None = None
) -> Drawing:
    """Return the heat map of NPMI(gold, recognised) from the `association` table, range −1 to 1, white at 0.

    Pairs that never occur together (NPMI exactly −1) are white with a dot, pairs without data grey with a cross. Phones
    too rare for the page are left out (NPMI cannot be added up), and a note says which.

    Parameters
    ----------
    table : DataFrame
        gold, recognised, p_joint, npmi; all cells.
    gold_order : list of str, optional
        Order of the gold phones; by default similar rows stand side by side.
    """
    gold, recognised = phones_of(table["gold"]), phones_of(table["recognised"])
    room = plan_layout(gold, recognised, options)
    gold, no_gold = _keep(table, "gold", gold, room.room_rows)
    recognised, no_recognised = _keep(table, "recognised", recognised, room.room_columns)
    chosen = table[table["gold"].isin(gold) & table["recognised"].isin(recognised)]
    npmi = cells(chosen, "npmi", rows=("gold", gold), columns=("recognised", recognised))
    together = np.clip(np.nan_to_num(npmi), 0, None)
    rows = order_rows(together) if gold_order is None else given_order(gold, gold_order)
    columns = order_columns(together[rows])
    npmi = npmi[rows][:, columns]
    labels = [gold[row] for row in rows], [recognised[column] for column in columns]
    never = npmi <= -1
    dashed = (npmi < -_CLEARLY) & ~never
    legend = {
        **({"dashed": f"below −{_CLEARLY:g}"} if dashed.any() else {}),
        **({"dotted": "never together (−1)"} if never.any() else {}),
        **({"missing": "no data"} if np.isnan(npmi).any() else {}),
    }
    grid = Grid(npmi, *labels, "gold phone", "recognised phone", dashed=dashed, dotted=never, legend=legend)
    scale = Scale(diverging(), Normalize(-1, 1), "NPMI (0 independent, 1 only together)", [-1, -0.5, 0, 0.5, 1])
    forced = [_FORCED] * ("times" in table)
    notes = [*forced, *_say("gold", no_gold), *_say("recognised", no_recognised)]
    title = f"{corpus}: association with posteriors"
    figure = draw_heatmap(grid, scale, plan_layout(*labels, options), title=title, notes=notes, font=options.font)
    return Drawing("association", figure, long_form(*labels, names=("gold", "recognised"), npmi=npmi))


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
