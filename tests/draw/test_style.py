import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import font_manager

from phonxling.core.errors import ConfigurationError
from phonxling.draw.sheet import text_size, wrap
from phonxling.draw.style import (
    EDGE,
    FALLBACK_FONT,
    IPA_FONTS,
    FigureOptions,
    choose_font,
    diverging,
    house_style,
    sequential,
    to_oklab,
)


def test_auto_is_an_ipa_font_or_the_fallback_and_a_missing_font_an_error() -> None:
    assert choose_font() in {*IPA_FONTS, FALLBACK_FONT}
    assert choose_font("DejaVu Sans") == "DejaVu Sans"
    with pytest.raises(ConfigurationError, match="'No Such Font' is not installed"):
        choose_font("No Such Font")


def test_the_first_installed_font_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phonxling.draw.style._installed", {"Doulos SIL", "Gentium Plus"}.__contains__)
    assert choose_font() == "Doulos SIL"
    monkeypatch.setattr("phonxling.draw.style._installed", lambda _: False)
    assert choose_font() == "DejaVu Sans"


def test_options_are_checked() -> None:
    with pytest.raises(ConfigurationError, match="given: bmp"):
        FigureOptions(formats=("pdf", "bmp"))
    with pytest.raises(ConfigurationError, match="given: none"):
        FigureOptions(formats=())
    with pytest.raises(ConfigurationError, match="60 to 400 mm"):
        FigureOptions(width_mm=8.4)
    with pytest.raises(ConfigurationError, match=r"order: one of similarity, .* not 'size'"):
        FigureOptions(order="size")
    with pytest.raises(ConfigurationError, match="cells: one of probability, count, not 'bits'"):
        FigureOptions(cells="bits")


def test_the_style_heeds_no_setting_of_the_process_and_leaves_none() -> None:
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 30}):
        with house_style("DejaVu Sans"):
            assert mpl.rcParams["axes.facecolor"] == "white"
            assert mpl.rcParams["text.parse_math"] is False
        assert mpl.rcParams["axes.facecolor"] == "red"
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.parametrize("family", dict.fromkeys([FALLBACK_FONT, choose_font()]))
@pytest.mark.parametrize("phone", ["k͡p", "ɡ͡b", "d͡ʒ", "ɛ̃", "ɛ̃́", "ŋ̩", "˥˩", "∅", "ɜ˞", "log₂"])
def test_the_font_in_use_has_every_glyph(phone: str, family: str) -> None:
    path = font_manager.findfont(family, fallback_to_default=False)
    font = font_manager.get_font(path)
    assert [letter for letter in phone if not font.get_char_index(ord(letter))] == []
    with house_style(family):
        width, height, _ = text_size(phone, 7)
    assert 0 < width < 8
    assert 0 < height < 5


def test_a_text_is_wrapped_within_its_width() -> None:
    with house_style("DejaVu Sans"):
        lines = wrap(["one two three four five six seven"], 23, 7)
        assert len(lines) > 1
        assert " ".join(lines) == "one two three four five six seven"
        assert all(text_size(line, 7)[0] <= 20 for line in lines)
        assert wrap([], 23, 7) == []


@pytest.mark.parametrize("width", [3.0, 12.0, 31.0, 400.0])
def test_each_line_holds_as_many_words_as_fit(width: float) -> None:
    drawn = np.random.default_rng(round(width))
    words = ["".join(drawn.choice([*"aivAVwTo.", "k͡p"], size)) for size in drawn.integers(1, 9, 40)]
    with house_style("DejaVu Sans"):
        lines = [words[0]]
        for word in words[1:]:
            longer = f"{lines[-1]} {word}"
            lines[len(lines) - (text_size(longer, 7)[0] <= width) :] = [
                longer if text_size(longer, 7)[0] <= width else word
            ]
        assert wrap(words, width + 2 * EDGE, 7) == lines


def test_shares_darken_evenly_and_signs_mirror() -> None:
    light = to_oklab(sequential()(np.linspace(0, 1, 256))[:, :3])[:, 0]
    steps = np.diff(light)
    assert (steps < 0).all()
    assert steps.min() / steps.max() < 1.25
    signed = to_oklab(diverging()(np.linspace(0, 1, 101))[:, :3])[:, 0]
    assert signed.argmax() == 50
    assert (np.diff(signed)[:50] > 0).all()
    assert (np.diff(signed)[50:] < 0).all()
