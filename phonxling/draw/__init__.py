"""Stored results to figures. A figure is a function of tables and is returned, never shown."""
