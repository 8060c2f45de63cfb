import io
from itertools import product

import numpy as np
import pytest
from matplotlib import _text_helpers
from matplotlib.backends._backend_pdf_ps import RendererPDFPSBase
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.textpath import TextPath

from phonxling.draw.shaping import IS_KNOWN, laid_out_once
from phonxling.draw.sheet import Sheet
from phonxling.draw.style import house_style

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


def _figure() -> Figure:
    figure = Sheet(90, 60)
    for place, (text, look) in enumerate(product(TEXTS, LOOKS)):
        figure.text(0.1 + place % 6 * 0.15, 0.1 + place // 6 * 0.14, text, **look)  # type: ignore[arg-type]
    return figure


def _files(figure: Figure) -> tuple[bytes, ...]:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pdf, svg = io.BytesIO(), io.BytesIO()
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
        plain = _files(_figure())
        with laid_out_once():
            first, second = _files(_figure()), _files(_figure())
        assert first == plain
        assert second == plain


def test_what_a_text_looks_like_is_not_forgotten() -> None:
    with house_style("DejaVu Sans"), laid_out_once():
        figure = Sheet(90, 60)
        sizes = [figure.text(0.5, 0.5, "two\nlines", **look).get_window_extent().bounds for look in LOOKS[:-2]]  # type: ignore[arg-type]
    assert len(set(sizes)) == len(sizes)


def test_outlines_of_texts_are_as_ever() -> None:
    plain = TextPath((0, 0), "k͡p", prop="DejaVu Sans")
    with laid_out_once():
        assert np.array_equal(TextPath((0, 0), "k͡p", prop="DejaVu Sans").vertices, plain.vertices)


def test_a_text_is_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert measured == ["laid out once"]


def test_matplotlib_does_as_ever_afterwards_and_in_other_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    ways: tuple[tuple[object, str], ...] = (
        (Text, "_get_layout"),
        (RendererAgg, "_prepare_font"),
        (RendererPDFPSBase, "_get_font_ttf"),
        (_text_helpers, "layout"),
    )
    before = [vars(owner)[name] for owner, name in ways]
    with laid_out_once():
        assert not any(vars(owner)[name] is one for (owner, name), one in zip(ways, before, strict=True))
    assert [vars(owner)[name] for owner, name in ways] == before
    monkeypatch.setattr("phonxling.draw.shaping.IS_KNOWN", False)
    with laid_out_once():
        assert [vars(owner)[name] for owner, name in ways] == before
