"""Errors by natural class."""
