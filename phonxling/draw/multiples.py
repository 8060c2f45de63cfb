"""The confusions of many corpora as small heat maps side by side, over the same phones in the same order."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm

from phonxling.core.arrays import divided
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.order import cells, given_order, phone_orders, phones_of
from phonxling.draw.sheet import Sheet, fitted, wrap
from phonxling.draw.style import EDGE, LINE, PALE_GREY, SMALL, sequential

_LEAST, _TITLE = 11.0, 3.2  # mm: the side of a panel at least, its title
_NOTES = (
    "Down: gold phones; across: predicted phones. All panels have the same phones in the same places; grey: a phone "
    "that a language lacks. Dark: predicted so often (square-root scale, from 0 to 1). Best languages first."
)


def draw_multiples(source: StoredCorpus) -> Iterator[Drawing]:
    """Yield p(predicted | gold) of each corpus, where there are too many for a heat map of each."""
    stored = source.stored
    tables = {name: own["confusions"] for name, own in stored.tables.items() if len(own.get("confusions", ()))}
    if len(tables) <= stored.options.each_up_to:
        return
    names = [name for name in dict.fromkeys(stored.targets_first["corpus"]) if name in tables]
    every = pd.concat([tables[name] for name in names], ignore_index=True)
    every = every[(every["gold"] != GAP) & (every["predicted"] != GAP)]
    total = every.groupby(["gold", "predicted"], sort=False)["count"].sum().reset_index()
    gold, predicted = phone_orders(total, stored.options.order, stored.vectors)
    if predicted is None:
        heard = phones_of(total["predicted"])
        predicted = [heard[place] for place in given_order(heard, gold)]
    width = stored.options.width_mm - EDGE
    across = max(1, int(width // (_LEAST + EDGE)))
    side, lines = width / across - EDGE, wrap([_NOTES], stored.options.width_mm)
    down, foot = -(-len(names) // across), EDGE + LINE * len(lines) + 1.5
    figure, shown = Sheet(stored.options.width_mm, foot + down * (side + _TITLE) + 8.0), []
    figure.write_title(foot + down * (side + _TITLE) + 7.0, "Confusions of all languages")
    for place, name in enumerate(names):
        own = tables[name][(tables[name]["gold"] != GAP) & (tables[name]["predicted"] != GAP)]
        counts = cells(own, "count", rows=("gold", gold), columns=("predicted", predicted), blank=0)
        shares = divided(counts, counts.sum(axis=1, keepdims=True))
        left, bottom = EDGE + (side + EDGE) * (place % across), foot + (side + _TITLE) * (down - 1 - place // across)
        axes = figure.axes_at(left, bottom, side, side)
        axes.set_facecolor(PALE_GREY)
        axes.imshow(shares, cmap=sequential(), norm=PowerNorm(0.5, 0, 1), aspect="auto", interpolation="nearest")
        axes.set(xticks=[], yticks=[])
        figure.write(left, bottom + side + 0.5, fitted(stored.title(name), side, size=SMALL), SMALL)
        row, column = np.nonzero(counts)
        phones = {"gold": np.array(gold)[row], "predicted": np.array(predicted)[column]}
        shown.append(pd.DataFrame({"corpus": name, **phones, "share": shares[row, column]}))
    figure.finish(lines)
    yield Drawing("confusions-all", figure, pd.concat(shown, ignore_index=True))


FIGURE = DeclaredFigure("confusions-all", (), draw_multiples, of="corpora", shows=("confusions",), first=True)
