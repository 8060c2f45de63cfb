"""The analyses: one a section of the paper."""
