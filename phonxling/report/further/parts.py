"""The analyses that the page shows where an experiment has them: a new one is its module and a line here."""

from phonxling.report.further import assimilation, pooling
from phonxling.report.further.part import FurtherPart

PARTS: tuple[FurtherPart, ...] = (
    assimilation.PART,
    pooling.PART,
)
