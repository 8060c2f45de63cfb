"""Rows with named fields: their header, JSON, and times in one cell."""
