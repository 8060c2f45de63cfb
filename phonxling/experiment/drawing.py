"""Figures of a folder of results, from its stored tables: in processes of their own where there are several workers."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.errors import DataError
from phonxling.experiment.progress import Progress, Silent
from phonxling.experiment.tables import TEXT
from phonxling.load.features import panphon_features
from phonxling.report.store import read_table

if TYPE_CHECKING:
    from phonxling.draw.style import FigureOptions

_TABLES = ("confusions", "phones", "features", "utterances", "expected", "association", "calibration", "embedding")
_TOGETHER = None  # the part with the figures of all corpora
_Corpora = Mapping[str, Mapping[str, pd.DataFrame]]


def draw_figures(folder: Path, manifest: Mapping[str, Any], progress: Progress, workers: int = 1) -> list[Path]:
    """Draw every figure that the tables in a folder allow, and return the files; the same for any number of workers.

    DataError when the manifest has no configuration, or a table cannot be read.
    """
    from phonxling.draw.fonts import font_warning  # matplotlib takes long to import

    settings = manifest["configuration"]
    if not isinstance(settings, dict):
        raise DataError(f"{folder}: its manifest has no configuration")
    if warning := font_warning(settings["figures"]["font"], _labels(_stored(folder, settings, ("confusions",)))):
        progress.say(warning)
    parts = [*settings["corpora"], _TOGETHER]
    drawn = None if workers < 2 else _in_processes(partial(_draw, folder, settings), parts, workers, progress)
    return drawn if drawn is not None else [file for part in parts for file in _draw(folder, settings, part, progress)]


def figure_options(chosen: Mapping[str, Any]) -> "FigureOptions":
    """Return the figures' options; ConfigurationError when a font is not installed or the width makes no figure."""
    from phonxling.draw.style import FigureOptions, choose_font

    choose_font(chosen["font"])
    looks = {name: chosen[name] for name in ("order", "cells") if name in chosen}  # older results have neither
    return FigureOptions(tuple(chosen["formats"]), float(chosen["width"]), chosen["font"], **looks)


def _in_processes(
    draw: Callable[[str | None], list[Path]], parts: list[str | None], workers: int, progress: Progress
) -> list[Path] | None:
    """Return what processes draw, a part each; None when one of them was killed."""
    files: list[Path] = []
    try:
        with ProcessPoolExecutor(min(workers, len(parts)), get_context("spawn")) as pool:
            for part, drawn in zip(parts, pool.map(draw, parts), strict=True):
                progress.step(f"drawing {part or 'corpora together'}")
                files += drawn
    except BrokenProcessPool:
        return None
    return files


def _draw(folder: Path, settings: Mapping[str, Any], part: str | None, progress: Progress | None = None) -> list[Path]:
    """Draw the figures of one corpus, or those of all corpora together."""
    from phonxling.draw.gallery import draw_corpora, draw_together
    from phonxling.draw.save import save

    options = figure_options(settings["figures"])
    summary = read_table(folder / "summary.tsv", TEXT)
    if part is _TOGETHER:
        corpora = _stored(folder, settings, ("embedding",))
        reference = next((name for name, about in settings["corpora"].items() if about["role"] == "reference"), None)
        drawings = draw_together(
            summary, corpora, reference, _vowels(corpora), options, settings["embedding"]["method"]
        )
    else:
        corpora = {part: dict(_tables(folder / part, _TABLES))}
        drawings = draw_corpora(summary, corpora, options, _vectors(corpora) if options.order == "features" else {})
    files: list[Path] = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # `font_warning` tells of it
        for drawing in drawings:
            (progress or Silent()).step(f"saving {drawing.name}")
            files += save(drawing, folder / "figures", options.formats)
    return files


def _stored(folder: Path, settings: Mapping[str, Any], names: tuple[str, ...]) -> _Corpora:
    return {corpus: dict(_tables(folder / corpus, names)) for corpus in settings["corpora"]}


def _tables(folder: Path, names: tuple[str, ...]) -> Iterator[tuple[str, pd.DataFrame]]:
    for name in names:
        path = folder / f"{name}.tsv"
        if path.exists():
            yield name, read_table(path, TEXT)


def _labels(corpora: _Corpora) -> list[str]:
    """Return the corpora's names and their phones, each once."""
    tables = [tables["confusions"] for tables in corpora.values() if "confusions" in tables]
    phones = [phone for table in tables for side in ("gold", "predicted") for phone in table[side]]
    return list(dict.fromkeys([*corpora, *phones]))


def _vectors(corpora: _Corpora) -> dict[str, NDArray[np.float64]]:
    """Return panphon's features of each phone that has them."""
    table = panphon_features()
    found = {phone: table.vector(phone)[0] for phone in _labels(corpora) if phone not in corpora}
    return {phone: vector.astype(float) for phone, vector in found.items() if vector is not None}


def _vowels(corpora: _Corpora) -> frozenset[str]:
    maps = [tables["embedding"]["phone"] for tables in corpora.values() if "embedding" in tables]
    table = panphon_features()
    return frozenset(phone for phones in maps for phone in phones if table.is_vowel(phone))
