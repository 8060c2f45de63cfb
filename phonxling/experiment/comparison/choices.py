"""How results are compared."""

from dataclasses import dataclass, fields
from typing import Literal, get_args

from phonxling.core.errors import ConfigurationError

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
        for field in fields(self):
            value, allowed = getattr(self, field.name), _ALLOWED.get(field.name)
            if allowed is not None and value not in allowed:
                raise ConfigurationError(f"{field.name}: '{value}' is none of {', '.join(allowed)}")
