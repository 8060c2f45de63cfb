"""Figures of analyses that only some experiments have."""
