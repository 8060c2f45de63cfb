"""How results are compared."""

from dataclasses import dataclass, fields
from typing import Literal, get_args

from phonxling.core.errors import ConfigurationError
from phonxling.settings.sections import LARGEST_SEED, MOST_RESAMPLES

Paired = Literal["auto", "yes", "no"]
Correction = Literal["benjamini-hochberg", "holm"]
_ALLOWED: dict[str, tuple[str, ...]] = {"paired": get_args(Paired), "correction": get_args(Correction)}


@dataclass(frozen=True, slots=True)
class Choices:
    """What `compare` takes; ConfigurationError for a choice that there is not."""

    against: str | None = None
    allow_different: bool = False
    paired: Paired = "auto"
    correction: Correction = "benjamini-hochberg"
    resamples: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, most in (("resamples", MOST_RESAMPLES), ("seed", LARGEST_SEED)):
            if (getattr(self, name) or 0) > most:
                raise ConfigurationError(f"{name}: may be at most {most:,}, not {getattr(self, name)}")
        for field in fields(self):
            value, allowed = getattr(self, field.name), _ALLOWED.get(field.name)
            if allowed is not None and value not in allowed:
                raise ConfigurationError(f"{field.name}: '{value}' is none of {', '.join(allowed)}")
