"""Measures of confusions beyond the first ones in `phonxling`."""

from phonxling.analyses.entropy import (
    marginal_entropy as marginal_entropy,
    perplexity as perplexity,
    uncertainty_coefficient as uncertainty_coefficient,
)
from phonxling.analyses.error_rate import operations as operations, skill as skill
from phonxling.analyses.features import class_confusions as class_confusions, class_errors as class_errors
from phonxling.analyses.one_to_one import one_to_one as one_to_one, one_to_one_accuracy as one_to_one_accuracy
from phonxling.analyses.tone import tone_confusions as tone_confusions, tone_error_rate as tone_error_rate
from phonxling.count.confusions import count_operations as count_operations
