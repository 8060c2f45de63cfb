import io
import re
import zlib
from pathlib import Path
from shutil import copy

import pandas as pd
import pytest
from fontTools.subset import Options
from fontTools.ttLib import TTFont
from matplotlib import font_manager

from phonxling.core.errors import ConfigurationError
from phonxling.draw.figure import Drawing
from phonxling.draw.fonts import choose_font, font_warning, letters_alone
from phonxling.draw.save import save
from phonxling.draw.sheet import sheet, write_at
from phonxling.draw.style import house_style

CLICK = "\U0001df0a"  # a retroflex click: Unicode 14, which DejaVu Sans does not have


def test_a_letter_that_no_font_has_is_named_with_its_label_and_what_to_install() -> None:
    said = font_warning("DejaVu Sans", ["a", f"k{CLICK}"])
    assert f"no glyph in DejaVu Sans for {CLICK} (U+1DF0A, in k{CLICK})" in said
    assert "Debian: fonts-sil-charis" in said
    many = [chr(0xF0000 + number) for number in range(7)]
    assert "and 2 more" in font_warning("DejaVu Sans", many)


def test_labels_that_the_font_has_need_no_warning() -> None:
    assert font_warning("DejaVu Sans", ["k͡p", "ɛ̃́", "∅", "a b"]) == ""
    assert font_warning("auto", ["a", "ʃ"]) == ""


def test_marks_and_ties_without_an_ipa_font_are_a_reason_to_install_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.draw.fonts._installed", "DejaVu Sans".__eq__)
    assert choose_font() == "DejaVu Sans"
    assert "no IPA font is installed" in font_warning("auto", ["a", "k͡p"])
    assert font_warning("auto", ["a", "ʃ"]) == ""
    assert font_warning("DejaVu Sans", ["k͡p"]) == ""  # which was asked for


def test_a_font_is_known_by_its_name_whatever_its_file_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy(font_manager.findfont("DejaVu Serif"), tmp_path / "times.ttf")
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    monkeypatch.setattr("phonxling.draw.fonts._FONT_FOLDERS", (tmp_path,))
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    assert choose_font("DejaVu Serif") == "DejaVu Serif"


def test_fonts_are_looked_for_without_starting_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matplotlib.font_manager._get_fontconfig_fonts", pytest.fail)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    with pytest.raises(ConfigurationError, match="'No Such Font' is not installed"):
        choose_font("No Such Font")


def test_the_list_of_what_is_left_out_of_fonts_is_longer_only_while_a_figure_is_written() -> None:
    before = list(Options().drop_tables)
    with letters_alone():
        assert Options().drop_tables == [*before, "GSUB", "GPOS", "GDEF"]
    assert Options().drop_tables == before


def test_a_pdf_holds_the_letters_without_the_rules_and_with_them_where_the_list_has_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = _embedded(tmp_path)
    monkeypatch.setattr("phonxling.draw.fonts.Options", object)
    everything = _embedded(tmp_path)
    assert not any(table in font for table in ("GSUB", "GPOS", "GDEF") for font in alone)
    assert all(table in font for table in ("GPOS", "GDEF") for font in everything)
    assert len(_outlines(alone)) > 3
    assert _outlines(alone) <= _outlines(everything)


def _embedded(folder: Path) -> list[TTFont]:
    """Return the fonts in a PDF of two phones: the streams that begin as TrueType does."""
    with house_style("DejaVu Sans"):
        figure = sheet(60, 20)
        write_at(figure, 5, 5, "k\u0361p \u025b\u0303\u0301")
    save(Drawing("two", figure, pd.DataFrame()), folder, ["pdf"])
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", (folder / "two.pdf").read_bytes(), re.DOTALL)
    begun = [stream for stream in map(zlib.decompress, streams) if stream.startswith(b"\0\1\0\0")]
    return [TTFont(io.BytesIO(stream)) for stream in begun]


def _outlines(fonts: list[TTFont]) -> set[bytes]:
    return {font["glyf"][name].compile(font["glyf"]) for font in fonts for name in font.getGlyphOrder()}
