"""Association: which recognised phones' probability goes with which gold phones, from posteriors.

A cell is the normalised pointwise mutual information (Bouma 2009) of a gold and a recognised phone: 0 where they are
independent, 1 where they come only together. Cells of .1 or less are left blank.
"""

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import draw_heatmap, room_for, same_symbol
from phonxling.draw.order import cells, long_form, order_phones, phones_of, rarest
from phonxling.draw.style import sequential
from phonxling.resample.p_values import SIGNIFICANT

_FORCED = "At times that were found from the posteriors."
_CLEARLY = 0.1  # NPMI: up to this a cell is left blank


def draw_association(corpus: StoredCorpus) -> Drawing:
    """Return the heat map of NPMI(gold, recognised) above 0.1 from the `association` table."""
    table, options = corpus.tables["association"], corpus.options
    gold, recognised = phones_of(table["gold"]), phones_of(table["recognised"])
    room = room_for(gold, recognised, options)
    gold, no_gold = _keep(table, "gold", gold, room[0])
    recognised, no_recognised = _keep(table, "recognised", recognised, room[1])
    chosen = table[table["gold"].isin(gold) & table["recognised"].isin(recognised)]
    npmi, q = (cells(chosen, name, rows=("gold", gold), columns=("recognised", recognised)) for name in ("npmi", "q"))
    rows, columns = order_phones(np.clip(np.nan_to_num(npmi), 0, None), gold, recognised, corpus.orders[0])
    npmi, q = npmi[np.ix_(rows, columns)], q[np.ix_(rows, columns)]
    labels = [gold[row] for row in rows], [recognised[column] for column in columns]
    drawn, missing = npmi > _CLEARLY, np.isnan(npmi)
    unsure = drawn & ~(q < SIGNIFICANT)
    legend = {
        "outlined": "same symbol",
        **({"dotted": f"q ≥ {SIGNIFICANT:g}, or not tested"} if unsure.any() else {}),
        **({"missing": "no data"} if missing.any() else {}),
    }
    blank, clear = int((npmi <= _CLEARLY).sum()), int(((npmi < -_CLEARLY) & (q < SIGNIFICANT)).sum())
    said = (
        f"Left blank: {blank:,} of {npmi.size:,} cells, whose NPMI is {_CLEARLY:g} or less; of these {clear:,} are "
        f"together less often than if independent (below −{_CLEARLY:g}, q < {SIGNIFICANT:g})."
    )
    figure = draw_heatmap(
        np.where(drawn | missing, npmi, 0),
        labels,
        options,
        names=("gold phone", "recognised phone"),
        title=f"{corpus.title}: association with posteriors",
        notes=[said, *[_FORCED] * ("times" in table), *no_gold, *no_recognised],
        scale=(sequential(), Normalize(0, 1), "NPMI (0 independent, 1 only together)", [0, 0.25, 0.5, 0.75, 1]),
        legend=legend,
        marks={"outlined": same_symbol(*labels), "dotted": unsure},
    )
    shown = long_form(*labels, names=("gold", "recognised"), npmi=npmi, q=q)
    return Drawing("association", figure, shown[(drawn | missing).ravel()])


def _keep(table: pd.DataFrame, side: str, phones: list[str], room: int) -> tuple[list[str], list[str]]:
    """Return the phones that have room, in their order, and a note on the rarest ones that have none."""
    share = table.groupby(side, sort=False)["p_joint"].sum().reindex(phones).to_numpy(float)
    out = {phones[place] for place in rarest(np.nan_to_num(share), room + 1)}
    without = " ".join(phone for phone in phones if phone in out)
    note = [f"Left out: the {len(out)} rarest {side} phones ({without})."] if out else []
    return [phone for phone in phones if phone not in out], note


FIGURE = DeclaredFigure("association", ("association",), draw_association)
