"""The rules of forced alignment, as the configuration has them."""

from dataclasses import replace

from phonxling.forced.values import ForcedRules
from phonxling.settings.forced import Forced


def forced_rules(settings: Forced) -> ForcedRules:
    """Return the rules: those of the library, but for what the section sets."""
    rules = ForcedRules(minimum=settings.minimum_frames)
    return rules if settings.start == "similarity" else replace(rules, sharpness=0.0)
