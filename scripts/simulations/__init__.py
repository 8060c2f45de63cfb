"""Simulated corpora with a known truth, for `scripts/interval_coverage.py`."""
