"""The configuration of errors in the gold transcripts."""

from typing import Annotated, TypeAlias

from phonxling.settings.checks import Bounds
from phonxling.settings.files import Section
from phonxling.settings.value_types import DataPath, Number, Several

_Rate: TypeAlias = Annotated[float, Number(Bounds(above=0, at_most=0.4))]


class GoldErrors(Section):
    """What the numbers would be if some of the gold phones were wrong."""

    rates: Several[_Rate] = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1)
    """The shares of gold phones that are taken to be wrong, beside 0."""
    table: DataPath | None = None
    """Which phones are written for which: a TSV (written, true, probability) from gold that was checked; when left out,
    near phones are written for each other."""
    nearness: Annotated[float, Number(Bounds(at_least=0.001, at_most=100))] = 0.05
    """Without a table: how fast errors become rarer with the distance of two phones, e times for each such step."""
