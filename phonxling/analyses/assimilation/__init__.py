"""Perceptual assimilation: what listeners of the recogniser's language would make of the target's contrasts."""
