"""Transcripts built while a file is read, each distinct symbol coded once; several files' transcripts as one.

A file format of transcripts: the loader of one file, its endings, and the options that it takes.

What the columns of a table seem to hold, by their names: ids, phones, and which are gold and which predicted.
"""

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from phonxling.core.arrays import Floats, code_type, offsets_of
from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.text import LONGEST_NAME, check_plain, check_symbol

Where = Mapping[str, Sequence[str]]
_Line = TypeVar("_Line")
_Row = TypeVar("_Row")
_NAMED = 10  # values of a column


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of a loader besides the file."""

    columns: Mapping[str, str] = field(default_factory=dict)
    tier: str | None = None
    utterance: str = ""
    speaker: str = ""
    where: Where = field(default_factory=dict)
    side: str = ""


Loader = Callable[[Path, Reading], Transcript]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of transcripts. A plug-in may be one of these, or a loader alone."""

    name: str
    load: Loader
    endings: tuple[str, ...]
    takes: frozenset[str] = frozenset()
    by_speaker: bool = False
    library: str | None = None
    shared: bool = False
    fields: Callable[[Path], list[str]] | None = None


class NoRowsError(DataError):
    """No row of a table has what `where` asks for; `seen` counts what its columns have."""

    def __init__(self, message: str, seen: Mapping[str, "Counter[str]"]) -> None:
        super().__init__(message)
        self.seen = seen


def rows_where(
    source: str, rows: Iterator[tuple[_Line, _Row]], where: Where, cell: Callable[[_Row, str], str | None]
) -> Iterator[tuple[_Line, _Row]]:
    """Yield the rows whose cells have one of the values asked for; those without such a cell are left to the reader."""
    seen: dict[str, Counter[str]] = {name: Counter() for name in where}
    left = 0
    for line, row in rows:
        cells = {name: cell(row, name) for name in where}
        for name, value in cells.items():
            seen[name][value or ""] += 1
        if all(value is None or value in where[name] for name, value in cells.items()):
            left += 1
            yield line, row
    if not left:
        raise no_rows(source, where, seen)


def no_rows(source: str, where: Where, seen: Mapping[str, "Counter[str]"]) -> NoRowsError:
    asked = " and ".join(f"{name}: {' or '.join(values)}" for name, values in where.items())
    found = "; ".join(f"{name} is {_counted(values)}" for name, values in seen.items())
    return NoRowsError(f"{source}: no row has {asked}; {found}. Correct where:", seen)


def _counted(values: Counter[str]) -> str:
    named = ", ".join(f"{shown(value) or '(empty)'} ({number:,})" for value, number in values.most_common(_NAMED))
    return named + f" … and {len(values) - _NAMED} more" * (len(values) > _NAMED)


ROLES = ("utterance", "phones", "times", "start", "end", "phone", "confidence", "speaker")
_MOST = 1000  # fields that are looked at
HEADER_LETTERS = 400  # of a list of columns in a message
_WORDS: Mapping[str, tuple[str, ...]] = {  # a word of a column's name tells; the first kind that has one
    kind: tuple(words.split())
    for kind, words in {
        "": "score scores confidence conf per wer cer length len count duration prob probability loss rate errors "
        "distance number channel lang language tier",
        "speaker": "speaker speakers spk spkr talker client participant",
        "utterance": "utterance utt uttid id ids sample key fileid file filename name path wav audio",
        "predicted": "predicted prediction predictions predict pred preds hyp hyps hypothesis hypotheses recognised "
        "recognized decoded output processed heard",
        "gold": "gold ref refs reference references truth gt target targets canonical actual",
        "times": "times intervals spans timestamps",
        "start": "start begin onset from xmin tmin",
        "end": "end stop offset to xmax tmax",
        "phones": "phones phone phoneme phonemes ipa transcription transcriptions transcript transcripts text label "
        "labels symbol segment segments pronunciation",
    }.items()
}


def meanings(fields: Iterable[str]) -> dict[str, list[str]]:
    """Return which fields seem to hold what, as far as their names tell."""
    kinds: dict[str, list[str]] = {}
    for name in islice(fields, _MOST):
        kinds.setdefault(next((kind for kind in _WORDS if _words(name, kind)), ""), []).append(name)
    kinds.pop("", None)
    if "predicted" in kinds and "gold" not in kinds and "phones" in kinds:
        kinds["gold"] = kinds.pop("phones")
    if "utterance" in kinds:  # `utt_id` before `audio_path`
        kinds["utterance"].sort(key=lambda field: min(map(_WORDS["utterance"].index, _words(field, "utterance"))))
    return {kind: kinds[kind] for kind in ("utterance", "gold", "predicted", *_WORDS) if kind in kinds}


