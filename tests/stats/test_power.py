"""Power and assurance of t tests: numbers of R, integrals, and simulated studies."""

import numpy as np
import pytest
from scipy import stats

from phonxling.stats.p_values import assurance, detectable_difference, family_of, least_difference, open_ratios
from phonxling.stats.student import spread_of

ONE = np.ones(1)


@pytest.mark.parametrize(
    ("clusters", "unpaired", "paired"),
    [(5, 3.20091965, 3.76105955), (12, 2.93157851, 3.07838868), (96, 2.81584180, 2.83030238)],
)
def test_least_differences_of_a_known_error_are_those_of_r(clusters: int, unpaired: float, paired: float) -> None:
    """R 4.2: power.t.test(n, power=.8, sd=1, strict=TRUE) for delta, in standard errors of the difference."""
    assert least_difference(0.8, ONE, 2 * (clusters - 1), 0.95) == pytest.approx(unpaired, abs=1e-7)
    assert least_difference(0.8, ONE, clusters - 1, 0.95) == pytest.approx(paired, abs=1e-7)


@pytest.mark.parametrize(("difference", "known", "freedom"), [(2.0, 3.0, 10), (3.5, 8.25, 22), (6.0, 1.0, 4)])
def test_assurance_is_power_integrated_over_what_is_open(difference: float, known: float, freedom: int) -> None:
    reach, shares = stats.t.ppf(0.975, freedom), (np.arange(4000) + 0.5) / 4000
    shifts = np.minimum(difference / np.sqrt(known / stats.chi2.ppf(shares, known)), 30)
    power = stats.nct.sf(reach, freedom, shifts)
    assert assurance(difference, np.sqrt(open_ratios(known)), freedom, 0.95) == pytest.approx(power.mean(), abs=3e-3)


@pytest.mark.parametrize("freedom", [4, 11, 46])
def test_what_a_comparison_finds_in_80_per_cent_it_finds_in_80_per_cent(freedom: int) -> None:
    """Of estimates s² = χ²_f / f of a variance of 1, the power of the least difference that each says is .8 on average.

    One that plugs s in promises .8 and keeps less.
    """
    estimates = np.sqrt(stats.chi2.ppf((np.arange(400) + 0.5) / 400, freedom) / freedom)
    least = (least_difference(0.8, errors, freedom, 0.95) for errors in (np.sqrt(open_ratios(freedom)), ONE))
    reach = stats.t.ppf(0.975, freedom)
    kept = [np.mean(stats.nct.sf(reach, freedom, one * estimates)) for one in least]
    assert kept[0] == pytest.approx(0.8, abs=3e-3)
    assert kept[1] < 0.79


def test_a_family_has_q_over_its_tests_and_finds_what_is_found_at_the_level_over_their_number() -> None:
    spreads = [
        spread_of(one, 11.0, 12.0, few=few) for one, few in ((1.0, False), (4.0, False), (9.0, False), (1.0, True))
    ]
    p = [0.001, 0.04, np.nan, np.nan]
    q, least = family_of(p, spreads, 0.95)
    assert q[:2].tolist() == stats.false_discovery_control(p[:2]).tolist()
    wanted = [detectable_difference(one, 1 - 0.05 / 2)[0] for one in spreads[:2]]
    assert least[:2].tolist() == pytest.approx(wanted)
    assert wanted[1] == pytest.approx(2 * wanted[0])
    assert np.isnan([q[2:], least[2:]]).all()
