"""Transcripts built while a file is read, each distinct symbol coded once; several files' transcripts as one."""

# A file format of transcripts: the loader of one file, its endings, and the options that it takes.

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, compress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Floats, code_type, offsets_of
from phonxling.core.errors import DataError, join_problems, quote
from phonxling.core.sequences import Transcript
from phonxling.load.columns import list_columns
from phonxling.load.text import LONGEST_NAME, check_plain, check_symbol

Where = Mapping[str, Sequence[str]]
Line: TypeAlias = int | str  # of an item in a mapping, its key
Row: TypeAlias = Mapping[str, Any]  # JSON of any shape
_NAMED_ITEMS = 10  # values of a column


@dataclass(frozen=True, slots=True)
class LoaderOptions:
    columns: Mapping[str, str] = field(default_factory=dict)
    tier: str | None = None
    utterance: str = ""
    speaker: str = ""
    where: Where = field(default_factory=dict)
    side: str = ""


Loader = Callable[[Path, LoaderOptions], Transcript]


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
    """No row of a table has what `where` asks for; `seen` counts what its columns have, `empty` names empty cells."""

    def __init__(
        self, source: str, where: Where, seen: Mapping[str, "Counter[str]"], empty: Mapping[str, Sequence[str]]
    ) -> None:
        asked = " and ".join(f"{name}: {' or '.join(values)}" for name, values in where.items())
        actual = []
        for name, values in seen.items():
            most = values.most_common(_NAMED_ITEMS)
            named = ", ".join(f"{quote(value) or '(empty)'} ({number:,})" for value, number in most)
            actual.append(f"{name} is {named}" + f" … and {len(values) - len(most)} more" * (len(values) > len(most)))
        super().__init__(f"{source}: no row has {asked}; {'; '.join(actual)}. Correct where:")
        self.seen, self.empty = seen, empty


def rows_where(source: str, rows: Iterable[tuple[Line, Row]], where: Where) -> Iterator[tuple[Line, Row]]:
    # An empty cell is an error unless it is asked for: nobody can know where the row belongs.
    seen: dict[str, Counter[str]] = {name: Counter() for name in where}
    empty: dict[str, list[str]] = {name: [] for name in where}
    wanted = {name: {value.strip() for value in values} for name, values in where.items()}
    left = 0
    for line, row in rows:
        if lacking := [name for name in where if name not in row]:
            raise DataError(f"{source}:{line}: where: no column {quote(lacking[0])}; the row has: {list_columns(row)}")
        # None and NaN (which alone differs from itself) are empty cells, as of pandas or JSON.
        cells = {name: "" if row[name] is None or row[name] != row[name] else str(row[name]).strip() for name in where}
        for name, value in cells.items():
            seen[name][value] += 1
            if value == "" and "" not in wanted[name]:
                empty[name].append(f"{source}:{line}")
        if all(value in wanted[name] for name, value in cells.items()):
            left += 1
            yield line, row
    if not left:
        raise NoRowsError(source, where, seen, empty)
    for name, places in empty.items():
        refuse_empty(source, name, places)


def refuse_empty(source: str, column: str, places: Sequence[str]) -> None:
    if places:
        number = "1 row has" if len(places) == 1 else f"{len(places):,} rows have"
        msg = f"{source}: {number} nothing in the column {quote(column)}, so nobody knows where they belong:"
        remedy = "Fill these cells, or take the rows out of the file."
        raise DataError(join_problems(msg, places, remedy, limit=_NAMED_ITEMS))


