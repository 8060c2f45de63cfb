"""Confusions of a corpus: what each gold phone is heard as, what is dropped, and what is put in.

A cell is the share of a gold phone's tokens, or their count. The column of ∅ are deletions, the bars at ∅ insertions.
Phones of fewer than five tokens, and the rarest where a page has no room, are added up as one.
"""

import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm

from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import FEW_MEANING, Scale, draw_heatmap, room_for, round_down, same_symbol
from phonxling.draw.order import cells, is_rest, long_form, named, order_phones, phones_of, rarest, rest, split
from phonxling.draw.style import FEW, sequential

_RARE = 5  # tokens; phones of fewer are drawn as one
_GAPS = {
    "probability": (
        f"{GAP} column: share of a gold phone’s tokens deleted.",
        f"Bars at {GAP}: share of a predicted phone’s tokens inserted.",
    ),
    "count": (f"{GAP} column: tokens deleted. Bars at {GAP}: tokens inserted.",),
}


def draw_confusions(corpus: StoredCorpus) -> Drawing:
    table, options = corpus.tables["confusions"], corpus.options
    gold, predicted = (phones_of(table[side]) for side in ("gold", "predicted"))
    counts = cells(table, "count", rows=("gold", [*gold, GAP]), columns=("predicted", [*predicted, GAP]), blank=0)
    longest = [*gold, rest(len(gold))], [*predicted, rest(len(predicted)), GAP]
    room = room_for(*longest, options, has_gap=True)
    counts, gold, few_gold = _fold("gold", counts, gold, room[0])
    counts, predicted, few_predicted = _fold("predicted", counts.T, predicted, room[1] - 1)
    counts = counts.T
    shares = _shares(counts, with_gaps=_gap_is_symbol(table))
    rows, columns = order_phones(shares[:-1, :-1], gold, predicted, *corpus.orders)
    both = np.ix_([*rows, len(gold)], [*columns, len(predicted)])
    shares, counts = shares[both], counts[both]
    gold, predicted = [*(gold[row] for row in rows), GAP], [*(predicted[column] for column in columns), GAP]
    by_side = counts.sum(axis=1), counts.sum(axis=0)
    few = np.repeat((by_side[0] < FEW)[:-1, None], len(predicted), axis=1) & (options.cells == "probability")
    values = (shares if options.cells == "probability" else counts).astype(float)
    missing = {"missing": "no tokens"} if np.isnan(values[:-1]).any() else {}
    bars = [  # many phones in one have none, for theirs would dwarf the others
        np.where([is_rest(phone) for phone in phones], np.nan, tokens)
        for phones, tokens in zip((gold, predicted), by_side, strict=True)
    ]
    figure = draw_heatmap(
        values[:-1],
        (gold[:-1], predicted),
        options,
        names=("gold phone", "predicted phone"),
        title=corpus.titled("confusions"),
        notes=[
            *_GAPS[options.cells],
            *few_gold,
            *few_predicted,
        ],
        scale=_scale(counts, options.cells),
        legend={"outlined": "same symbol", **missing, **({"few": FEW_MEANING} if few.any() else {})},
        marks={"outlined": same_symbol(gold[:-1], predicted), "few": few},
        tokens=(bars[0][:-1], bars[1], values[-1, :-1]),
    )
    shown = long_form(gold, predicted, names=("gold", "predicted"), count=counts, share=shares).iloc[:-1]  # no ∅ at ∅
    return Drawing("confusions", figure, shown.assign(share_of=np.where(shown["gold"] == GAP, "predicted", "gold")))


def _fold(side: str, counts: Floats, phones: list[str], room: int) -> tuple[Floats, list[str], list[str]]:
    """Return counts [phones + ∅, …] and phones with the rarest added up as one, and a note on which those were."""
    tokens = counts[:-1].sum(axis=1)
    rare = np.flatnonzero(tokens < _RARE)
    few = np.union1d(rarest(tokens, room), rare if 1 < len(rare) < len(tokens) else rare[:0]).astype(np.intp)
    if not len(few):
        return counts, phones, []
    few = few[np.argsort(-tokens[few], kind="stable")]
    others, labels = split(phones, few)
    together = np.vstack([counts[others], counts[few].sum(axis=0), counts[-1:]])
    said = f"{side} phones of at most {tokens[few].max():g} tokens, {tokens[few].sum():,.0f} in all, as one and without"
    return together, labels, [f"{labels[-1]}: {said} a bar ({named([phones[place] for place in few])})."]


def _gap_is_symbol(table: pd.DataFrame) -> bool:
    gaps = (table["gold"] == GAP) | (table["predicted"] == GAP)
    return "p_joint" in table and bool(table.loc[gaps, "p_joint"].notna().any())


def _shares(counts: Floats, *, with_gaps: bool) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts / (counts if with_gaps else counts[:, :-1]).sum(axis=1, keepdims=True)
        shares[:, -1] = counts[:, -1] / counts.sum(axis=1)
        shares[-1] = counts[-1] / counts.sum(axis=0)
    shares[-1, -1] = np.nan
    return np.asarray(shares)


def _scale(counts: Floats, kind: str) -> Scale:
    if kind == "probability":
        return sequential(), PowerNorm(0.5, 0, 1), "P(predicted | gold), square-root scale", [0, 0.05, 0.2, 0.5, 1]
    most = float(max(counts.max(initial=0), 1))
    ticks = [0, *(round_down(most * share) for share in (0.05, 0.25, 1))]
    return sequential(), PowerNorm(0.5, 0, most), "tokens, square-root scale", ticks


FIGURE = DeclaredFigure("confusions", ("confusions",), draw_confusions, first=True)
