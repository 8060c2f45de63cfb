"""Predictions without information, and what stands beside them."""
