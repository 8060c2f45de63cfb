"""Posteriors to predicted phones: each frame's best label."""
