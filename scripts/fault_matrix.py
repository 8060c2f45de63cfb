#!/usr/bin/env python3
"""Kill and interrupt real runs at many points, run them again, and compare with an undisturbed run, byte for byte.

Usage: .venv/bin/python scripts/fault_matrix.py [--modes serial,cluster] [--points N] [--interrupts N]
Prints each point, then a table; exit code 1 when a result was lost, half written or wrong. Linux only.
"""

import sys

from faults.command import main

if __name__ == "__main__":
    sys.exit(main())
