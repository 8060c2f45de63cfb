"""Figures of a comparison of results."""
