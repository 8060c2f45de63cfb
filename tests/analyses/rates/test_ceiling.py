"""The floor of an inventory and the attainable skill: against all possible predictions, and against counts by hand."""

import itertools
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from alignment_oracle import full_table, made_costs
from hypothesis import given, strategies as st
from running import all_numbers, tables_of
from small_experiment import IPA, make_experiment

from phonxling.analyses.rates import answer_costs
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("b", "x"))
tables = st.lists(st.integers(0, 9), min_size=11, max_size=11).map(partial(made_costs, gold=GOLD, predicted=HEARD))


@given(tables, st.lists(st.sampled_from(GOLD.phones), max_size=3))
def test_no_predictions_cost_less_than_the_floor_and_some_cost_just_that(costs: CostTable, gold: list[str]) -> None:
    every = (heard for length in range(len(gold) + 2) for heard in itertools.product(HEARD, repeat=length))
    least = min(full_table(gold, heard, costs)[0] for heard in every)
    assert sum(answer_costs(costs)[GOLD.code(phone)] for phone in gold) == pytest.approx(float(least))


def rows_of(tables: dict[str, pd.DataFrame], corpus: str) -> dict[tuple[str, str], pd.Series]:
    summary = all_numbers(tables)
    own = summary[summary["corpus"] == corpus]
    return {(row["measure"], row["variant"]): row for _, row in own.iterrows()}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, pd.DataFrame]]:
    path = make_experiment(tmp_path_factory.mktemp("ceiling"))
    return path, tables_of(path)


def test_the_floor_is_the_share_of_gold_phones_that_the_recogniser_lacks(
    small: tuple[Path, dict[str, pd.DataFrame]],
) -> None:
    path, tables = small
    gold = pd.read_csv(path.parent / "yoruba" / "gold.tsv", sep="\t").query("phone != 'sil'")
    lacking = ~gold["phone"].isin(IPA.values())
    rows = rows_of(tables, "yoruba")
    floor, rate = rows["floor_per", ""], rows["per", ""]
    assert floor["value"] == pytest.approx(lacking.mean())
    assert 0.2 < floor["value"] < floor["high"] < 1
    assert floor["note"].startswith(f"the recogniser lacks {gold.loc[lacking, 'phone'].nunique()} of 7 gold phones")
    utterances = tables["yoruba/utterances.tsv"]
    assert utterances["floor_unit_cost"].sum() == lacking.sum()
    chance, skill = rows["chance_per", "best"]["value"], rows["attainable_skill_per", "best"]
    assert skill["value"] == pytest.approx((chance - rate["value"]) / (chance - floor["value"]))
    assert skill["low"] < skill["value"] < skill["high"] <= 1
    model = rows["chance_per", "best"]["note"].split(":")[0]
    assert skill["note"].startswith(f"against {model}, ")


def test_attainable_skill_is_plain_skill_where_the_recogniser_has_every_phone(
    small: tuple[Path, dict[str, pd.DataFrame]],
) -> None:
    rows = rows_of(small[1], "english")
    for rate in ("per", "wper"):
        floor, skill = rows[f"floor_{rate}", ""], rows[f"attainable_skill_{rate}", "best"]
        assert floor["value"] == 0
        assert np.isnan(floor["low"])
        plain = rows[f"skill_{rate}", "best"]
        assert skill[["value", "low", "high"]].tolist() == pytest.approx(plain[["value", "low", "high"]].tolist())


def test_the_best_recogniser_with_an_inventory_has_an_attainable_skill_of_1(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    nearest = {"p": "p", "i": "i", "e": "ɛ", "ĩ": "i"}
    lines = [list(generator.choice(list(nearest), 6)) for _ in range(8)]
    for name, spell in (("gold", {phone: phone for phone in nearest}), ("predicted", nearest)):
        rows = [f"u{place}\t{' '.join(spell[phone] for phone in line)}" for place, line in enumerate(lines)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["utterance\tphones", *rows]) + "\n", encoding="utf-8")
    corpus = "{gold: gold.tsv, predicted: predicted.tsv, recogniser: {inventory: [p, i, ɛ]}}"
    (tmp_path / "c.yaml").write_text(f"corpora: {{c: {corpus}}}", encoding="utf-8")
    rows = rows_of(tables_of(tmp_path / "c.yaml", "uncertainty.resamples=30", "chance.replicates=2"), "c")
    for rate in ("per", "wper"):
        assert rows[rate, ""]["value"] == pytest.approx(rows[f"floor_{rate}", ""]["value"])
        assert 0 < rows[f"skill_{rate}", "best"]["value"] < 1
        assert rows[f"attainable_skill_{rate}", "best"]["value"] == pytest.approx(1)
    assert rows["floor_per", ""]["note"].startswith("the recogniser lacks 2 of 4 gold phones")


def test_learned_costs_have_no_floor_and_say_why(tmp_path: Path) -> None:
    path = make_experiment(tmp_path, utterances=8)
    rows = rows_of(tables_of(path, "alignment.costs=learned", "chance.models=[unigram]"), "yoruba")
    for name in (("floor_wper", ""), ("attainable_skill_wper", "best")):
        assert np.isnan(rows[name]["value"])
        assert "learned from these confusions" in rows[name]["note"]
    assert rows["floor_per", ""]["value"] > 0
