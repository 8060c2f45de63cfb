"""Figures to files: the same numbers give the same bytes, and a stopped run leaves no half-written file."""

import io
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from phonxling.core.errors import DataError
from phonxling.core.files import write_bytes
from phonxling.draw.figure import Drawing
from phonxling.draw.style import house_style

_DPI = 300
_PACKED = 1  # of zlib's levels 0 to 9 for a PNG: matplotlib's own, 6, takes longer for little
_METADATA: dict[str, dict[str, str | None]] = {  # no dates, no versions
    "pdf": {"CreationDate": None, "Creator": "phonxling", "Producer": "matplotlib"},
    "png": {"Software": "phonxling"},
    "svg": {"Date": None, "Creator": "phonxling"},
}


def save(drawing: Drawing, folder: Path, formats: Iterable[str]) -> list[Path]:
    """Write `folder/name.format` for each format, what the figure shows as `name.tsv`, its caption as `name.txt`."""
    if Path(drawing.name).name != drawing.name:
        raise DataError(f"the figure name {drawing.name!r} cannot be a file name; rename the corpus without slashes")
    pictures = [folder / f"{drawing.name}.{form}" for form in formats]
    with house_style():
        for path in pictures:
            write_bytes(path, _drawn(drawing, path.suffix[1:]))
    table, caption = (folder / f"{drawing.name}.{ending}" for ending in ("tsv", "txt"))
    write_bytes(table, _tsv(drawing).encode())
    write_bytes(caption, f"{drawing.caption}\n".encode())
    return [*pictures, table, caption]


def _drawn(drawing: Drawing, form: str) -> bytes:
    buffer = io.BytesIO()
    packed: dict[str, Any] = {"pil_kwargs": {"compress_level": _PACKED}} if form == "png" else {}
    drawing.figure.savefig(buffer, format=form, dpi=_DPI, metadata=_METADATA[form], **packed)
    return buffer.getvalue()


def _tsv(drawing: Drawing) -> str:
    """Return the table as written by hand: pandas would put quotes around a phone that is a quote."""
    rows = [drawing.shown.columns.tolist(), *drawing.shown.to_numpy(object).tolist()]
    return "".join("\t".join(_field(value) for value in row) + "\n" for row in rows)


def _field(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.10g}"
    return "" if value is None else str(value)
