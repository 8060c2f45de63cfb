"""What a page carries, packed: texts and arrays deflated, in base85; alignments as codes of phones.

Which alignments
----------------
All of them up to a limit. Of more, first the first utterance that holds each pair of phones, so that every cell of the
matrix has something behind it; the rest of the limit is filled with utterances evenly spaced through the corpus.
Their times and confidences are packed by `times.py`, which says how.
"""

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.arrays import Bools

LIMIT = 5_000
_AT_ONCE = 1 << 18  # pairs that are looked at together

_PhoneCodes = NDArray[np.uint16]


@dataclass(frozen=True, eq=False, kw_only=True)
class PagePairs:
    """Aligned pairs of phones as a page needs them.

    Parameters
    ----------
    utterances, speakers : list of str
        U of each; a speaker may be "".
    lengths : int64 array [U]
        Pairs of each utterance.
    gold, predicted : uint16 array [Σ lengths]
        Codes of the phones; the number of phones for ∅.
    """

    utterances: Sequence[str]
    speakers: Sequence[str]
    lengths: NDArray[np.int64]
    gold: _PhoneCodes
    predicted: _PhoneCodes


def packed(data: bytes | str) -> str:
    """Return data deflated, in base85 of RFC 1924 with a comma for <, which would be escaped in a page."""
    raw = data.encode() if isinstance(data, str) else data
    return base64.b85encode(zlib.compress(raw, 9)).decode().replace("<", ",")


def unpacked(text: str) -> bytes:
    """Return the data that was packed, as the scripts unpack it."""
    return zlib.decompress(base64.b85decode(text.replace(",", "<")))


def packed_table(table: bytes) -> str:
    r"""Return a TSV table column by column, a line each, packed: alike values beside each other take an eighth less.

    Examples
    --------
    >>> unpacked(packed_table(b"gold\tcount\na\t3\nb\t5\n"))
    b'gold\ta\tb\ncount\t3\t5\n'
    """
    lines = [line.split(b"\t") for line in table.removesuffix(b"\n").split(b"\n")]
    return packed(b"".join(b"\t".join(column) + b"\n" for column in zip(*lines, strict=True)))


def packed_pairs(pairs: PagePairs, chosen: NDArray[np.int64]) -> dict[str, str]:
    """Return the pairs of the utterances that a page carries, packed."""
    of_pair = carried_pairs(pairs, chosen)
    return {
        "ids": packed("\n".join(pairs.utterances[u] for u in chosen)),
        "speakers": packed("\n".join(pairs.speakers[u] for u in chosen)),
        "lengths": packed(pairs.lengths[chosen].astype("<u4").tobytes()),
        "gold": packed(pairs.gold[of_pair].astype("<u2").tobytes()),
        "predicted": packed(pairs.predicted[of_pair].astype("<u2").tobytes()),
    }


def packed_rates(utterances: pd.DataFrame, chosen: NDArray[np.int64]) -> dict[str, str]:
    """Return the rates of those utterances as utterances.tsv has them, packed: float32, NaN where it has none."""
    rates = {name: utterances[name].to_numpy("<f4")[chosen] for name in ("wper", "per")}
    return {name: packed(values.tobytes()) for name, values in rates.items()}


def carried_pairs(pairs: PagePairs, chosen: NDArray[np.int64]) -> Bools:
    """Return whether each pair is of a chosen utterance, bool [Σ lengths]."""
    carried = np.zeros(len(pairs.lengths), dtype=bool)
    carried[chosen] = True
    return np.repeat(carried, pairs.lengths)


def chosen_utterances(pairs: PagePairs, limit: int = LIMIT) -> NDArray[np.int64]:
    """Return which utterances a page carries, ascending.

    Examples
    --------
    Three utterances, two to be kept: the first that holds pair (0, 0), and the first that holds (0, 1).

    >>> few = PagePairs(utterances=["u", "v", "w"], speakers=["", "", ""], lengths=np.array([1, 1, 1]),
    ...                 gold=np.zeros(3, np.uint16), predicted=np.array([0, 0, 1], np.uint16))
    >>> chosen_utterances(few, 2).tolist()
    [0, 2]
    """
    number = len(pairs.lengths)
    if number <= limit:
        return np.arange(number, dtype=np.int64)
    chosen = np.unique(np.searchsorted(np.cumsum(pairs.lengths), _first_of_each(pairs), side="right"))[:limit]
    others = np.setdiff1d(np.arange(number, dtype=np.int64), chosen, assume_unique=True)
    spaced = others[np.linspace(0, len(others) - 1, limit - len(chosen)).astype(np.int64)]
    return np.union1d(chosen, spaced)


def _first_of_each(pairs: PagePairs) -> NDArray[np.int64]:
    """Return where each pair of phones stands first, in the order of the corpus."""
    width = int(pairs.predicted.max(initial=0)) + 1
    first = np.full((int(pairs.gold.max(initial=0)) + 1) * width, -1, np.int64)
    for begin in reversed(range(0, len(pairs.gold), _AT_ONCE)):
        keys = pairs.gold[begin : begin + _AT_ONCE].astype(np.int64) * width + pairs.predicted[begin : begin + _AT_ONCE]
        codes, place = np.unique(keys, return_index=True)
        first[codes] = begin + place
    return np.sort(first[first >= 0])
