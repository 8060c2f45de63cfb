"""Results to files: written whole or not at all."""
