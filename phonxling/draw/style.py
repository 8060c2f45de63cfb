"""How every figure looks: its font, its size in millimetres, and settings that no user's matplotlibrc changes."""

import logging
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, get_args

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.colors import Colormap, ListedColormap, to_hex, to_rgb
from matplotlib.font_manager import FontProperties, findfont, get_font

from phonxling.configuration.models import FigureKinds
from phonxling.core.arrays import Floats
from phonxling.core.errors import ConfigurationError
from phonxling.core.estimate import FEW_TOKENS
from phonxling.results.tables import palette

logging.getLogger("fontTools.subset").setLevel(logging.ERROR)  # it warns of tables of Charis that no PDF needs
IPA_FONTS = ("Charis SIL", "Charis", "Doulos SIL", "Doulos", "Gentium Plus", "Gentium")  # SIL's before and since v7
FALLBACK_FONT = "DejaVu Sans"  # comes with matplotlib, so it is always there
# Where fonts are looked for that were installed after matplotlib made its list; Windows has them in its registry.
_FONT_FOLDERS = (
    None if sys.platform == "win32" else (*font_manager.X11FontDirectories, *font_manager.OSXFontDirectories)
)
_INSTALL = f"install {IPA_FONTS[0]} (Debian: fonts-sil-charis; else software.sil.org/charis)"


def choose_font(family: str = "auto") -> str:
    """Return `family` if it is installed; for `auto` the first installed IPA font, else DejaVu Sans."""
    choices = IPA_FONTS if family == "auto" else (family,)
    installed = next((name for name in choices if _is_installed(name)), None)
    if installed is None and family != "auto":
        installing = "install it, or set figures: {font: auto} (Debian has fonts-sil-charis)"
        raise ConfigurationError(f"figures.font: the font {family!r} is not installed; {installing}")
    return installed or FALLBACK_FONT


def _is_installed(family: str) -> bool:
    fonts = font_manager.fontManager
    if all(font.name != family for font in fonts.ttflist):  # matplotlib's list may be older
        _look_for(family)
    return any(font.name == family for font in fonts.ttflist)


@cache  # a run asks hundreds of times
def _look_for(family: str) -> None:
    stem = family.replace(" ", "").lower()  # an IPA font's files have its name; other fonts' may have any
    for path in font_manager.findSystemFonts(_FONT_FOLDERS):
        if family not in IPA_FONTS or stem in path.lower().replace(" ", ""):
            with suppress(OSError, RuntimeError):  # of a file that is no font
                font_manager.fontManager.addfont(path)


