"""Which of the recogniser's phones each gold token is: the same symbol, or what the user's map says."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.means import TokenPosteriors
from phonxling.load.remote.urls import local
from phonxling.load.resources.maps import load_symbol_map
from phonxling.settings.models import Experiment


@dataclass(frozen=True, eq=False)
class GoldLabels:
    """The column of each gold phone, [G], and of each token, [N]; −1 where the recogniser has no such phone."""

    of_phone: NDArray[np.int64]
    of_token: NDArray[np.int64]

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Whether the recogniser has the phone of each token, [N]."""
        return np.asarray(self.of_token >= 0)


def gold_labels(tokens: TokenPosteriors, experiment: Experiment) -> GoldLabels:
    """Return the label of each token; a phone that the map names is what the map says, any other is itself.

    DataError when the map cannot be read, or names phones that the recogniser has not: all are listed.
    """
    given = read_map(tokens.columns, experiment)
    of_phone = np.array([_column(phone, given, tokens.columns) for phone in tokens.phones], dtype=np.int64)
    return GoldLabels(of_phone, of_phone[tokens.codes])


def read_map(columns: Inventory, experiment: Experiment) -> Mapping[str, str]:
    """Return the recogniser's phone of each gold phone that the user's map names; errors as for `gold_labels`."""
    path = local(experiment.confidence.map)
    given = {} if path is None else {gold: _phone(heard) for gold, heard in load_symbol_map(path).items()}
    foreign = sorted({heard for heard in given.values() if heard and heard not in columns})
    if foreign:
        raise DataError(f"{path}: the recogniser has no phone {' '.join(foreign)}; it has {' '.join(columns)}")
    return given


def label_shares(tokens: TokenPosteriors, experiment: Experiment) -> dict[str, float]:
    """Return how large a share of the tokens that have a label each of the recogniser's phones is; errors as above."""
    labels = gold_labels(tokens, experiment)
    counts = np.bincount(labels.of_token[labels.inside], minlength=len(tokens.columns))
    return {phone: float(count / counts.sum()) for phone, count in zip(tokens.columns, counts, strict=True) if count}


def _column(phone: str, given: Mapping[str, str], columns: Inventory) -> int:
    heard = given.get(_phone(phone), phone)
    return columns.code(heard) if heard in columns else -1


def _phone(text: str) -> str:
    return unicodedata.normalize("NFC", text)
