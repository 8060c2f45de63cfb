"""Stored results to figures. A figure is a function of tables and is returned, never shown."""

import os
from pathlib import Path

import matplotlib as mpl


def _list_fonts_without_a_program() -> None:
    """Import matplotlib's list of fonts, for which it would start fontconfig's program where it has none stored yet.

    A list that is made here lacks the system's fonts, so it is not left for other programs; `fonts` looks for those.
    """
    folder, environment = Path(mpl.get_cachedir()), dict(os.environ)
    stored = {*folder.glob("fontlist-*.json")}
    os.environ["MPL_IGNORE_SYSTEM_FONTS"] = "1"
    try:
        import matplotlib.font_manager  # noqa: F401 - its import reads the stored list, or makes one
    finally:
        os.environ.pop("MPL_IGNORE_SYSTEM_FONTS")
        os.environ.update(environment)
    for made in {*folder.glob("fontlist-*.json")} - stored:
        made.unlink(missing_ok=True)


_list_fonts_without_a_program()
