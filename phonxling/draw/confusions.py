"""Confusions of a corpus: what each gold phone is heard as, what is dropped, and what is put in."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm

from phonxling.analyses.features import order_rows
from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import GAP_WIDTH, Grid, Scale, draw_heatmap, plan_layout, round_down
from phonxling.draw.order import (
    cells,
    given_order,
    is_rest,
    long_form,
    order_columns,
    phones_of,
    rarest,
    rest,
    rest_last,
)
from phonxling.draw.style import FEW, FigureOptions, sequential

_RARE = 5  # tokens; phones of fewer are drawn as one
_GAPS = {
    "probability": (
        f"{GAP} column: share of a gold phone’s tokens deleted.",
        f"Bars at {GAP}: share of a predicted phone’s tokens inserted.",
    ),
    "count": (f"{GAP} column: tokens deleted. Bars at {GAP}: tokens inserted.",),
}


def draw_confusions(
    table: pd.DataFrame,
    corpus: str,
    options: FigureOptions,
    gold_order: Sequence[str] | None = None,
    predicted_order: Sequence[str] | None = None,
) -> Drawing:
    """Return the confusion heat map of a corpus from its `confusions` table."""
    gold, predicted = (phones_of(table[side]) for side in ("gold", "predicted"))
    counts = cells(table, "count", rows=("gold", [*gold, GAP]), columns=("predicted", [*predicted, GAP]), blank=0)
    tokens = {
        "gold": dict(zip(gold, counts.sum(axis=1), strict=False)),
        "predicted": dict(zip(predicted, counts.sum(axis=0), strict=False)),
    }
    layout = plan_layout(
        [*gold, rest(len(gold))], [*predicted, rest(len(predicted)), GAP], options, bars=True, gap=GAP_WIDTH
    )
    counts, gold, few_gold = _fold(counts, gold, layout.room_rows)
    turned, predicted, few_predicted = _fold(counts.T, predicted, layout.room_columns - 1)
    counts = turned.T
    shares = _shares(counts, with_gaps=_gap_is_symbol(table))
    rows = order_rows(shares[:-1, :-1]) if gold_order is None else given_order(gold, gold_order)
    rows = rest_last(rows, gold)
    diagonal = order_columns(shares[:-1, :-1][rows])
    columns = diagonal if predicted_order is None else given_order(predicted, predicted_order)
    columns = rest_last(columns, predicted)
    both = np.ix_([*rows, len(gold)], [*columns, len(predicted)])
    shares, counts = shares[both], counts[both]
    labels = [*(gold[row] for row in rows), GAP], [*(predicted[column] for column in columns), GAP]
    return Drawing(
        "confusions",
        draw_heatmap(
            _grid(shares, counts, *labels, options.cells),
            _scale(counts, options.cells),
            plan_layout(labels[0][:-1], labels[1], options, bars=True, gap=GAP_WIDTH),
            title=f"{corpus}: confusions" if corpus else "Confusions",
            notes=[
                *_GAPS[options.cells],
                *_say_few(labels[0], counts),
                *_say_folded("gold", few_gold, tokens),
                *_say_folded("predicted", few_predicted, tokens),
            ],
            font=options.font,
        ),
        # ∅ against ∅ does not exist
        _data(long_form(*labels, names=("gold", "predicted"), count=counts, share=shares).iloc[:-1]),
    )


def _fold(counts: Floats, phones: list[str], room: int) -> tuple[Floats, list[str], list[str]]:
    """Return counts [phones + ∅, …] and phones with the rarest added up as one, and which those were."""
    tokens = counts[:-1].sum(axis=1)
    rare = np.flatnonzero(tokens < _RARE)
    few = np.union1d(rarest(tokens, room), rare if 1 < len(rare) < len(tokens) else rare[:0]).astype(np.intp)
    if not len(few):
        return counts, phones, []
    few = few[np.argsort(-tokens[few], kind="stable")]
    others = np.setdiff1d(np.arange(len(phones)), few)
    together = np.vstack([counts[others], counts[few].sum(axis=0), counts[-1:]])
    return together, [*(phones[place] for place in others), rest(len(few))], [phones[place] for place in few]


def _say_folded(side: str, phones: Sequence[str], tokens: Mapping[str, Mapping[str, float]]) -> list[str]:
    if not phones:
        return []
    number = sum(tokens[side][phone] for phone in phones)
    named = " ".join(phones[:12]) + (" …" if len(phones) > 12 else "")
    most = max(tokens[side][phone] for phone in phones)
    few = f"{side} phones of at most {most:g} tokens, {number:,.0f} in all, as one and without a bar"
    return [f"{rest(len(phones))}: {few} ({named})."]


def _say_few(gold: list[str], counts: Floats) -> list[str]:
    few = [phone for phone, tokens in zip(gold, counts.sum(axis=1), strict=True) if tokens < FEW]
    return [f"Grey: fewer than {FEW} tokens ({' '.join(few)})."] if few else []


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
        name = "P(predicted | gold), square-root scale"
        return Scale(sequential(), PowerNorm(0.5, 0, 1), name, [0, 0.05, 0.2, 0.5, 1])
    most = float(max(counts.max(initial=0), 1))
    ticks = [0, *(round_down(most * share) for share in (0.05, 0.25, 1))]
    return Scale(sequential(), PowerNorm(0.5, 0, most), "tokens, square-root scale", ticks)


def _data(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that are drawn, with whose tokens each share is of: in the row of ∅ the predicted phone's."""
    return cells.assign(share_of=np.where(cells["gold"] == GAP, "predicted", "gold"))


def _grid(shares: Floats, counts: Floats, gold: list[str], predicted: list[str], kind: str) -> Grid:
    same = np.array([[one == other and not is_rest(one) for other in predicted] for one in gold[:-1]])
    values = (shares if kind == "probability" else counts).astype(float)
    missing = bool(np.isnan(values[:-1]).any())
    return Grid(
        values[:-1],
        gold[:-1],
        predicted,
        "gold phone",
        "predicted phone",
        apart=True,
        outlined=same,
        row_tokens=_bars(counts.sum(axis=1), gold)[:-1],
        column_tokens=_bars(counts.sum(axis=0), predicted),
        below=values[-1, :-1],
        legend={"outlined": "same symbol", **({"missing": "no tokens"} if missing else {})},
    )


def _bars(tokens: Floats, phones: list[str]) -> Floats:
    """Return the tokens to draw as bars: many phones in one have none, for theirs would dwarf the others."""
    return np.where([is_rest(phone) for phone in phones], np.nan, tokens)


def _of_corpus(corpus: StoredCorpus) -> Drawing:
    return draw_confusions(corpus.tables["confusions"], corpus.title, corpus.options, *corpus.orders)


FIGURE = DeclaredFigure("confusions", ("confusions",), _of_corpus)
