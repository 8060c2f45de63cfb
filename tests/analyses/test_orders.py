"""The order of corpora: groups of letters, by an oracle of sets, and as a run writes and says them."""

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from misleading import hears, make_corpus, sentences
from running import read_numbers_tsv, read_tsv
from scipy import stats

from phonxling.analyses.orders import letters, short_letters
from phonxling.report.findings import order_sentences
from phonxling.report.numbers import rounded


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


RATES = {"clear": 0.05, "noisy": 0.4, "worse": 0.42, "home": 0.01}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("orders")
    sentences(made, "".join(make_corpus(made / name, hears(errors)) for name, errors in RATES.items()), "home")
    return made / "results"


def test_a_run_orders_its_targets_and_tells_apart_what_a_test_does(folder: Path) -> None:
    rows = read_tsv(folder / "orders.tsv")
    weighted = rows[rows["measure"].str.endswith("skill_wper")]
    assert weighted["corpus"].tolist() == ["clear", "noisy", "worse"]
    assert weighted["group"].tolist() == ["a", "b", "b"]
    assert set(zip(rows["comparisons"], rows["tested"], strict=True)) == {(3, 3)}
    numbers = read_numbers_tsv(folder).query("variant == 'best'").set_index(["corpus", "measure"])["value"]
    for row in rows.itertuples():
        assert float(numbers[row.corpus, row.measure]) == pytest.approx(float(row.value), rel=1e-12)


def test_the_groups_are_those_of_a_jackknife_over_speakers(folder: Path) -> None:
    """An oracle: skill without each speaker in turn, from utterances.tsv, and Welch's test as SciPy has it."""
    skills = {}
    for name in ("clear", "noisy", "worse"):
        rows = read_tsv(folder / name / "utterances.tsv")
        cost, chance = (rows.groupby("speaker")[column].sum() for column in ("cost", "chance_cost"))
        skills[name] = 12 * (1 - cost.sum() / chance.sum()) - 11 * (1 - (cost.sum() - cost) / (chance.sum() - chance))
    apart = {pair: stats.ttest_ind(*(skills[one] for one in pair), equal_var=False).pvalue < 0.05 / 3
             for pair in combinations(skills, 2)}  # fmt: skip
    assert apart == {("clear", "noisy"): True, ("clear", "worse"): True, ("noisy", "worse"): False}


def test_it_is_said_in_sentences_and_per_only_where_it_orders_otherwise(folder: Path, tmp_path: Path) -> None:
    (said,) = order_sentences(folder, {"clear": "Clear"})
    assert said.startswith(("Skill of wPER, from 0 (guessing) to 1 (", "Attainable skill of wPER"))
    least = read_tsv(folder / "orders.tsv")["least_difference"].tolist()[:2]
    finds = " to ".join(rounded(float(one)) for one in sorted(map(float, least)))
    assert said.endswith(
        "(b). Those that share a letter do not differ clearly. Between neighbours in this order, such data show a "
        f"difference of {finds} in 80 % of cases."
    )
    assert "Clear 0.9" in said
    head, *rows = (folder / "orders.tsv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "orders.tsv").write_text("\n".join([head, *rows[:3], *rows[:2:-1]]) + "\n", encoding="utf-8")
    _, otherwise = order_sentences(tmp_path, {})
    assert otherwise.startswith("PER orders them otherwise, because it counts every wrong phone as 1")
    assert "worse 0." in otherwise
    assert list(order_sentences(tmp_path / "none", {})) == []


@pytest.mark.parametrize(
    ("own", "short"),
    [("abcd", "abcd"), ("bcdef", "b–f"), ("abcdf", "abc…"), ("", "")],
)
def test_many_letters_are_a_range(own: str, short: str) -> None:
    assert short_letters({"x": "abcdefg", "y": own})["y"] == short


def test_there_are_no_letters_where_the_alphabet_does_not_suffice() -> None:
    assert short_letters({"x": "abcdefghijklm", "y": "nopqrstuvwxyz"}) == {}
