"""PanPhon's tables, which come with this package: the bytes of the installed one, and what releases differ in."""

from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest

import phonxling as px
from phonxling.load.resources import RELEASES, panphon_features


@pytest.mark.parametrize("name", ["ipa_all.csv", "feature_weights.csv"])
def test_the_table_is_that_of_the_release(name: str) -> None:
    installed = pytest.importorskip("panphon", reason="panphon has no wheels for this Python")
    theirs = files(installed) / "data" / name
    assert (files("phonxling.load") / "panphon-0.22.2" / name).read_bytes() == theirs.read_bytes()


def test_both_releases_have_the_same_segments_and_6222_other_rows() -> None:
    new, old = map(panphon_features, RELEASES)
    assert (new.name, old.name) == ("panphon 0.22.2", "panphon 0.20")
    assert new.features == old.features
    assert len(new.segments) == len({*new.segments} & {*old.segments}) == 6367
    place = {segment: row for row, segment in enumerate(old.segments)}
    rows = old.values[[place[segment] for segment in new.segments]]
    assert int((new.values != rows).any(axis=1).sum()) == 6222
    assert new.features[int((new.values != rows).sum(axis=0).argmax())] == "strid"


def test_the_release_is_a_setting_that_moves_costs_and_the_signature() -> None:
    # In 0.22.2 s is +strid and t is −strid; in 0.20 neither has a value: one feature of 24 fewer.
    found = [px.feature_costs(["s"], ["t"], features=panphon_features(each)).cost("s", "t") for each in RELEASES]
    assert found == [Fraction(4, 48), Fraction(2, 48)]
    score = px.score(["s a"], ["t a"], settings=["features.table=panphon-0.20"])
    assert "table:panphon-0.20|" in score.signature
    assert score.wper.value == pytest.approx(found[1] / 2)


def test_tables_of_ones_own_lie_over_either_release(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    table = panphon_features("panphon-0.20")
    path.write_text("\t".join(["segment", *table.features]) + "\n" + "\t".join(["p", *["0"] * 24]) + "\n")
    over = px.symbols.load_features(path, table="panphon-0.20")
    assert over.name == "mine.tsv over panphon 0.20"
    assert over.vector("t")[0].tolist() == table.vector("t")[0].tolist()
    assert not over.vector("p")[0].any()
