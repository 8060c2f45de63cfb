"""Posteriorgrams: the nearest phones of the reference, and the rules of forced alignment."""

from phonxling.analyses.map import nearest_references as nearest_references
from phonxling.forced.values import ForcedRules as ForcedRules
