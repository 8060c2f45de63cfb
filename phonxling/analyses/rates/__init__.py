"""Error rates."""
