"""The tables of results: what their columns are, how they are written and read."""
