"""Large TSV files, and many texts in memory: read as bytes, no Python object a token.

Only what is clean is read so. Whatever the careful reader would refuse or read in another way is left to it: control
characters, unusual spaces, rows of another length, ids that occur twice, text that is not UTF-8; among intervals
utterances without any, and times that are not written as digits.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import FEW, Codes, Floats, code_type
from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load.building import Line, TranscriptBuilder
from phonxling.load.text import LONGEST_LINE, LONGEST_NAME, MOST_MARKS, check_regular

LARGE = 1 << 22  # bytes: below that, the careful reader is as fast as loading numba
_BLOCK = 1 << 20
_HEADER = "utterance\tphones\n"
_MARK = b"\xef\xbb\xbf"
_NUMBERS = ("start", "end", "confidence")


class _Found(NamedTuple):
    """Ids and speakers, a line each; the codes, each symbol and the line where it stands first; times, confidences."""

    ids: bytes
    speakers: bytes
    offsets: Codes
    codes: NDArray[np.integer]
    symbols: tuple[str, ...]
    lines: tuple[int, ...]
    numbers: Mapping[str, Floats]


def load_large(path: Path, positions: Callable[[list[str]], Mapping[str, int]], least: int) -> Transcript | None:
    """Return a clean file's transcript; None when it is small, or when the careful reader is to read it."""
    try:
        check_regular(path)
        columns = _read(path.read_bytes(), positions) if path.stat().st_size >= least else None
        if columns is None or _too_long(columns.symbols, MOST_MARKS):
            return None
        utterances, spoken = tuple(columns.ids.decode().split("\n")), columns.speakers.decode()
        known: dict[str, str] = {}  # so that a speaker's name is kept once
        speakers = tuple(known.setdefault(name, name) for name in spoken.split("\n")) if spoken else None
    except (OSError, DataError, ValueError, MemoryError):
        return None
    if len(set(utterances)) != len(utterances) or _too_long(utterances, LONGEST_NAME) or _too_long(known, LONGEST_NAME):
        return None
    return Transcript(
        utterances=utterances,
        offsets=columns.offsets,
        codes=columns.codes,
        **columns.numbers,
        speakers=speakers,
        source=str(path),
        symbols=columns.symbols,
        places=tuple(f"{path}:{line}" for line in columns.lines),
    )


def read_rows(
    utterances: Sequence[str], rows: Sequence[Any], place: Callable[[int], Line], builder: TranscriptBuilder
) -> Transcript | None:
    """Return the transcript that a builder would make of utterances whose phones are texts, or are lists; or None."""
    kinds = set(map(type, rows))
    if not (kinds <= {str} or kinds <= {list, tuple}) or sum(map(len, rows)) * (1 if str in kinds else 2) < LARGE:
        return None
    try:
        texts = rows if str in kinds else map(" ".join, rows)
        parts = chain.from_iterable(zip(utterances, repeat("\t"), texts, repeat("\n"), strict=False))
        data = "".join([_HEADER, *parts]).encode()
        columns = _read(data, lambda _: {"utterance": 0, "phones": 1})
    except (ValueError, TypeError, MemoryError):
        return None
    if columns is None or _too_long(columns.symbols, MOST_MARKS) or _too_long(utterances, LONGEST_NAME):
        return None
    ids, _, offsets, codes, symbols, numbers, _ = columns
    if ids.decode().split("\n") != list(utterances) or len(set(utterances)) != len(utterances):
        return None
    if str not in kinds and not _as_listed(rows, np.diff(offsets), np.frombuffer(data, np.uint8), ids.count(b" ")):
        return None
    return Transcript(
        utterances=tuple(utterances),
        offsets=offsets,
        codes=codes,
        source=builder.source,
        symbols=symbols,
        places=tuple(builder.where(place(number - 2)) for number in numbers),  # the first row is line 2
    )


def _as_listed(rows: Sequence[Sequence[str]], lengths: Codes, data: NDArray[np.uint8], within_ids: int) -> bool:
    """Return whether each phone of lists was read as one token: none is empty, or holds a space."""
    between = int(np.maximum(lengths - 1, 0).sum())
    spaces = int(np.count_nonzero(data == ord(" ")))
    return lengths.tolist() == list(map(len, rows)) and spaces == between + within_ids


