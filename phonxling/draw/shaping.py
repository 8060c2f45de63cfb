"""Each text is laid out once for all figures that show it, and once for a PNG and a PDF each.

matplotlib looks for the font, places the letters and measures a text whenever it is asked for its size or drawn. That
takes a fifth of the time of figures, which show the same phones again and again.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, TypeAlias, cast

import matplotlib as mpl
from matplotlib import _text_helpers
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.text import Text

from phonxling.core.errors import replaced

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
_LETTERS: defaultdict[object, dict[object, object]] = defaultdict(dict)


@contextmanager
def laid_out_once(formats: Collection[str] = ("pdf",)) -> Iterator[None]:
    """Let matplotlib remember how texts are laid out; versions that may do it otherwise do it as ever."""
    if len(_LAYOUTS) > _MOST:
        _LAYOUTS.clear()
        _LETTERS.clear()
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
        return _Font(partial(original, renderer, properties), _LETTERS[key])

    return font


def _ways(formats: Collection[str]) -> Iterator[_Way]:
    yield Text, "_get_layout", _with_layouts
    yield RendererAgg, "_prepare_font", _with_letters
    if "pdf" in formats:
        from matplotlib.backends._backend_pdf_ps import RendererPDFPSBase  # brings fontTools

        yield RendererPDFPSBase, "_get_font_ttf", _with_letters
        yield _text_helpers, "layout", _without_outlines
