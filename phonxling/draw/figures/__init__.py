"""The figures, each drawn from stored tables."""
