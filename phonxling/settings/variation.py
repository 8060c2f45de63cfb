"""The configuration of where variation comes from."""

from typing import Annotated, Literal

from phonxling.settings.files import Section
from phonxling.settings.value_types import Choice


class Variation(Section):
    """Where the variation of being right comes from: languages, speakers, phones, recognisers."""

    absent: Annotated[Literal["exclude", "include"], Choice()] = "exclude"
    """Whether tokens of gold phones that the recogniser lacks, which it cannot get right, are left out or counted."""
