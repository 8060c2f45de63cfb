"""The order of corpora: groups of letters, by an oracle of sets, and as a run writes and says them."""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from misleading import confuses, make_corpus, sentences
from scipy import stats

from phonxling.analyses.languages import letters, letters_of_tests
from phonxling.results.tables import read_table


@given(st.integers(1, 6), st.data())
def test_two_share_a_letter_exactly_where_they_are_not_told_apart(number: int, data: st.DataObject) -> None:
    names = [f"c{place}" for place in range(number)]
    apart = [pair for pair in combinations(names, 2) if data.draw(st.booleans())]
    found = letters(names, apart)
    for one, other in combinations(names, 2):
        assert bool(set(found[one]) & set(found[other])) == ((one, other) not in apart)
    groups = [{name for name in names if letter in found[name]} for letter in set("".join(found.values()))]
    assert not any(group < other for group in groups for other in groups)  # no letter that another makes superfluous
    assert all(found.values())
    assert found[names[0]].startswith("a")


RATES = {"clear": 0.05, "worsened": 0.42, "noisier": 0.4, "homely": 0.01}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("orders")
    sentences(made, "".join(make_corpus(made / name, confuses(errors)) for name, errors in RATES.items()), "homely")
    return made / "results"


def skills_without(folder: Path, name: str, rate: str) -> np.ndarray:
    """Return the skill of a corpus without each of its speakers, who have said the same number of phones."""
    rows = read_table(folder, "utterances", name)
    columns = ("cost", "chance_cost") if rate == "wper" else ("per", "chance_unit_cost")
    cost, chance = (rows[one] * (rows["gold_tokens"] if one == "per" else 1) for one in columns)
    sums = [one.groupby(rows["speaker"]).sum() for one in (cost, chance)]
    return 1 - ((sums[0].sum() - sums[0]) / (sums[1].sum() - sums[1])).to_numpy()


def test_a_run_orders_its_targets_and_tells_apart_what_a_test_does(folder: Path) -> None:
    rows = read_table(folder, "languages")
    weighted = rows[rows["measure"] == "skill_wper"]
    assert weighted["corpus"].tolist() == ["clear", "noisier", "worsened"]
    assert weighted["letters"].tolist() == ["a", "b", "b"]
    assert weighted["rank"].tolist() == [1, 2, 3]
    other = rows[~rows["measure"].str.startswith("skill_")]
    assert {"wper", "per", "conditional_entropy"} <= {*other["measure"]}
    assert set(other["letters"]) == {""}
    summary = read_table(folder, "summary").set_index(["corpus", "measure", "variant"])["value"]
    for row in rows.itertuples():
        variant = "best" if row.measure.startswith("skill_") else "phoneticxeus" if row.measure == "pfer" else ""
        assert row.value == summary[row.corpus, row.measure, variant]


def test_q_is_over_both_measures_by_welchs_test_of_speakers_left_out(folder: Path) -> None:
    """An oracle: skill without each of twelve equal speakers in turn, from utterances.tsv, and Welch's test."""
    rows = read_table(folder, "languages").set_index(["measure", "corpus"])
    p = {}
    for rate in ("wper", "per"):
        for pair in combinations(rows.loc[f"skill_{rate}"].index, 2):
            variances = [11 * skills_without(folder, one, rate).var() for one in pair]
            difference = np.subtract(*(rows.loc[(f"skill_{rate}", one), "value"] for one in pair))
            freedom = 11 * sum(variances) ** 2 / sum(one**2 for one in variances)
            p[rate, *pair] = 2 * stats.t.sf(abs(difference) / np.sqrt(sum(variances)), freedom)
    q = dict(zip(p, stats.false_discovery_control([*p.values()]), strict=True))
    for rate in ("wper", "per"):
        own = rows.loc[f"skill_{rate}"]
        wanted = [q[rate, *pair] for pair in pairwise(own.index)]
        assert own["q"].tolist()[:-1] == pytest.approx(wanted, rel=1e-6)
        assert np.isnan(own["q"].iloc[-1])


def test_two_systems_on_the_same_utterances_are_tested_in_pairs(tmp_path: Path) -> None:
    first, second = (make_corpus(tmp_path / name, confuses(errors)) for name, errors in (("ours", 0.3), ("else", 0.33)))
    for name in ("gold", "predicted", "speakers"):
        file = tmp_path / "else" / f"{name}.tsv"
        text = (tmp_path / "ours" / "gold.tsv" if name == "gold" else file).read_text(encoding="utf-8")
        head, *lines = text.splitlines()
        named = ["\t".join([f"wav/{one}.wav", rest]) for one, _, rest in (line.partition("\t") for line in lines)]
        file.write_text("\n".join([head, *reversed(named), ""]), encoding="utf-8")
    sentences(tmp_path, first + second)
    rows = read_table(tmp_path / "results", "languages")
    rows = rows[rows["measure"].str.startswith("skill_")].reset_index(drop=True)
    sides = [skills_without(tmp_path / "results", name, "wper") for name in rows["corpus"][:2]]
    error = np.sqrt(11 * np.var(sides[0] - sides[1]))
    t = abs(rows["value"][0] - rows["value"][1]) / error
    per = [skills_without(tmp_path / "results", name, "per") for name in rows["corpus"][2:]]
    other = abs(rows["value"][2] - rows["value"][3]) / np.sqrt(11 * np.var(per[0] - per[1]))
    q = stats.false_discovery_control(2 * stats.t.sf([t, other], 11))
    assert rows["q"][[0, 2]].tolist() == pytest.approx(q, rel=1e-6)


def test_letters_stand_where_each_two_are_tested() -> None:
    names, none = ["x", "y", "z"], float("nan")
    of_two = {("x", "y"): 0.01, ("x", "z"): none, ("y", "z"): none}
    assert letters_of_tests(names, of_two) == {"x": "a", "y": "b", "z": ""}
    assert letters_of_tests(names, {**of_two, ("y", "z"): 0.5}) == dict.fromkeys(names, "")
    assert letters_of_tests(names, dict.fromkeys(of_two, none)) == dict.fromkeys(names, "")
