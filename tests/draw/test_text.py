"""Letters of figures: fonts, house style, wrapped lines, names beside plots, texts laid out once, fonts in PDFs."""

import io
import re
import zlib
from itertools import product
from pathlib import Path
from shutil import copy

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont
from matplotlib import _text_helpers, font_manager
from matplotlib.axes import Axes
from matplotlib.backends import _backend_pdf_ps
from matplotlib.backends._backend_pdf_ps import RendererPDFPSBase
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.font_manager import FontPath, findfont
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from numpy.typing import NDArray

import phonxling
from phonxling.core.errors import ConfigurationError
from phonxling.draw.figure import Drawing
from phonxling.draw.save import IS_KNOWN, laid_out_once, letters_alone, save
from phonxling.draw.sheet import Sheet, name_rows, text_size, wrap
from phonxling.draw.style import (
    EDGE,
    FALLBACK_FONT,
    GREY,
    IPA_FONTS,
    PASSING,
    PHONE,
    FigureOptions,
    choose_font,
    diverging,
    font_warning,
    house_style,
    sequential,
    to_oklab,
)
from phonxling.report.render import style
from phonxling.tables.files import palette

CLICK = "\U0001df0a"  # a retroflex click: Unicode 14, which DejaVu Sans does not have
DEJAVU = findfont("DejaVu Sans")


def test_auto_is_the_first_installed_ipa_font_or_the_fallback_and_a_missing_font_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert choose_font() in {*IPA_FONTS, FALLBACK_FONT}
    assert choose_font("DejaVu Sans") == "DejaVu Sans"
    with pytest.raises(ConfigurationError, match="'No Such Font' is not installed"):
        choose_font("No Such Font")
    monkeypatch.setattr("phonxling.draw.style._installed", {"Doulos SIL", "Gentium Plus"}.__contains__)
    assert choose_font() == "Doulos SIL"


def test_fonts_are_known_by_their_names_and_looked_for_without_starting_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy(findfont("DejaVu Serif"), tmp_path / "times.ttf")
    monkeypatch.setattr("matplotlib.font_manager._get_fontconfig_fonts", pytest.fail)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    with pytest.raises(ConfigurationError, match="'No Such Font' is not installed"):
        choose_font("No Such Font")
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    monkeypatch.setattr("phonxling.draw.style._FONT_FOLDERS", (tmp_path,))
    assert choose_font("DejaVu Serif") == "DejaVu Serif"


def test_a_letter_that_no_font_has_is_named_with_its_label_and_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    said = font_warning("DejaVu Sans", ["a", f"k{CLICK}"])
    assert f"no glyph in DejaVu Sans for {CLICK} (U+1DF0A, in k{CLICK})" in said
    assert "Debian: fonts-sil-charis" in said
    assert "and 2 more" in font_warning("DejaVu Sans", [chr(0xF0000 + number) for number in range(7)])
    assert font_warning("DejaVu Sans", ["k͡p", "ɛ̃́", "∅", "a b"]) == ""
    monkeypatch.setattr("phonxling.draw.style._installed", "DejaVu Sans".__eq__)
    assert choose_font() == "DejaVu Sans"
    assert "no IPA font is installed" in font_warning("auto", ["a", "k͡p"])
    assert font_warning("auto", ["a", "ʃ"]) == ""
    assert font_warning("DejaVu Sans", ["k͡p"]) == ""  # which was asked for


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"formats": ("pdf", "bmp")}, "given: bmp"),
        ({"formats": ()}, "given: none"),
        ({"width_mm": 8.4}, "60 to 400 mm"),
        ({"order": "size"}, r"order: one of chart, .* not 'size'"),
        ({"cells": "bits"}, "cells: one of probability, count, not 'bits'"),
    ],
)
def test_options_are_checked(options: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        FigureOptions(**options)  # type: ignore[arg-type]


def test_the_style_heeds_no_setting_of_the_process_and_leaves_none() -> None:
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 30}):
        with house_style("DejaVu Sans"):
            assert mpl.rcParams["axes.facecolor"] == "white"
            assert mpl.rcParams["text.parse_math"] is False
        assert (mpl.rcParams["axes.facecolor"], mpl.rcParams["font.size"]) == ("red", 30)


