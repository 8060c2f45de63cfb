"""Heat maps of phones: confusions of a corpus, what differs, and what goes together.

Confusions: a cell is the share of a gold phone's tokens, or their count. The column of ∅ are deletions, the bars at ∅
insertions. Phones of fewer than five tokens, and the rarest where a page has no room, are added up as one.

Differences of shares, of a target less what its reference leads one to expect, or of one item less another: rows and
columns without a difference that could be seen are left out by name. The diagonal is muted, since what is kept right
differs by far more than what is confused with what.

Association of gold phones with recognised ones, from posteriors: a cell is their normalised pointwise mutual
information (Bouma 2009), 0 where they are independent, 1 where they come only together. Cells of .1 or less are left
blank. The rarest phones that have no room are left out by name.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize, PowerNorm
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, divided
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.inventory import GAP
from phonxling.draw.figure import (
    OF_PAIRS,
    OF_POSTERIORS,
    DeclaredFigure,
    Drawing,
    Phones,
    StoredCorpus,
    cells,
    is_rest,
    long_form,
    named,
    order_phones,
    phones_of,
    rarest,
    rest,
    split,
)
from phonxling.draw.heatmap import FEW_MEANING, Scale, draw_heatmap, room_for, round_down, same_symbol
from phonxling.draw.style import FEW, INK, diverging, sequential

_RARE = 5  # tokens; phones of fewer are drawn as one
_SAME = "same symbol"
_GAPS = {
    "probability": (
        f"{GAP} column: share of a gold phone’s tokens deleted.",
        f"Bars at {GAP}: share of a predicted phone’s tokens inserted.",
    ),
    "count": (f"{GAP} column: tokens deleted. Bars at {GAP}: tokens inserted.",),
}


def draw_confusions(corpus: StoredCorpus) -> Drawing:
    table, options = corpus.tables["confusions"], corpus.options
    gold, predicted = (phones_of(table[side]) for side in OF_PAIRS)
    counts = cells(table, "count", OF_PAIRS, ([*gold, GAP], [*predicted, GAP]), blank=0)
    longest = [*gold, rest(len(gold))], [*predicted, rest(len(predicted)), GAP]
    room = room_for(*longest, options, has_gap=True)
    counts, gold, few_gold = _fold("gold", counts, gold, room[0])
    counts, predicted, few_predicted = _fold("predicted", counts.T, predicted, room[1] - 1)
    counts = counts.T
    with_gaps = _gap_is_symbol(table)
    shares = _shares(counts, with_gaps=with_gaps)
    rows, columns = order_phones(shares[:-1, :-1], (gold, predicted), corpus.orders)
    both = np.ix_([*rows, len(gold)], [*columns, len(predicted)])
    shares, counts = shares[both], counts[both]
    gold, predicted = [*(gold[row] for row in rows), GAP], [*(predicted[column] for column in columns), GAP]
    by_side = counts.sum(axis=1), counts.sum(axis=0)
    few = np.repeat((by_side[0] < FEW)[:-1, None], len(predicted), axis=1) & (options.cells == "probability")
    values = (shares if options.cells == "probability" else counts).astype(float)
    bars = [  # many phones in one have none, for theirs would dwarf the others
        np.where([is_rest(phone) for phone in phones], np.nan, tokens)
        for phones, tokens in zip((gold, predicted), by_side, strict=True)
    ]
    figure = draw_heatmap(
        values[:-1],
        (gold[:-1], predicted),
        options,
        sides=OF_PAIRS,
        title=corpus.titled("confusions"),
        notes=[*_GAPS[options.cells], *few_gold, *few_predicted],
        scale=_scale(counts, options.cells, with_gaps=with_gaps),
        legend={"outlined": _SAME, "missing": "no tokens", "few": FEW_MEANING},
        marks={"outlined": same_symbol(gold[:-1], predicted), "few": few},
        tokens=(bars[0][:-1], bars[1], values[-1, :-1]),
    )
    shown = long_form(OF_PAIRS, (gold, predicted), count=counts, share=shares).iloc[:-1]  # no ∅ at ∅
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


def _scale(counts: Floats, kind: str, *, with_gaps: bool) -> Scale:
    if kind == "probability":
        unit = f"P(predicted | gold{'' if with_gaps else ', not deleted'}), √ scale"
        return sequential(), PowerNorm(0.5, 0, 1), unit, [0, 0.05, 0.2, 0.5, 1]
    most = float(max(counts.max(initial=0), 1))
    ticks = [0, *(round_down(most * share) for share in (0.05, 0.25, 1))]
    return sequential(), PowerNorm(0.5, 0, most), "tokens, square-root scale", ticks


CONFUSIONS = DeclaredFigure("confusions", ("confusions",), draw_confusions, main=True)


_Places = NDArray[np.intp]
_DIFFERENCES_LEAST = 0.05  # of the largest difference: a row or column below it everywhere shows nothing


def draw_residuals(corpus: StoredCorpus) -> Drawing:
    table = corpus.tables["expected"]
    tokens = table.groupby("gold")["observed"].transform("sum").to_numpy(float)
    table = table.assign(difference=divided(table["residual"].to_numpy(float), tokens))
    note = corpus.note("expected_js")  # another recogniser, phones left out
    notes = [*([f"{note[:1].upper()}{note[1:]}."] if note else []), *_without_reference(corpus)]
    gold = phones_of(table["gold"])
    few = pd.Series(corpus.few(gold, 1)[:, 0], index=gold)
    title = corpus.titled("residuals")
    return _drawing("residuals", table, few, corpus, title=title, unit="P(predicted | gold) − expected", notes=notes)


def draw_differences(comparison: StoredCorpus) -> Drawing | None:
    """Draw the first two items that can be compared; another pair is a comparison of those two alone."""
    table = comparison.tables["cells"]
    pairs = table[table["status"] != "not-above-chance"].groupby(["item", "other"], sort=False)
    drawn = next(((items, table) for items, table in pairs if table["difference"].notna().any()), None)
    if drawn is None:
        return None
    (item, other), table = drawn
    few = table.groupby("gold", sort=False)[["n", "other_n"]].min().min(axis=1) < FEW
    title = f"{item} less {other}: confusions"
    return _drawing("differences", table, few, comparison, title=title, unit="difference of P(predicted | gold)")


def _drawing(
    name: str,
    table: pd.DataFrame,
    few: "pd.Series[bool]",
    corpus: StoredCorpus,
    *,
    title: str,
    unit: str,
    notes: Sequence[str] = (),
) -> Drawing:
    phones = phones_of(table["gold"]), phones_of(table["predicted"])
    difference, q = (cells(table, column, OF_PAIRS, phones) for column in ("difference", "q"))
    strength = np.nan_to_num(np.abs(difference)) * np.where(same_symbol(*phones), 0.5, 1)
    kept, left_out = list[_Places](), list[str]()
    for axis, room in enumerate(room_for(*phones, corpus.options)):
        strongest, own = strength.max(axis=1 - axis, initial=0), phones[axis]
        invisible = np.flatnonzero(strongest < _DIFFERENCES_LEAST * strongest.max())
        weak = np.union1d(invisible, rarest(strongest, room)).astype(np.intp)
        kept.append(np.setdiff1d(np.arange(len(own)), weak))
        left_out += [f"{OF_PAIRS[axis]} {named([own[place] for place in weak])}"] if len(weak) else []
    labels, places = _in_order(corpus, phones, kept, strength)
    difference, q, same = difference[places], q[places], same_symbol(*labels)
    most = float(np.nanmax(np.abs(difference[~same]), initial=0)) or float(np.nanmax(np.abs(difference), initial=0.001))
    unknown, tick = np.isnan(difference), round_down(most)
    notes = [*notes, *["White, too: cells of too few tokens to be compared."] * bool(unknown.any())]
    notes += [f"Left out, because no cell differs visibly: {'; '.join(left_out)}."] if left_out else []
    figure = draw_heatmap(
        np.nan_to_num(difference),
        labels,
        corpus.options,
        sides=OF_PAIRS,
        title=title,
        notes=notes,
        scale=(diverging(), Normalize(-most, most), unit, [-tick, 0, tick]),
        legend={"few": FEW_MEANING, "outlined": f"q < {SIGNIFICANT:g}", "dashed": "less", "muted": f"{_SAME}, paler"},
        marks={
            "few": np.repeat(few.reindex(labels[0]).to_numpy(bool)[:, None], len(labels[1]), axis=1),
            "muted": same,
            "outlined": q < SIGNIFICANT,
            "dashed": difference < -0.1 * most,
        },
        outline=INK,
    )
    shown = long_form(OF_PAIRS, labels, difference=difference, q=q)
    return Drawing(name, figure, shown[shown["difference"].notna()])


def _in_order(
    corpus: StoredCorpus, phones: Phones, kept: Sequence[_Places], weights: Floats
) -> tuple[tuple[list[str], list[str]], tuple[_Places, ...]]:
    """Return the phones that are kept, in the order of the corpus' heat maps, and an index to their cells."""
    rows, columns = ([own[place] for place in places] for own, places in zip(phones, kept, strict=True))
    down, along = order_phones(weights[np.ix_(*kept)], (rows, columns), corpus.orders)
    labels = [rows[place] for place in down], [columns[place] for place in along]
    return labels, np.ix_(kept[0][down], kept[1][along])


