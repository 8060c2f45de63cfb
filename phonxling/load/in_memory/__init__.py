"""Data in Python, read by the same rules as files."""
