"""Finished results beside each other: read, checked, compared."""
