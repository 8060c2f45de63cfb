"""Entropy from few counts, by the estimator that is named; and of distributions or probabilities that are given."""

from phonxling.stats.estimators import (
    cross_entropy as cross_entropy,
    divergence as divergence,
    entropy as entropy,
    token_cross_entropy as token_cross_entropy,
)
