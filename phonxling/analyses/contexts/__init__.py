"""Confusions in context."""
