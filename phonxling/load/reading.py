"""A file format of transcripts: the loader of one file, its endings, and the options that it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.sequences import Transcript


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of a loader besides the file."""

    columns: Mapping[str, str] = field(default_factory=dict)
    tier: str | None = None
    utterance: str = ""
    speaker: str = ""


Loader = Callable[[Path, Reading], Transcript]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of transcripts. A plug-in may be one of these, or a loader alone."""

    name: str
    load: Loader
    endings: tuple[str, ...]
    takes: frozenset[str] = frozenset()
    by_speaker: bool = False
    library: str | None = None
    shared: bool = False
    fields: Callable[[Path], list[str]] | None = None
