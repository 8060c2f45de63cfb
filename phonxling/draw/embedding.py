"""The letters that a figure shows, as its PDF holds them: a font of their outlines alone.

matplotlib has fontTools cut fonts down, which takes half of the time of a PDF, most of it for what no PDF needs: names,
characters, and the rules for placing letters, each of which has its place in a figure.

Numbers of the format: learn.microsoft.com/typography/opentype/spec, tables glyf, head, hhea, hmtx, loca and maxp.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from fontTools.ttLib import TTFont
from fontTools.ttLib.sfnt import SFNTReader
from fontTools.ttLib.tables.DefaultTable import DefaultTable
from matplotlib.backends import _backend_pdf_ps
from matplotlib.font_manager import FontPath

from phonxling.core.errors import replaced
from phonxling.draw.shaping import IS_KNOWN

_Cut: TypeAlias = Callable[[FontPath, Collection[int]], AbstractContextManager[Any]]
_CUT = {"glyf", "loca", "hmtx"}  # outlines, where each begins, widths
_KEPT = {"head", "hhea", "maxp", "OS/2", "cvt ", "fpgm", "prep"}  # the last three: how to draw with few dots an inch
_OFFSETS_LONG, _WIDTHS, _LETTERS = 50, 34, 4  # where head, hhea and maxp have these numbers
_WIDE, _SCALE, _TWO_SCALES, _FOUR_SCALES, _MORE = 0x1, 0x8, 0x40, 0x80, 0x20  # what follows a part of an outline


@contextmanager
def letters_alone() -> Iterator[None]:
    """Let matplotlib embed the outlines alone of the letters that it shows."""
    with replaced(_backend_pdf_ps, "get_glyphs_subset", _of_any_font) if IS_KNOWN else nullcontext():
        yield


def _of_any_font(original: _Cut) -> _Cut:
    def cut(file: FontPath, letters: Collection[int]) -> AbstractContextManager[Any]:
        tables = _tables(file.path, file.face_index)
        return _embedded(tables, letters) if tables else original(file, letters)

    return cut


@lru_cache(maxsize=8)
def _tables(path: str, face: int) -> dict[str, bytes]:
    """Return the tables of a TrueType font that a PDF needs; none of a font of another kind."""
    with Path(path).open("rb") as file:
        reader = SFNTReader(file, fontNumber=face)
        return {tag: reader[tag] for tag in sorted(reader.keys() & (_CUT | _KEPT))} if reader.keys() >= _CUT else {}


@contextmanager
def _embedded(tables: dict[str, bytes], letters: Collection[int]) -> Iterator[SimpleNamespace]:
    """Yield a font of some letters, and the place of each in it, under the names that matplotlib expects."""
    old = _outlines(tables)
    places = {letter: place for place, letter in enumerate(_with_parts(old, letters))}
    outlines = [_renumbered(old(letter), places) for letter in places]
    cut = {
        "glyf": b"".join(outlines),
        "loca": np.cumsum([0, *map(len, outlines)]).astype(">u4").tobytes(),
        "hmtx": b"".join(_width(tables, letter) for letter in places),
        "head": _with(tables["head"], _OFFSETS_LONG, 1),
        "hhea": _with(tables["hhea"], _WIDTHS, len(places)),
        "maxp": _with(tables["maxp"], _LETTERS, len(places)),
    }
    font = TTFont(recalcTimestamp=False)
    for tag, data in (tables | cut).items():
        font[tag] = DefaultTable(tag)
        font[tag].data = data
    yield SimpleNamespace(font=font, glyph_index_map=places)


def _outlines(tables: dict[str, bytes]) -> Callable[[int], bytes]:
    """Return a function from the number of a letter to its outline."""
    outlines, are_long = tables["glyf"], _number(tables["head"], _OFFSETS_LONG)
    starts = np.frombuffer(tables["loca"], ">u4" if are_long else ">u2").astype(np.intp) * (1 if are_long else 2)
    return lambda letter: outlines[starts[letter] : starts[letter + 1]]


def _with_parts(outlines: Callable[[int], bytes], letters: Collection[int]) -> list[int]:
    """Return the letters, the box for letters that a font lacks, and all that these are put together from."""
    every, further = set[int](), {0, *letters}
    while further:
        every |= further
        further = {_number(outline, at) for outline in map(outlines, further) for at in _parts(outline)} - every
    return sorted(every)


def _parts(outline: bytes) -> Iterator[int]:
    """Yield where an outline that is put together names its parts."""
    if not outline or _number(outline, 0) < 0x8000:  # not put together: the number of its lines, else negative
        return
    at, more = 10, True
    while more:
        kind = _number(outline, at)
        yield at + 2
        scales = 2 if kind & _SCALE else 4 if kind & _TWO_SCALES else 8 if kind & _FOUR_SCALES else 0
        at, more = at + (8 if kind & _WIDE else 6) + scales, bool(kind & _MORE)


def _renumbered(outline: bytes, places: dict[int, int]) -> bytes:
    for at in _parts(outline):
        outline = _with(outline, at, places[_number(outline, at)])
    return outline


def _width(tables: dict[str, bytes], letter: int) -> bytes:
    """Return the width of a letter and the room on its left; the last width is that of all further letters."""
    widths, number = tables["hmtx"], _number(tables["hhea"], _WIDTHS)
    last, room = 4 * min(letter, number - 1), 4 * letter + 2 if letter < number else 2 * (number + letter)
    return widths[last : last + 2] + widths[room : room + 2]


def _number(table: bytes, at: int) -> int:
    return int.from_bytes(table[at : at + 2], "big")


def _with(table: bytes, at: int, number: int) -> bytes:
    return table[:at] + number.to_bytes(2, "big") + table[at + 2 :]
