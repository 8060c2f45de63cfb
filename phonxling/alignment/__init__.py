"""Costs and exact global alignment of gold with predicted phones."""
