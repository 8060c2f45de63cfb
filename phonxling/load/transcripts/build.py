"""Transcripts built while a file is read, each distinct symbol coded once; and several files' transcripts as one."""

import math
from array import array
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from phonxling.core.arrays import Floats, code_type, offsets_of
from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.text import check_plain, check_symbol


class TranscriptBuilder:
    """Collects utterances, or intervals of utterances, in the order in which a file gives them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._codes = array("i")
        self._lengths: list[int] = []
        self._utterances: dict[str, int] = {}
        self._symbols: dict[str, int] = {}
        self._places: list[str] = []
        self._times: tuple[array[float], array[float]] = (array("d"), array("d"))
        self._confidence = array("d")
        self._speakers: list[str] = []
        self._current = ""
        self._timed = self._scored = False  # where utterances alone tell, which have no interval

    def add_utterance(self, utterance: str, symbols: Sequence[str], line: int, speaker: str = "") -> None:
        """Add a whole utterance; DataError when its id occurred before, is empty, or cannot stand in a table."""
        self._open(utterance, line, speaker)
        known = self._symbols
        for symbol in symbols:
            if symbol not in known:
                self._code(symbol, line)
        self._codes.extend(map(known.__getitem__, symbols))
        self._lengths[-1] = len(symbols)

    def add_interval(
        self,
        utterance: str,
        symbol: str,
        line: int,
        times: tuple[float, float],
        *,
        confidence: float | None = None,
        speaker: str = "",
    ) -> None:
        """Add one interval of an utterance; DataError when its rows do not stand together, or name two speakers."""
        if utterance != self._current or not self._lengths:
            self._open(utterance, line, speaker)
        if speaker != self._speakers[-1]:
            msg = f"utterance '{utterance}' has the speakers '{self._speakers[-1]}' and '{shown(speaker)}'"
            raise DataError(f"{self.source}:{line}: {msg}")
        start, end = times
        if not (math.isfinite(start) and math.isfinite(end)) or end < start:
            raise DataError(f"{self.source}:{line}: an interval must not end ({end:g}) before it starts ({start:g})")
        self._codes.append(self._code(symbol, line))
        self._lengths[-1] += 1
        self._times[0].append(start)
        self._times[1].append(end)
        if confidence is not None:
            self._confidence.append(confidence)

    def add_empty(self, utterance: str, line: int, speaker: str = "", *, scored: bool) -> None:
        """Add an utterance without intervals, which would have times, and confidences if `scored`.

        DataError when its id occurred before.
        """
        self._open(utterance, line, speaker)
        self._current = ""  # no interval of it may come
        self._timed, self._scored = True, scored

    def add_intervals(
        self,
        utterances: Sequence[str],
        symbols: Sequence[str],
        lines: Sequence[int],
        times: Sequence[Floats],
        *,
        confidence: Floats | None,
        speakers: Sequence[str] | None,
    ) -> bool:
        """Add many intervals, and return True; or False, and nothing is added, when they must be looked at one by one.

        That is when a symbol is new, a time wrong, or an utterance has two speakers. DataError as for one interval
        when an utterance occurs again.
        """
        start, end = times
        owners = utterances if speakers is None else list(zip(utterances, speakers, strict=True))
        begins = [place for place, (one, other) in enumerate(pairwise(utterances), start=1) if one != other]
        runs = len(begins) if speakers is None else sum(one != other for one, other in pairwise(owners))
        goes_on = utterances[0] == self._current and bool(self._lengths)
        same = not goes_on or speakers is None or speakers[0] == self._speakers[-1]
        fine = bool((np.isfinite(start) & np.isfinite(end) & (start <= end)).all())
        if not (fine and same and runs == len(begins)) or not self._symbols.keys() >= set(symbols):
            return False
        for first, last in pairwise([0, *begins, len(symbols)]):
            if first or not goes_on:
                self._open(utterances[first], lines[first], speakers[first] if speakers is not None else "")
            self._lengths[-1] += last - first
        self._codes.extend(map(self._symbols.__getitem__, symbols))
        for values, more in zip(self._times, times, strict=True):
            values.frombytes(more.tobytes())
        if confidence is not None:
            self._confidence.frombytes(confidence.tobytes())
        return True

    def finish(self) -> Transcript:
        """Return what was collected.

        DataError when there was nothing at all, or when only some phones have times or a confidence, or some
        utterances a speaker.
        """
        if not self._utterances:
            raise DataError(f"{self.source}: holds no utterance")
        tokens = len(self._codes)
        if len(self._confidence) not in {0, tokens}:
            msg = f"{self.source}: {len(self._confidence)} of {tokens} intervals have a confidence; give all or none"
            raise DataError(msg)
        named = sum(map(bool, self._speakers))
        if named not in {0, len(self._speakers)}:
            raise DataError(
                f"{self.source}: {named} of {len(self._speakers)} utterances have a speaker; give all or none"
            )
        timed = len(self._times[0]) > 0 or (self._timed and not tokens)
        scored = len(self._confidence) > 0 or (self._scored and not tokens)
        if timed and len(self._times[0]) < tokens:
            raise DataError(f"{self.source}: {len(self._times[0])} of {tokens} phones have times; give all or none")
        return Transcript(
            utterances=tuple(self._utterances),
            offsets=offsets_of(self._lengths),
            codes=np.array(self._codes, dtype=code_type(len(self._symbols))),
            start=_frozen(self._times[0]) if timed else None,
            end=_frozen(self._times[1]) if timed else None,
            confidence=_frozen(self._confidence) if scored else None,
            speakers=tuple(self._speakers) if any(self._speakers) else None,
            source=self.source,
            symbols=tuple(self._symbols),
            places=tuple(self._places),
        )

    def _open(self, utterance: str, line: int, speaker: str) -> None:
        if not utterance:
            raise DataError(f"{self.source}:{line}: the utterance id is empty")
        check_plain(utterance, "utterance id", f"{self.source}:{line}")
        check_plain(speaker, "speaker", f"{self.source}:{line}")
        if utterance in self._utterances:
            first = self._utterances[utterance]
            msg = f"{self.source}:{line}: utterance '{utterance}' occurs again (first at line {first}); ids must differ"
            raise DataError(f"{msg}, and the rows of one utterance must stand together")
        self._utterances[utterance] = line
        self._current = utterance
        self._lengths.append(0)
        self._speakers.append(speaker)

    def _code(self, symbol: str, line: int) -> int:
        if symbol not in self._symbols:
            check_symbol(symbol, f"{self.source}:{line}")
            self._symbols[symbol] = len(self._symbols)
            self._places.append(f"{self.source}:{line}")
        return self._symbols[symbol]


def _frozen(values: "array[float]") -> Floats:
    """Return the numbers without a copy, not to be written to."""
    return np.frombuffer(memoryview(values).toreadonly())


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
