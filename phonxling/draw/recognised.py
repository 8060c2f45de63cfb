"""What gold phones are recognised as: association with posteriors or in confusions, and what phones sound like.

A cell of the association is the normalised pointwise mutual information (Bouma 2009) of a gold and a recognised phone:
0 where they are independent, 1 where they come only together. Cells of .1 or less are left blank. What phones sound
like is learned from the posteriors of whole utterances. The rarest phones that have no room are left out by name.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import Normalize, PowerNorm

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import FEW_MEANING, draw_heatmap, room_for, same_symbol
from phonxling.draw.order import cells, long_form, order_phones, phones_of
from phonxling.draw.style import FEW, diverging, sequential
from phonxling.resample.p_values import SIGNIFICANT

_FORCED = "At times that were found from the posteriors."
_CLEARLY = 0.1  # NPMI: up to this a cell is left blank
_NOTE = (
    "Shares of a gold phone’s frames, silence and blank left out, that the recogniser takes for each of its phones. "
    "Learned from the posteriors, without an alignment of symbols."
)
_AXES = ("gold phone", "recognised phone")


def draw_association(corpus: StoredCorpus) -> Drawing:
    table, options = corpus.tables["association"], corpus.options
    gold, recognised = phones_of(table["gold"]), phones_of(table["recognised"])
    room = room_for(gold, recognised, options)
    npmi, q = (cells(table, name, rows=("gold", gold), columns=("recognised", recognised)) for name in ("npmi", "q"))
    sums = [table.groupby(side, sort=False)["p_joint"].sum() for side in ("gold", "recognised")]
    kept, no_gold = _largest("gold", gold, np.nan_to_num(sums[0].reindex(gold)), room[0])
    heard, not_recognised = _largest("recognised", recognised, np.nan_to_num(sums[1].reindex(recognised)), room[1])
    gold, recognised = [gold[k] for k in kept], [recognised[k] for k in heard]
    npmi, q = npmi[np.ix_(kept, heard)], q[np.ix_(kept, heard)]
    rows, columns = order_phones(np.clip(np.nan_to_num(npmi), 0, None), gold, recognised, *corpus.orders)
    npmi, q = npmi[np.ix_(rows, columns)], q[np.ix_(rows, columns)]
    labels = [gold[row] for row in rows], [recognised[column] for column in columns]
    drawn, missing = npmi > _CLEARLY, np.isnan(npmi)
    unsure, untested = drawn & (q >= SIGNIFICANT), drawn & np.isnan(q)
    few = corpus.few(labels[0], len(labels[1]))
    legend = {
        "outlined": "same symbol",
        **({"dotted": f"q ≥ {SIGNIFICANT:g}"} if unsure.any() else {}),
        **({"untested": "not tested"} if untested.any() else {}),
        **({"missing": "no data"} if missing.any() else {}),
        **({"few": FEW_MEANING} if few.any() else {}),
    }
    blank, clear = int((npmi <= _CLEARLY).sum()), int(((npmi < -_CLEARLY) & (q < SIGNIFICANT)).sum())
    said = (
        f"Left blank: {blank:,} of {npmi.size:,} cells, whose NPMI is {_CLEARLY:g} or less. Of these, {clear:,} are "
        f"together less often than if independent (below −{_CLEARLY:g}, q < {SIGNIFICANT:g})."
    )
    figure = draw_heatmap(
        np.where(drawn | missing, npmi, 0),
        labels,
        options,
        names=_AXES,
        title=corpus.titled("association"),
        notes=[said, *[_FORCED] * ("times" in table), *no_gold, *not_recognised],
        scale=(sequential(), Normalize(0, 1), "NPMI (0 independent, 1 only together)", [0, 0.25, 0.5, 0.75, 1]),
        legend=legend,
        marks={"outlined": same_symbol(*labels), "dotted": unsure, "untested": untested, "few": few},
    )
    shown = long_form(*labels, names=("gold", "recognised"), npmi=npmi, q=q)
    return Drawing("association", figure, shown[(drawn | missing).ravel()])


def draw_npmi(corpus: StoredCorpus) -> Drawing | None:
    """Return the heat map of the NPMI of confusions, which needs no posteriors; with ∅ where it is a symbol."""
    table, options = corpus.tables["confusions"], corpus.options
    table = table[table["npmi"].notna()] if "npmi" in table else table[:0]
    if table.empty:
        return None
    phones, notes, sides = list[list[str]](), list[str](), ("gold", "predicted")
    every = [list(map(str, dict.fromkeys(table[side]))) for side in sides]
    for side, own, room in zip(sides, every, room_for(every[0], every[1], options), strict=True):
        tokens = table.groupby(side, sort=False)["count"].sum().reindex(own)
        kept, without = _largest(side, own, tokens.to_numpy(float), room)
        phones.append([own[place] for place in kept])
        notes += without
    table = table[table["gold"].isin(phones[0]) & table["predicted"].isin(phones[1])]
    npmi = cells(table, "npmi", rows=("gold", phones[0]), columns=("predicted", phones[1]))
    rows, columns = order_phones(np.clip(np.nan_to_num(npmi), 0, None), phones[0], phones[1], *corpus.orders)
    labels, npmi = ([phones[0][row] for row in rows], [phones[1][one] for one in columns]), npmi[np.ix_(rows, columns)]
    seldom, never = npmi < -_CLEARLY, np.isnan(npmi)
    marked = {"dashed": seldom.any(), "missing": never.any()}
    meanings = {"dashed": "together seldom", "missing": "never together"}
    figure = draw_heatmap(
        npmi,
        labels,
        options,
        names=("gold phone", "predicted phone"),
        title=corpus.titled("association-confusions"),
        notes=[f"From counts of aligned phones. Together seldom: NPMI below −{_CLEARLY:g}.", *notes],
        scale=(diverging(), Normalize(-1, 1), "NPMI (0 independent, 1 only together)", [-1, -0.5, 0, 0.5, 1]),
        legend={"outlined": "same symbol", **{kind: meanings[kind] for kind, has in marked.items() if has}},
        marks={"outlined": same_symbol(*labels) & (np.array(labels[0]) != GAP)[:, None], "dashed": seldom},
    )
    return Drawing("association-confusions", figure, long_form(*labels, names=sides, npmi=npmi))


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
    rows, places = order_phones(shares, gold, heard, *corpus.orders)
    labels = [gold[row] for row in rows], [heard[column] for column in places]
    shown, name = shares[np.ix_(rows, places)], "P(recognised | gold), square-root scale"
    few = np.repeat(said[kept][rows, None] < FEW, len(columns), axis=1)
    figure = draw_heatmap(
        shown,
        labels,
        options,
        names=_AXES,
        title=corpus.titled("association-frames"),
        notes=[_NOTE, *left_out, *not_heard],
        scale=(sequential(), PowerNorm(0.5, 0, 1), name, [0, 0.05, 0.2, 0.5, 1]),
        legend={"outlined": "same symbol", **({"few": FEW_MEANING} if few.any() else {})},
        marks={"outlined": same_symbol(*labels), "few": few},
    )
    return Drawing("association-frames", figure, long_form(*labels, names=("gold", "recognised"), probability=shown))


def _largest(side: str, phones: Sequence[str], sizes: Floats, room: int) -> tuple[list[int], list[str]]:
    """Return the places of the largest sizes that have room, ascending, and a note on the phones that have none."""
    kept = sorted(np.argsort(-sizes, kind="stable")[:room].tolist())
    without = [phone for place, phone in enumerate(phones) if place not in set(kept)]
    return kept, [f"Left out: the {len(without)} rarest {side} phones ({' '.join(without)})."] if without else []


CONFUSED = DeclaredFigure("association-confusions", ("confusions",), draw_npmi)
FIGURE = DeclaredFigure("association", ("association",), draw_association, shows=("confusions",))
FRAMES = DeclaredFigure("association-frames", ("sounds_like", "forced"), draw_sounds)
