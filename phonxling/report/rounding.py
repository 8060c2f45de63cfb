"""Numbers as a paper prints them: as many digits as the uncertainty allows.

A value and its limits have the decimals at which half the interval's width shows two digits (the Particle Data Group's
habit, in short). Without an interval a number has three significant digits; whole numbers stand as they are.
"""

import math

_MOST = 6  # decimals
_LEAST_P = 0.001


def rounded(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """Return a number, with its limits in brackets where it has some; "" when it is missing.

    Examples
    --------
    >>> rounded(0.287348, 0.283911, 0.291702), rounded(0.287348, 0.19, 0.41), rounded(0.287348), rounded(1666.0)
    ('0.2873 [0.2839, 0.2917]', '0.29 [0.19, 0.41]', '0.287', '1,666')
    """
    if math.isnan(value):
        return ""
    if math.isnan(low) or math.isnan(high):
        return _plain(value)
    places = decimals((high - low) / 2)
    return f"{_fixed(value, places)} [{_fixed(low, places)}, {_fixed(high, places)}]"


def decimals(spread: float) -> int:
    """Return the decimals at which a spread shows two digits, 0 to 6.

    Examples
    --------
    >>> [decimals(spread) for spread in (0.11, 0.0039, 0.0951, 40.0, 0.0)]
    [2, 4, 3, 0, 6]
    """
    if not spread > 0 or math.isinf(spread):
        return _MOST if spread == 0 else 0
    return min(_MOST, max(0, 1 - math.floor(math.log10(float(f"{spread:.1e}")))))


def probability(p: float) -> str:
    """Return a p-value in two digits, one below a thousandth as such; "" when it is missing.

    Examples
    --------
    >>> probability(0.0312), probability(0.00099), probability(float("nan"))
    ('0.031', '< 0.001', '')
    """
    if math.isnan(p):
        return ""
    return f"{p:.2g}" if p >= _LEAST_P else f"< {_LEAST_P:g}"


def _plain(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value):
        return _fixed(value, 0)
    return _fixed(value, min(_MOST, max(0, 2 - math.floor(math.log10(abs(value))))))


def _fixed(value: float, places: int) -> str:
    if math.isinf(value):
        return _plain(value)
    return f"{value:z,.{places}f}".replace("-", "−")
