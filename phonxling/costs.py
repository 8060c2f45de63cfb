"""Costs of alignments beyond `phonxling.feature_costs`: saved ones, and feature tables."""

from phonxling.experiment.single import save_costs as save_costs
from phonxling.load.resources import load_features as load_features, panphon_features as panphon_features
