"""A file format of transcripts: the loader of one file, its endings, and the options that it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.sequences import Transcript


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of a loader besides the file.

    Parameters
    ----------
    columns : mapping of str to str
        What the columns are called in this file, by what they mean.
    tier : str, optional
        The tier that holds the phones, by name or glob.
    utterance, speaker : str
        The id for a format that holds one utterance a file, and whose it is ("" when not known).
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    tier: str | None = None
    utterance: str = ""
    speaker: str = ""


Loader = Callable[[Path, Reading], Transcript]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of transcripts. A plug-in may be one of these, or a loader alone.

    Parameters
    ----------
    name : str
        As `format:` gives it.
    load : callable (Path, Reading) → Transcript
        Reads one file.
    endings : tuple of str
        In lower case, such as `.phn`; one without a dot is a whole file name.
    takes : frozenset of str
        Which of `columns` and `tier` the format has a use for.
    by_speaker : bool
        Whether, by custom, a folder holds the files of one speaker.
    library : str, optional
        The distribution that reads it, for the manifest: a library's, or a plug-in's own.
    shared : bool
        Whether other formats have the same endings, so that a name does not speak for this one.
    fields : callable Path → list of str, optional
        Returns what a file's columns or fields are called, for formats that take `columns`.
    """

    name: str
    load: Loader
    endings: tuple[str, ...]
    takes: frozenset[str] = frozenset()
    by_speaker: bool = False
    library: str | None = None
    shared: bool = False
    fields: Callable[[Path], list[str]] | None = None
