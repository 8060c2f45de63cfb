"""What `scripts/check_figures.py` is made of: overlaps in a figure, and how a figure is seen without colours."""
