"""What the readers of each kind of input need of a remote folder."""

from phonxling.load.formats import known_endings
from phonxling.load.matrices.labels import BESIDE
from phonxling.load.posteriors import FORMATS
from phonxling.load.remote.listing import Wanted

TABLE = Wanted()


def transcripts(form: str | None) -> Wanted:
    """Return what a reader of transcripts needs: files of a format, of any where none is given."""
    return Wanted(known_endings(form))


def posteriors(form: str | None) -> Wanted:
    """Return what a reader of posteriors needs: files of a format, and lists of labels.

    Kaldi's lists are refused, since they name places on the machine that wrote them.
    """
    endings = [ending for ending, name in FORMATS.items() if form is None or name == form.removesuffix("-directory")]
    held = tuple(ending for ending in endings if ending != ".scp")
    return Wanted((*held, f".{BESIDE}", BESIDE), (f"*.{BESIDE}", BESIDE), (".scp",))
