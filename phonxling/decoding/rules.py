"""How phones are decoded from posteriors: what the configuration, the command line and the library have in common."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DecodingRules:
    """How phones are decoded from posteriors, see `phonxling.decoding.decode`."""

    min_duration: float = 0.03

    def described(self, *, blank: bool) -> str:
        """Return the name of the decoder for the signature, for posteriors with a blank or without."""
        return "greedy" if blank else f"frames/{self.min_duration:g}"
