"""Counts to numbers: rates, entropies, expected confusions, association, chance levels."""