Interval: TypeAlias = tuple[Line, str, tuple[float, float]]  # its line, its label, its start and end in seconds
# In which unit times are whose phones last so many "seconds" or longer. A phone lasts some 80 ms: 8 frames of 10 ms, 80
# ms, 1,280 samples of 16 kHz, 800,000 units of 100 ns; the bounds lie between these, on a scale of logarithms.
_UNITS = (
    (4.0, "numbers of frames: multiply them by the frame shift in seconds"),
    (20.0, "milliseconds, 1,000 times too long: divide them by 1,000"),
    (400.0, "samples: divide them by the sampling rate, such as 16,000"),
    (200_000.0, "units of 100 ns: divide them by 10,000,000"),
)
# Letters of what may be a phone: words and silences last for seconds. Fewer than ten phones may be slow ones.
_LETTERS, _ENOUGH = 6, 10
BLANKS = " \u00a0"  # around ids and speakers, which are trimmed; what else is there is an error
_DAY = 86_400.0  # seconds: no label lasts so long
_OVERLAP = 5.0  # seconds: no phone goes on for so long after the next has begun
_NAMED_LINES = 5


class TranscriptBuilder:
    """Collects utterances in the order in which a file gives them; `item` is what places count: lines, items, rows."""

    def __init__(self, source: str, item: str = "line") -> None:
        self.source, self.item = source, item
        self._codes = array("i")
        self._lengths: list[int] = []
        self._utterances: dict[str, Line] = {}
        self.nameless: list[Line] = []  # where ids are empty, which one message names when all has been read
        self.notes: dict[str, None] = {}  # what was read otherwise than it stands in the file, each once
        self._symbols = _Codes(self)
        self.line: Line = 0
        self._current = ""
        self.places: list[str] = []  # where each symbol was first met
        self._times: tuple[array[float], array[float]] = (array("d"), array("d"))
        self._confidence = array("d")
        self._speakers: list[str] = []

    def add_utterance(self, utterance: str, symbols: Sequence[str], line: Line, speaker: str = "") -> None:
        """Add a whole utterance; DataError when its id occurs again, or an id or a symbol cannot stand in a table."""
        self._open(utterance, line, speaker)
        try:
            self._codes.fromlist([*map(self._symbols.__getitem__, symbols)])
        except TypeError:  # lists and arrays have no hash
            other = next(each for each in list[object](symbols) if not isinstance(each, str))
            raise wrong_kind(self.where(line), "phone", other, "a text") from None
        self._lengths[-1] = len(symbols)

    def add_texts(
        self,
        lines: Sequence[Line],
        utterances: Iterable[str],
        texts: Sequence[str],
        speakers: Iterable[str] = (),
        *,
        split: Callable[[str], Sequence[str]] = str.split,
    ) -> None:
        """Add utterances whose phones stand in texts, which `split` parts: what `add_utterance` does, by columns."""
        ids = [name.strip(BLANKS) for name in utterances]
        owners = [name.strip(BLANKS) for name in speakers] or [""] * len(ids)
        longest = max(map(len, ids), default=0) + max(map(len, owners), default=0)
        fits = all(ids) and longest < LONGEST_NAME and "".join(chain(ids, owners)).isprintable()
        new = len({*ids}) == len(ids) and self._utterances.keys().isdisjoint(ids)
        encoded = encode_texts(texts) if fits and new else None
        # Slashes and tags mark phones in some texts; only `split` knows what they mean.
        if encoded is None or (split is not str.split and {"/", "<"} & set("".join(encoded[2]))):
            # What is odd goes one by one, so that a fault is named with its line.
            for line, name, text, speaker in zip(lines, ids, texts, owners, strict=True):
                self.add_utterance(name, split(text), line, speaker)
            return
        codes, lengths, symbols = encoded
        table = np.empty(len(symbols), np.int32)
        for code, (symbol, place) in enumerate(symbols.items()):
            self.line = lines[place]
            table[code] = self._symbols[symbol]
        self._codes.frombytes(table[codes].tobytes())
        self._lengths += lengths.tolist()
        self._utterances.update(zip(ids, lines, strict=True))
        self._speakers += owners
        self._current = ""  # of whole utterances nothing more may come

    def add_interval(
        self,
        utterance: str,
        symbol: str,
        line: Line,
        times: tuple[float, float] | None,
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
            raise self.fault(line, f"utterance '{utterance}' has the speakers '{known}' and '{quote(speaker)}'")
        self._append(line, symbol, times)
        if confidence is not None:
            self._confidence.append(confidence)

    def add_timed(
        self, utterance: str, intervals: Iterable[Interval], speaker: str = "", confidence: Sequence[float] = ()
    ) -> None:
        held = [*intervals]
        self._open(utterance, held[0][0] if held else 1, speaker)
        for interval in held:
            self._append(*interval)
        self._confidence.extend(confidence)

    def _append(self, line: Line, symbol: str, times: tuple[float, float] | None) -> None:
        self.line = line
        self._codes.append(self._symbols[symbol])
        self._lengths[-1] += 1
        if times is None:
            return
        start, end = times
        if not -math.inf < start <= end < math.inf:
            if math.isfinite(start) and math.isfinite(end):
                raise self.fault(line, f"an interval must not end ({end:g}) before it starts ({start:g})")
            raise self.fault(line, f"an interval from {start:g} to {end:g}: times must be finite numbers of seconds")
        self._times[0].append(start)
        self._times[1].append(end)

    def finish(self) -> Transcript:
        """Return what was collected; DataError for nothing, empty ids, or where only some have times or speakers."""
        if self.nameless:
            first, *others = self.nameless
            at = ", ".join(map(str, others[:_NAMED_LINES])) + " …" * (len(others) > _NAMED_LINES)
            more = f", as in {len(others):,} more {self.item}{'s' * (len(others) > 1)}: {at}" if others else ""
            raise self.fault(first, f"the utterance id is empty{more}")
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
        return Transcript(
            utterances=tuple(self._utterances),
            offsets=offsets_of(self._lengths),
            codes=np.array(self._codes, dtype=code_type(len(self._symbols))),
            start=_freeze_floats(self._times[0]),
            end=_freeze_floats(self._times[1]),
            confidence=_freeze_floats(self._confidence),
            speakers=tuple(self._speakers) if any(self._speakers) else None,
            source=self.source,
            symbols=tuple(self._symbols),
            places=tuple(self.places),
            notes=tuple(self.notes),
        )

    def _check_unit(self) -> None:
        if not self._times[0]:
            return
        short = np.array([len(symbol) <= _LETTERS for symbol in self._symbols], dtype=bool)[np.array(self._codes, int)]
        spans = np.subtract(*map(np.asarray, reversed(self._times)))
        lasting = np.median(spans[short]) if short.sum() >= _ENOUGH else 0.0
        if lasting >= _UNITS[0][0]:
            unit = next(unit for most, unit in reversed(_UNITS) if lasting >= most)
            msg = f"half of the phones last {lasting:,g} s or longer, because times are in seconds here"
            raise DataError(f"{self.source}: {msg}. These look like {unit}.")
        if spans.max() > _DAY:
            place = int(np.searchsorted(np.cumsum(self._lengths), spans.argmax(), side="right"))
            msg = f"utterance '{quote([*self._utterances][place])}' has an interval of {spans.max():,g} s"
            raise DataError(f"{self.source}: {msg}, longer than a day; times are in seconds")

    def where(self, line: Line) -> str:
        return f"{self.source}:{line}" if self.item == "line" else f"{self.source}, {self.item} {line}"

    def fault(self, line: Line, what: str) -> DataError:
        return DataError(f"{self.where(line)}: {what}")

    def _open(self, utterance: str, line: Line, speaker: str) -> None:
        self.line, self._current = line, ""  # of whole utterances nothing more may come
        utterance, speaker = utterance.strip(BLANKS), speaker.strip(BLANKS)
        if not utterance:
            self.nameless.append(line)
            utterance = f"without an id, {line}"
        if not (utterance.isprintable() and speaker.isprintable() and len(utterance) + len(speaker) < LONGEST_NAME):
            check_plain(utterance, "utterance id", self.where(line))
            check_plain(speaker, "speaker", self.where(line))
        if utterance in self._utterances:
            first = self._utterances[utterance]
            msg = f"utterance '{utterance}' occurs again (first at {self.item} {first}); ids must differ"
            raise self.fault(line, f"{msg}, and the rows of one utterance must stand together")
        self._utterances[utterance] = line
        self._lengths.append(0)
        self._speakers.append(speaker)


_WHITE = np.zeros(256, bool)  # bytes that are white space; of other letters' bytes none is
_WHITE[[*range(9, 14), *range(28, 33)]] = True
_NUMBERED = 0xFF << 56  # UTF-8 has no byte 255, so that these numbers are no symbol's bytes
_HASH_BITS = 20


def encode_texts(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, int]] | None:
    """Return the codes of the symbols in texts, how many each text has, and in which text each symbol came first.

    None where symbols are parted otherwise than by ASCII's white space.
    """
    # Token by token a dict would take three times as long, most of it for making each token a text of its own.
    raw = ("\n".join(texts) + "\n").encode() + bytes(8)
    data = np.frombuffer(raw, np.uint8)
    marks = np.flatnonzero(_WHITE[data])
    starts, sizes = np.append(0, marks[:-1] + 1), np.diff(marks, prepend=-1) - 1
    spoken = sizes > 0
    starts, sizes = starts[spoken], sizes[spoken]
    # A symbol of up to eight bytes is one number, longer ones (few) get a number each.
    ends = np.flatnonzero(data == ord("\n"))
    # A line end within a text would shift all after it, and NUL, which no symbol may hold, ends a number unseen.
    if len(ends) != len(texts) or not data[:-8].all():
        return None
    keys = np.ndarray(len(data) - 8, "<u8", raw, strides=(1,))[starts]
    keys &= np.uint64(2**64 - 1) >> (64 - 8 * np.minimum(sizes, 8)).astype(np.uint64)
    longer: dict[bytes, int] = {}
    for token in np.flatnonzero(sizes > 8).tolist():
        symbol = raw[starts[token] : starts[token] + sizes[token]]
        keys[token] = _NUMBERED + longer.setdefault(symbol, len(longer))
    # Multiplying by 2^64 over the golden ratio spreads keys over the table (Knuth, "Sorting and Searching", 6.4).
    slots = keys * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - _HASH_BITS)
    first = np.empty(1 << _HASH_BITS, np.int64)
    first[slots[::-1]] = np.arange(len(keys))[::-1]  # the last to be written stays: the first token of each slot
    owner = first[slots]
    if (keys[owner] != keys).any():  # two symbols in one slot, as of 50 symbols once in a thousand files
        _, places, inverse = np.unique(keys, return_index=True, return_inverse=True)
        owner = places[inverse]
    firsts = np.flatnonzero(owner == np.arange(len(keys)))
    found = (each.tolist() for each in (starts[firsts], sizes[firsts], np.searchsorted(ends, starts[firsts])))
    symbols = {raw[start : start + size].decode(): text for start, size, text in zip(*found, strict=True)}
    if any(symbol.split() != [symbol] for symbol in symbols):  # white space beyond ASCII
        return None
    codes = np.empty(len(keys), np.int64)
    codes[firsts] = np.arange(len(firsts))
    return codes[owner], np.diff(np.searchsorted(starts, ends), prepend=0), symbols


