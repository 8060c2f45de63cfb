"""The order of phones that a corpus' heat maps share: by confusions, features, frequency, or as they stand."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.inventory import GAP
from phonxling.draw.figures.confusions import order_gold
from phonxling.draw.order import order_rows
from phonxling.draw.pivot import phones_of

_Vectors = Mapping[str, NDArray[np.float64]]


def phone_orders(table: pd.DataFrame, order: str, vectors: _Vectors) -> tuple[list[str], list[str] | None]:
    """Return the order of gold phones, and of predicted ones; None where these follow the gold phones' diagonal.

    Parameters
    ----------
    table : DataFrame
        gold, predicted, count; ∅ for no phone.
    order : {"similarity", "features", "frequency", "inventory"}
        Phones confused alike side by side; phones of like features side by side, both sides in one order, phones
        without features last; the most frequent first; as the table has them.
    vectors : mapping
        Features (−1, 0, 1) of the phones that have any.
    """
    gold, predicted = (phones_of(table[side]) for side in ("gold", "predicted"))
    if order == "features":
        ranked = by_features([*gold, *predicted], vectors)
        return _sorted(gold, ranked), _sorted(predicted, ranked)
    if order == "frequency":
        return _by_tokens(table, "gold", gold), _by_tokens(table, "predicted", predicted)
    return (gold, predicted) if order == "inventory" else (order_gold(table), None)


def by_features(phones: Sequence[str], vectors: _Vectors) -> list[str]:
    """Return the phones, each once, so that those of like features are neighbours; those without features come last.

    Average linkage on the number of features that differ, leaves ordered optimally.

    Examples
    --------
    >>> vectors = {"p": np.array([-1.0, -1]), "a": np.array([1.0, 1]), "b": np.array([-1.0, 1])}
    >>> by_features(["p", "a", "?", "b"], vectors)
    ['p', 'b', 'a', '?']
    """
    known = [phone for phone in dict.fromkeys(phones) if phone in vectors]
    rows = np.array([vectors[phone] for phone in known])
    # the Hellinger distance of 0 and 1 is the square root of how many differ: − as one column, + as another
    ordered = order_rows(np.hstack([rows < 0, rows > 0]).astype(float)) if known else range(0)
    return [*(known[place] for place in ordered), *(phone for phone in dict.fromkeys(phones) if phone not in vectors)]


def _sorted(phones: Sequence[str], ranked: Sequence[str]) -> list[str]:
    rank = {phone: place for place, phone in enumerate(ranked)}
    return sorted(phones, key=rank.__getitem__)


def _by_tokens(table: pd.DataFrame, side: str, phones: Sequence[str]) -> list[str]:
    tokens = table[table[side] != GAP].groupby(side, sort=False)["count"].sum()
    return sorted(phones, key=lambda phone: -tokens[phone])
