"""Inputs by URL."""
