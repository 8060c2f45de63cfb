"""Differences of shares, cell by cell: a target less what its reference leads one to expect, one item less another.

Rows and columns without a difference that could be seen are left out by name. The diagonal is muted, since what is kept
right differs by far more than what is confused with what.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize

from phonxling.core.arrays import Bools, Floats, divided
from phonxling.core.inventory import GAP
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import FEW_MEANING, draw_heatmap, room_for, round_down, same_symbol
from phonxling.draw.order import cells, long_form, named, order_phones, phones_of, rarest
from phonxling.draw.style import FEW, INK, diverging
from phonxling.resample.p_values import SIGNIFICANT

_LEAST = 0.05  # of the largest difference: a row or column below it everywhere shows nothing


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
    pairs = comparison.tables["cells"].groupby(["item", "other"], sort=False)
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
    options, gold, predicted = corpus.options, phones_of(table["gold"]), phones_of(table["predicted"])
    sides = ("gold", "predicted")
    difference, q = (
        cells(table, column, rows=("gold", gold), columns=("predicted", predicted)) for column in ("difference", "q")
    )
    strength = np.nan_to_num(np.abs(difference)) * np.where(same_symbol(gold, predicted), 0.5, 1)
    room, kept, left_out = room_for(gold, predicted, options), list[Floats](), list[str]()
    for axis, (side, phones) in enumerate(zip(sides, (gold, predicted), strict=True)):
        strongest = strength.max(axis=1 - axis, initial=0)
        weak = np.union1d(np.flatnonzero(strongest < _LEAST * strongest.max()), rarest(strongest, room[axis]))
        kept.append(np.setdiff1d(np.arange(len(phones)), weak))
        left_out += [f"{side} {named([phones[one] for one in weak.astype(int)])}"] if len(weak) else []
    gold, predicted = [gold[one] for one in kept[0]], [predicted[one] for one in kept[1]]
    places = np.ix_(*kept)
    rows, columns = order_phones(strength[places], gold, predicted, *corpus.orders)
    difference, q = (part[places][np.ix_(rows, columns)] for part in (difference, q))
    labels = [gold[row] for row in rows], [predicted[column] for column in columns]
    same = same_symbol(*labels)
    most = float(np.nanmax(np.abs(difference[~same]), initial=0)) or float(np.nanmax(np.abs(difference), initial=0.001))
    marks: dict[str, Bools] = {
        "few": np.repeat(few.reindex(labels[0]).to_numpy(bool)[:, None], len(labels[1]), axis=1),
        "muted": same,
        "outlined": q < SIGNIFICANT,
        "dashed": difference < -0.1 * most,
    }
    meanings = {"few": FEW_MEANING, "outlined": f"q < {SIGNIFICANT:g}", "dashed": "less", "muted": "same symbol, paler"}
    unknown, tick = np.isnan(difference), round_down(most)
    notes = [*notes, *["White, too: cells of too few tokens to be compared."] * bool(unknown.any())]
    figure = draw_heatmap(
        np.nan_to_num(difference),
        labels,
        options,
        names=("gold phone", "predicted phone"),
        title=title,
        notes=[*notes, *([f"Left out, because no cell differs visibly: {'; '.join(left_out)}."] if left_out else [])],
        scale=(diverging(), Normalize(-most, most), unit, [-tick, 0, tick]),
        legend={kind: meaning for kind, meaning in meanings.items() if marks[kind].any()},
        marks=marks,
        outline=INK,
    )
    shown = long_form(*labels, names=sides, difference=difference, q=q)
    return Drawing(name, figure, shown[shown["difference"].notna()])


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


FIGURE = DeclaredFigure("residuals", ("expected",), draw_residuals, shows=("confusions",))
BETWEEN = DeclaredFigure("differences", ("cells",), draw_differences, of="comparison")
