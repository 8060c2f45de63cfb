"""Uncertainty, once: weights, replicates, jackknife, intervals, tests, estimators."""