@pytest.mark.parametrize("family", dict.fromkeys([FALLBACK_FONT, choose_font()]))
def test_the_font_in_use_has_every_glyph(family: str) -> None:
    font = font_manager.get_font(findfont(family, fallback_to_default=False))
    for phone in ["k͡p", "ɡ͡b", "d͡ʒ", "ɛ̃", "ɛ̃́", "ŋ̩", "˥˩", "∅", "ɜ˞", "log₂"]:
        assert [letter for letter in phone if not font.get_char_index(ord(letter))] == []
        with house_style(family):
            width, height, _ = text_size(phone, 7)
        assert 0 < width < 8
        assert 0 < height < 5


@pytest.mark.parametrize("width", [3.0, 12.0, 31.0, 400.0])
def test_each_line_holds_as_many_words_as_fit(width: float) -> None:
    drawn = np.random.default_rng(round(width))
    words = ["".join(drawn.choice([*"aivAVwTo.", "k͡p"], size)) for size in drawn.integers(1, 9, 40)]
    with house_style("DejaVu Sans"):
        lines = [words[0]]
        for word in words[1:]:
            longer = f"{lines[-1]} {word}"
            fits = text_size(longer, 7)[0] <= width
            lines[len(lines) - fits :] = [longer if fits else word]
        assert wrap(words, width + 2 * EDGE, 7) == lines
        assert wrap([], width, 7) == []


def test_shares_darken_evenly_and_signs_mirror() -> None:
    light = to_oklab(sequential()(np.linspace(0, 1, 256))[:, :3])[:, 0]
    steps = np.diff(light)
    assert (steps < 0).all()
    assert steps.min() / steps.max() < 1.25
    signed = to_oklab(diverging()(np.linspace(0, 1, 101))[:, :3])[:, 0]
    assert signed.argmax() == 50
    assert (np.diff(signed)[:50] > 0).all()
    assert (np.diff(signed)[50:] < 0).all()


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
    light, dark = style().split("@media (prefers-color-scheme: dark)")[:2]
    for which, scheme in enumerate((light, dark)):
        known = {name: one[which] for name, one in palette().items() if one.dark}
        assert dict(re.findall(r"--([\w-]+): (#\w{6});", scheme)) == known
    assert {*re.findall(r"var\(--(\w+)", style())} >= {"high", "low", "wrong", "same", "absent", "vowel", "consonant"}
    ends = [palette()[name].light for name in ("low", "panel", "high")]
    assert [to_hex(diverging()(place)) for place in (0.0, 0.5, 1.0)] == ends
    assert [to_hex(sequential()(place)) for place in (0.0, 1.0)] == ends[1:]


NAMES = ["a", "d͡ʒ", "ɛ̃́", "", "ŋ", "…", "∅"]


def _plot() -> tuple[Sheet, Axes]:
    figure = Sheet(60, 50)
    axes = figure.axes_at(15, 15, 40, 30)
    axes.set(xlim=(0, 8), ylim=(8, 0))
    return figure, axes


def _pixels(figure: Sheet) -> NDArray[np.uint8]:
    figure.finish()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())


