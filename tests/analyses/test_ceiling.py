"""The floor of a declared inventory and the skill above chance: all possible predictions, counts by hand, collapse."""

import itertools
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from alignment_oracle import full_table, made_costs
from compared_results import write
from hypothesis import given, strategies as st
from running import Tables, stored_tables, tables_of
from small_experiment import IPA
from support import write as write_text

import phonxling as px
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.analyses.rates import answer_costs
from phonxling.configuration.reading import load_configuration
from phonxling.core.costs import CostTable
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.inventory import Inventory
from phonxling.experiment.corpora import load_corpora

GOLD, HEARD = Inventory(("a", "b", "c")), Inventory(("b", "x"))
tables = st.lists(st.integers(0, 9), min_size=11, max_size=11).map(partial(made_costs, gold=GOLD, predicted=HEARD))
Rows = dict[tuple[str, str], pd.Series]


@given(tables, st.lists(st.sampled_from(GOLD.phones), max_size=3))
def test_no_predictions_cost_less_than_the_floor_and_some_cost_just_that(costs: CostTable, gold: list[str]) -> None:
    every = (heard for length in range(len(gold) + 2) for heard in itertools.product(HEARD, repeat=length))
    least = min(full_table(gold, heard, costs)[0] for heard in every)
    assert sum(answer_costs(costs)[GOLD.code(phone)] for phone in gold) == pytest.approx(float(least))


def rows_of(tables: Tables, corpus: str) -> Rows:
    numbers = tables["summary"]
    return {(row["measure"], row["variant"]): row for _, row in numbers[numbers["corpus"] == corpus].iterrows()}


@pytest.fixture(scope="module")
def small(small_run: Path) -> tuple[Path, Tables]:
    return small_run / "small.yaml", stored_tables(small_run / "results")


def test_the_floor_is_the_share_of_gold_phones_that_the_recogniser_lacks(small: tuple[Path, Tables]) -> None:
    path, tables = small
    gold = pd.read_csv(path.parent / "yoruba" / "gold.tsv", sep="\t").query("phone != 'sil'")
    lacking = ~gold["phone"].isin(IPA.values())
    rows = rows_of(tables, "yoruba")
    floor, skill = rows["floor_per", ""], rows["skill_per", "best"]
    assert floor["value"] == pytest.approx(lacking.mean())
    assert 0.2 < floor["value"] < floor["high"] < 1
    assert floor["note"].startswith(f"the recogniser lacks {gold.loc[lacking, 'phone'].nunique()} of 7 gold phones")
    assert tables["yoruba/utterances"]["floor_unit_cost"].sum() == lacking.sum()
    assert skill["low"] < skill["value"] < skill["high"] <= 1


def test_the_best_recogniser_with_an_inventory_has_a_skill_of_1() -> None:
    nearest = {"p": "p", "i": "i", "e": "ɛ", "ĩ": "i"}
    gold = np.random.default_rng(5).choice([*nearest], (8, 6)).tolist()
    heard = [[nearest[phone] for phone in line] for line in gold]
    found = px.score(gold, heard, inventory=["p", "i", "ɛ"], settings=["chance.replicates=2"])
    for rate in ("per", "wper"):
        assert found[rate] == pytest.approx(found[f"floor_{rate}"])
        assert found[f"skill_{rate}"] == pytest.approx(1)


