"""The bars from floor to chance: one scale a rate, and no bar where a level is missing."""

import pytest

from phonxling.report.findings.numbers import Number, Numbers
from phonxling.report.page.ceiling import ceiling_bars

FULL = {
    ("per", ""): Number(0.5, 0.4, 0.6),
    ("floor_per", ""): Number(0.2),
    ("chance_per", "best"): Number(0.8),
    ("attainable_skill_per", "best"): Number(0.5),
}


def test_bars_stand_on_one_scale_that_holds_the_largest_chance_and_interval() -> None:
    other = {**FULL, ("per", ""): Number(1.5, 1.0, 2.0)}
    (rate,) = ceiling_bars({"yoruba": Numbers(FULL), "spanish": Numbers(other)})
    assert rate.title == "phone error rate"
    first, second = rate.bars
    scale = 100 / (1.05 * 2.0)
    assert (first.floor, first.low, first.rate, first.high, first.chance) == pytest.approx(
        [scale * value for value in (0.2, 0.4, 0.5, 0.6, 0.8)], abs=0.01
    )
    assert second.high == pytest.approx(100 / 1.05, abs=0.01)
    assert first.text == "0.50 [0.40, 0.60]; floor 0.200, chance 0.800; attainable skill 0.500"


@pytest.mark.parametrize("gone", list(FULL))
def test_a_corpus_without_one_of_the_levels_has_no_bar(gone: tuple[str, str]) -> None:
    less = {name: number for name, number in FULL.items() if name != gone}
    assert list(ceiling_bars({"yoruba": Numbers(less)})) == []
