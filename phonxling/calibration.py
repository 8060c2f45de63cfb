"""Confidence and calibration: whether a recogniser knows when it is right."""

from phonxling.analyses.calibration import (
    binned_nce as binned_nce,
    brier_score as brier_score,
    calibrated_error as calibrated_error,
    cross_entropy as cross_entropy,
    expected_calibration_error as expected_calibration_error,
    reliability_table as reliability_table,
)
from phonxling.count.posteriors import posterior_confidence as posterior_confidence
