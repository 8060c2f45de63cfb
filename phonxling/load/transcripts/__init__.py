"""Transcripts: one module a format."""
