"""Figures to files: the same numbers give the same bytes, and a stopped run leaves no half-written file."""

import io
import math
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from phonxling.core.errors import DataError
from phonxling.core.files import write_bytes
from phonxling.draw.embedding import letters_alone
from phonxling.draw.figure import Drawing
from phonxling.draw.style import house_style

_DPI = 300
_PACKED = 3  # of zlib's levels 0 to 9: a higher one takes twice as long for a tenth of a PNG's size
_METADATA: dict[str, dict[str, str | None]] = {  # no dates, no versions
    "pdf": {"CreationDate": None, "Creator": "phonxling", "Producer": "matplotlib"},
    "svg": {"Date": None, "Creator": "phonxling"},
}


def save(drawing: Drawing, folder: Path, formats: Iterable[str]) -> list[Path]:
    """Write `folder/name.format` for each format, and `folder/name.tsv` with what the figure shows; return the paths.

    Missing values are empty in the TSV, infinite ones `inf` and `-inf`.

    Raises
    ------
    DataError
        If the drawing's name cannot be the name of a file (a corpus name with a slash).
        If a file cannot be written.
    """
    if Path(drawing.name).name != drawing.name:
        raise DataError(f"the figure name {drawing.name!r} cannot be a file name; rename the corpus without slashes")
    table = folder / f"{drawing.name}.tsv"
    paths = [*(folder / f"{drawing.name}.{form}" for form in formats), table]
    with house_style():
        for path in paths[:-1]:
            write_bytes(path, _drawn(drawing, path.suffix[1:]))
    write_bytes(table, _tsv(drawing).encode())
    return paths


def _drawn(drawing: Drawing, form: str) -> bytes:
    if form == "png":
        return _png(drawing.figure)
    buffer = io.BytesIO()
    with letters_alone():
        drawing.figure.savefig(buffer, format=form, dpi=_DPI, metadata=_METADATA[form])
    return buffer.getvalue()


def _png(figure: Figure) -> bytes:
    """Return a figure as a PNG (w3.org/TR/png) whose rows are packed as they stand.

    matplotlib has Pillow try five filters on each row, which takes three times as long and packs no better.
    """
    pixels = io.BytesIO()
    figure.savefig(pixels, format="raw", dpi=_DPI)
    wide, high = (int(inches * _DPI) for inches in figure.get_size_inches())
    rows = np.zeros((high, 1 + 4 * wide), np.uint8)  # of a row: its filter, 0 for none, and pixels
    rows[:, 1:] = np.frombuffer(pixels.getbuffer(), np.uint8).reshape(high, 4 * wide)
    each_metre = round(_DPI / 0.0254).to_bytes(4, "big")
    parts = {
        b"IHDR": wide.to_bytes(4, "big") + high.to_bytes(4, "big") + bytes([8, 6, 0, 0, 0]),  # 8 bits of each of four
        b"tEXt": b"Software\0phonxling",
        b"pHYs": 2 * each_metre + b"\1",
        b"IDAT": zlib.compress(rows.data, _PACKED),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(name, data) for name, data in parts.items())


def _part(name: bytes, data: bytes) -> bytes:
    """Return a part of a PNG: its length, name, data, and a checksum."""
    return len(data).to_bytes(4, "big") + name + data + zlib.crc32(data, zlib.crc32(name)).to_bytes(4, "big")


def _tsv(drawing: Drawing) -> str:
    """Return the table as written by hand: pandas would put quotes around a phone that is a quote."""
    rows = [drawing.shown.columns.tolist(), *drawing.shown.to_numpy(object).tolist()]
    return "".join("\t".join(_field(value) for value in row) + "\n" for row in rows)


def _field(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.10g}"
    return "" if value is None else str(value)
