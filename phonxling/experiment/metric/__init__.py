"""A metric that accumulates: batches of gold and predicted phones to counts, counts to error rates."""
