"""Phonetic cross-lingual error analysis."""

__version__ = "0.1.0"
