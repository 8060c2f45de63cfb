"""Gold aligned with predicted phones, by costs: kernels, corpora, expected alignments, learned costs."""
