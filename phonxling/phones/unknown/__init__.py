"""Symbols that a set does not know: what they may be, and what to do."""