@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("side", ["y", "x"])
def test_names_of_rows_and_columns_look_like_matplotlibs(side: str, levels: int) -> None:
    """Each on its level, further from the plot by `drop`, with a paler line to it."""
    places = np.sort(np.random.default_rng(levels).uniform(0.1, 7.9, len(NAMES)))
    drop, tick, turns = 8.3, 2.55, [place % levels for place in range(len(NAMES))]
    pad = 1.5 if side == "y" else 7.5
    with house_style("DejaVu Sans"):
        figure, axes = _plot()
        name_rows(axes, places, NAMES, pad=pad, tick=tick, drop=drop, levels=turns, columns=side == "x")
        other, theirs = _plot()
        axis = theirs.yaxis if side == "y" else theirs.xaxis
        axis.set_ticks(places, NAMES, fontsize=PHONE, va="center" if side == "y" else "baseline")
        theirs.tick_params(axis=side, length=tick, pad=pad, color=GREY)  # type: ignore[arg-type]
        for turn, mark in zip(turns, axis.get_major_ticks(), strict=True):
            mark.set_pad(pad + turn * drop)
            mark.tick1line.set(markersize=tick + turn * drop, markeredgecolor=PASSING if turn else GREY)
        assert np.array_equal(_pixels(figure), _pixels(other))


def test_names_of_rows_may_have_inks_and_no_ticks_and_a_plot_no_rows() -> None:
    inks = ["black", GREY] * 3 + ["black"]
    places = np.arange(7) + 0.5
    with house_style("DejaVu Sans"):
        for own, labels, colours in ((places, NAMES, inks), (np.zeros(0), [], [])):
            figure, axes = _plot()
            name_rows(axes, own, labels, pad=1.2, inks=colours)
            other, theirs = _plot()
            theirs.set_yticks(own, labels, fontsize=PHONE, va="center")
            theirs.tick_params(axis="y", length=0, pad=1.2, color=GREY)
            for label, ink in zip(theirs.get_yticklabels(), colours, strict=True):
                label.set_color(ink)
            assert np.array_equal(_pixels(figure), _pixels(other))


TEXTS = ("k͡p", "ɛ̃́", "two\nlines gj", "$x$")
LOOKS: tuple[dict[str, object], ...] = (
    {},
    {"ha": "right", "va": "top"},
    {"ha": "center", "va": "center", "linespacing": 1.7},
    {"ma": "right", "va": "bottom"},
    {"fontsize": 9, "fontweight": "bold"},
    {"rotation": 90, "va": "center"},
    {"rotation": 30, "rotation_mode": "anchor"},
    {"rotation": 30, "transform_rotates_text": True},
    {"bbox": {"facecolor": "#dddddd"}},
)


