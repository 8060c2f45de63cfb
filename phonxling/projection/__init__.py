"""Phone means to coordinates, and how far the picture can be trusted."""