LABELS = [  # 35 of a recogniser, and what they are in IPA
    *("p p", "b b", "t t", "d d", "k k", "g ɡ", "m m", "n n", "ng ŋ", "f f", "v v", "s s", "z z", "sh ʃ", "th θ"),
    *("dh ð", "hh h", "l l", "r ɹ", "w w", "y j", "iy i", "ih ɪ", "eh ɛ", "ae æ", "aa ɑ", "ah ʌ", "uh ʊ", "uw u"),
    *("ey eɪ", "ay aɪ", "aw aʊ", "ow oʊ", "ch t͡ʃ", "jh d͡ʒ"),
]
HAS = dict(pair.split() for pair in LABELS)
FEW = ("t", "k", "s", "n", "iy", "aa")  # to which a collapsed one is reduced
SPOKEN = {**dict.fromkeys([HAS[one] for one in FEW], 0.07), **dict.fromkeys("pbdmflwuɪɛzh", 0.04), "ɓ": 0.05, "ã": 0.05}
SETTINGS = "chance: {models: [constant, unigram], replicates: 2}\n"
DECLARED = f"{{name: toy, inventory: [{', '.join(HAS)}]}}"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with gold, a recogniser that has all of its phones, and one that answers with six of them."""
    folder, draws = tmp_path_factory.mktemp("collapsed"), np.random.default_rng(3)
    label, chances = {phone: name for name, phone in HAS.items()}, np.array([*SPOKEN.values()])
    names = [f"u{number:02d}" for number in range(48)]
    gold = [draws.choice([*SPOKEN], 25, p=chances / chances.sum()).tolist() for _ in names]

    def heard(phone: str, right: float, others: list[str]) -> str:
        own = label.get(phone, "")
        return own if own in others and draws.random() < right else str(draws.choice(others))

    write(folder / "gold.tsv", names, gold)
    write(folder / "good.tsv", names, [[heard(phone, 0.45, [*HAS]) for phone in line] for line in gold])
    write(folder / "collapsed.tsv", names, [[heard(phone, 0.9, [*FEW]) for phone in line] for line in gold])
    return folder


def score_of(data: Path, system: str, inventory: list[str] | None) -> px.Score:
    return px.score(
        data / "gold.tsv",
        data / f"{system}.tsv",
        symbols=("ipa", "arpabet"),
        speakers={f"u{number:02d}": f"s{number % 12}" for number in range(48)},
        inventory=inventory,
        settings=["chance.models=[constant, unigram]", "chance.replicates=2"],
    )


def skill(found: px.Score, floor: float) -> float:
    return float((found.chance_per - found.per) / (found.chance_per - floor))


def test_a_collapsed_recogniser_gains_nothing_by_the_phones_that_it_no_longer_says(data: Path) -> None:
    good, collapsed = (score_of(data, system, [*HAS]) for system in ("good", "collapsed"))
    spoken = [phone for line in pd.read_csv(data / "gold.tsv", sep="\t")["phones"] for phone in line.split()]
    lacking = sum(phone not in HAS.values() for phone in spoken) / len(spoken)
    for found in (good, collapsed):
        assert found.floor_per == pytest.approx(lacking)
        assert found.skill_per == pytest.approx(skill(found, lacking))
    own = {HAS[one] for one in FEW}
    guessed = sum(phone not in own for phone in spoken) / len(spoken)  # the floor, were six phones the inventory
    assert skill(collapsed, guessed) > 0.75
    assert collapsed.skill_per < good.skill_per < 0.6
    assert collapsed.skill_wper < good.skill_wper < 0.6


def test_without_a_declared_inventory_nothing_rests_on_one_and_the_remedy_is_said(data: Path) -> None:
    found = score_of(data, "collapsed", None)
    rows = found.summary.set_index(["measure", "variant"])
    for name in (("floor_per", ""), ("floor_wper", ""), ("error_share", "absent")):
        assert np.isnan(rows.loc[name, "value"])
        assert "inventory is not declared" in rows.loc[name, "note"]
    assert found.skill_per == pytest.approx(skill(found, 0))
    assert "the floor is taken as 0" in rows.loc[("skill_per", "best"), "note"]
    parts = [rows.loc[("error_share", name), "value"] for name in ("unexplained", "deleted", "inserted")]
    assert sum(parts) == pytest.approx(1)


def corpora(**recognisers: str) -> str:
    files = "gold: gold.tsv, predicted: {path: good.tsv, symbols: arpabet}"
    lines = [f"  {name}: {{{files}, recogniser: {recogniser}}}" for name, recogniser in recognisers.items()]
    return "\n".join(["corpora:", *lines, SETTINGS])


@pytest.mark.slow
def test_corpora_that_name_the_same_recogniser_share_its_inventory(data: Path) -> None:
    tables = tables_of(write_text(data / "c.yaml", corpora(one="toy", two=DECLARED, three="other")))
    one, two, three = (rows_of(tables, name)["floor_per", ""]["value"] for name in ("one", "two", "three"))
    assert one == two > 0
    assert np.isnan(three)


def loaded(data: Path, **recognisers: str) -> list[LoadedCorpus]:
    return load_corpora(load_configuration(write_text(data / "c.yaml", corpora(**recognisers))))


def test_what_is_wrong_with_an_inventory_is_one_error_that_names_it(data: Path) -> None:
    differ = "another inventory of toy than one declares; the two differ in ɔ ɔɪ ɜ˞ ʒ"
    with pytest.raises(ConfigurationError, match=rf"^corpora\.two\.recogniser\.inventory: {differ}"):
        loaded(data, one=DECLARED, two="{name: toy, inventory: arpabet}")
    loaded(data, one=DECLARED, two=f"{{name: toy, inventory: [{', '.join(reversed(HAS))}]}}")
    few = ", ".join(name for name in HAS if name not in {"sh", "zh"})
    count = (data / "good.tsv").read_text(encoding="utf-8").split().count("sh")
    outside = rf"corpora\.one\.recogniser\.inventory: 1 predicted phone is outside .* of 34: ʃ \({count}\)"
    with pytest.raises(DataError, match=outside):
        loaded(data, one=f"{{inventory: [{few}]}}")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("\n".join([*HAS, "sil"]), ""),
        ("symbol\tipa\n" + "\n".join(f"{name}\t{phone}" for name, phone in HAS.items()) + "\nsp\t\n", ""),
        ("\n".join(f"{name}\t{phone}" for name, phone in HAS.items()) + "\nzz\tqqq\n", "inventory.txt:36: zz"),
        ("sil\n", "the inventory has no phone"),
    ],
    ids=["labels", "two columns", "unknown IPA", "silence alone"],
)
def test_a_file_of_phones(data: Path, text: str, wrong: str) -> None:
    (data / "inventory.txt").write_text(text, encoding="utf-8")
    recognisers = {"one": "{inventory: inventory.txt}", "two": DECLARED}
    if wrong:
        with pytest.raises((DataError, ConfigurationError), match=wrong):
            loaded(data, **recognisers)
        return
    one, two = loaded(data, **recognisers)
    assert set(one.inventory or ()) == set(two.inventory or ()) == set(HAS.values())