def _files() -> tuple[bytes, ...]:
    figure = Sheet(90, 60)
    for place, (text, look) in enumerate(product(TEXTS, LOOKS)):
        figure.text(0.1 + place % 6 * 0.15, 0.1 + place // 6 * 0.14, text, **look)  # type: ignore[arg-type]
    canvas, pdf, svg = FigureCanvasAgg(figure), io.BytesIO(), io.BytesIO()
    canvas.draw()
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    figure.savefig(svg, format="svg", metadata={"Date": None})
    extents = [text.get_window_extent().bounds for text in figure.findobj(Text)]
    return np.asarray(canvas.buffer_rgba()).tobytes(), pdf.getvalue(), svg.getvalue(), repr(extents).encode()


def test_this_matplotlib_is_known() -> None:
    """Else layouts and letters are as ever, but each figure takes a half longer: look at what shaping.py replaces."""
    assert IS_KNOWN


@pytest.mark.slow
def test_figures_of_texts_that_are_remembered_are_the_same_bytes() -> None:
    with house_style("DejaVu Sans"):
        plain = _files()
        with laid_out_once():
            assert (_files(), _files()) == (plain, plain)


def test_texts_are_laid_out_once_and_what_they_look_like_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = []
    original = RendererAgg.get_text_width_height_descent

    def counted(renderer: RendererAgg, text: str, *how: object) -> object:
        measured.append(text)
        return original(renderer, text, *how)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(RendererAgg, "get_text_width_height_descent", counted)
    with house_style("DejaVu Sans"), laid_out_once():
        for _ in range(3):
            figure = Sheet(40, 20)
            figure.text(0.5, 0.5, "laid out once")
            FigureCanvasAgg(figure).draw()
        figure = Sheet(90, 60)
        sizes = [figure.text(0.5, 0.5, "two\nlines", **look).get_window_extent().bounds for look in LOOKS[:-2]]  # type: ignore[arg-type]
    assert measured.count("laid out once") == 1
    assert len(set(sizes)) == len(sizes)


def test_outlines_of_texts_are_as_ever() -> None:
    plain = TextPath((0, 0), "k͡p", prop="DejaVu Sans")
    with laid_out_once():
        assert np.array_equal(TextPath((0, 0), "k͡p", prop="DejaVu Sans").vertices, plain.vertices)


def test_matplotlib_does_as_ever_afterwards_and_in_other_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    ways: tuple[tuple[object, str], ...] = (
        (Text, "_get_layout"),
        (RendererAgg, "_prepare_font"),
        (RendererPDFPSBase, "_get_font_ttf"),
        (_text_helpers, "layout"),
        (_backend_pdf_ps, "get_glyphs_subset"),
    )
    before = [vars(owner)[name] for owner, name in ways]

    def use() -> None:
        with laid_out_once(), letters_alone():
            assert not any(vars(owner)[name] is one for (owner, name), one in zip(ways, before, strict=True))
            raise KeyError

    with pytest.raises(KeyError):
        use()
    assert [vars(owner)[name] for owner, name in ways] == before
    monkeypatch.setattr("phonxling.draw.save.IS_KNOWN", False)
    with laid_out_once(), letters_alone():
        assert [vars(owner)[name] for owner, name in ways] == before


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
def test_each_embedded_letter_keeps_its_outline_its_width_and_its_instructions(tmp_path: Path) -> None:
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
    for name in whole.getGlyphOrder()[-50:]:
        whole["hmtx"][name] = (1234, whole["hmtx"][name][1])
    whole.save(tmp_path / "short.ttf")  # which stores the width of the last fifty once
    assert whole["hhea"].numberOfHMetrics == whole["maxp"].numGlyphs - 49
    part, places = _cut(str(tmp_path / "short.ttf"), {36, whole["maxp"].numGlyphs - 1})
    assert [_drawn(part, place)[1:] for place in places.values()] == [_drawn(whole, letter)[1:] for letter in places]


def test_a_pdf_holds_outlines_alone_of_a_fit_size(tmp_path: Path) -> None:
    with house_style("DejaVu Sans"):
        figure = Sheet(60, 20)
        figure.write(5, 5, "k\u0361p \u025b\u0303\u0301")
    save(Drawing("two", figure, pd.DataFrame()), tmp_path, ["pdf"])
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", (tmp_path / "two.pdf").read_bytes(), re.DOTALL)
    begun = [stream for stream in map(zlib.decompress, streams) if stream.startswith(b"\0\1\0\0")]  # as TrueType does
    fonts = [TTFont(io.BytesIO(stream)) for stream in begun]
    assert fonts
    for font in fonts:
        assert {"glyf", "loca", "hmtx", "head", "hhea", "maxp"} <= {*font.keys()}
        assert not {"GSUB", "GPOS", "GDEF", "name", "cmap"} & {*font.keys()}
        assert 2 < font["maxp"].numGlyphs < 20


def test_a_font_that_is_no_truetype_is_left_to_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    font = TTFont(DEJAVU)
    del font["glyf"]  # as a font has it whose outlines are in PostScript
    font.save(tmp_path / "other.otf")
    asked = []
    monkeypatch.setattr(_backend_pdf_ps, "get_glyphs_subset", lambda *font: asked.append(font))
    with letters_alone():
        _backend_pdf_ps.get_glyphs_subset(FontPath(str(tmp_path / "other.otf"), 0), {36, 37})
    assert [letters for _, letters in asked] == [{36, 37}]
