"""Figures to files: the same numbers give the same bytes, and a stopped run leaves no half-written file.

Each text is laid out once for all figures that show it, and once for a PNG and a PDF each: matplotlib looks for the
font, places the letters and measures a text whenever it is asked for its size or drawn. That takes a fifth of the time
of figures, which show the same phones again and again.

A PDF holds the letters that it shows as a font of their outlines alone. matplotlib has fontTools cut fonts down, which
takes half of the time of a PDF, most of it for what no PDF needs: names, characters, and the rules for placing letters,
each of which has its place in a figure. Numbers of the format: learn.microsoft.com/typography/opentype/spec, tables
glyf, head, hhea, hmtx, loca and maxp.
"""

import io
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cached_property, lru_cache, partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias, cast

import matplotlib as mpl
import numpy as np
from fontTools.ttLib import TTFont
from fontTools.ttLib.sfnt import SFNTReader
from fontTools.ttLib.tables.DefaultTable import DefaultTable
from matplotlib import _text_helpers
from matplotlib.backends import _backend_pdf_ps
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontPath, FontProperties
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.text import Text

from phonxling.core.errors import DataError, replaced
from phonxling.core.files import write_bytes
from phonxling.draw.figure import Drawing
from phonxling.draw.style import house_style

_Way: TypeAlias = tuple[object, str, Callable[[Any], Any]]
_Measure: TypeAlias = Callable[[Text, object], object]
_Features: TypeAlias = tuple[str, ...] | None
_Language: TypeAlias = str | tuple[tuple[str, int, int], ...] | None
IS_KNOWN = mpl.__version_info__[:2] == (3, 11)
_LOOKS = attrgetter(  # what the layout of a text depends on; the last three make it depend on more
    *("_text", "_horizontalalignment", "_verticalalignment", "_multialignment", "_rotation", "_rotation_mode"),
    *("_linespacing", "_parse_math", "_transform_rotates_text", "_usetex", "_wrap"),
)
_DEPEND_ON_MORE = slice(-3, None)
_MOST = 20_000  # layouts that are remembered, of some 500 bytes each
_LAYOUTS: dict[object, object] = {}
_SHAPING_LETTERS: defaultdict[object, dict[object, object]] = defaultdict(dict)


@contextmanager
def laid_out_once(formats: Collection[str] = ("pdf",)) -> Iterator[None]:
    """Let matplotlib remember how texts are laid out; versions that may do it otherwise do it as ever."""
    if len(_LAYOUTS) > _MOST:
        _LAYOUTS.clear()
        _SHAPING_LETTERS.clear()
    with ExitStack() as stack:
        for owner, name, remembering in _ways(formats) if IS_KNOWN else ():
            stack.enter_context(replaced(owner, name, remembering))
        yield


def _with_layouts(original: _Measure) -> _Measure:
    """Return a function from a text and what draws it to its layout, from where it will stand."""

    def layout(text: Text, renderer: object) -> object:
        looks = _LOOKS(text)
        if any(looks[_DEPEND_ON_MORE]):
            return original(text, renderer)
        kind = type(getattr(renderer, "_renderer", renderer))  # a PDF's is within another, which an SVG has, too
        key = kind, cast("Figure", text.get_figure(root=True)).dpi, hash(text.get_fontproperties()), looks
        if key not in _LAYOUTS:
            _LAYOUTS[key] = original(text, renderer)
        return _LAYOUTS[key]

    return layout


class _Font:
    """A font that is made ready when it is asked for what it does not remember."""

    def __init__(self, make_ready: Callable[[], FT2Font], known: dict[object, object]) -> None:
        self._make_ready = make_ready
        self._known = known

    @cached_property
    def _ready(self) -> FT2Font:
        return self._make_ready()

    def _layout(self, text: str, flags: LoadFlags, features: _Features = None, language: _Language = None) -> object:
        key = text, flags, features, language
        if key not in self._known:
            self._known[key] = self._ready._layout(text, flags, features=features, language=language)
        return self._known[key]

    def __getattr__(self, name: str) -> object:
        attribute: object = getattr(self._ready, name)
        return attribute


