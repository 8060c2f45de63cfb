"""Whole experiments for users of the library: run one, read its results as tables, draw its figures."""
