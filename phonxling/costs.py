"""Costs of alignments beyond `phonxling.feature_costs`: learned ones, those of a file, and feature tables."""

from phonxling.experiment.single import (
    align_expected as align_expected,
    learn_costs as learn_costs,
    save_costs as save_costs,
)
from phonxling.load.resources import load_features as load_features, panphon_features as panphon_features
