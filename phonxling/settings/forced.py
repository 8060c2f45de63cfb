"""The configuration of forced times."""

from typing import Annotated, Literal

from phonxling.settings.checks import Bounds
from phonxling.settings.files import Section
from phonxling.settings.sections import UpTo100, UpTo1000
from phonxling.settings.value_types import Choice, Number


class Forced(Section):
    """Times of gold phones that are found from the posteriors: where gold has none, or a corpus has `times: forced`."""

    weights: Annotated[Literal["soft", "best"], Choice()] = "soft"
    """How frames count: each for every phone by the probability that it is the phone's, or for one phone each."""
    minimum_certainty: Annotated[float, Number(Bounds(at_least=0, at_most=1))] = 0.0
    """Gold phones whose times are less certain than this are counted, and left out of all that rests on posteriors."""
    start: Annotated[Literal["similarity", "flat"], Choice()] = "similarity"
    """What phones sound like before anything is learned: phones of similar features, or all phones alike."""
    minimum_frames: UpTo1000 = 3
    """The least frames of a phone, for a recogniser without blank; with a blank it is one."""
    folds: UpTo1000 = 2
    """Parts of the corpus: each is aligned by what was learned on the others; 1: by what was learned on all of it."""
    replicates: UpTo100 = 5
    """How often unrelated gold phones are aligned with the posteriors, as the level of chance; 0: never."""
