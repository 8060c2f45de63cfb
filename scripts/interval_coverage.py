"""Prints how often intervals hold the truth, on simulated corpora whose truth is known.

Usage: python scripts/interval_coverage.py [SIMULATIONS]   (the tables of docs/uncertainty.md: 500; about three minutes)
"""

import sys

from simulations import correlation, information, phones, rates

if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    for study in (rates, information, phones, correlation):
        print("\n".join(study.lines(times)), flush=True)
