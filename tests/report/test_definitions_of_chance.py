"""What stands above chance is defined by formulas of its own, not by those of the measure that it is made of."""

from importlib.resources import files

import pytest

from phonxling.report.definitions import definition_of

PAIRS = [
    *((f"{start}{measure}", measure) for start in ("chance_", "skill_") for measure in ("per", "wper")),
    *((f"{start}conditional_entropy", "conditional_entropy") for start in ("chance_", "skill_")),
    ("skill_mutual_information", "mutual_information"),
    *((f"mutual_information_{end}", "mutual_information") for end in ("null", "excess", "p")),
    *((f"expected_js_{end}", "expected_js") for end in ("null", "p")),
    ("expected_kl_null", "expected_kl"),
]


@pytest.mark.parametrize(("measure", "base"), PAIRS)
def test_chance_skill_and_tests_have_formulas_of_their_own(measure: str, base: str) -> None:
    found, made_of = definition_of(measure), definition_of(base)
    assert found is not None
    assert made_of is not None
    assert found.formula != made_of.formula


def test_each_measure_is_defined_once() -> None:
    text = files("phonxling.report").joinpath("definitions.tsv").read_text(encoding="utf-8")
    measures = [line.split("\t")[0] for line in text.splitlines()]
    assert len(measures) == len(set(measures))
