"""The configuration of pooled confusions."""

from typing import Annotated

from phonxling.settings.checks import Bounds
from phonxling.settings.files import Section
from phonxling.settings.value_types import Number


class Pooling(Section):
    """Confusions of speakers, languages and the recogniser, each drawn towards what is around it."""

    draws: Annotated[int, Number(Bounds(at_least=100, at_most=100_000, whole=True))] = 500
    """Draws from the posterior; a quarter as many before them are left out."""