def _too_long(texts: Iterable[str], most: int) -> bool:
    return max(map(len, texts), default=0) > most


def _read(data: bytes, positions: Callable[[list[str]], Mapping[str, int]]) -> _Found | None:
    first = data.find(b"\n") + 1
    header = data[:first].removeprefix(_MARK).decode().rstrip("\n").rstrip("\r").split("\t")
    at = positions(header)
    if _has_long_line(data):
        return None
    phones, named = at["phone" if "phone" in at else "phones"], {at["utterance"], at.get("speaker")}
    if "times" in at or phones in named:
        return None
    if len(header) > 2:
        _check_text(data)
    if "phone" in at:
        return _with_intervals(data, first, len(header), at)
    return _tokenised(data, (first, len(header), at["utterance"], phones, at.get("speaker", -1)))


def _with_intervals(data: bytes, first: int, cells: int, at: Mapping[str, int]) -> _Found | None:
    """Return what a file with an interval a row holds; None where a row has not one phone, or is odd."""
    timed = [name for name in _NUMBERS if name in at]
    read = [at[name] for name in (*timed, "utterance", "phone", "speaker") if name in at]
    found = _tokenised(data, (first, cells, -1, at["phone"], -1)) if len(set(read)) == len(read) else None
    if found is None or (np.diff(found.offsets) != 1).any():
        return None
    from phonxling.load.bytes_kernel import read_intervals

    lines, rows = np.full(cells, -1), len(found.codes)
    lines[[at[name] for name in timed]] = range(len(timed))
    numbers, offsets, names = np.empty((len(timed), rows)), np.empty(rows + 1, np.int64), np.empty((rows, 4), np.int64)
    columns = lines, at["utterance"], at.get("speaker", -1)
    utterances = read_intervals(np.frombuffer(data, np.uint8), first, columns, numbers, offsets, names)
    if utterances <= 0:
        return None
    numbers.flags.writeable = False
    spans = names[:utterances].T.tolist()
    ids, speakers = (
        b"\n".join([data[begin : begin + length] for begin, length in zip(*both, strict=True)])
        for both in (spans[:2], spans[2:] if "speaker" in at else ((), ()))
    )
    known = dict(zip(timed, numbers, strict=True))
    return found._replace(ids=ids, speakers=speakers, offsets=offsets[: utterances + 1].copy(), numbers=known)


def _has_long_line(data: bytes) -> bool:
    """Return whether a line has so many bytes that its letters may be too many, from line end to line end in leaps."""
    start = 0
    while len(data) - start > LONGEST_LINE:
        start = data.rfind(b"\n", start, start + LONGEST_LINE) + 1
        if not start:
            return True
    return False


def _check_text(data: bytes) -> None:
    """Raise UnicodeDecodeError where cells that nobody decodes are not UTF-8; blocks end at line ends."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        data[start:end].decode()
        start = end


def _tokenised(data: bytes, where: tuple[int, int, int, int, int]) -> _Found | None:
    from phonxling.load.bytes_kernel import MOST_SYMBOLS, SUSPICIOUS, TOO_MANY, tokenise

    for most in (FEW, MOST_SYMBOLS):
        ids, speakers = (np.empty(len(data), np.uint8) for _ in range(2))
        offsets = np.zeros(data.count(b"\n") + 2, np.int64)
        codes, symbols = np.empty(len(data) // 2 + 1, code_type(most)), np.zeros((most, 3), np.int64)
        filled = ids, speakers, offsets, codes, symbols
        rows, copied, spoken, known = tokenise(np.frombuffer(data, np.uint8), *where, most, SUSPICIOUS, *filled)
        if rows != TOO_MANY:
            break
    if rows <= 0:
        return None
    names = tuple(data[start : start + length].decode() for start, length, _ in symbols[:known].tolist())
    lines = tuple(symbols[:known, 2].tolist())
    offsets, codes = offsets[: rows + 1], codes[: offsets[rows]]
    offsets.flags.writeable = codes.flags.writeable = False  # so that nobody needs to copy them
    named, said = ids[: max(copied - 1, 0)].tobytes(), speakers[: max(spoken - 1, 0)].tobytes()
    return _Found(named, said, offsets, codes, names, lines, {})
