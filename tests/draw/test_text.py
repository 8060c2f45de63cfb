"""Letters of figures: fonts, house style, wrapped lines, names beside plots, texts laid out once, fonts in PDFs."""

import re
from pathlib import Path
from shutil import copy

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.colors import to_hex, to_rgb
from matplotlib.font_manager import findfont

import phonxling
from phonxling.core.errors import ConfigurationError
from phonxling.draw.figure import Drawing
from phonxling.draw.sheet import Sheet
from phonxling.draw.style import (
    FALLBACK_FONT,
    IPA_FONTS,
    FigureOptions,
    choose_font,
    diverging_map,
    font_warning,
    house_style,
    sequential_map,
    to_oklab,
)
from phonxling.report.render import style
from phonxling.results.tables import palette

CLICK = "\U0001df0a"  # a retroflex click: Unicode 14, which DejaVu Sans does not have


def test_auto_is_the_first_installed_ipa_font_or_the_fallback_and_a_missing_font_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert choose_font() in {*IPA_FONTS, FALLBACK_FONT}
    assert choose_font("DejaVu Sans") == "DejaVu Sans"
    with pytest.raises(ConfigurationError, match="'No Such Font' is not installed"):
        choose_font("No Such Font")
    monkeypatch.setattr("phonxling.draw.style._is_installed", {"Doulos SIL", "Gentium Plus"}.__contains__)
    assert choose_font() == "Doulos SIL"


def test_fonts_are_looked_for_where_a_list_is_older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy(findfont("DejaVu Serif"), tmp_path / "times.ttf")
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    monkeypatch.setattr("matplotlib.font_manager._get_fontconfig_fonts", pytest.fail)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    monkeypatch.setattr("phonxling.draw.style._FONT_FOLDERS", (tmp_path,))
    assert choose_font("DejaVu Serif") == "DejaVu Serif"


def test_a_letter_that_no_font_has_is_named_with_its_label_and_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    said = font_warning("DejaVu Sans", ["a", f"k{CLICK}"])
    assert f"no glyph in DejaVu Sans for {CLICK} (U+1DF0A, in k{CLICK})" in said
    assert "Debian: fonts-sil-charis" in said
    assert font_warning("DejaVu Sans", ["k͡p", "ɛ̃́", "∅", "a b"]) == ""
    monkeypatch.setattr("phonxling.draw.style._is_installed", "DejaVu Sans".__eq__)
    assert "no IPA font is installed" in font_warning("auto", ["a", "k͡p"])
    assert font_warning("auto", ["a", "ʃ"]) == font_warning("DejaVu Sans", ["k͡p"]) == ""  # which was asked for


@pytest.mark.parametrize("options", [{"order": "size"}, {"kinds": ("main", "foo")}])
def test_an_order_and_a_kind_that_there_is_not_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=r"one of .*, not '(size|foo)'"):
        FigureOptions(**options)  # type: ignore[arg-type]


def test_the_style_heeds_no_setting_of_the_process_and_leaves_none() -> None:
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 30}):
        with house_style("DejaVu Sans"):
            assert mpl.rcParams["axes.facecolor"] == "white"
            assert mpl.rcParams["text.parse_math"] is False
        assert (mpl.rcParams["axes.facecolor"], mpl.rcParams["font.size"]) == ("red", 30)


def test_shares_darken_evenly_and_signs_mirror() -> None:
    steps = np.diff(to_oklab(sequential_map()(np.linspace(0, 1, 256))[:, :3])[:, 0])
    assert (steps < 0).all()
    assert steps.min() / steps.max() < 1.25
    signed = np.diff(to_oklab(diverging_map()(np.linspace(0, 1, 101))[:, :3])[:, 0])
    assert (signed[:50].min() > 0, signed[50:].max() < 0) == (True, True)


def test_a_colour_means_one_thing_and_stands_in_the_palette_alone() -> None:
    for side in ("light", "dark"):
        colours = [value for one in palette().values() if (value := getattr(one, side))]
        places = to_oklab(np.array([to_rgb(colour) for colour in colours]))
        apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(len(colours))
        assert apart.min() >= 0.03, side  # Oklab: neighbours of 0.02 are hardly told apart side by side
    folder = Path(phonxling.__file__).parent
    sources = [*folder.glob("draw/*.py"), *folder.glob("report/assets/**/*.[cj]s*")]
    assert [file.name for file in sources if re.search(r"#[0-9a-f]{6}\b", file.read_text(encoding="utf-8"))] == []


def test_the_page_has_the_colours_of_figures() -> None:
    shown = re.findall(r"--([\w-]+): (?:light-dark\()?(#\w{6})(?:, (#\w{6})\))?;", style())
    assert shown == [(name, one.light, one.dark) for name, one in palette().items()]
    ends = [palette()[name].light for name in ("low", "panel", "high")]
    assert [to_hex(diverging_map()(place)) for place in (0.0, 0.5, 1.0)] == ends
    assert [to_hex(sequential_map()(place)) for place in (0.0, 1.0)] == ends[1:]


def test_a_pdf_embeds_truetype_of_the_letters_that_it_shows_and_has_no_date(tmp_path: Path) -> None:
    with house_style("DejaVu Sans"):
        figure = Sheet(60, 20)
        figure.write(5, 5, "k\u0361p \u025b\u0303\u0301")
    Drawing("two", figure).save(tmp_path, ["pdf"])
    written = (tmp_path / "two.pdf").read_bytes()
    assert b"/FontFile2" in written
    assert b"/Subtype /Type3" not in written
    assert b"Date" not in written
    assert len(written) < 40_000  # all of DejaVu Sans has 750,000