def _without_reference(corpus: StoredCorpus) -> list[str]:
    """Return which gold phones are not common, with their share of the errors on gold phones."""
    table = corpus.tables.get("confusions", pd.DataFrame(columns=["gold", "predicted", "count"]))
    wrong = table[(table["gold"] != GAP) & (table["gold"] != table["predicted"])]
    left_out = wrong[~wrong["gold"].isin(corpus.tables["expected"]["gold"])]
    if left_out.empty:
        return []
    share = f"{100 * left_out['count'].sum() / wrong['count'].sum():.0f} % of the errors on gold phones"
    phones = phones_of(left_out["gold"])
    return [f"Not here, because they are no common phones: {len(phones)} gold phones ({named(phones)}), {share}."]


DIFFERENCES = DeclaredFigure("residuals", ("expected",), draw_residuals, shows=("confusions",))
BETWEEN = DeclaredFigure("differences", ("cells",), draw_differences, of="comparison")


_FORCED = "At times that were found from the posteriors."
_NPMI = "NPMI (0 independent, 1 only together)"
_CLEARLY = 0.1  # NPMI: up to this a cell is left blank


def draw_association(corpus: StoredCorpus) -> Drawing:
    table = corpus.tables["association"]
    phones = phones_of(table["gold"]), phones_of(table["recognised"])
    npmi = cells(table, "npmi", OF_POSTERIORS, phones)
    sums = (table.groupby(side, sort=False)["p_joint"].sum() for side in OF_POSTERIORS)
    sizes = [np.nan_to_num(own.reindex(names)) for own, names in zip(sums, phones, strict=True)]
    labels, places, left_out = _largest(corpus, phones, sizes, np.clip(np.nan_to_num(npmi), 0, None))
    npmi = npmi[places]
    drawn, missing = npmi > _CLEARLY, np.isnan(npmi)
    blank = int((npmi <= _CLEARLY).sum())
    said = f"Left blank: {blank:,} of {npmi.size:,} cells, whose NPMI is {_CLEARLY:g} or less."
    figure = draw_heatmap(
        np.where(drawn | missing, npmi, 0),
        labels,
        corpus.options,
        sides=OF_POSTERIORS,
        title=corpus.titled("association"),
        notes=[said, *[_FORCED] * ("times" in table), *left_out],
        scale=(sequential(), Normalize(0, 1), _NPMI, [0, 0.25, 0.5, 0.75, 1]),
        legend={"outlined": _SAME, "missing": "no data", "few": FEW_MEANING},
        marks={"outlined": same_symbol(*labels), "few": corpus.few(labels[0], len(labels[1]))},
    )
    return Drawing("association", figure, long_form(OF_POSTERIORS, labels, npmi=npmi)[(drawn | missing).ravel()])


def _largest(
    corpus: StoredCorpus, phones: Phones, sizes: Sequence[Floats], weights: Floats
) -> tuple[tuple[list[str], list[str]], tuple[_Places, ...], list[str]]:
    """Return the phones of the largest sizes that have room, in order, their cells, and notes on the others."""
    kept, notes = list[_Places](), list[str]()
    for side, own, size, room in zip(OF_POSTERIORS, phones, sizes, room_for(*phones, corpus.options), strict=True):
        kept.append(np.sort(np.argsort(-size, kind="stable")[:room]))
        if without := [phone for place, phone in enumerate(own) if place not in kept[-1]]:
            notes.append(f"Left out: the {len(without)} rarest {side} phones ({' '.join(without)}).")
    return *_in_order(corpus, phones, kept, weights), notes


ASSOCIATION = DeclaredFigure("association", ("association",), draw_association, shows=("confusions",))
