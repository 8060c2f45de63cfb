"""Checks of names that become names of folders, of files or of rows.

A name that is fine here is fine on every machine: short enough for a file system with a figure's name behind it, no
device of Windows, no two of one experiment alike where capitals or Unicode's forms do not count.
"""

import re
import unicodedata
from typing import Final

from phonxling.core.phonology.queries import DEFAULT_CLASSES, OTHER
from phonxling.settings.checks import check_text, shown
from phonxling.tables.columns import files_in

LONGEST: Final = 100  # bytes of UTF-8
_LONGEST_CLASS: Final = 100  # letters
_TAKEN: Final = frozenset(  # what stands in the results beside the folders of the corpora
    {"figures", "tables", "manifest.json", "run.json", "report.html", *files_in("results")}
)
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def check_folder_name(value: object) -> str:
    """Return a name that can name a folder of the results."""
    name = check_text(value)
    if not re.fullmatch(r"[\w-]([\w.-]*[\w-])?", name):
        rule = "letters, digits, '-', '_' and '.', neither beginning nor ending with '.'"
        raise ValueError(f"{shown(name)} cannot name a folder of results; a name consists of {rule}")
    if (size := len(name.encode())) > LONGEST:
        raise ValueError(f"{shown(name)} is too long to name a folder: {size:,} bytes, at most {LONGEST}")
    if _DEVICES.fullmatch(name):
        raise ValueError(f"{shown(name)} cannot name a folder of results: on Windows it is a device")
    return name


def check_corpus_name(value: object) -> str:
    """Return a name of a folder that nothing else in the results has."""
    name = check_folder_name(value)
    if same_folder(name) in _TAKEN:
        raise ValueError(f"a corpus cannot be called {shown(name)}: the results have something of that name")
    return name


def same_folder(name: str) -> str:
    """Return what two names share that some machines take for one folder.

    Examples
    --------
    >>> same_folder("Yorùbá") == same_folder("YORÙBÁ"), same_folder("ﬁ") == same_folder("fi")
    (True, True)
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def check_class_name(value: object) -> str:
    """Return the name of a natural class that is none of the default ones."""
    name = check_text(value)
    if name in (*DEFAULT_CLASSES, OTHER):
        raise ValueError(f"{shown(name)} is the name of a default class; choose another")
    if name != name.strip() or not name.isprintable() or len(name) > _LONGEST_CLASS:
        rule = f"a line without spaces around it, of at most {_LONGEST_CLASS} letters"
        raise ValueError(f"the name of a class is {rule}, not {shown(name)}")
    return name
