"""Corpora of any size, in memory or written in streams, and what a command over them takes."""
