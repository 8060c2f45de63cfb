"""Gold aligned with predicted phones, by costs: kernels, corpora, cost tables."""
