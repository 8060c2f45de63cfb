"""The configuration of decoding: phones from posteriors."""

from typing import Annotated, Literal

from phonxling.decoding.rules import DecodingRules
from phonxling.settings.checks import Bounds
from phonxling.settings.files import Section
from phonxling.settings.sections import UpTo1000
from phonxling.settings.value_types import Choice, Number

_DECODING = DecodingRules()


class Decoding(Section):
    """How phones are decoded from the posteriors of a corpus without predictions."""

    method: Annotated[Literal["greedy", "beam", "none"], Choice()] = _DECODING.method
    """The best label of each frame, or prefix beam search (with a blank alone); none: no predictions are made."""
    beam: UpTo1000 = _DECODING.beam
    """The sequences of labels that the beam search keeps from frame to frame."""
    min_duration: Annotated[float, Number(Bounds(at_least=0, at_most=10))] = _DECODING.min_duration
    """How long, in seconds, a run of frames must last to be a phone, where there is no blank."""

    @property
    def rules(self) -> DecodingRules | None:
        """The rules; None where nothing is decoded."""
        return None if self.method == "none" else DecodingRules(self.method, self.beam, self.min_duration)
