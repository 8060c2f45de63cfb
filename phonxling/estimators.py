"""Entropy in bits from few counts, by the estimator that is named."""

from phonxling.resample.estimators import entropy as entropy
