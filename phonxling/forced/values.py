"""What forced alignment works with and yields: the sounds of gold phones, the rules, times."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from phonxling.core.arrays import Floats, Frozen, read_only
from phonxling.core.errors import ConfigurationError
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences

Topology = Literal["auto", "ctc", "left-to-right"]
_ROW = 1e-6  # by which the sum of a row may be off 1


@dataclass(frozen=True, eq=False, kw_only=True)
class SoundModel(Frozen):
    """M: what each gold phone sounds like to the recogniser, and what stands between phones."""

    gold: Inventory
    recogniser: Inventory
    probabilities: Floats
    between: Floats

    def __post_init__(self) -> None:
        shapes = {"probabilities": (len(self.gold), len(self.recogniser)), "between": (len(self.recogniser) + 1,)}
        for name, shape in shapes.items():
            values = np.asarray(getattr(self, name), np.float64)
            object.__setattr__(self, name, read_only(values, np.float64))
            if values.shape != shape:
                raise ValueError(f"{name} must have the shape {shape}, not {values.shape}")
            if not (values >= 0).all() or not (abs(values.sum(axis=-1) - 1) <= _ROW).all():
                raise ValueError(f"{name}: a row holds a negative value, or does not sum to 1")

    def rows(self) -> Floats:
        """Return both in one table, [G + 1, E + 1]: gold phones have nothing of silence; the last row is `between`."""
        table = np.zeros((len(self.gold) + 1, len(self.recogniser) + 1))
        table[:-1, :-1], table[-1] = self.probabilities, self.between
        return table


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcedRules:
    """The rules of forced alignment, each with its default.

    - `topology`: "auto", "ctc" or "left-to-right", which sequences of frames spell a sequence of phones; auto is "ctc"
      for a recogniser with a blank
    - `minimum`: least number of frames of a phone (left-to-right)
    - `noise`: share of each frame's probability that any phone may have caused, 0 < noise < 1: no frame is impossible
    - `smoothing`: as so many tokens does the similarity of features count in each gold phone's row of M
    - `sharpness`: M begins as exp(−sharpness · cost), the cost being the mean difference of features, in [0, 1]
    - `background`: share of the corpus's average posterior in what is heard between phones, to begin with
    - `iterations`: at most so many steps of expectation–maximisation
    - `tolerance`: learning stops when a step gains less than so much log-likelihood a frame (nats)

    ConfigurationError if a value is out of its range.
    """

    topology: Topology = "auto"
    minimum: int = 3
    noise: float = 0.01
    smoothing: float = 10.0
    sharpness: float = 20.0
    background: float = 0.35
    iterations: int = 20
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        least = {"minimum": 1, "iterations": 1, "smoothing": 0, "sharpness": 0, "tolerance": 0}
        for name, lowest in least.items():
            if not lowest <= getattr(self, name) < np.inf:
                raise ConfigurationError(f"{name} must be a number of at least {lowest}, not {getattr(self, name)}")
        if not 0 < self.noise < 1 or not 0 <= self.background < 1:
            msg = f"noise lies between 0 and 1, and background from 0 to below 1; not {self.noise}, {self.background}"
            raise ConfigurationError(msg)


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned:
    """What expectation–maximisation made of a corpus."""

    model: SoundModel
    start: SoundModel
    counts: Floats
    objective: tuple[float, ...]
    converged: bool
    frames: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ForcedTimes(Frozen):
    """When each gold phone was spoken, by the best path."""

    segments: PhoneSequences
    certainty: Floats
    log_likelihood: Floats
    rules: ForcedRules
