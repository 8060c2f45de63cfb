"""Whether the figures' fonts have what the labels need, and what to install where they do not."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

from matplotlib.font_manager import FontProperties, findfont, get_font

from phonxling.draw.style import FALLBACK_FONT, IPA_FONTS, choose_font

_INSTALL = f"install {IPA_FONTS[0]} (Debian: fonts-sil-charis; else software.sil.org/charis)"


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
