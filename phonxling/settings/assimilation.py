"""The configuration of perceptual assimilation."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator

from phonxling.settings.checks import Bounds, check_pairs
from phonxling.settings.files import Section
from phonxling.settings.value_types import Number, Text

Contrasts: TypeAlias = Annotated[
    Literal["all", "minimal"] | tuple[tuple[Text, Text], ...],
    BeforeValidator(lambda value: check_pairs(value, ("all", "minimal"))),
]


class Assimilation(Section):
    """To which phones of the recogniser, or of listeners, the contrasts of a language are assimilated."""

    threshold: Annotated[float, Number(Bounds(above=0, at_most=1))] = 0.5
    """The share of a phone's tokens that must be heard as one category for the phone to be categorised."""
    goodness: Annotated[float, Number(Bounds(at_least=0, at_most=1))] = 0.1
    """How far apart two phones of one category are in goodness, at least, if that is to tell them apart."""
    tokens: Annotated[int, Number(Bounds(at_least=1, whole=True))] = 20
    """The tokens that both phones of a contrast must have."""
    contrasts: Contrasts = "all"
    """The pairs of gold phones: all, those of least feature distance (minimal), or a list such as [[p, b], [e, ɛ]]."""
