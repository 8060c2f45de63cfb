"""Figures to files: the same numbers give the same bytes, and a stopped run leaves no half-written file."""

import logging
import math
import os
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.draw.style import Drawing, house_style

_DPI = 300
_METADATA: dict[str, dict[str, str | None]] = {  # no dates, no versions
    "pdf": {"CreationDate": None, "Creator": "phonxling", "Producer": "matplotlib"},
    "png": {"Software": "phonxling"},
    "svg": {"Date": None, "Creator": "phonxling"},
}


def save(drawing: Drawing, folder: Path, formats: Iterable[str]) -> list[Path]:
    """Write `folder/name.format` for each format, and `folder/name.tsv` with what the figure shows; return the paths.

    Missing values are empty in the TSV, infinite ones `inf` and `-inf`.

    Raises
    ------
    DataError
        If the drawing's name cannot be the name of a file (a corpus name with a slash).
    """
    if Path(drawing.name).name != drawing.name:
        raise DataError(f"the figure name {drawing.name!r} cannot be a file name; rename the corpus without slashes")
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with house_style():
        for form in formats:
            paths.append(folder / f"{drawing.name}.{form}")
            _write(paths[-1], partial(_draw, drawing, form))
    paths.append(folder / f"{drawing.name}.tsv")
    _write(paths[-1], lambda path: path.write_text(_tsv(drawing), encoding="utf-8", newline="\n"))
    return paths


def _draw(drawing: Drawing, form: str, path: Path) -> None:
    fonts = logging.getLogger("fontTools.subset")
    level = fonts.level
    fonts.setLevel(logging.ERROR)  # it warns of tables in SIL's fonts that a figure does not need
    try:
        drawing.figure.savefig(path, format=form, dpi=_DPI, metadata=_METADATA[form])
    finally:
        fonts.setLevel(level)


def _tsv(drawing: Drawing) -> str:
    """Return the table as written by hand: pandas would put quotes around a phone that is a quote."""
    rows = [drawing.shown.columns.tolist(), *drawing.shown.to_numpy(object).tolist()]
    return "".join("\t".join(_field(value) for value in row) + "\n" for row in rows)


def _field(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.10g}"
    return "" if value is None else str(value)


def _write(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then put it in its place at once."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    beside = Path(name)
    try:
        write(beside)
        beside.chmod(0o644)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
