"""Which of the recogniser's phones each gold token is: the same symbol, or what the user's map says."""

import unicodedata
from collections.abc import Mapping

import numpy as np

from phonxling.core.arrays import Codes
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors
from phonxling.load.remote import local
from phonxling.load.resources import load_symbol_map
from phonxling.settings.models import Confidence


def gold_labels(tokens: TokenPosteriors, settings: Confidence) -> tuple[Codes, Codes]:
    """Return the column of each gold phone, [G], and of each token, [N]: −1 where the recogniser has no such phone."""
    phone_map = read_map(tokens.columns, settings)
    of_phone = tokens.columns.codes(phone_map.get(phone, phone) for phone in tokens.phones)
    return of_phone, of_phone[tokens.codes]


def read_map(columns: Inventory, settings: Confidence) -> Mapping[str, str]:
    """Return the recogniser's phone of each gold phone that the user's map names; errors as for `gold_labels`."""
    path = local(settings.map)
    given = {} if path is None else load_symbol_map(path)
    phone_map = {gold: unicodedata.normalize("NFC", own) for gold, own in given.items()}
    foreign = sorted({own for own in phone_map.values() if own and own not in columns})
    if foreign:
        raise DataError(f"{path}: the recogniser has no phone {' '.join(foreign)}; it has {' '.join(columns)}")
    return phone_map


def label_shares(tokens: TokenPosteriors, settings: Confidence) -> dict[str, float]:
    """Return how large a share of the tokens that have a label each of the recogniser's phones is; errors as above."""
    _, labels = gold_labels(tokens, settings)
    counts = np.bincount(labels[labels >= 0], minlength=len(tokens.columns))
    return {phone: float(count / counts.sum()) for phone, count in zip(tokens.columns, counts, strict=True) if count}
