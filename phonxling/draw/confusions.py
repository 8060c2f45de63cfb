"""Heat maps of phones: confusions of a corpus, what differs from the reference, and what goes together.

Confusions: a cell is the share of a gold phone's tokens. The column of ∅ are deletions, the bars at ∅ insertions.
Phones of fewer than five tokens, and the rarest where the figure has no room, are added up as one. Where phones are
chosen, so are answers to them of less than a twentieth.

Residuals, shares of a target less what its reference leads one to expect: rows and columns without a difference that
could be seen are left out by name. The diagonal is muted, since what is kept right differs by far more than what is
confused with what.

Association of gold phones with recognised ones, from posteriors: a cell is their normalised pointwise mutual
information (Bouma 2009), 0 where they are independent, 1 where they come only together. Cells of .1 or less are left
blank. The rarest phones that have no room are left out by name.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize, PowerNorm
from numpy.typing import NDArray

from phonxling.core.arrays import Bools, Floats, divided
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
    named,
    order_phones,
    phones_of,
    rarest,
    rest,
    split,
)
from phonxling.draw.heatmap import FEW_MEANING, draw_heatmap, room_for, round_down, same_symbol
from phonxling.draw.style import FEW, INK, FigureOptions, diverging, sequential

_Places = NDArray[np.intp]
_RARE = 5  # tokens; phones of fewer are drawn as one
_OFTEN = 0.05  # of the tokens of a chosen phone: such answers have a column
_SAME = "same symbol"
_GAPS = (
    f"{GAP} column: share of a gold phone’s tokens deleted.",
    f"Bars at {GAP}: share of a predicted phone’s tokens inserted.",
)


def draw_confusions(corpus: StoredCorpus) -> Drawing | None:
    table, options = corpus.tables["confusions"], corpus.options
    gold, predicted = (phones_of(table[side]) for side in OF_PAIRS)
    counts = cells(table, "count", OF_PAIRS, ([*gold, GAP], [*predicted, GAP]), blank=0)
    own = [gold.index(phone) for phone in options.chosen(gold)]
    if not own:
        return None
    others = np.setdiff1d(np.arange(len(gold)), own)
    counts = np.vstack([counts[own], counts[-1:], counts[others].sum(axis=0)])  # those that are not drawn stand last
    gold = [gold[place] for place in own]
    longest = [*gold, rest(len(gold))], [*predicted, rest(len(predicted)), GAP]
    *room, needs = room_for(*longest, options, has_gap=True)
    further = np.flatnonzero(~_answered(counts, predicted, options)) if options.phones else np.arange(0)
    kept, hidden = counts[:-1], counts[-1:]
    kept, gold, few_gold = _fold("gold", kept, gold, room[0])
    by_phone = np.vstack([kept, hidden]).T
    by_phone, predicted, few_predicted = _fold("predicted", by_phone, predicted, room[1] - 1, further)
    counts, tokens = by_phone.T[:-1], by_phone.sum(axis=1)
    tokens[-1] = counts[:, -1].sum()
    shares = divided(counts, counts.sum(axis=1, keepdims=True))
    shares[-1] = divided(counts[-1], tokens)
    pairs = counts[:-1, :-1]
    similar = divided(pairs, pairs.sum(axis=1, keepdims=True))
    rows, columns = order_phones(similar, (gold, predicted), corpus.orders)
    gold, predicted = [gold[row] for row in rows], [*(predicted[column] for column in columns), GAP]
    columns = np.array([*columns, len(columns)])
    values, of_gold, of_predicted = shares[rows][:, columns], counts.sum(axis=1)[rows], tokens[columns]
    bars = [  # many phones in one have none, for theirs would dwarf the others
        np.where([is_rest(phone) for phone in phones], np.nan, own)
        for phones, own in ((gold, of_gold), (predicted, of_predicted))
    ]
    wide = (
        f"Each phone has room of its own from {needs:.0f} mm." if needs > options.width_mm and not len(further) else ""
    )
    figure = draw_heatmap(
        values,
        (gold, predicted),
        options,
        sides=OF_PAIRS,
        title=corpus.titled("confusions"),
        notes=[*_GAPS, *few_gold, *few_predicted, *filter(None, [wide])],
        scale=(sequential(), PowerNorm(0.5, 0, 1), "share of the gold phone’s tokens, √ scale", [0, 0.05, 0.2, 0.5, 1]),
        legend={"outlined": _SAME, "few": FEW_MEANING},
        marks={
            "outlined": same_symbol(gold, predicted),
            "few": np.repeat(of_gold[:, None] < FEW, len(predicted), axis=1),
        },
        tokens=(*bars, shares[-1, columns[:-1]]),
    )
    return Drawing("confusions", figure)


def _answered(counts: Floats, predicted: Sequence[str], options: FigureOptions) -> Bools:
    """Return which predicted phones are chosen themselves, or are often the answer to a chosen phone, [P]."""
    own = counts[:-2]
    often = np.any(divided(own, own.sum(axis=1, keepdims=True)) >= _OFTEN, axis=0)
    return np.asarray(np.isin(predicted, options.chosen(predicted)) | np.asarray(often)[:-1])


def _fold(
    side: str, counts: Floats, phones: list[str], room: int, further: _Places | None = None
) -> tuple[Floats, list[str], list[str]]:
    """Return counts [phones + ∅, …] and phones with the rarest added up as one, and a note on which those were.

    So are `further` ones, whatever their tokens.
    """
    tokens = counts[:-1].sum(axis=1)
    rare = np.flatnonzero(tokens < _RARE)
    rare = rare if 1 < len(rare) < len(tokens) else rare[:0]
    if further is not None and len(further):
        rare = np.union1d(rare, further)
    fits = len(tokens) - len(rare) + bool(len(rare)) <= room
    few = np.union1d(rare, rare if fits else rarest(np.where(np.isin(np.arange(len(tokens)), rare), -1, tokens), room))
    few = few.astype(np.intp)
    if not len(few):
        return counts, phones, []
    few = few[np.argsort(-tokens[few], kind="stable")]
    others, labels = split(phones, few)
    together = np.vstack([counts[others], counts[few].sum(axis=0), counts[-1:]])
    said = f"{side} phones of at most {tokens[few].max():g} tokens, {tokens[few].sum():,.0f} in all, as one and without"
    return together, labels, [f"{labels[-1]}: {said} a bar ({named([phones[place] for place in few])})."]


CONFUSIONS = DeclaredFigure("confusions", ("confusions",), draw_confusions, main=True, phones=True)


_LEAST = 0.05  # of the largest difference: a row or column below it everywhere shows nothing


def draw_residuals(corpus: StoredCorpus) -> Drawing | None:
    table, options = corpus.tables["expected"], corpus.options
    tokens = table.groupby("gold")["observed"].transform("sum").to_numpy(float)
    table = table.assign(difference=divided(table["residual"].to_numpy(float), tokens))
    table = table[table["gold"].isin(options.chosen(table["gold"]))]
    phones = phones_of(table["gold"]), phones_of(table["predicted"])
    if table.empty:
        return None
    difference, q = (cells(table, column, OF_PAIRS, phones) for column in ("difference", "q"))
    strength = np.nan_to_num(np.abs(difference)) * np.where(same_symbol(*phones), 0.5, 1)
    kept, left_out = list[_Places](), list[str]()
    for axis, room in enumerate(room_for(*phones, options)[:2]):
        strongest, own = strength.max(axis=1 - axis, initial=0), phones[axis]
        invisible = np.flatnonzero(strongest < _LEAST * strongest.max())
        weak = np.union1d(invisible, rarest(strongest, room)).astype(np.intp)
        kept.append(np.setdiff1d(np.arange(len(own)), weak))
        left_out += [f"{OF_PAIRS[axis]} {named([own[place] for place in weak])}"] if len(weak) else []
    labels, places = _in_order(corpus, phones, kept, strength)
    difference, q, same = difference[places], q[places], same_symbol(*labels)
    most = float(np.nanmax(np.abs(difference[~same]), initial=0)) or float(np.nanmax(np.abs(difference), initial=0.001))
    tick, note = round_down(most), corpus.note("expected_js")  # another recogniser, phones left out
    notes = [*([f"{note[:1].upper()}{note[1:]}."] if note else []), *_without_reference(corpus)]
    notes += ["White, too: cells of too few tokens to be compared."] * bool(np.isnan(difference).any())
    notes += [f"Left out, because no cell differs visibly: {'; '.join(left_out)}."] if left_out else []
    figure = draw_heatmap(
        np.nan_to_num(difference),
        labels,
        options,
        sides=OF_PAIRS,
        title=corpus.titled("residuals"),
        notes=notes,
        scale=(diverging(), Normalize(-most, most), "P(predicted | gold) − expected", [-tick, 0, tick]),
        legend={"few": FEW_MEANING, "outlined": f"q < {SIGNIFICANT:g}", "dashed": "less", "muted": f"{_SAME}, paler"},
        marks={
            "few": corpus.few(labels[0], len(labels[1])),
            "muted": same,
            "outlined": q < SIGNIFICANT,
            "dashed": difference < -0.1 * most,
        },
        outline=INK,
    )
    return Drawing("residuals", figure)


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


RESIDUALS = DeclaredFigure("residuals", ("expected",), draw_residuals, shows=("confusions",), phones=True)


_FORCED = "At times that were found from the posteriors."
_NPMI = "NPMI (0 independent, 1 only together)"
_CLEARLY = 0.1  # NPMI: up to this a cell is left blank


def draw_association(corpus: StoredCorpus) -> Drawing | None:
    table = corpus.tables["association"]
    table = table[table["gold"].isin(corpus.options.chosen(table["gold"]))]
    if corpus.options.phones:
        table = table[table["recognised"].isin(table.loc[table["npmi"] > _CLEARLY, "recognised"])]
    if table.empty:
        return None
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
        notes=[said, *[_FORCED] * (corpus.value("times_certainty") is not None), *left_out],
        scale=(sequential(), Normalize(0, 1), _NPMI, [0, 0.25, 0.5, 0.75, 1]),
        legend={"outlined": _SAME, "missing": "no data", "few": FEW_MEANING},
        marks={"outlined": same_symbol(*labels), "few": corpus.few(labels[0], len(labels[1]))},
    )
    return Drawing("association", figure)


def _largest(
    corpus: StoredCorpus, phones: Phones, sizes: Sequence[Floats], weights: Floats
) -> tuple[tuple[list[str], list[str]], tuple[_Places, ...], list[str]]:
    """Return the phones of the largest sizes that have room, in order, their cells, and notes on the others."""
    kept, notes = list[_Places](), list[str]()
    for side, own, size, room in zip(OF_POSTERIORS, phones, sizes, room_for(*phones, corpus.options)[:2], strict=True):
        kept.append(np.sort(np.argsort(-size, kind="stable")[:room]))
        if without := [phone for place, phone in enumerate(own) if place not in kept[-1]]:
            notes.append(f"Left out: the {len(without)} rarest {side} phones ({' '.join(without)}).")
    return *_in_order(corpus, phones, kept, weights), notes


ASSOCIATION = DeclaredFigure("association", ("association",), draw_association, shows=("confusions",), phones=True)