class _Codes(dict[str, int]):
    """The code of each symbol, which is checked and gets the next one when it comes for the first time."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        super().__init__()
        self._builder = builder

    def __missing__(self, symbol: object) -> int:
        place = self._builder.where(self._builder.line)
        if not isinstance(symbol, str):
            raise wrong_kind(place, "phone", symbol, "a text")
        check_symbol(symbol, place)
        self._builder.places.append(place)
        return self.setdefault(str(symbol), len(self))  # of NumPy's texts, Python's


def wrong_kind(where: str, name: str, value: object, needed: str) -> DataError:
    actual = "null" if value is None else type(value).__name__
    if isinstance(value, str | bytes | int | float):  # of lists the text alone can be too much
        actual += f" '{quote(str(value), 40)}'"
    return DataError(f"{where}: {name} must be {needed}, not {actual}")


def _freeze_floats(values: "array[float]") -> Floats | None:
    return np.frombuffer(memoryview(values).toreadonly()) if values else None


def build_transcript(fill: Callable[[TranscriptBuilder, Path, LoaderOptions], None]) -> Loader:
    def load(path: Path, options: LoaderOptions) -> Transcript:
        builder = TranscriptBuilder(str(path))
        fill(builder, path, options)
        return builder.finish()

    return load


# L2-ARCTIC (Zhao et al. 2018, "L2-ARCTIC: A non-native English speech corpus", Interspeech, and the corpus' README,
# https://psi.engr.tamu.edu/l2-arctic-corpus/): a phone that was said as it should be has one label. Another has three
# parts: what should be said, what was perceived, and s for a substitution, d for a deletion (sil was perceived), a for
# an addition (sil should be said). A star behind a phone says that it was near that phone and no other.
_PARTS = re.compile(r"\s*([^,\s]+)\s*,\s*([^,\s]+)\s*,\s*([sda])\s*", re.IGNORECASE)
_NOTHING = frozenset({"sil", "sp", "-", "<eps>"})
CANONICAL = "canonical"
_QUOTED_LABEL = re.compile("['\"\u2018\u201c\u201e\u00ab](.+)['\"\u2019\u201d\u201c\u00bb]")


def split_label(text: str) -> tuple[str, str] | None:
    """Return what should be said and what was perceived, "" for nothing; None where a label has no such parts."""
    if (match := _PARTS.fullmatch(text)) is None:
        return None
    canonical, perceived, kind = match[1].rstrip("*"), match[2].rstrip("*"), match[3].lower()
    # Where the letter contradicts the parts, nobody can say which of the two is meant: it is no such label.
    silent = canonical.lower() in _NOTHING, perceived.lower() in _NOTHING
    if silent[0] != (kind == "a") or silent[1] != (kind == "d"):
        return None
    return "" if silent[0] else canonical, "" if silent[1] else perceived


def choose_labels(read: Transcript, side: str = "") -> Transcript:
    """Return a transcript with one part of such labels: the canonical one for that side, else what was perceived."""
    parts = [split_label(symbol) if symbol.count(",") == 2 else None for symbol in read.symbols]
    counts = dict(zip(read.symbols, read.counts.tolist(), strict=True))
    of_commas = sum(number for symbol, number in counts.items() if "," in symbol and symbol != ",")
    labelled = sum(number for number, each in zip(counts.values(), parts, strict=True) if each)
    # Majorities: a handful of such labels among others is a slip, and a table full of commas has lists in its cells.
    if not labelled or 2 * labelled < of_commas or 2 * of_commas > len(read.codes):
        return read
    chosen = [name if each is None else each[side != CANONICAL] for name, each in zip(read.symbols, parts, strict=True)]
    spoken = np.array([each is None or symbol != "" for symbol, each in zip(chosen, parts, strict=True)])
    part = "what should be said" if side == CANONICAL else "what was perceived"
    first = quote(next(symbol for symbol, each in zip(read.symbols, parts, strict=True) if each))
    note = f'of labels "canonical,perceived,type" ({labelled:,}, first {first}), {part} is read'
    return _rename_labels(read, chosen, spoken, note)


def _rename_labels(read: Transcript, names: Sequence[str], spoken: NDArray[np.bool_], note: str) -> Transcript:
    places, table = distinct_symbols(names, read.places, spoken.tolist())
    kept = spoken[read.codes]
    lengths = np.bincount(read.token_utterances()[kept], minlength=len(read))
    return select_tokens(
        read,
        kept,
        offsets=offsets_of(lengths),
        codes=table[read.codes][kept],
        symbols=tuple(places),
        places=tuple(places.values()),
        notes=(*read.notes, note),
    )


def strip_quotes(read: Transcript) -> Transcript:
    """Return a transcript without quotation marks where each symbol stands in some; one alone is stress or ejective."""
    # Only where every symbol is quoted: in some transcriptions ' is an ejective or stress, and " is X-SAMPA's stress.
    inside = [_QUOTED_LABEL.fullmatch(symbol) for symbol in read.symbols]
    if len(inside) < 2 or not all(inside):
        return read
    note = f"each phone stands in quotation marks, which are left out (first {quote(read.symbols[0])})"
    return _rename_labels(read, [match[1] for match in inside if match], np.ones(len(inside), bool), note)


def strip_brackets(read: Transcript) -> Transcript:
    """Return a transcript without brackets, or slashes, around the phones of its utterances: [k a t]."""
    held = read.lengths > 0
    first, last = read.codes[read.offsets[:-1][held]], read.codes[read.offsets[1:][held] - 1]
    for left, right in ("[]", "//", "⟨⟩") if read.start is None else ():
        opening = np.array([symbol.startswith(left) for symbol in read.symbols], dtype=bool)
        closing = np.array([symbol.endswith(right) for symbol in read.symbols], dtype=bool)
        number = int((opening[first] & closing[last]).sum())
        # [ is dental in espeak-ng's labels and / separates phones in others: brackets within are no mere frame.
        marks = [sum(map(symbol.count, {left, right})) for symbol in read.symbols]
        if 2 * number > len(first) and np.array(marks)[read.codes].sum() == 2 * number:  # none is elsewhere
            bare = [symbol.strip(left + right) for symbol in read.symbols]
            note = f"{left} {right} around the phones of {number:,} utterances are left out"
            return _rename_labels(read, bare, np.array([*map(bool, bare)]), note)
    return read


def select_tokens(read: Transcript, tokens: NDArray[Any], **others: Any) -> Transcript:  # noqa: ANN401 - columns by name
    names = ("codes", "start", "end", "confidence")
    columns: dict[str, Any] = {name: of[tokens] for name in names if (of := getattr(read, name)) is not None}
    return replace(read, **{**columns, **others})


def distinct_symbols(
    symbols: Sequence[str], places: Sequence[str], kept: Sequence[bool] | None = None
) -> tuple[dict[str, str], NDArray[np.integer]]:
    """Return the first place of each of the symbols that are kept, and the new code of each old one, 0 of others."""
    first: dict[str, str] = {}
    for symbol, place in compress(zip(symbols, places, strict=True), kept or [True] * len(symbols)):
        first.setdefault(symbol, place)
    codes = {symbol: code for code, symbol in enumerate(first)}
    return first, np.array([codes.get(symbol, 0) for symbol in symbols], dtype=code_type(len(codes)))


def complete_transcript(read: Transcript, side: str = "") -> Transcript:
    """Return a transcript as it is analysed: phones in the order of time, of labels with parts those of the side."""
    read = choose_labels(strip_brackets(strip_quotes(read)), side)
    # By their starts; equal ones stay in the order of the file.
    if read.start is None:
        return read
    owners = read.token_utterances()
    back = (np.diff(read.start) < 0) & (np.diff(owners) == 0)
    if back.any():
        moved = np.unique(owners[1:][back])
        note = f"rows of {_name_utterances(read, moved)} were not in the order of their times, and were sorted"
        read = select_tokens(read, np.lexsort((read.start, owners)), notes=(*read.notes, note))
    if len(overlapping := _find_overlapping(read)):
        note = f"most phones of {_name_utterances(read, overlapping)} overlap in time"
        return replace(read, notes=(*read.notes, f"{note}: do not rely on what is measured by times"))
    return read


def _name_utterances(read: Transcript, places: NDArray[np.int64]) -> str:
    first = quote(read.utterances[places[0]])
    return f"{len(places):,} utterances (first {first})" if len(places) > 1 else f"utterance {first}"


def _find_overlapping(read: Transcript) -> NDArray[np.int64]:
    # Utterances of which half of the phones begin in the first half of the one before, or lie within it: two speakers,
    # or two tiers, in one utterance look so. Small overlaps do not count: times are rounded, and phones of CTM may last
    # no time at all.
    start, end, owners = read.start, read.end, read.token_utterances()
    same = owners[1:] == owners[:-1]
    if start is None or end is None or not (same & ((start[1:] < end[:-1]) | (start[1:] == start[:-1]))).any():
        return np.empty(0, np.int64)
    by_end = np.argsort(end, kind="stable")
    ranks = np.empty(len(end), np.int64)
    ranks[by_end] = np.arange(len(end))
    # The latest end so far, of each utterance anew: a running maximum of ranks, lifted by the utterance's number, so
    # that none reaches into the next; one pass, where a loop over utterances would be the slowest step of reading.
    until = end[by_end[np.maximum.accumulate(owners * len(end) + ranks) - owners * len(end)]][:-1]
    within = (start[1:] < until) & (end[1:] <= until)
    equal = (start[1:] == start[:-1]) & (end[1:] == end[:-1])
    early = start[1:] < start[:-1] + (end[:-1] - start[:-1]) / 2
    doubtful = np.bincount(owners[1:][same & (within | equal | early)], minlength=owners[-1] + 1)
    far = np.bincount(owners[1:][same & (until - start[1:] > _OVERLAP)], minlength=owners[-1] + 1)
    following = np.bincount(owners[1:][same], minlength=owners[-1] + 1)
    return np.flatnonzero(((doubtful > 1) & (2 * doubtful >= following)) | (far > 0))


def join(source: str, parts: Sequence[Transcript], side: str = "") -> Transcript:
    """Return the transcripts of several files as one, complete; equal notes are kept once."""
    if len(parts) == 1:
        return complete_transcript(parts[0], side)
    owners: dict[str, str] = {}
    for part in parts:
        for name in part.utterances:
            if name in owners:
                raise DataError(f"utterance '{name}' stands in both {owners[name]} and {part.source}; ids must differ")
            owners[name] = part.source
    places, table = distinct_symbols(
        [*chain(*(part.symbols for part in parts))], [*chain(*(part.places for part in parts))]
    )
    before = accumulate((len(part.symbols) for part in parts), initial=0)
    joined = Transcript(
        utterances=tuple(owners),
        offsets=offsets_of(np.concatenate([part.lengths for part in parts])),
        codes=np.concatenate([table[first:][part.codes] for first, part in zip(before, parts, strict=False)]),
        start=_join_columns(parts, "start", "times"),
        end=_join_columns(parts, "end", "times"),
        confidence=_join_columns(parts, "confidence", "confidences"),
        speakers=_join_columns(parts, "speakers", "speakers"),
        source=source,
        symbols=tuple(places),
        places=tuple(places.values()),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )
    return complete_transcript(joined, side)


def _join_columns(parts: Sequence[Transcript], name: str, what: str) -> Any:  # noqa: ANN401 - an array, or speakers
    # All have the column or none. A file without phones has no times either, and must not make all others have none.
    held = {part.source: getattr(part, name) for part in parts if len(part.codes) or name == "speakers"}
    without = [source for source, column in held.items() if column is None]
    if 0 < len(without) < len(held):
        other = next(source for source in held if source not in without)
        raise DataError(f"{other} has {what} and {without[0]} has none; give all or none")
    if without or not held:
        return None
    return tuple(chain(*held.values())) if name == "speakers" else np.concatenate([*held.values()])
