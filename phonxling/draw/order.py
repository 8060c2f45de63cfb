"""The order of phones on the axes: that of the IPA chart, by confusions, features or frequency; rare ones folded."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.features import by_features, order_rows
from phonxling.core.arrays import Floats
from phonxling.core.inventory import GAP, chart_key

_Places = NDArray[np.intp]


def phones_of(labels: "pd.Series[str]") -> list[str]:
    """Return the phones of a column of labels in the order in which they first occur, without ∅."""
    return [label for label in dict.fromkeys(labels) if label != GAP]


def cells(
    table: pd.DataFrame,
    value: str,
    *,
    rows: tuple[str, Sequence[str]],
    columns: tuple[str, Sequence[str]],
    blank: float = np.nan,
) -> Floats:
    """Return a column of a long table as an array [rows, columns]; cells that it does not list are `blank`."""
    of_row, of_column = ({label: place for place, label in enumerate(labels)} for _, labels in (rows, columns))
    array = np.full((len(of_row), len(of_column)), blank)
    down, along = table[rows[0]].map(of_row).to_numpy(int), table[columns[0]].map(of_column).to_numpy(int)
    array[down, along] = table[value].to_numpy(float) if value in table else blank
    return array


def long_form(rows: Sequence[str], columns: Sequence[str], *, names: tuple[str, str], **values: Floats) -> pd.DataFrame:
    """Return arrays [rows, columns] as a long table, one row a cell, in the order in which they are drawn."""
    down, along = np.divmod(np.arange(len(rows) * len(columns)), max(len(columns), 1))
    labels = {names[0]: [rows[place] for place in down], names[1]: [columns[place] for place in along]}
    return pd.DataFrame({**labels, **{name: array.ravel() for name, array in values.items()}})


def order_columns(weights: Floats) -> _Places:
    """Return the order of columns that brings strong cells near the diagonal, for rows that stand in order already."""
    squares = np.nan_to_num(weights) ** 2
    total = squares.sum(axis=0)
    pulled = np.arange(len(weights), dtype=np.float64) @ squares
    return np.argsort(np.where(total > 0, pulled / np.where(total > 0, total, 1), np.inf), kind="stable")


def given_order(labels: Sequence[str], order: Sequence[str]) -> _Places:
    """Return the places of `labels` in a given order; labels that it does not name come after, as they stood."""
    rank = {label: place for place, label in enumerate(order)}
    return np.argsort([rank.get(label, len(rank)) for label in labels], kind="stable")


def order_phones(
    weights: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    row_order: Sequence[str] | None,
    column_order: Sequence[str] | None = None,
) -> tuple[_Places, _Places]:
    """Return the places of rows and of columns in given orders; else rows that are alike, columns by the diagonal."""
    down = rest_last(order_rows(weights) if row_order is None else given_order(rows, row_order), rows)
    along = order_columns(weights[down]) if column_order is None else given_order(columns, column_order)
    return down, rest_last(along, columns)


def rest(number: int) -> str:
    return f"other ({number})"


def is_rest(label: str) -> bool:
    """Return whether a label is that of phones that are drawn as one; no phone has a space."""
    return label.startswith("other (")


def rest_last(places: _Places, labels: Sequence[str]) -> _Places:
    """Return the places with that of the phones that are drawn as one moved to the end."""
    return places[np.argsort([is_rest(labels[place]) for place in places], kind="stable")]


def split(phones: Sequence[str], few: _Places) -> tuple[_Places, list[str]]:
    """Return the places of all but a few phones, and the labels of these with that of the few as one at the end."""
    others = np.setdiff1d(np.arange(len(phones)), few)
    return others, [*(phones[place] for place in others), rest(len(few))]


def named(phones: Sequence[str]) -> str:
    """Return a list of phones for a note, the first twelve of many."""
    return " ".join(phones[:12]) + (" …" if len(phones) > 12 else "")


def rarest(tokens: Floats, room: int) -> _Places:
    """Return which phones must be folded into one so that `room` places are enough, rarest first; none if all fit."""
    too_many = len(tokens) - room
    return np.argsort(tokens, kind="stable")[: too_many + 1] if too_many > 0 else np.arange(0)


def phone_orders(table: pd.DataFrame, order: str, vectors: Mapping[str, Floats]) -> tuple[list[str], list[str] | None]:
    """Return the order of gold phones, and of predicted ones; None where these follow the gold phones' diagonal."""
    gold, predicted = (phones_of(table[side]) for side in ("gold", "predicted"))
    if order == "features":
        ranked = by_features([*gold, *predicted], vectors)
        return _sorted(gold, ranked), _sorted(predicted, ranked)
    if order == "frequency":
        return _by_tokens(table, "gold", gold), _by_tokens(table, "predicted", predicted)
    if order == "chart":
        return sorted(gold, key=chart_key), sorted(predicted, key=chart_key)
    return order_gold(table), None


def order_gold(table: pd.DataFrame) -> list[str]:
    """Return the gold phones of a `confusions` table so that those confused alike stand side by side."""
    gold, predicted = (phones_of(table[side]) for side in ("gold", "predicted"))
    pairs = table[(table["gold"] != GAP) & (table["predicted"] != GAP)]
    counts = cells(pairs, "count", rows=("gold", gold), columns=("predicted", predicted), blank=0)
    with np.errstate(invalid="ignore"):
        return [gold[row] for row in order_rows(counts / counts.sum(axis=1, keepdims=True))]


def _sorted(phones: Sequence[str], ranked: Sequence[str]) -> list[str]:
    rank = {phone: place for place, phone in enumerate(ranked)}
    return sorted(phones, key=rank.__getitem__)


def _by_tokens(table: pd.DataFrame, side: str, phones: Sequence[str]) -> list[str]:
    tokens = table[table[side] != GAP].groupby(side, sort=False)["count"].sum()
    return sorted(phones, key=lambda phone: -tokens[phone])
