"""The configuration of what is kept of posteriors over time."""

from phonxling.settings.files import Section
from phonxling.settings.sections import UpTo100


class Posteriorgrams(Section):
    """What posteriors say over time, kept of some utterances so that their errors can be looked at."""

    utterances: UpTo100 = 15
    """How many: evenly spaced in the order of their error rate, with the best, the median and the worst; 0: none."""
