"""How phones are decoded from posteriors: the options of the configuration, the command line and the library."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Method: TypeAlias = Literal["greedy", "beam"]


@dataclass(frozen=True, slots=True)
class DecodingRules:
    """How phones are decoded from posteriors, see `phonxling.decoding.decode`.

    Parameters
    ----------
    method : {"greedy", "beam"}
        The best label of each frame; or the most probable sequence of labels, by prefix beam search (CTC alone).
    beam : int
        How many sequences the beam search keeps from frame to frame.
    min_duration : float
        Seconds that a run of frames must last, where there is no blank.
    """

    method: Method = "greedy"
    beam: int = 16
    min_duration: float = 0.03

    def described(self, *, blank: bool) -> str:
        """Return the name of the decoder for the signature, for posteriors with a blank or without."""
        if not blank:
            return f"frames/{self.min_duration:g}"
        return f"beam/{self.beam}" if self.method == "beam" else "greedy"
