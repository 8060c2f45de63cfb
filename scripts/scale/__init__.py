"""Corpora of any size, written in streams, and what a run over them takes."""
