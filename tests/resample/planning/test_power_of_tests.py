"""The power of t tests: numbers of R, and the distribution of t by integration."""

import numpy as np
import pytest
from scipy import stats

from phonxling.resample.planning.power import power_of, shift_for


@pytest.mark.parametrize(
    ("clusters", "unpaired", "paired"),
    [(5, 3.20091965, 3.76105955), (12, 2.93157851, 3.07838868), (96, 2.81584180, 2.83030238)],
)
def test_least_shifts_are_those_of_r(clusters: int, unpaired: float, paired: float) -> None:
    """R 4.2: power.t.test(n, power=.8, sd=1, strict=TRUE) for delta, in standard errors of the difference."""
    assert shift_for(0.8, 2 * (clusters - 1), 0.95) == pytest.approx(unpaired, abs=1e-7)
    assert shift_for(0.8, clusters - 1, 0.95) == pytest.approx(paired, abs=1e-7)


@pytest.mark.parametrize(("shift", "freedom", "level"), [(0.0, 4, 0.95), (1.5, 4, 0.9), (3.0, 30, 0.95)])
def test_power_is_the_mean_over_estimated_standard_errors(shift: float, freedom: int, level: float) -> None:
    """A normal number over √(χ²/f): for each χ² the tails beyond t are normal ones."""
    root = np.sqrt(stats.chi2.ppf((np.arange(200_000) + 0.5) / 200_000, freedom) / freedom)
    reach = stats.t.ppf((1 + level) / 2, freedom) * root
    beyond = stats.norm.sf(reach - shift) + stats.norm.cdf(-reach - shift)
    assert power_of(shift, freedom, level) == pytest.approx(beyond.mean(), abs=1e-5)
