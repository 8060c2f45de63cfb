"""Simulated corpora with a known truth, for `scripts/coverage.py`."""