def _without_outlines(original: Callable[..., object]) -> Callable[..., object]:
    """Return a function to the letters of a text; of a PDF's, the original reads each outline, too, for nothing."""

    def letters(text: str, font: FT2Font | _Font, *, features: _Features = None, language: _Language = None) -> object:
        if isinstance(font, _Font):
            return font._layout(text, LoadFlags.NO_HINTING, features, language)
        return original(text, font, features=features, language=language)

    return letters


def _with_letters(original: Callable[[object, FontProperties], FT2Font]) -> Callable[[object, FontProperties], _Font]:
    """Return a function from what draws and a font's properties to the font, which remembers where letters stand."""

    def font(renderer: object, properties: FontProperties) -> _Font:
        key = type(renderer), getattr(renderer, "dpi", None), hash(properties)
        return _Font(partial(original, renderer, properties), _SHAPING_LETTERS[key])

    return font


def _ways(formats: Collection[str]) -> Iterator[_Way]:
    yield Text, "_get_layout", _with_layouts
    yield RendererAgg, "_prepare_font", _with_letters
    if "pdf" in formats:
        from matplotlib.backends._backend_pdf_ps import RendererPDFPSBase  # brings fontTools

        yield RendererPDFPSBase, "_get_font_ttf", _with_letters
        yield _text_helpers, "layout", _without_outlines


_Cut: TypeAlias = Callable[[FontPath, Collection[int]], AbstractContextManager[Any]]
_CUT = {"glyf", "loca", "hmtx"}  # outlines, where each begins, widths
_KEPT = {"head", "hhea", "maxp", "OS/2", "cvt ", "fpgm", "prep"}  # the last three: how to draw with few dots an inch
_OFFSETS_LONG, _WIDTHS, _EMBEDDING_LETTERS = 50, 34, 4  # where head, hhea and maxp have these numbers
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
        "maxp": _with(tables["maxp"], _EMBEDDING_LETTERS, len(places)),
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


_DPI = 300
_PACKED = 1  # of zlib's levels 0 to 9 for a PNG: matplotlib's own, 6, takes longer for little
_METADATA: dict[str, dict[str, str | None]] = {  # no dates, no versions
    "pdf": {"CreationDate": None, "Creator": "phonxling", "Producer": "matplotlib"},
    "png": {"Software": "phonxling"},
    "svg": {"Date": None, "Creator": "phonxling"},
}


def save(drawing: Drawing, folder: Path, formats: Iterable[str]) -> list[Path]:
    """Write `folder/name.format` for each format, and `folder/name.tsv` with what the figure shows."""
    if Path(drawing.name).name != drawing.name:
        raise DataError(f"the figure name {drawing.name!r} cannot be a file name; rename the corpus without slashes")
    table = folder / f"{drawing.name}.tsv"
    paths = [*(folder / f"{drawing.name}.{form}" for form in formats), table]
    with house_style():
        for path in paths[:-1]:
            write_bytes(path, _drawn(drawing, path.suffix[1:]))
    write_bytes(table, _tsv(drawing).encode())
    return paths


def _drawn(drawing: Drawing, form: str) -> bytes:
    buffer = io.BytesIO()
    packed: dict[str, Any] = {"pil_kwargs": {"compress_level": _PACKED}} if form == "png" else {}
    with letters_alone() if form == "pdf" else nullcontext():
        drawing.figure.savefig(buffer, format=form, dpi=_DPI, metadata=_METADATA[form], **packed)
    return buffer.getvalue()


def _tsv(drawing: Drawing) -> str:
    """Return the table as written by hand: pandas would put quotes around a phone that is a quote."""
    rows = [drawing.shown.columns.tolist(), *drawing.shown.to_numpy(object).tolist()]
    return "".join("\t".join(_field(value) for value in row) + "\n" for row in rows)


def _field(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.10g}"
    return "" if value is None else str(value)
