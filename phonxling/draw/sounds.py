"""What gold phones sound like to the recogniser, as learned from its posteriors."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm

from phonxling.analyses.features import order_rows
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import Grid, Scale, draw_heatmap, plan_layout
from phonxling.draw.order import cells, given_order, long_form, order_columns, phones_of
from phonxling.draw.style import FigureOptions, sequential

_NOTE = (
    "Shares of a gold phone’s frames, silence and blank left out, that are heard as each of the recogniser’s phones: "
    "learned from the posteriors, without an alignment of symbols."
)


def draw_sounds(
    table: pd.DataFrame,
    corpus: str,
    options: FigureOptions,
    tokens: Mapping[str, float],
    gold_order: Sequence[str] | None = None,
) -> Drawing:
    """Return the heat map of the shares of frames in the `sounds_like` table; the rarest phones may be left out."""
    table = table[table["probability"].notna()]
    gold, heard = phones_of(table["gold"]), phones_of(table["recognised"])
    shares = cells(table, "probability", rows=("gold", gold), columns=("recognised", heard))
    room = plan_layout(gold, heard, options)
    said = np.array([tokens[phone] for phone in gold], dtype=np.float64)
    kept, columns = _largest(said, room.room_rows), _largest(said @ shares, room.room_columns)
    notes = [_NOTE, *_left_out("gold", gold, kept), *_left_out("recognised", heard, columns)]
    shares, gold, heard = shares[np.ix_(kept, columns)], [gold[k] for k in kept], [heard[k] for k in columns]
    rows = order_rows(shares) if gold_order is None else given_order(gold, gold_order)
    places = order_columns(shares[rows])
    labels = [gold[row] for row in rows], [heard[column] for column in places]
    shown = shares[np.ix_(rows, places)]
    same = np.array([[one == other for other in labels[1]] for one in labels[0]])
    grid = Grid(shown, *labels, "gold phone", "recognised phone", outlined=same, legend={"outlined": "same symbol"})
    scale = Scale(sequential(), PowerNorm(0.5, 0, 1), "P(recognised | gold), square-root scale", [0, 0.05, 0.2, 0.5, 1])
    title = f"{corpus}: what phones sound like"
    figure = draw_heatmap(grid, scale, plan_layout(*labels, options), title=title, notes=notes, font=options.font)
    return Drawing("sounds", figure, long_form(*labels, names=("gold", "recognised"), probability=shown))


def _largest(sizes: np.ndarray, room: int) -> list[int]:
    """Return the places of the largest sizes that have room, ascending."""
    return sorted(np.argsort(-sizes, kind="stable")[:room].tolist())


def _left_out(side: str, phones: Sequence[str], kept: Sequence[int]) -> list[str]:
    without = [phone for place, phone in enumerate(phones) if place not in set(kept)]
    return [f"Left out: the {len(without)} rarest {side} phones ({' '.join(without)})."] if without else []


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    table, phones = corpus.tables["sounds_like"], corpus.tables["forced"]
    if table["probability"].isna().all():
        return None
    tokens = dict(zip(phones["phone"], phones["tokens"], strict=True))
    return draw_sounds(table, corpus.title, corpus.options, tokens, corpus.orders[0])


FIGURE = DeclaredFigure("sounds", ("sounds_like", "forced"), _of_corpus)
