"""Costs as a user's table gives them: exact fractions by pair of phones, or by phone for gaps."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from phonxling.core.errors import shown

LARGEST = 2**31 - 1
_RATIO = r"[0-9]{1,40}/0*[1-9][0-9]{0,39}"
_DECIMAL = r"([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][-+]?[0-9]{1,2})?"
_COST = re.compile(rf"\+?({_RATIO}|{_DECIMAL})")
_DECIMALS = 9  # up to which a cost is written as a decimal number


@dataclass(frozen=True, eq=False, kw_only=True)
class CostEntries:
    """A table of costs: what each pair of phones costs.

    Parameters
    ----------
    pairs : mapping of (str, str) to Fraction
        The cost ≥ 0 of each gold and predicted phone, in canonical form (`features.canonical`); ∅ on one side is a gap.
    source : str
        The file, for messages.
    digest : str
        The sha256 of the file, for the signature.
    """

    pairs: Mapping[tuple[str, str], Fraction]
    source: str
    digest: str


@dataclass(frozen=True, eq=False, kw_only=True)
class GapEntries:
    """A table of gap costs: what the insertion, or the deletion, of each phone costs.

    Parameters
    ----------
    phones : mapping of str to Fraction
        The cost ≥ 0 of each phone, in canonical form (`features.canonical`).
    source : str
        The file, for messages.
    digest : str
        The sha256 of the file, for the signature.
    """

    phones: Mapping[str, Fraction]
    source: str
    digest: str


def parse_cost(text: str) -> Fraction:
    """Return a cost, written as a fraction or a decimal number, exactly.

    Raises
    ------
    ValueError
        If it is negative, not finite, no number, or too large for 32 bits.

    Examples
    --------
    >>> [str(parse_cost(text)) for text in ("1/3", "0.25", "1e-3", "2")]
    ['1/3', '1/4', '1/1000', '2']
    """
    bare = text.strip()
    if not _COST.fullmatch(bare):
        raise ValueError(f"{_fault(bare)}: '{shown(text)}'; a cost is a number of at least 0, such as 0.25 or 1/3")
    cost = Fraction(bare)
    if cost > LARGEST:
        raise ValueError(f"the cost {bare} is too large for 32 bits")
    return cost


def _fault(text: str) -> str:
    if text.startswith("-") and _COST.fullmatch(text[1:]):
        return "a negative cost"
    if re.fullmatch(r"[-+]?(inf|infinity|∞|nan)", text, re.IGNORECASE):
        return "a cost that is not finite"
    return "no cost" if text else "an empty cost"


def cost_text(cost: Fraction) -> str:
    """Return a cost as text that `parse_cost` reads back exactly: a decimal number where it has up to nine decimals.

    Examples
    --------
    >>> cost_text(Fraction(1, 4)), cost_text(Fraction(1, 3)), cost_text(Fraction(2))
    ('0.25', '1/3', '2')
    """
    places = next((n for n in range(_DECIMALS + 1) if 10**n % cost.denominator == 0), None)
    if places is None:
        return str(cost)
    return f"{Decimal(int(cost * 10**places)).scaleb(-places):f}"