def id_field(fields: Iterable[str]) -> str:
    """Return the field that has the ids where none is called `utterance`: `id`, or `path` where it is the best."""
    names = [*islice(fields, _MOST)]
    if "id" in names or "path" not in names:
        return "id"
    return "path" if meanings(names)["utterance"][0] == "path" else "id"


def _words(field: str, kind: str) -> set[str]:
    return {*re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", field).lower())} & {*_WORDS[kind]}


def sides(fields: Iterable[str]) -> tuple[str, str] | None:
    held = meanings(fields)
    gold, predicted = held.get("gold", []), held.get("predicted", [])
    return (gold[0], predicted[0]) if len(gold) == len(predicted) == 1 else None


def columns_of(fields: Sequence[str], phones: str = "") -> dict[str, str]:
    """Return the setting `columns` that fields speak for: for one side, if its field of phones is given."""
    held = {kind: names[0] for kind, names in meanings(fields).items()}
    one_side = held.keys() & {"gold", "predicted", "phones"}
    if not phones and len(one_side) == 1:
        phones = held[one_side.pop()]
    timed = {"start", "end"} <= held.keys()
    wanted = ("utterance", "speaker", *(("start", "end", "phone") if timed else ("phones", "times")))
    held = {**held, "phone" if timed else "phones": phones}
    known = {"id", "utterance"} & set(fields)
    given = {kind: held.get(kind, "") for kind in ROLES if kind in wanted and not (kind == "utterance" and known)}
    return {kind: name for kind, name in given.items() if name and name != kind}


def advice(fields: Sequence[str]) -> str:
    """Return what to give as `columns` for a table that lacks the columns that are read."""
    held, pair = meanings(fields), sides(fields)
    if pair:
        gold, predicted = (columns_of(fields, phones) for phones in pair)
        both = f"columns: {_mapping(gold)} for gold and {_mapping(predicted)} for predicted"
        return f"It seems to hold both sides: give {both} (score: --columns '{_option(gold)};{_option(predicted)}')"
    if "gold" in held and "predicted" in held:
        choice = f"gold may be in {_listed(held['gold'])}, predicted in {_listed(held['predicted'])}"
        return f"It seems to hold both sides ({choice}): give columns: {{phones: …}} for each"
    guess = columns_of(fields)
    if not {"phones", "phone"} & {*guess, *fields}:
        guess["phones"] = "…"
    if not {"utterance", "id"} & {*guess, *fields}:
        guess = {"utterance": "…", **guess}
    which = {"utterance": "the ids (the same in gold and predicted)", "phones": "the phones"}
    unnamed = " and of ".join(which[role] for role, name in guess.items() if name == "…")
    missing = f"; … is the name of the column of {unnamed}" if unnamed else ""
    one_side = "a ; after it is for gold alone, before it for predicted alone"
    return f"Give columns: {_mapping(guess)} (score: --columns '{_option(guess)}'; {one_side}){missing}"


def listed(fields: Iterable[str]) -> str:
    """Return the names of columns as a message shows them."""
    return shown(", ".join(fields), HEADER_LETTERS) or "nothing"


def _listed(fields: Sequence[str]) -> str:
    return shown(" or ".join(fields), HEADER_LETTERS)


def _mapping(columns: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{role}: {shown(name, 100)}" for role, name in columns.items()) + "}"


def _option(columns: Mapping[str, str]) -> str:
    return ",".join(f"{role}={shown(name, 100)}" for role, name in columns.items())


Line: TypeAlias = int | str  # of an item in a mapping, its key
Interval: TypeAlias = tuple[Line, str, tuple[float, float]]  # its line, what is said, from when to when
_UNITS = (  # what phones that last so many "seconds" and longer are told in
    (4.0, "numbers of frames: multiply them by the frame shift in seconds"),
    (20.0, "milliseconds, 1,000 times too long: divide them by 1,000"),
    (400.0, "samples: divide them by the sampling rate, such as 16,000"),
    (200_000.0, "units of 100 ns: divide them by 10,000,000"),
)
_LETTERS, _ENOUGH = 6, 10  # of what may be a phone; phones that tell the unit of their times


class TranscriptBuilder:
    """Collects utterances in the order in which a file gives them; `item` is what places count: lines, items, rows."""

    def __init__(self, source: str, item: str = "line") -> None:
        self.source, self.item = source, item
        self._codes = array("i")
        self._lengths: list[int] = []
        self._utterances: dict[str, Line] = {}
        self._symbols = _Codes(self._add_symbol)
        self._line: Line = 0
        self._current = ""
        self._places: list[str] = []
        self._times: tuple[array[float], array[float]] = (array("d"), array("d"))
        self._confidence = array("d")
        self._speakers: list[str] = []
        self._timed = self._scored = False  # where utterances alone tell, which have no interval

    def add_utterance(self, utterance: str, symbols: Sequence[str], line: Line, speaker: str = "") -> None:
        """Add a whole utterance.

        DataError when its id occurred before, is empty, or cannot stand in a table, or a symbol is no text.
        """
        self._open(utterance, line, speaker)
        try:
            self._codes.extend(map(self._symbols.__getitem__, symbols))
        except TypeError:  # lists and arrays have no hash
            other = next(each for each in list[object](symbols) if not isinstance(each, str))
            raise wrong_kind(self.where(line), "phone", other, "a text") from None
        self._lengths[-1] = len(symbols)

    def add_interval(
        self,
        utterance: str,
        symbol: str,
        line: Line,
        times: tuple[float, float],
        *,
        confidence: float | None = None,
        speaker: str = "",
    ) -> None:
        """Add one interval of an utterance; DataError when its rows do not stand together, or name two speakers."""
        if utterance != self._current:
            self._open(utterance, line, speaker)
            self._current = utterance
        elif speaker != self._speakers[-1]:
            known = self._speakers[-1]
            raise self.fault(line, f"utterance '{utterance}' has the speakers '{known}' and '{shown(speaker)}'")
        self._append(line, symbol, times)
        self._lengths[-1] += 1
        if confidence is not None:
            self._confidence.append(confidence)

    def add_timed(
        self, utterance: str, intervals: Iterable[Interval], speaker: str = "", confidence: Sequence[float] = ()
    ) -> None:
        """Add an utterance's intervals, of which there may be none."""
        opened, before = False, len(self._codes)
        for line, symbol, times in intervals:
            if not opened:
                self._open(utterance, line, speaker)
                opened = True
            self._append(line, symbol, times)
        if not opened:
            self._open(utterance, 1, speaker)
        self._lengths[-1] = len(self._codes) - before
        self._confidence.extend(confidence)

    def add_empty(self, utterance: str, line: Line, speaker: str = "", *, scored: bool) -> None:
        """Add an utterance without intervals, which would have times, and confidences if `scored`."""
        self._open(utterance, line, speaker)
        self._timed, self._scored = True, scored

    def _append(self, line: Line, symbol: str, times: tuple[float, float]) -> None:
        start, end = times
        if not -math.inf < start <= end < math.inf:
            raise self.fault(line, f"an interval must not end ({end:g}) before it starts ({start:g})")
        self._line = line
        self._codes.append(self._symbols[symbol])
        self._times[0].append(start)
        self._times[1].append(end)

    def finish(self) -> Transcript:
        """Return what was collected.

        DataError when there was nothing at all, or when only some phones have times or a confidence, or some
        utterances a speaker.
        """
        if not self._utterances:
            raise DataError(f"{self.source}: holds no utterance")
        tokens = len(self._codes)
        for number, of, what in (
            (len(self._confidence), tokens, "intervals have a confidence"),
            (sum(map(bool, self._speakers)), len(self._speakers), "utterances have a speaker"),
            (len(self._times[0]), tokens, "phones have times"),
        ):
            if number not in {0, of}:
                raise DataError(f"{self.source}: {number} of {of} {what}; give all or none")
        self._check_unit()
        timed = len(self._times[0]) > 0 or (self._timed and not tokens)
        scored = len(self._confidence) > 0 or (self._scored and not tokens)
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

    def _check_unit(self) -> None:
        """Raise DataError where phones last so long that their times are in no seconds."""
        short = np.array([len(symbol) <= _LETTERS for symbol in self._symbols], dtype=bool)[np.array(self._codes, int)]
        spans = np.subtract(*map(np.asarray, reversed(self._times))) if len(self._times[0]) else np.empty(0)
        lasting = np.median(spans[short]) if len(spans) and short.sum() >= _ENOUGH else 0.0
        if lasting >= _UNITS[0][0]:
            unit = next(unit for most, unit in reversed(_UNITS) if lasting >= most)
            msg = f"half of the phones last {lasting:,g} s or longer, because times are in seconds here"
            raise DataError(f"{self.source}: {msg}. These look like {unit}.")

    def where(self, line: Line) -> str:
        """Return how messages name a place: a line of the file, or an item of data in memory."""
        return f"{self.source}:{line}" if self.item == "line" else f"{self.source}, {self.item} {line}"

    def fault(self, line: Line, what: str) -> DataError:
        """Return the error about a place."""
        return DataError(f"{self.where(line)}: {what}")

    def _open(self, utterance: str, line: Line, speaker: str) -> None:
        self._line = line
        if not utterance:
            raise self.fault(line, "the utterance id is empty")
        if not (utterance.isprintable() and speaker.isprintable() and len(utterance) + len(speaker) < LONGEST_NAME):
            check_plain(utterance, "utterance id", self.where(line))
            check_plain(speaker, "speaker", self.where(line))
        if utterance in self._utterances:
            first = self._utterances[utterance]
            msg = f"utterance '{utterance}' occurs again (first at {self.item} {first}); ids must differ"
            raise self.fault(line, f"{msg}, and the rows of one utterance must stand together")
        self._utterances[utterance] = line
        self._current = ""  # of whole utterances nothing more may come
        self._lengths.append(0)
        self._speakers.append(speaker)

    def _add_symbol(self, symbol: object) -> int:
        place = self.where(self._line)
        if not isinstance(symbol, str):
            raise wrong_kind(place, "phone", symbol, "a text")
        check_symbol(symbol, place)
        self._places.append(place)
        return len(self._symbols)


class _Codes(dict[str, int]):
    """The code of each symbol; a new one is asked for when a symbol comes for the first time."""

    def __init__(self, new: Callable[[object], int]) -> None:
        super().__init__()
        self._new = new

    def __missing__(self, symbol: str) -> int:
        code = self._new(symbol)
        self[str(symbol)] = code  # of NumPy's texts, Python's
        return code


def wrong_kind(where: str, name: str, value: object, needed: str) -> DataError:
    actual = "null" if value is None else type(value).__name__
    if isinstance(value, str | bytes | int | float):  # of lists the text alone can be too much
        actual += f" '{shown(str(value), 40)}'"
    return DataError(f"{where}: {name} must be {needed}, not {actual}")


def _frozen(values: "array[float]") -> Floats:
    return np.frombuffer(memoryview(values).toreadonly())


def built(fill: Callable[[TranscriptBuilder, Path, Reading], None]) -> Loader:
    def load(path: Path, reading: Reading) -> Transcript:
        builder = TranscriptBuilder(str(path))
        fill(builder, path, reading)
        return builder.finish()

    return load


def join(source: str, parts: Sequence[Transcript]) -> Transcript:
    if len(parts) == 1:
        return parts[0]
    owners: dict[str, str] = {}
    places: dict[str, str] = {}
    for part in parts:
        for name in part.utterances:
            if name in owners:
                raise DataError(f"utterance '{name}' stands in both {owners[name]} and {part.source}; ids must differ")
            owners[name] = part.source
        for symbol, place in zip(part.symbols, part.places, strict=True):
            places.setdefault(symbol, place)
    codes = {symbol: code for code, symbol in enumerate(places)}
    tables = [np.array([codes[symbol] for symbol in part.symbols], dtype=np.int32) for part in parts]
    spoken = _all_or_none(parts, "speakers", "speakers", len)
    return Transcript(
        utterances=tuple(owners),
        offsets=offsets_of(np.concatenate([part.lengths for part in parts])),
        codes=np.concatenate([table[part.codes] for table, part in zip(tables, parts, strict=True)]),
        start=_column(parts, "start", "times"),
        end=_column(parts, "end", "times"),
        confidence=_column(parts, "confidence", "confidences"),
        speakers=tuple(name for part in parts for name in part.speakers or ()) if spoken else None,
        source=source,
        symbols=tuple(places),
        places=tuple(places.values()),
    )


def _column(parts: Sequence[Transcript], name: str, what: str) -> Floats | None:
    if not _all_or_none(parts, name, what, lambda part: len(part.codes)):
        return None
    return np.concatenate([values for part in parts if (values := getattr(part, name)) is not None])


def _all_or_none(parts: Sequence[Transcript], name: str, what: str, size: Callable[[Transcript], int]) -> bool:
    """Return whether the parts have a column; one without tokens need not."""
    sides: dict[bool, str] = {}
    for part in parts:
        if size(part):
            sides.setdefault(getattr(part, name) is not None, part.source)
    if len(sides) == 2:
        raise DataError(f"{sides[True]} has {what} and {sides[False]} has none; give all or none")
    return True in sides
