"""What a starter knows of each input that was met: transcripts, posteriors, tables of speakers, lists of labels."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.experiment.starter.inputs.names import Role


@dataclass(frozen=True, slots=True)
class Side:
    """Phones of utterances: a file, a part of one (columns, a tier), or a folder of files.

    Parameters
    ----------
    path : Path
        The file or the folder.
    role : {"gold", "predicted", ""}
        What the names say that it is.
    key : tuple of str
        What is left of the names: of which corpus it is.
    ids : mapping of str to float
        The utterances, those met alone where there are very many, and where each ends in seconds, NaN where unknown.
    counts : Counter of str
        Number of tokens of each raw symbol.
    form, tier, columns
        What the configuration has to say so that the file is read so.
    timed, confident : bool
        Whether there are times, and confidences.
    known : float
        The share of tokens that the symbol set knows for certain.
    whole : bool
        Whether all utterances are there: of a large file, only the first ones are.
    remark, decision : str
        What a person should know of this, and must decide before it can be read; "" nothing.
    """

    path: Path
    role: Role
    key: tuple[str, ...]
    ids: Mapping[str, float]
    counts: Counter[str]
    form: str = ""
    tier: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    timed: bool = False
    confident: bool = False
    known: float = 1.0
    whole: bool = True
    remark: str = ""
    decision: str = ""


@dataclass(frozen=True, slots=True)
class Arrays:
    """Posteriors: their utterances with the number of frames of the first ones, and what a look at these has shown.

    `labels` is the list that names the columns where the file does not; `mass` the share of all probability that each
    column has; `decision` what a person must decide before they can be read, "" nothing.
    """

    path: Path
    key: tuple[str, ...]
    ids: frozenset[str]
    frames: Mapping[str, int]
    columns: tuple[str, ...]
    labels: Path | None = None
    scale: str = "probability"
    blank: str = ""
    frame_shift: float | None = None
    mass: Mapping[str, float] = field(default_factory=dict)
    decision: str = ""


@dataclass(frozen=True, slots=True)
class SpeakerTable:
    """Which speaker each utterance is of."""

    path: Path
    key: tuple[str, ...]
    ids: frozenset[str]
    form: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Inputs:
    """All that was met below a folder; which files could not be read whose names say that they are of use, and why."""

    sides: list[Side] = field(default_factory=list)
    arrays: list[Arrays] = field(default_factory=list)
    speakers: list[SpeakerTable] = field(default_factory=list)
    maps: dict[Path, frozenset[str]] = field(default_factory=dict)
    labels: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    unread: dict[Path, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def reason_in(error: Exception) -> str:
    """Return the first line of a message, without the file that it begins with."""
    return str(error).splitlines()[0].partition(": ")[2]