def font_warning(family: str, labels: Sequence[str]) -> str:
    """Return what a user must know of the font that figures are drawn in."""
    font = choose_font(family)
    fonts = [get_font(findfont(FontProperties(family=name))) for name in (font, FALLBACK_FONT)]
    letters = {letter: label for label in labels for letter in label if not letter.isspace()}
    missing = {one: label for one, label in letters.items() if not any(own.get_char_index(ord(one)) for own in fonts)}
    if missing:
        named = ", ".join(f"{letter} (U+{ord(letter):04X}, in {label})" for letter, label in list(missing.items())[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        remedy = _INSTALL if font == FALLBACK_FONT else "name a font that has them (figures: {font: …})"
        return f"figures: no glyph in {font} for {named}{more}, which are drawn as boxes; {remedy}"
    if font == FALLBACK_FONT and family == "auto" and any(map(unicodedata.combining, "".join(labels))):
        return f"figures: no IPA font is installed, so marks and ties may stand badly; {_INSTALL}"
    return ""


def font_files(family: str) -> tuple[Path, ...]:
    """Return the files of the fonts that figures are drawn in: the family's, or the best one, and DejaVu Sans."""
    fonts = dict.fromkeys([choose_font(family), FALLBACK_FONT])
    return tuple(Path(findfont(FontProperties(family=name))) for name in fonts)


ONE_COLUMN, TWO_COLUMNS, PAGE_HEIGHT = 84.0, 174.0, 234.0  # mm
TEXT, PHONE, SMALL = 7.5, 6.5, 6.5  # points
PHONES = (PHONE, 6.0, 5.5, 5.0)  # points: of many phones; nothing smaller is drawn
FEW_TOKENS_DRAWN = FEW_TOKENS  # what rests on fewer is drawn paler
EDGE, LINE, AXIS_LABEL = 1.5, 2.9, 3.8  # mm: a figure’s margin, a line of small text, the name of an axis
LEAST_SIDE = 20.0  # mm, so that the axes' names fit beside few phones
_ORDERS = ("chart", "similarity", "features", "frequency")
_KINDS: tuple[str, ...] = get_args(FigureKinds)


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """What a user may choose: formats (pdf, png, svg), width in mm (84 one column, 174 two), font family or `auto`.

    `phones` are those of which figures are drawn; all where none are named. `entropy`: phones have theirs, too.
    """

    formats: tuple[str, ...] = ("pdf",)
    width_mm: float = ONE_COLUMN
    font: str = "auto"
    order: str = "chart"
    kinds: tuple[str, ...] = ("main",)
    phones: frozenset[str] = frozenset()
    entropy: bool = False

    def __post_init__(self) -> None:
        # The configuration checks all else; these are also given to `report --figures` and to Python's `figure`.
        for what, given, known in (("order", self.order, _ORDERS), *(("kinds", kind, _KINDS) for kind in self.kinds)):
            if given not in known:
                raise ConfigurationError(f"figures' {what}: one of {', '.join(known)}, not {given!r}")

    def chosen(self, phones: Iterable[str]) -> list[str]:
        """Return those of the phones that figures are drawn of, in their order."""
        return [phone for phone in phones if not self.phones or phone in self.phones]


def figure_options(chosen: Mapping[str, Any]) -> FigureOptions:
    """Return the figures' options; ConfigurationError when a font is not installed."""
    choose_font(chosen["font"])
    order, kinds = chosen.get("order", "chart"), tuple(chosen.get("kinds", ("all",)))  # a comparison has neither
    return FigureOptions(tuple(chosen["formats"]), float(chosen["width"]), chosen["font"], order, kinds)


@contextmanager
def house_style(font: str = "auto") -> Iterator[None]:
    """Draw with the house's settings and matplotlib's defaults, whatever the process has set; put all back after."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_house_settings())
        mpl.rcParams["font.family"] = list(dict.fromkeys([choose_font(font), FALLBACK_FONT]))
        yield


@cache
def _house_settings() -> mpl.RcParams:
    with as_file(files("phonxling.draw") / "house.mplstyle") as path:
        return mpl.rc_params_from_file(path, use_default_template=False)


# Oklab (B. Ottosson 2020, "A perceptual color space for image processing"): linear sRGB → cone responses → L, a, b
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def to_oklab(rgb: Floats) -> Floats:
    """Return sRGB colours [n, 3] in Oklab; the first column is lightness, 0 black to 1 white."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T)


def _ramp(stops: list[str], steps: int) -> Floats:
    lab = to_oklab(np.array([to_rgb(stop) for stop in stops]))
    at = np.linspace(0, len(stops) - 1, steps)
    lab = np.column_stack([np.interp(at, range(len(stops)), lab[:, axis]) for axis in range(3)])
    linear = np.clip((lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055))


def palette_colour(meaning: str) -> str:
    """Return the colour of a meaning, as the page has it: `palette.tsv`."""
    return palette()[meaning].light


def tint(meaning: str, share: float) -> str:
    """Return a colour of the palette mixed with white, of which it is a share from 0 to 1."""
    return str(to_hex(_ramp([palette_colour("ground"), palette_colour(meaning)], 101)[round(100 * share)]))


def sequential_map() -> Colormap:
    """Return the map for shares, as the page has it: from nearly white to dark blue, even steps of lightness."""
    return ListedColormap(_ramp([palette_colour("panel"), palette_colour("high")], 256), name="phonxling-share")


def diverging_map() -> Colormap:
    """Return the map for signed values, as the page has it: orange (less) by nearly white (0) to blue (more)."""
    stops = [palette_colour(name) for name in ("low", "panel", "high")]
    return ListedColormap(_ramp(stops, 257), name="phonxling-signed")


# Colours that the colour-blind and a grey printer can tell apart: ramps even in lightness, and a few inks.
GREY, DARK_GREY, INK, AMOUNT, WRONG, SAME, VOWEL, CONSONANT = map(
    palette_colour, ("grey", "soft", "text", "high", "wrong", "same", "vowel", "consonant")
)
MIDDLE, PALE = tint("high", 0.6), tint("high", 0.15)  # amounts of less weight
PALE_GREY, GRID, PASSING = tint("grey", 0.2), tint("grey", 0.25), tint("grey", 0.4)  # lines that a name may stand on
