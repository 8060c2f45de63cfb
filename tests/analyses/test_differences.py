"""differences.tsv: which corpora of a run are compared; its shares are those of confusions.tsv."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import write
from running import Tables, tables_of
from scipy import stats

PHONES, NAMES = ("p", "b", "a", "i"), [f"u{number}" for number in range(40)]
CONFIGURATION = """\
name: several
corpora:
  one: {gold: one.tsv, predicted: one-heard.tsv, speakers: speakers.tsv, recogniser: r}
  two: {gold: two.tsv, predicted: two-heard.tsv, speakers: speakers.tsv, recogniser: r}
  again: {gold: one.tsv, predicted: two-heard.tsv, speakers: speakers.tsv, recogniser: q}
  strange: {gold: two.tsv, predicted: one-heard.tsv, speakers: speakers.tsv, recogniser: q}
chance: {models: [constant], replicates: 2}
uncertainty: {resamples: 5}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, generator = tmp_path_factory.mktemp("several"), np.random.default_rng(4)
    for name, wrong in (("one", 0.2), ("two", 0.4)):
        gold = [generator.choice(PHONES, 12).tolist() for _ in range(40)]
        kept = [[one for one in line if generator.random() < 0.8] for line in gold]
        heard = [
            [str(generator.choice(PHONES)) if generator.random() < wrong else one for one in line] for line in kept
        ]
        write(folder / f"{name}.tsv", NAMES, gold)
        write(folder / f"{name}-heard.tsv", NAMES, heard)
    speakers = [f"{name}\ts{number % 8}" for number, name in enumerate(NAMES)]
    (folder / "speakers.tsv").write_text("\n".join(["utterance\tspeaker", *speakers]) + "\n", encoding="utf-8")
    return folder


def computed(data: Path, *settings: str) -> Tables:
    (data / "several.yaml").write_text(CONFIGURATION, encoding="utf-8")
    return tables_of(data / "several.yaml", *settings)


@pytest.fixture(scope="module")
def tables(data: Path) -> Tables:
    return computed(data)


def test_corpora_of_one_recogniser_or_of_the_same_utterances_are_compared(tables: Tables) -> None:
    rows = tables["differences.tsv"][["corpus", "other", "paired"]].drop_duplicates().to_numpy().tolist()
    assert rows == [
        ["one", "two", "no"],  # of recogniser r
        ["one", "again", "yes"],
        ["two", "strange", "yes"],
        ["again", "strange", "no"],  # of recogniser q
    ]


def test_the_mean_of_the_others_has_none_of_the_same_utterances(data: Path) -> None:
    corpora = [("one", "s"), ("twice", "s"), ("more", "a"), ("most", "b")]
    known = (data / "speakers.tsv").read_text(encoding="utf-8")
    for letter in "sab":
        (data / f"{letter}.tsv").write_text(
            known.replace("\ts", f"\t{letter}").replace(f"\t{letter}peaker", "\tspeaker")
        )
    sides = "gold: one.tsv, predicted: one-heard.tsv, recogniser: r"
    lines = [f"  {name}: {{{sides}, speakers: {letter}.tsv}}" for name, letter in corpora]
    (data / "same.yaml").write_text(
        "corpora:\n" + "\n".join(lines) + "\nchance:" + CONFIGURATION.partition("chance:")[2]
    )
    table = tables_of(data / "same.yaml")["differences.tsv"]
    mean = table[table["other"] == "the others"].groupby("corpus")["others"].unique().map(list).to_dict()
    assert mean == {"one": [2], "twice": [2], "more": [3], "most": [3]}


@pytest.mark.parametrize("against", ["mean", "each"])
def test_three_of_one_recogniser_are_compared_with_the_mean_of_the_others_or_each(data: Path, against: str) -> None:
    """The reference stands aside, as does one that nothing was heard of, which has a row and enters no mean."""
    text = CONFIGURATION.replace("two: {", "two: {role: reference, ").replace("recogniser: q", "recogniser: r")
    more = "  more: {gold: one.tsv, predicted: one-heard.tsv, speakers: others.tsv, recogniser: r}\n"
    path = data / "three.yaml"
    path.write_text(text.replace("chance:", f"{more}chance:"), encoding="utf-8")
    lines = (data / "speakers.tsv").read_text(encoding="utf-8").replace("\ts", "\tother-")
    (data / "others.tsv").write_text(lines.replace("utterance\tother-peaker", "utterance\tspeaker"), encoding="utf-8")
    tables = tables_of(path, f"differences.against={against}")
    table = tables["differences.tsv"]
    found = table[["corpus", "other", "paired"]].drop_duplicates().to_numpy().tolist()
    same = [["one", "again", "yes"], ["two", "strange", "yes"]]
    if against == "each":
        pairs = [["one", "strange"], ["one", "more"], ["again", "strange"], ["again", "more"], ["strange", "more"]]
        assert sorted(found) == sorted([*same, *([*pair, "no"] for pair in pairs)])
        assert (table["others"] == 1).all()
        return
    assert found == [*same, *([name, "the others", "no"] for name in ("one", "again", "strange", "more"))]
    means = dict(iter(table[table["other"] == "the others"].groupby("corpus")))
    assert set(means["one"]["others"]) == {1}  # “again” and “strange” are of other speech: no mean has them
    own = means["strange"].set_index(["gold", "predicted"])
    stored = tables["one/confusions.tsv"], tables["more/confusions.tsv"]
    shares = [one.set_index(["gold", "predicted"])["p_predicted_given_gold"].reindex(own.index) for one in stored]
    assert own["other_value"].tolist() == pytest.approx(np.mean([one.fillna(0.0) for one in shares], axis=0).tolist())


@pytest.mark.parametrize("gaps", ["exclude", "include"])
def test_shares_and_tokens_are_those_of_the_confusions(data: Path, tables: Tables, gaps: str) -> None:
    tables = tables if gaps == "exclude" else computed(data, f"entropy.gaps={gaps}")
    rows = tables["differences.tsv"]
    assert len(rows) > 40
    for side, prefix in (("corpus", ""), ("other", "other_")):
        for corpus, own in rows.groupby(side):
            stored = tables[f"{corpus}/confusions.tsv"].set_index(["gold", "predicted"])
            cells = stored.reindex(pd.MultiIndex.from_frame(own[["gold", "predicted"]]))
            shares = cells["p_predicted_given_gold"].fillna(0.0).to_numpy()
            assert own[f"{prefix}value"].tolist() == pytest.approx(shares.tolist())
            tokens = (cells["count"] / shares)[shares > 0].tolist()
            assert own.loc[shares > 0, f"{prefix}n"].tolist() == pytest.approx(tokens)
    assert ("∅" in set(rows["predicted"])) == (gaps == "include")


def test_q_is_over_the_cells_of_a_pair(tables: Tables) -> None:
    for pair, rows in tables["differences.tsv"].groupby(["corpus", "other"]):
        if pair != ("one", "two"):  # the others are of predictions of other speech, which show nothing heard
            assert rows[["p", "q"]].isna().all(axis=None)
            assert rows["note"].str.contains("nothing shows that the answers depend on what was said").all()
            continue
        assert rows["q"].tolist() == pytest.approx(stats.false_discovery_control(rows["p"]).tolist())
        assert (rows["difference_low"] < rows["difference"]).all()
        assert ((rows["p"] < 0.05) == (rows["difference_low"] * rows["difference_high"] > 0)).all()


def test_nothing_is_compared_without_resamples(data: Path) -> None:
    assert computed(data, "uncertainty.resamples=0")["differences.tsv"].empty
