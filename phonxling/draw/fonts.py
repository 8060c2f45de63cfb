"""The fonts of figures: which one is drawn in, whether it has what the labels need, and what to install if not."""

import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from matplotlib import font_manager
from matplotlib.font_manager import FontProperties, findfont, get_font

from phonxling.core.errors import ConfigurationError

IPA_FONTS = (
    "Charis SIL",
    "Charis",
    "Doulos SIL",
    "Doulos",
    "Gentium Plus",
    "Gentium",
)  # SIL's names before and since v7
FALLBACK_FONT = "DejaVu Sans"  # comes with matplotlib, so it is always there
# Named, since matplotlib would start a program of fontconfig to list the fonts; Windows has them in its registry.
_FONT_FOLDERS = (
    None if sys.platform == "win32" else (*font_manager.X11FontDirectories, *font_manager.OSXFontDirectories)
)
_INSTALL = f"install {IPA_FONTS[0]} (Debian: fonts-sil-charis; else software.sil.org/charis)"


def choose_font(family: str = "auto") -> str:
    """Return `family` if it is installed; for `auto` the first installed IPA font, else DejaVu Sans.

    Raises
    ------
    ConfigurationError
        If a family is named that is not installed.
    """
    choices = IPA_FONTS if family == "auto" else (family,)
    installed = next((name for name in choices if _installed(name)), None)
    if installed is None and family != "auto":
        msg = f"the font {family!r} is not installed; install it, or say font: auto (Debian has fonts-sil-charis)"
        raise ConfigurationError(msg)
    return installed or FALLBACK_FONT


def _installed(family: str) -> bool:
    if family not in _listed():  # matplotlib's list may be older, or its own fonts alone
        _look_for(family, _FONT_FOLDERS)
    return family in _listed()


def _listed() -> set[str]:
    return {font.name for font in font_manager.fontManager.ttflist}


@cache  # a run asks hundreds of times
def _look_for(family: str, folders: tuple[str | Path, ...] | None) -> None:
    """Add what fonts of a family the folders hold to matplotlib's list."""
    stem = family.replace(" ", "").lower()  # an IPA font's files have its name; other fonts' may have any
    for path in font_manager.findSystemFonts(folders):
        if family not in IPA_FONTS or stem in path.lower().replace(" ", ""):
            with suppress(OSError, RuntimeError):  # of a file that is no font
                font_manager.fontManager.addfont(path)


def font_warning(family: str, labels: Sequence[str]) -> str:
    """Return what a user must know of the font that figures are drawn in; empty when it has all that the labels need.

    A letter is missing when neither the font nor DejaVu Sans has it: a box would be drawn. DejaVu Sans alone puts
    diacritics and ties where they do not belong on many phones.
    """
    font = choose_font(family)
    missing = {letter: label for label in labels for letter in label if not _has(letter, font)}
    if missing:
        named = ", ".join(f"{letter} (U+{ord(letter):04X}, in {label})" for letter, label in list(missing.items())[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        remedy = _INSTALL if font == FALLBACK_FONT else "name a font that has them (figures: {font: …})"
        return f"figures: no glyph in {font} for {named}{more}, which are drawn as boxes; {remedy}"
    if font == FALLBACK_FONT and family == "auto" and any(map(_has_marks, labels)):
        return f"figures: no IPA font is installed, so marks and ties may stand badly; {_INSTALL}"
    return ""


def font_files(family: str) -> tuple[Path, ...]:
    """Return the files of the fonts that figures are drawn in: the family's, or the best one, and DejaVu Sans."""
    fonts = dict.fromkeys([choose_font(family), FALLBACK_FONT])
    return tuple(Path(findfont(FontProperties(family=name))) for name in fonts)


def _has(letter: str, font: str) -> bool:
    paths = (findfont(FontProperties(family=name)) for name in (font, FALLBACK_FONT))
    return letter.isspace() or any(get_font(path).get_char_index(ord(letter)) for path in paths)


def _has_marks(label: str) -> bool:
    return any(unicodedata.combining(letter) for letter in label)
