"""How phones are written and what features they have."""
