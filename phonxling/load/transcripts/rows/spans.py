"""Times of all phones of an utterance in one cell: `0.156-0.240 0.240-0.390`, or a list of [start, end]."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from phonxling.core.errors import DataError, shown

_SPAN = re.compile(r"(\d+(?:\.\d*)?)-(\d+(?:\.\d*)?)", re.ASCII)


def spans_of(where: str, phones: Sequence[str], times: object) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield each phone with its start and end in seconds.

    Raises
    ------
    DataError
        If there are more or fewer times than phones, or one is not `start-end`, or a list of two numbers.
    """
    given = times.split() if isinstance(times, str) else times
    if not isinstance(given, list | tuple):
        raise DataError(f"{where}: times must be a text such as 0.1-0.2 0.2-0.35, or a list of [start, end]")
    if len(given) != len(phones):
        raise DataError(f"{where}: {len(phones)} phones, but {len(given)} times; each phone needs its start-end")
    for phone, span in zip(phones, given, strict=True):
        yield phone, _span(where, span)


def _span(where: str, span: object) -> tuple[float, float]:
    if isinstance(span, str) and (match := _SPAN.fullmatch(span)):
        return float(match[1]), float(match[2])
    if isinstance(span, list | tuple) and len(span) == 2 and all(type(part) in {int, float} for part in span):
        with suppress(OverflowError):
            return float(span[0]), float(span[1])
    raise DataError(f"{where}: not the times of a phone: '{shown(str(span), 40)}'; write start-end in seconds: 0.1-0.2")
