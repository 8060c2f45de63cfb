"""`phonxling score`: quick rates of two files."""

import json
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import phonxling as px
from phonxling.cli import app
from phonxling.core.errors import ConfigurationError
from phonxling.settings.sections import Alignment, Features, SymbolRules

GOLD = "utterance\tphones\nu1\tp a t\nu2\tb i\nu3\ts u s\n"
PREDICTED = "utterance\tphones\nu1\tP AA T\nu2\tP IY IY\nu3\tS UW\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "gold.tsv").write_text(GOLD, encoding="utf-8")
    (tmp_path / "predicted.tsv").write_text(PREDICTED, encoding="utf-8")
    return str(tmp_path / "gold.tsv"), str(tmp_path / "predicted.tsv")


def score(*arguments: str) -> str:
    return CliRunner().invoke(app, ["score", *arguments], catch_exceptions=False).output


def test_json_is_one_flat_object_of_the_measures(files: tuple[str, str]) -> None:
    found = json.loads(score(*files, "--symbols", "ipa,arpabet", "--json"))
    # a→ɑ, b→p, one i inserted, one s deleted; 8 gold phones
    assert (found["correct"], found["substitutions"], found["deletions"], found["insertions"]) == (5, 2, 1, 1)
    assert (found["gold_tokens"], found["utterances"]) == (8, 3)
    assert found["per"] == found["per_aligned"] == 4 / 8
    assert found["per_macro"] == pytest.approx((1 / 3 + 2 / 2 + 1 / 3) / 3)
    costs = px.feature_costs(["a", "b"], ["ɑ", "p"])
    assert found["wper"] == pytest.approx(float(costs.cost("a", "ɑ") + costs.cost("b", "p") + 2) / 8)
    assert found["signature"].startswith("costs:panphon|feat:")
    assert found["tone_error_rate"] is None
    assert 0 < found["chance_wper"] < 1


def test_the_schema_of_a_score_has_every_number_that_it_prints(files: tuple[str, str]) -> None:
    numbers = json.loads(score(*files, "--symbols", "ipa,arpabet", "--json"))
    schema = json.loads(CliRunner().invoke(app, ["schema", "--score"], catch_exceptions=False).output)
    assert set(numbers) <= set(schema["properties"])
    assert schema["properties"]["wper"]["title"] == "feature-weighted error rate"


def test_the_text_shows_chance_beside_the_rates_and_aligned_lines(files: tuple[str, str]) -> None:
    found = score(*files, "--symbols", "ipa,arpabet", "--show", "2")
    assert "u2\n  gold      b ∅ i\n  predicted p i i\n" in found
    for name in ("wper", "chance_wper best", "skill_wper best", "signature: costs:panphon"):
        assert name in found


@pytest.mark.parametrize("costs", ["unit", "sclite"])
def test_feature_edits_are_the_same_whichever_costs_align(files: tuple[str, str], costs: str) -> None:
    wanted, found = (
        json.loads(score(*files, "--symbols", "ipa,arpabet", "--costs", name, "--json")) for name in ("panphon", costs)
    )
    for name in ("fed_mean", "fer", "fed_norm"):
        assert 0 < found[name] == wanted[name]


def test_raw_symbols_have_no_feature_edits_and_say_why(files: tuple[str, str]) -> None:
    found = score(*files, "--symbols", "raw,raw", "--costs", "unit", "--json")
    assert json.loads(found)["fer"] is None


def test_sclite_costs_have_no_weighted_rate(files: tuple[str, str]) -> None:
    found = json.loads(score(*files, "--symbols", "ipa,arpabet", "--costs", "sclite", "--json"))
    assert found["wper"] is None
    assert found["correct"] == 5


def test_raw_symbols_are_compared_as_they_stand_and_have_no_features(files: tuple[str, str]) -> None:
    found = json.loads(score(files[0], files[0], "--symbols", "raw", "--costs", "unit", "--json"))
    assert found["per"] == 0
    with pytest.raises(ConfigurationError, match="raw symbols have no phonological features; set alignment"):
        score(files[0], files[0], "--symbols", "raw")


def test_one_file_can_hold_both_sides_under_other_names(tmp_path: Path) -> None:
    path = tmp_path / "both.tsv"
    path.write_text("id\tsaid\theard\nx\tp a\tb a\n", encoding="utf-8")
    found = json.loads(
        score(str(path), str(path), "--columns", "utterance=id,phones=said;utterance=id,phones=heard", "--json")
    )
    assert found["per"] == 0.5


def test_wrong_choices_are_named(files: tuple[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"alignment\.costs: must be .*'panphn'; did you mean 'panphon'"):
        score(*files, "--costs", "panphn")
    with pytest.raises(ConfigurationError, match="two"):
        score(*files, "--symbols", "ipa,ipa,ipa")


def test_the_help_tells_the_defaults_of_the_settings() -> None:
    sections = [SymbolRules(), Alignment()]
    defaults = {name: str(value) for section in sections for name, value in section}
    defaults |= {"features_base": Features().base, "symbols": "ipa,ipa"}
    told = {
        option.name: option.show_default
        for option in get_command(app).commands["score"].params  # type: ignore[attr-defined]
        if isinstance(getattr(option, "show_default", None), str) and option.name
    }
    assert len(told) == 11
    assert told == {name: defaults[name] for name in told}
