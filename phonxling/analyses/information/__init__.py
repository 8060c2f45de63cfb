"""Entropies and information of confusions."""
