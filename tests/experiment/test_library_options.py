"""The library's functions have the configuration's defaults, and few positional parameters."""

from inspect import Parameter, signature

import pytest

import phonxling as px
from phonxling.phones.symbols import SymbolRules
from phonxling.settings import files, models

FUNCTIONS = (
    *(px.load_corpus, px.load_segments, px.load_posteriorgrams, px.symbols.segment_ipa),
    *(px.feature_costs, px.costs.learn_costs, px.align, px.align_corpus, px.costs.align_expected),
)


def defaults(function: object) -> dict[str, object]:
    assert callable(function)
    return {name: each.default for name, each in signature(function).parameters.items()}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_at_most_three_parameters_are_positional(function: object) -> None:
    assert callable(function)
    kinds = [each.kind for each in signature(function).parameters.values()]
    assert kinds.count(Parameter.POSITIONAL_OR_KEYWORD) <= 3


def test_the_rules_of_symbols_have_the_configurations_defaults() -> None:
    configured = dict(models.SymbolRules())
    loaded = defaults(px.load_corpus)
    assert {name: loaded[name] for name in configured} == configured
    assert set(SymbolRules.__slots__) == set(configured)
    assert defaults(px.load_segments)["rules"] == defaults(px.load_posteriorgrams)["rules"] == px.symbols.SymbolRules()


def test_every_other_default_is_the_configurations() -> None:
    file = {name: field.default for name, field in files.PosteriorFile.model_fields.items()}
    read, corpus = defaults(px.load_posteriorgrams), defaults(px.load_corpus)
    assert all(read[name] == file[name] for name in ("symbols", "scale", "frame_shift", "blank", "labels", "format"))
    assert corpus["symbols"] == file["symbols"]
    assert corpus["allow_unpaired"] == models.Pairing().allow_unpaired
    costs, learned = defaults(px.feature_costs), defaults(px.costs.learn_costs)
    assert (costs["name"], costs["tone_weight"]) == (models.Alignment().costs, models.Alignment().tone_weight)
    assert (learned["smoothing"], learned["rounds"]) == (models.Learning().smoothing, models.Learning().rounds)
