#!/usr/bin/env python3
"""Draw all figures of results anew, in two fonts and two widths, and count labels over labels, marks and the edge.

With --pictures each is also written in colours, in grey, and as a deuteranope sees it, to be looked at.
Exit code 1 where there is an overlap. Usage: .venv/bin/python scripts/check_figures.py RESULTS… [--pictures FOLDER]
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from figure_checks import SEEN, as_seen, overlaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imsave

import phonxling as px
from phonxling.draw.figure import Drawing, Stored
from phonxling.draw.gallery import draw, tables_drawn
from phonxling.draw.style import ONE_COLUMN, TWO_COLUMNS, figure_options, house_style
from phonxling.experiment.results import stored_results
from phonxling.tables.files import read_table

FONTS, WIDTHS = ("DejaVu Sans", "Charis SIL"), (ONE_COLUMN, TWO_COLUMNS)


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
        for drawing in drawings(px.load_results(folder), font, width):
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


def drawings(results: px.values.Results, font: str, width: float) -> Iterator[Drawing]:
    """Yield all figures of results, in a font and at a width in mm."""
    settings = results.manifest.get("configuration", results.manifest)
    options = replace(figure_options(settings["figures"]), font=font, width_mm=width, kinds=("all",))
    if not results.corpora:
        tables = {name: read_table(results.folder, f"{name}.tsv") for name in tables_drawn("comparison")}
        yield from draw(Stored(tables={"": tables}, options=options), "comparison")
        return
    of_corpora = sorted({*tables_drawn("corpus"), *tables_drawn("corpora")})
    stored = stored_results(results.folder, settings, options, corpora=results.corpora, tables=of_corpora)
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
