"""Several files' transcripts as one."""

from collections.abc import Callable, Sequence

import numpy as np

from phonxling.core.arrays import Floats, offsets_of
from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript


def join(source: str, parts: Sequence[Transcript]) -> Transcript:
    """Return the utterances of all parts, in their order.

    Raises
    ------
    DataError
        If an utterance id stands in two parts.
        If some parts have times, confidences or speakers and others do not.
    """
    if len(parts) == 1:
        return parts[0]
    _refuse_doubles(parts)
    symbols = dict.fromkeys(symbol for part in parts for symbol in part.symbols)
    codes = {symbol: code for code, symbol in enumerate(symbols)}
    places: dict[str, str] = {}
    for part in parts:
        for symbol, place in zip(part.symbols, part.places, strict=True):
            places.setdefault(symbol, place)
    tables = [np.array([codes[symbol] for symbol in part.symbols], dtype=np.int32) for part in parts]
    spoken = _all_or_none(parts, "speakers", len)
    return Transcript(
        utterances=tuple(name for part in parts for name in part.utterances),
        offsets=offsets_of(np.concatenate([part.lengths for part in parts])),
        codes=np.concatenate([table[part.codes] for table, part in zip(tables, parts, strict=True)]),
        start=_column(parts, "start"),
        end=_column(parts, "end"),
        confidence=_column(parts, "confidence"),
        speakers=tuple(name for part in parts for name in part.speakers or ()) if spoken else None,
        source=source,
        symbols=tuple(symbols),
        places=tuple(places[symbol] for symbol in symbols),
    )


def _refuse_doubles(parts: Sequence[Transcript]) -> None:
    owners: dict[str, str] = {}
    for part in parts:
        for name in part.utterances:
            if name in owners:
                raise DataError(f"utterance '{name}' stands in both {owners[name]} and {part.source}; ids must differ")
            owners[name] = part.source


def _column(parts: Sequence[Transcript], name: str) -> Floats | None:
    if not _all_or_none(parts, name, lambda part: len(part.codes)):
        return None
    return np.concatenate([values for part in parts if (values := getattr(part, name)) is not None])


def _all_or_none(parts: Sequence[Transcript], name: str, size: Callable[[Transcript], int]) -> bool:
    """Return whether the parts have a column; one without tokens need not."""
    sides: dict[bool, str] = {}
    for part in parts:
        if size(part):
            sides.setdefault(getattr(part, name) is not None, part.source)
    if len(sides) == 2:
        what = {"start": "times", "end": "times", "confidence": "confidences"}.get(name, name)
        raise DataError(f"{sides[True]} has {what} and {sides[False]} has none; give all or none")
    return True in sides
