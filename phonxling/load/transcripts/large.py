"""Large TSV files, and many texts in memory, with an utterance a row: read as bytes, no Python object a token.

Only what is clean is read so. Whatever the careful reader would refuse or read in another way is left to it: control
characters, unusual spaces, rows of another length, ids that occur twice, text that is not UTF-8.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import FEW, Codes, code_type
from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load.text import LONGEST_LINE, LONGEST_NAME, MOST_MARKS
from phonxling.load.transcripts.build import Line, TranscriptBuilder
from phonxling.load.unreadable import check_regular

LARGE = 1 << 22  # bytes: below that, the careful reader is as fast as loading numba
_BLOCK = 1 << 20
_Found = tuple[bytes, bytes, Codes, NDArray[np.integer], tuple[str, ...], tuple[int, ...]]
_HEADER = "utterance\tphones\n"
_MARK = b"\xef\xbb\xbf"


def load_large(path: Path, positions: Callable[[list[str]], Mapping[str, int]], least: int) -> Transcript | None:
    """Return a clean file's transcript; None when it is small, or when the careful reader is to read it.

    `positions` gives the columns by name from the header's cells; it may raise DataError.
    """
    try:
        check_regular(path)
        columns = _read(path.read_bytes(), positions) if path.stat().st_size >= least else None
        if columns is None or _too_long(columns[4], MOST_MARKS):
            return None
        ids, spoken, offsets, codes, symbols, lines = columns
        utterances = tuple(ids.decode().split("\n"))
        known: dict[str, str] = {}  # so that a speaker's name is kept once
        speakers = tuple(known.setdefault(name, name) for name in spoken.decode().split("\n")) if spoken else None
    except (OSError, DataError, ValueError, MemoryError):
        return None
    if len(set(utterances)) != len(utterances) or _too_long(utterances, LONGEST_NAME) or _too_long(known, LONGEST_NAME):
        return None
    return Transcript(
        utterances=utterances,
        offsets=offsets,
        codes=codes,
        speakers=speakers,
        source=str(path),
        symbols=symbols,
        places=tuple(f"{path}:{line}" for line in lines),
    )


def read_rows(
    utterances: Sequence[str], rows: Sequence[Any], place: Callable[[int], Line], builder: TranscriptBuilder
) -> Transcript | None:
    """Return the transcript that a builder would make of utterances whose phones are texts, or are lists; or None.

    `place` names the place of a row by its position. None as for `load_large`, and where a list is not read as itself.
    """
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
    if columns is None or _too_long(columns[4], MOST_MARKS) or _too_long(utterances, LONGEST_NAME):
        return None
    ids, _, offsets, codes, symbols, numbers = columns
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
    if "phone" in at or "times" in at or at["phones"] in {at["utterance"], at.get("speaker")}:
        return None
    if len(header) > 2:
        _check_text(data)
    return _tokenised(data, (first, len(header), at["utterance"], at["phones"], at.get("speaker", -1)))


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
    from phonxling.load.transcripts.bytes_kernel import (  # only here is numba worth it
        MOST_SYMBOLS,
        SUSPICIOUS,
        TOO_MANY,
        tokenise,
    )

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
    names_of = ids[: copied - 1].tobytes(), speakers[: max(spoken - 1, 0)].tobytes()
    return *names_of, offsets, codes, names, lines
