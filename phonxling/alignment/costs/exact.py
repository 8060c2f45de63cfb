"""Fractions to integers over one denominator: exactly where 32 bits hold them, else rounded to a stated unit."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.cost_entries import LARGEST
from phonxling.core.errors import DataError

Integers = NDArray[np.int64]
Fractions = NDArray[Any]  # of Fraction
ROUNDED = 1_000_000  # the denominator of costs that have to be rounded, or the power of ten below that still fits
_SPELLED, _SAME = 10_000, Fraction(1, 10**14)  # 0.6666666666666666 is 2/3, as programs print it


def fractions_of(numerators: Integers, denominator: int) -> Fractions:
    """Return integers over a denominator as an array of Fraction, of the same shape."""
    distinct, places = np.unique(numerators, return_inverse=True)
    values = np.empty(len(distinct), dtype=object)
    values[:] = [Fraction(int(number), denominator) for number in distinct]
    return values[places].reshape(numerators.shape)


def over_one_denominator(parts: Sequence[Fractions]) -> tuple[list[Integers], int, str]:
    """Return each part as integers, their denominator, and a note where they had to be rounded ("" when exact).

    The denominator is the least common one when it and all numerators are below 2^31. Else costs are rounded: where
    each is within 10⁻¹⁴ of a fraction with a denominator up to 10,000 (0.6666666666666666 of 2/3), to the least common
    one of these; else to multiples of 1/1,000,000, or of a lower power of ten if costs are large, halves to even ones.

    Raises
    ------
    DataError
        If a cost is too large for 32 bits.

    Examples
    --------
    >>> (first, second), denominator, note = over_one_denominator(
    ...     [np.array([Fraction(1, 3)]), np.array([Fraction(1, 4)])])
    >>> int(first[0]), int(second[0]), denominator, note
    (4, 3, 12, '')
    >>> over_one_denominator([np.array([Fraction("0.6666666666666666"), Fraction(1, 48)])])[1]
    48
    """
    keys = [np.fromiter(map(id, part.flat), np.int64, part.size) for part in parts]  # few objects, and slow to hash
    distinct = [np.unique(key, return_index=True) for key in keys]
    values: set[Fraction] = {value for part, (_, at) in zip(parts, distinct, strict=True) for value in part.flat[at]}
    largest: Fraction = max(values, default=Fraction(0))
    if largest > LARGEST:
        raise DataError(f"the cost {largest} is too large for 32 bits")
    least = _least(values)
    denominator = least or _least({_spelled(value) for value in values}) or _below(ROUNDED, largest)
    whole = []
    for part, key, (known, at) in zip(parts, keys, distinct, strict=True):
        numerators = np.array([round(value * denominator) for value in part.flat[at]], dtype=np.int64)
        whole.append(numerators[np.searchsorted(known, key)].reshape(part.shape))
    note = "" if least else f"costs rounded to multiples of 1/{denominator}: no common denominator fits 32 bits"
    return whole, denominator, note


def _least(values: set[Fraction]) -> int:
    """Return the least common denominator, or 0 where it, or a numerator over it, does not fit."""
    least = math.lcm(*(value.denominator for value in values))
    return least if max([Fraction(1), *values]) * least <= LARGEST else 0


def _spelled(value: Fraction) -> Fraction:
    """Return the simple fraction that a long decimal number stands for, if there is one."""
    simple = value.limit_denominator(_SPELLED)
    return simple if abs(simple - value) <= _SAME else value


def _below(denominator: int, largest: Fraction) -> int:
    while largest * denominator > LARGEST:
        denominator //= 10
    return denominator
