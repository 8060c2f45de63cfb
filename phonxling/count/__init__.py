"""Alignments to confusion counts; posteriors and time-stamped gold to joint distributions and phone means."""
