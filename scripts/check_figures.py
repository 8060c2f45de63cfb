#!/usr/bin/env python3
"""Draw all figures of results anew, in two fonts and two widths, and count labels over labels, marks and the edge.

With --pictures each is also written in colours, in grey, and as a deuteranope sees it, to be looked at.
Exit code 1 where there is an overlap. Usage: .venv/bin/python scripts/check_figures.py RESULTS… [--pictures FOLDER]

A figure is drawn to a renderer that keeps the ink of each line of text as a box, and each path with its colours, in
pixels. What is drawn nearly white (pale areas, grid lines) is ground to write on, not a mark; so is an area that a
label of much contrast stands in. Grey is luminance (ITU-R BT.709). Deuteranopia is the matrix of full severity of
Machado, Oliveira & Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency", IEEE
Transactions on Visualization and Computer Graphics 15(6), 1291-1298. Both are of linear light.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.image import imsave
from matplotlib.path import Path as Outline
from matplotlib.text import Text
from matplotlib.transforms import Bbox, Transform
from matplotlib.typing import ColorType
from numpy.typing import NDArray

from phonxling.draw.figure import Drawing, StoredTables
from phonxling.draw.gallery import draw, tables_drawn
from phonxling.draw.style import ONE_COLUMN, TWO_COLUMNS, figure_options, house_style, to_oklab
from phonxling.experiment.results import stored_results
from phonxling.results.folder import whole_manifest
from phonxling.results.tables import table_if_any

FONTS, WIDTHS = ("DejaVu Sans", "Charis SIL"), (ONE_COLUMN, TWO_COLUMNS)
PALE = 0.85  # lightness in Oklab, from which an area or a line is ground
_CONTRAST = 0.35  # in lightness, between a label and an area that it is written on
_LIGHT = 0.75  # of an area that a dark label is written on
_TOUCH = 1.0  # pixel: boxes that meet by less only touch
_MM = 25.4


@dataclass(frozen=True, eq=False)
class Mark:
    """A path in pixels, within its clip: the lightness of a dark inside, its line's width (0: none), whose it is."""

    path: Outline
    box: Bbox
    inside: float | None
    line: float
    kind: str

    def meets(self, box: Bbox, lightness: float) -> bool:
        """Return whether ink of the mark lies in the box of a label, which is not written on it."""
        if not self.box.overlaps(box) or self._carries(box, lightness):
            return False
        touched = self.inside is not None and self.path.intersects_bbox(box, filled=True)
        return bool(touched or (self.line > 0 and self.path.intersects_bbox(box.padded(self.line / 2), filled=False)))

    def _carries(self, box: Bbox, lightness: float) -> bool:
        if self.inside is None:
            return False
        dark_on_light = self.inside >= _LIGHT and self.inside - lightness >= _CONTRAST
        if not (dark_on_light or (lightness >= PALE and lightness - self.inside >= _CONTRAST)):
            return False
        return bool(self.path.contains_points(box.corners()).all())


