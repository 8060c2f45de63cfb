"""What gold phones sound like to the recogniser, as learned from its posteriors."""

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import PowerNorm

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import draw_heatmap, room_for, same_symbol
from phonxling.draw.order import cells, long_form, order_phones, phones_of
from phonxling.draw.style import sequential

_NOTE = (
    "Shares of a gold phone’s frames, silence and blank left out, that are heard as each of the recogniser’s phones: "
    "learned from the posteriors, without an alignment of symbols."
)


def draw_sounds(corpus: StoredCorpus) -> Drawing | None:
    """Return the heat map of the shares of frames in the `sounds_like` table; the rarest phones may be left out."""
    phones, table, options = corpus.tables["forced"], corpus.tables["sounds_like"], corpus.options
    table = table[table["probability"].notna()]
    if table.empty:
        return None
    gold, heard = phones_of(table["gold"]), phones_of(table["recognised"])
    shares = cells(table, "probability", rows=("gold", gold), columns=("recognised", heard))
    tokens = dict(zip(phones["phone"], phones["tokens"], strict=True))
    said, room = np.array([tokens[phone] for phone in gold], dtype=np.float64), room_for(gold, heard, options)
    kept, left_out = _largest("gold", gold, said, room[0])
    columns, not_heard = _largest("recognised", heard, said @ shares, room[1])
    shares, gold, heard = shares[np.ix_(kept, columns)], [gold[k] for k in kept], [heard[k] for k in columns]
    rows, places = order_phones(shares, gold, heard, corpus.orders[0])
    labels = [gold[row] for row in rows], [heard[column] for column in places]
    shown, name = shares[np.ix_(rows, places)], "P(recognised | gold), square-root scale"
    figure = draw_heatmap(
        shown,
        labels,
        options,
        names=("gold phone", "recognised phone"),
        title=f"{corpus.title}: what phones sound like",
        notes=[_NOTE, *left_out, *not_heard],
        scale=(sequential(), PowerNorm(0.5, 0, 1), name, [0, 0.05, 0.2, 0.5, 1]),
        legend={"outlined": "same symbol"},
        marks={"outlined": same_symbol(*labels)},
    )
    return Drawing("sounds", figure, long_form(*labels, names=("gold", "recognised"), probability=shown))


def _largest(side: str, phones: Sequence[str], sizes: Floats, room: int) -> tuple[list[int], list[str]]:
    """Return the places of the largest sizes that have room, ascending, and a note on the phones that have none."""
    kept = sorted(np.argsort(-sizes, kind="stable")[:room].tolist())
    without = [phone for place, phone in enumerate(phones) if place not in set(kept)]
    return kept, [f"Left out: the {len(without)} rarest {side} phones ({' '.join(without)})."] if without else []


FIGURE = DeclaredFigure("sounds", ("sounds_like", "forced"), draw_sounds)
