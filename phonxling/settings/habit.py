"""The configuration of what is said of phonotactic habit."""

from phonxling.settings.files import Section


class Habit(Section):
    """How far wrong phones follow the phonotactics of the reference, and not their sound alone; {} for it."""