class Recorder(RendererBase):
    """Keeps what is drawn: `texts`, each with the box of its ink and its lightness, and `marks`."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.texts: list[tuple[str, Bbox, float]] = []
        self.marks: list[Mark] = []
        self._figure, self._groups = figure, [""]
        self._metrics = FigureCanvasAgg(figure).get_renderer()

    def flipy(self) -> bool:
        return False  # y counts upwards

    def get_canvas_width_height(self) -> tuple[float, float]:
        return float(self._figure.bbox.width), float(self._figure.bbox.height)

    def points_to_pixels(self, points: float) -> float:
        return points * self._figure.dpi / 72

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool | str
    ) -> tuple[float, float, float]:
        return self._metrics.get_text_width_height_descent(s, prop, ismath)

    def open_group(self, s: str, gid: str | None = None) -> None:  # noqa: ARG002 - matplotlib names them
        self._groups.append(s)

    def close_group(self, s: str) -> None:  # noqa: ARG002
        self._groups.pop()

    def draw_image(self, *_: object) -> None:
        """Keep nothing: a picture has no text."""

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: bool | str = False,
        mtext: Text | None = None,  # noqa: ARG002
    ) -> None:
        """Keep a line of text; it is level, or goes upwards."""
        width, height, depth = self.get_text_width_height_descent(s, prop, ismath)
        box = (x, y - depth, x + width, y + height - depth)
        upwards = (x - height + depth, y, x + depth, y + width)
        self.texts.append(
            (s, Bbox.from_extents(*(upwards if angle else box)), _lightness(gc.get_rgb(), gc.get_alpha()))
        )

    def draw_path(
        self,
        gc: GraphicsContextBase,
        path: Outline,
        transform: Transform,
        rgbFace: ColorType | None = None,  # noqa: N803
    ) -> None:
        """Keep a path that is no ground."""
        alpha = gc.get_alpha()
        line = self.points_to_pixels(gc.get_linewidth()) if _lightness(gc.get_rgb(), alpha) < PALE else 0.0
        inside = 1.0 if rgbFace is None else _lightness(rgbFace, alpha)
        if not len(path.vertices) or not (line or inside < PALE):
            return
        drawn = path.transformed(transform)
        box, clip = drawn.get_extents().padded(line / 2), gc.get_clip_rectangle()
        within = box if clip is None else Bbox.intersection(box, clip)
        if within is not None:
            self.marks.append(Mark(drawn, within, inside if inside < PALE else None, line, self._groups[-1]))


def _lightness(colour: ColorType, alpha: float | None) -> float:
    rgba = to_rgba(colour)
    opaque = rgba[3] if len(colour) == 4 or alpha is None else alpha
    seen = np.array([rgba[:3]]) * opaque + (1 - opaque)
    return float(to_oklab(seen)[0, 0])


def overlaps(figure: Figure) -> Iterator[str]:
    """Yield in words each label over a label, over a mark, or cut by the edge; draw in the style of the figure."""
    recorder = Recorder(figure)
    figure.draw(recorder)
    page = Bbox.from_bounds(0, 0, *recorder.get_canvas_width_height())
    texts = [(text, box.padded(-_TOUCH / 2), lightness) for text, box, lightness in recorder.texts if text.strip()]
    boxes = _extents([box for _, box, _ in texts])
    for one, other in np.argwhere(np.triu(_meeting(boxes, boxes), 1)):
        yield f"“{texts[one][0]}” over “{texts[other][0]}”{_place(figure, texts[one][1])}"
    near = _meeting(boxes, _extents([mark.box for mark in recorder.marks]))
    for row, (text, box, lightness) in enumerate(texts):
        marks = (recorder.marks[place] for place in np.flatnonzero(near[row]))
        kinds = dict.fromkeys(mark.kind for mark in marks if mark.meets(box, lightness))
        yield from (f"“{text}” over a {kind}{_place(figure, box)}" for kind in kinds)
        if not (page.x0 <= box.x0 and page.y0 <= box.y0 and box.x1 <= page.x1 and box.y1 <= page.y1):
            yield f"“{text}” cut by the edge{_place(figure, box)}"


def _extents(boxes: Sequence[Bbox]) -> NDArray[np.float64]:
    return np.array([box.extents for box in boxes]).reshape(-1, 4)


def _meeting(boxes: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for each box whether it meets each of the others: a figure has hundreds of thousands of pairs."""
    after = (boxes[:, None, :2] <= others[None, :, 2:]).all(axis=2)
    return np.asarray(after & (others[None, :, :2] <= boxes[:, None, 2:]).all(axis=2))


def _place(figure: Figure, box: Bbox) -> str:
    x, y = (box.min + box.max) / 2 / figure.dpi * _MM
    return f", {x:.0f} mm from the left and {y:.0f} mm from below"


SEEN = {
    "grey": np.full((3, 1), 1.0) @ np.array([[0.2126, 0.7152, 0.0722]]),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def as_seen(picture: NDArray[np.uint8], matrix: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return a picture [height, width, 3 or 4] in sRGB as seen, without transparency."""
    colours, back = np.unique(picture[..., :3].reshape(-1, 3), axis=0, return_inverse=True)
    share = colours / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4) @ matrix.T
    light = np.clip(light, 0, 1)
    seen = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * seen).astype(np.uint8)[back].reshape(*picture.shape[:2], 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--pictures", type=Path, help="folder for pictures")
    parser.add_argument("--fonts", nargs="+", default=FONTS)
    parser.add_argument("--widths", nargs="+", type=float, default=WIDTHS)
    parser.add_argument("--shown", type=int, default=5, help="overlaps that are named, of a figure")
    chosen = parser.parse_args()
    number, drawn = 0, 0
    for folder, font, width in product(chosen.results, chosen.fonts, chosen.widths):
        for drawing in drawings(folder, font, width):
            drawn += 1
            with house_style(font):
                faults = list(overlaps(drawing.figure))
                name = f"{folder.name}-{drawing.name}-{font.split()[0]}-{width:.0f}"
                if chosen.pictures:
                    _write(drawing, chosen.pictures, name)
            print(f"{len(faults):4}  {name}", *faults[: chosen.shown], sep="\n      ", flush=True)
            number += len(faults)
    print(f"{number} overlaps in {drawn} drawings")
    return int(number > 0)


def drawings(folder: Path, font: str, width: float) -> Iterator[Drawing]:
    """Yield all figures of results, in a font and at a width in mm."""
    manifest = whole_manifest(folder)
    settings = manifest.get("configuration", manifest)
    options = replace(figure_options(settings["figures"]), font=font, width_mm=width, kinds=("all",))
    if manifest.get("kind") == "comparison":
        tables = {name: table_if_any(folder, f"comparison/{name}") for name in tables_drawn("comparison")}
        yield from draw(StoredTables(tables={"": tables}, options=options), "comparison")
        return
    of_corpora = sorted({*tables_drawn("corpus"), *tables_drawn("corpora")})
    stored = stored_results(folder, settings, options, corpora=settings["corpora"], tables=of_corpora)
    yield from draw(stored, "corpus")
    yield from draw(stored, "corpora")


def _write(drawing: Drawing, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    canvas = FigureCanvasAgg(drawing.figure)
    canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())
    imsave(folder / f"{name}.png", picture)
    for how, matrix in SEEN.items():
        imsave(folder / f"{name}-{how}.png", as_seen(picture, matrix))


if __name__ == "__main__":
    sys.exit(main())
