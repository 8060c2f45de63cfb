"""The paragraph on methods: every setting has its words, what was not done is not told, every citation its entry."""

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest
from running import read_numbers_tsv

from phonxling.phones import rules
from phonxling.report.paper import bibliography, cited, methods
from phonxling.settings import sections
from phonxling.settings.sections import Method, Metric


@pytest.fixture(scope="module")
def manifest(small_run: Path) -> dict[str, Any]:
    return dict(json.loads((small_run / "results/manifest.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def numbers(small_run: Path) -> pd.DataFrame:
    return read_numbers_tsv(small_run / "results")


def line(costs: str = "panphon", **parts: str) -> str:
    given = {"costs": costs, "ins": "1", "del": "1", "align": "viterbi", "ties": "identical", "sym": "ipa,arpabet"}
    return "|".join(f"{key}:{value}" for key, value in {**given, "cluster": "speaker", **parts}.items())


def changed(manifest: Mapping[str, Any], section: str, **values: object) -> dict[str, Any]:
    settings = manifest["configuration"]
    return {**manifest, "configuration": {**settings, section: {**settings[section], **values}}}


def choices_of(kind: object) -> tuple[str, ...]:
    return get_args(get_args(kind)[0]) or get_args(kind)


@pytest.mark.parametrize(
    ("section", "key", "choices"),
    [
        ("chance", "models", [[model] for model in choices_of(sections.ChanceModel)]),
        ("embedding", "method", choices_of(Method)),
        ("embedding", "metric", choices_of(Metric)),
        ("uncertainty", "method", choices_of(sections.Uncertainty.model_fields["method"].annotation)),
        ("expected", "correction", choices_of(sections.Expected.model_fields["correction"].annotation)),
    ],
)
def test_every_choice_of_a_setting_has_its_words(
    manifest: dict[str, Any], numbers: pd.DataFrame, section: str, key: str, choices: Sequence[object]
) -> None:
    texts = {methods(changed(manifest, section, **{key: choice}), numbers, {"a": line()}) for choice in choices}
    assert len(texts) == len(choices) > 1


def test_every_cost_and_rule_has_its_words(manifest: dict[str, Any], numbers: pd.DataFrame) -> None:
    for costs in (*get_args(sections.GivenName), "learned"):
        assert "table of our own" not in methods(manifest, numbers, {"a": line(costs)}), costs
    rules_of = {"silence": get_args(rules.Silence), "closures": get_args(rules.Closures), "tone": ("attach", "strip")}
    rules_of["diphthongs"] = get_args(rules.Diphthongs)
    plain = methods(manifest, numbers, {"a": line()})
    texts = {
        methods(manifest, numbers, {"a": line(**{rule: value})})
        for rule, values in rules_of.items()
        for value in values
    }
    assert plain not in texts
    assert len(texts) == sum(map(len, rules_of.values()))


def test_settings_show_in_the_text(manifest: dict[str, Any], numbers: pd.DataFrame) -> None:
    other = changed(manifest, "uncertainty", level=0.9, resamples=500, method="bca")
    text = methods(other, numbers, {"a": line("unit", ties="nist")})
    assert "Intervals at 90 % come from 500 bootstrap resamples of speakers" in text
    assert "[@efron-1987]" in text
    assert "a substitution costs 1, an insertion 1 and a deletion 1; of equally good alignments that of NIST" in text
    assert "panphon" not in text.lower()


def test_chance_models_are_those_that_were_run(manifest: dict[str, Any], numbers: pd.DataFrame) -> None:
    text = methods(changed(manifest, "chance", models=["bigram"], replicates=7), numbers, {"a": line()})
    assert "aligned anew: phones drawn with the bigrams of the predictions (7 replicates" in text
    assert "always one phone" not in text


def test_what_was_not_done_is_not_told(manifest: dict[str, Any], numbers: pd.DataFrame) -> None:
    rates = numbers[numbers["measure"].isin(["per", "wper"])]
    text = methods(changed(manifest, "uncertainty", resamples=0), rates, {"a": line()})
    assert "There was no bootstrap" in text
    for word in ("chance", "Skill", "floor", "expected from", "posteriors", "map", "Confidences", "bits"):
        assert word not in text, word


def test_what_only_some_corpora_have_is_not_told(manifest: dict[str, Any], numbers: pd.DataFrame) -> None:
    lines = {"a": line(silence="drop"), "b": line(silence="keep", sym="ipa,timit61", cluster="utterance")}
    text = methods(manifest, numbers, lines)
    assert "ilences" not in text
    assert "arpabet" not in text
    assert "speakers, or utterances where they are not known" in text


def test_without_a_reference_there_is_no_map(manifest: dict[str, Any], numbers: pd.DataFrame) -> None:
    alone = numbers[~numbers["measure"].str.match("trustworthiness|expected_")]
    text = methods(manifest, alone, {"a": line()})
    assert "From the posteriors of each token" in text
    assert "map" not in text


def test_own_features_and_costs_are_not_panphon_s(manifest: dict[str, Any], numbers: pd.DataFrame) -> None:
    own = changed(manifest, "features", path="own.tsv", base="none")
    assert "a feature table of our own" in methods(own, numbers, {"a": line()})
    assert "what a table of our own says" in methods(manifest, numbers, {"a": line("table/12345678")})


def test_every_citation_has_an_entry_and_every_entry_is_cited() -> None:
    source, stored = (
        files("phonxling.report").joinpath(name).read_text(encoding="utf-8")
        for name in ("methods.md.jinja", "references.bib")
    )
    assert set(re.findall(r"\[@([\w-]+)\]", source)) - {"key"} == set(
        re.findall(r"^@\w+\{([\w-]+),", stored, re.MULTILINE)
    )
    assert stored.count("{") == stored.count("}")


def test_only_what_is_cited_is_in_the_bibliography() -> None:
    text = "A map by UMAP [@umap] and again [@umap]."
    assert cited(text) == r"A map by UMAP~\cite{umap} and again~\cite{umap}."
    entries = bibliography(text, "1.2.3")
    assert entries.count("@") == 1
    assert "McInnes" in entries
    assert "Version 1.2.3" in bibliography("[@phonxling]", "1.2.3")
