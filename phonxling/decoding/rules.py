"""How phones are decoded from posteriors: the options of the configuration, the command line and the library."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Method: TypeAlias = Literal["greedy", "beam"]


@dataclass(frozen=True, slots=True)
class DecodingRules:
    """How phones are decoded from posteriors, see `phonxling.decoding.decode`."""

    method: Method = "greedy"
    beam: int = 16
    min_duration: float = 0.03

    def described(self, *, blank: bool) -> str:
        """Return the name of the decoder for the signature, for posteriors with a blank or without."""
        if not blank:
            return f"frames/{self.min_duration:g}"
        return f"beam/{self.beam}" if self.method == "beam" else "greedy"
