"""Pulled by sound or by habit."""
