import io
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont
from matplotlib.backends import _backend_pdf_ps
from matplotlib.font_manager import FontPath, findfont

from phonxling.draw.embedding import letters_alone
from phonxling.draw.figure import Drawing
from phonxling.draw.save import save
from phonxling.draw.sheet import Sheet
from phonxling.draw.style import house_style

DEJAVU = findfont("DejaVu Sans")


def _cut(path: str, letters: set[int]) -> tuple[TTFont, dict[int, int]]:
    """Return a font cut down as a PDF holds it, read back from its bytes, and the places of its letters."""
    with letters_alone(), _backend_pdf_ps.get_glyphs_subset(FontPath(path, 0), letters) as subset:
        return TTFont(_backend_pdf_ps.font_as_file(subset.font)), subset.glyph_index_map


def _drawn(font: TTFont, letter: int) -> tuple[object, ...]:
    """Return how fontTools draws a letter, its width, and the room on its left."""
    name, pen = font.getGlyphName(letter), DecomposingRecordingPen(font.getGlyphSet())
    font.getGlyphSet()[name].draw(pen)
    return pen.value, *font["hmtx"][name]


@pytest.mark.slow
def test_each_letter_keeps_its_outline_its_width_and_its_instructions() -> None:
    whole = TTFont(DEJAVU)
    put_together = [place for place, name in enumerate(whole.getGlyphOrder()) if whole["glyf"][name].isComposite()]
    drawn = np.random.default_rng(5)
    of_any_kind = drawn.choice(whole["maxp"].numGlyphs, 60, replace=False)
    letters = {*drawn.choice(put_together, 60, replace=False).tolist(), *of_any_kind.tolist()}
    part, places = _cut(DEJAVU, letters)
    assert letters <= places.keys()
    assert places[0] == 0  # the box for letters that a font lacks
    assert [_drawn(part, places[letter]) for letter in letters] == [_drawn(whole, letter) for letter in letters]
    assert part["fpgm"].program == whole["fpgm"].program
    assert part["maxp"].numGlyphs == len(places) == len(set(places.values()))


def test_widths_of_letters_beyond_the_last_are_the_last(tmp_path: Path) -> None:
    font = TTFont(DEJAVU)
    for name in font.getGlyphOrder()[-50:]:
        font["hmtx"][name] = (1234, font["hmtx"][name][1])
    font.save(tmp_path / "short.ttf")  # which stores the width of the last fifty once
    part, places = _cut(str(tmp_path / "short.ttf"), {36, font["maxp"].numGlyphs - 1})
    assert font["hhea"].numberOfHMetrics == font["maxp"].numGlyphs - 49
    widths = [_drawn(part, place)[1:] for place in places.values()]
    assert widths == [_drawn(font, letter)[1:] for letter in places]


def test_a_pdf_holds_outlines_alone_of_a_fit_size(tmp_path: Path) -> None:
    fonts = _embedded(tmp_path)
    assert fonts
    assert all({"glyf", "loca", "hmtx", "head", "hhea", "maxp"} <= {*font.keys()} for font in fonts)
    assert not any({"GSUB", "GPOS", "GDEF", "name", "cmap"} & {*font.keys()} for font in fonts)
    assert all(2 < font["maxp"].numGlyphs < 20 for font in fonts)


def _embedded(folder: Path) -> list[TTFont]:
    """Return the fonts in a PDF of two phones: the streams that begin as TrueType does."""
    with house_style("DejaVu Sans"):
        figure = Sheet(60, 20)
        figure.write(5, 5, "k\u0361p \u025b\u0303\u0301")
    save(Drawing("two", figure, pd.DataFrame()), folder, ["pdf"])
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", (folder / "two.pdf").read_bytes(), re.DOTALL)
    begun = [stream for stream in map(zlib.decompress, streams) if stream.startswith(b"\0\1\0\0")]
    return [TTFont(io.BytesIO(stream)) for stream in begun]


def test_a_font_that_is_no_truetype_is_left_to_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    font = TTFont(DEJAVU)
    del font["glyf"]  # as a font has it whose outlines are in PostScript
    font.save(tmp_path / "other.otf")
    asked = []
    monkeypatch.setattr(_backend_pdf_ps, "get_glyphs_subset", lambda *font: asked.append(font))
    with letters_alone():
        _backend_pdf_ps.get_glyphs_subset(FontPath(str(tmp_path / "other.otf"), 0), {36, 37})
    assert [letters for _, letters in asked] == [{36, 37}]


def test_another_version_of_matplotlib_embeds_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.draw.embedding.IS_KNOWN", False)
    before = _backend_pdf_ps.get_glyphs_subset
    with letters_alone():
        assert _backend_pdf_ps.get_glyphs_subset is before


def test_matplotlib_embeds_as_ever_after_a_figure_is_written() -> None:
    before = _backend_pdf_ps.get_glyphs_subset
    with pytest.raises(KeyError), letters_alone():
        raise KeyError
    assert _backend_pdf_ps.get_glyphs_subset is before
