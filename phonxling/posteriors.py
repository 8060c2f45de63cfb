"""Posteriorgrams: the nearest phones of the reference."""

from phonxling.analyses.map import nearest_references as nearest_references
