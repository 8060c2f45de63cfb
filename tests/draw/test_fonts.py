from pathlib import Path
from shutil import copy

import pytest
from matplotlib import font_manager

from phonxling.core.errors import ConfigurationError
from phonxling.draw.style import choose_font, font_warning

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
    monkeypatch.setattr("phonxling.draw.style._installed", "DejaVu Sans".__eq__)
    assert choose_font() == "DejaVu Sans"
    assert "no IPA font is installed" in font_warning("auto", ["a", "k͡p"])
    assert font_warning("auto", ["a", "ʃ"]) == ""
    assert font_warning("DejaVu Sans", ["k͡p"]) == ""  # which was asked for


def test_a_font_is_known_by_its_name_whatever_its_file_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy(font_manager.findfont("DejaVu Serif"), tmp_path / "times.ttf")
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    monkeypatch.setattr("phonxling.draw.style._FONT_FOLDERS", (tmp_path,))
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    assert choose_font("DejaVu Serif") == "DejaVu Serif"


def test_fonts_are_looked_for_without_starting_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matplotlib.font_manager._get_fontconfig_fonts", pytest.fail)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    with pytest.raises(ConfigurationError, match="'No Such Font' is not installed"):
        choose_font("No Such Font")
