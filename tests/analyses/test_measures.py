"""measures.tsv: whole, each row once, and what is made of a measure defined by a formula of its own."""

import pytest

from phonxling.analyses.measures import Measure, headline, measure, measures

MADE = [one for one in measures() if one.of]


def test_each_measure_and_variant_has_one_row_with_all_that_readers_need() -> None:
    rows = [(one.name, one.variant) for one in measures()]
    assert len(rows) == len(set(rows))
    assert all(one.unit and one.kind and one.title and one.formula and one.reading for one in measures())


@pytest.mark.parametrize("made", MADE, ids=lambda made: f"{made.name} {made.variant}")
def test_what_is_made_of_a_measure_has_a_formula_of_its_own(made: Measure) -> None:
    base = measure(made.of)
    assert made.formula != base.formula or made.name == base.name


def test_the_headline_counts_from_one() -> None:
    assert [int(one.headline) for one in headline()] == list(range(1, len(headline()) + 1))


def test_an_unknown_measure_has_none() -> None:
    with pytest.raises(KeyError):
        measure("no_such_measure_p")
