from importlib.resources import files

from phonxling.report.definitions import definition_of


def test_each_measure_is_defined_once() -> None:
    lines = files("phonxling.report").joinpath("definitions.tsv").read_text(encoding="utf-8").splitlines()
    measures = [line.split("\t")[0] for line in lines]
    assert len(measures) == len(set(measures))


def test_what_is_made_of_a_measure_has_a_formula_of_its_own() -> None:
    base = definition_of("conditional_entropy")
    assert base is not None
    for measure in ("chance_conditional_entropy", "skill_conditional_entropy", "context_information_excess"):
        found = definition_of(measure)
        assert found is not None
        assert found.measure == measure
        assert found.formula not in {base.formula, ""}
        assert found.reading


def test_an_unknown_measure_has_none() -> None:
    assert definition_of("no_such_measure_p") is None
