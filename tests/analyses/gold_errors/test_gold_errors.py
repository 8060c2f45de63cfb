"""The tables of errors in the gold: what they share with the summary and the findings, and that truth comes back."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import Tables, all_numbers, tables_of
from small_experiment import make_experiment

from phonxling.analyses.gold_errors.claims import NAMED, Claim
from phonxling.core.errors import DataError
from phonxling.experiment.checking import checked
from phonxling.experiment.configuration.reading import load_configuration
from phonxling.report.findings.stored import stored_numbers
from phonxling.tables.files import write_table

DEFAULTS = "gold_errors={}"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return tables_of(make_experiment(tmp_path_factory.mktemp("errors"), utterances=60), DEFAULTS)


def test_without_the_section_nothing_is_computed(small_run: Path) -> None:
    assert not list((small_run / "results").rglob("*gold_error*"))


def test_at_rate_0_every_number_is_that_of_the_summary(tables: Tables) -> None:
    own, numbers = tables["yoruba/gold_errors.tsv"], all_numbers(tables)
    numbers = numbers[numbers["corpus"] == "yoruba"]
    first = own[(own["rate"] == 0) & ~own["measure"].isin(["confusion", "mutual_information_null"])]
    assert len(first) == 9
    for row in first.itertuples():
        variants = {"", "best", "miller-madow jackknife"}
        same = numbers[(numbers["measure"] == row.measure) & numbers["variant"].isin(variants)].iloc[0]
        shown = [row.value, row.low, row.high]
        assert shown == pytest.approx([same["value"], same["low"], same["high"]], abs=1e-9), row.measure


def test_the_first_confusions_are_those_of_the_confusion_table(tables: Tables) -> None:
    own, cells = tables["yoruba/gold_errors.tsv"], tables["yoruba/confusions.tsv"]
    first = own[(own["rate"] == 0) & (own["measure"] == "confusion")]
    wrong = cells[(cells["gold"] != cells["predicted"]) & (cells["gold"] != "∅") & (cells["predicted"] != "∅")]
    ordered = wrong.sort_values("count", ascending=False, kind="stable")
    assert list(zip(first["gold"], first["predicted"], strict=True)) == list(
        zip(ordered["gold"][:10], ordered["predicted"][:10], strict=True)
    )
    shares = dict(
        zip(zip(cells["gold"], cells["predicted"], strict=True), cells["p_predicted_given_gold"], strict=True)
    )
    for row in first.itertuples():
        assert row.value == pytest.approx(shares[row.gold, row.predicted])


def test_claims_are_those_of_the_findings(tables: Tables, tmp_path: Path) -> None:
    for name, table in tables.items():
        write_table(tmp_path, name, table)
    roles = {"english": {"role": "reference"}, "yoruba": {"role": "target"}}
    numbers = stored_numbers(tmp_path, roles)["yoruba"]
    claims = tables["yoruba/gold_error_claims.tsv"]["claim"].tolist()
    assert f"the phone error rate is {numbers.get('skill_per').verdict.value} chance" in claims
    assert f"the weighted error rate is {numbers.get('skill_wper').verdict.value} chance" in claims
    assert numbers.tells == any("information is better than chance" in claim for claim in claims)
    named = [f"{one.gold} heard as {one.predicted} is among the" for one in numbers.most_frequent[:NAMED]]
    assert all(any(claim.startswith(one) for claim in claims) for one in named)
    assert sum("is among" in claim for claim in claims) == NAMED
    more = [f"{one.gold} is heard as {one.predicted} more often than" for one in numbers.beyond_reference[:10]]
    assert sorted(more) == sorted(claim.split(" the reference")[0] for claim in claims if "more often" in claim)


def test_more_errors_leave_a_lower_rate_and_more_information(tables: Tables) -> None:
    own = tables["yoruba/gold_errors.tsv"]
    for measure, sign in (("per", -1), ("wper", -1), ("skill_per", 1), ("mutual_information", 1)):
        values = own.loc[own["measure"] == measure, "value"].dropna().to_numpy()
        assert len(values) >= 4
        assert (sign * np.diff(values) > 0).all()


def test_more_errors_than_were_made_are_impossible(tables: Tables) -> None:
    own = tables["english/gold_errors.tsv"].query("measure == 'per' and rate == 0.1")
    assert own["value"].isna().all() or own["value"].iloc[0] > 0


@pytest.mark.slow
def test_a_table_of_errors_gives_its_own_rate(tmp_path: Path) -> None:
    path = make_experiment(tmp_path)
    (tmp_path / "errors.tsv").write_text("written\ttrue\tprobability\ni\tĩ\t0.3\n", encoding="utf-8")
    own = tables_of(path, f"gold_errors={{table: '{tmp_path / 'errors.tsv'}', rates: [0.02]}}")
    rates = sorted(own["yoruba/gold_errors.tsv"]["rate"].unique())
    tokens = own["yoruba/phones.tsv"].query("side == 'gold'").set_index("phone")["tokens"]
    assert rates == pytest.approx([0, 0.02, 0.3 * tokens["i"] / tokens.sum()])
    (missing,) = own["english/gold_errors.tsv"].to_dict("records")
    assert np.isnan(missing["value"])
    assert missing["note"].startswith("the gold never has")


def test_a_table_that_cannot_be_used_is_refused_before_anything_is_computed(tmp_path: Path) -> None:
    path = make_experiment(tmp_path)
    (tmp_path / "errors.tsv").write_text("written\ttrue\tprobability\ni\tĩ\t3\n", encoding="utf-8")
    experiment = load_configuration(path, [f"gold_errors={{table: '{tmp_path / 'errors.tsv'}'}}"])
    with pytest.raises(DataError, match=r"errors.tsv:2: no probability from 0 to 1: '3'"):
        checked(experiment)


@pytest.mark.slow
def test_raw_symbols_need_a_table(tmp_path: Path) -> None:
    path = make_experiment(tmp_path)
    text = (
        path.read_text(encoding="utf-8")
        .replace("symbols: arpabet", "symbols: raw")
        .replace(".tsv}", ".tsv, symbols: raw}")
    )
    path.write_text(text.replace("speakers.tsv, symbols: raw", "speakers.tsv"), encoding="utf-8")
    own = tables_of(path, DEFAULTS, "alignment.costs=unit")
    assert own["yoruba/gold_errors.tsv"]["note"].tolist() == [
        "raw symbols have no phonological features; give a table of errors"
    ]


def test_a_claim_ends_at_the_first_rate_that_says_another_thing() -> None:
    row = Claim("a", ("a", "a", "", "b", "a")).row([0, 0.1, 0.2, 0.3, 0.4])
    assert (row["holds_to"], row["ends_at"], row["then"]) == (0.1, 0.3, "b")
    assert row["note"] == "nothing is said at 0.2"
    whole = Claim("a", ("a", "a")).row([0, 0.1])
    assert whole["holds_to"] == 0.1
    assert pd.isna(whole["ends_at"])
