"""The features of phones that the page carries: those of its table, for phones that have some, not for raw symbols."""

from pathlib import Path

import numpy as np

from phonxling.core.features import FeatureTable
from phonxling.load.features import panphon_features
from phonxling.report.corpus_part import features_of_corpora, packed_features
from phonxling.report.render import unpacked as raw

TOY = FeatureTable(
    name="toy",
    digest="",
    features=("syl", "voi", "own"),
    segments=("a", "p"),
    values=np.array([[1, 1, 0], [-1, -1, 0]], np.int8),
    weights={},
)


def unpacked(text: str) -> list[list[str]]:
    """Return the rows of a table that is packed column by column."""
    columns = raw(text).decode().splitlines()
    return [list(row) for row in zip(*(column.split("\t") for column in columns), strict=True)]


def test_phones_with_features_have_their_values_under_words() -> None:
    assert unpacked(packed_features(["p", "?", "a", "p"], TOY)) == [
        ["", "syllabic", "voiced", "own"],
        ["p", "−", "−", "0"],
        ["a", "+", "+", "0"],
    ]


def test_raw_symbols_and_a_table_of_the_user_have_none(tmp_path: Path) -> None:
    for name, substitutions in (("known", 3), ("raw", 0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "features.tsv").write_text(f"feature\tsubstitutions\nsyl\t{substitutions}.0\n")
        (tmp_path / name / "phones.tsv").write_text("side\tphone\ngold\ta\npredicted\tp\n")
    corpora = {"corpora": {"known": {}, "raw": {}, "posteriors alone": {}}}
    digest = panphon_features().digest
    found = dict(features_of_corpora(tmp_path, {"configuration": corpora, "feature_table": {"sha256": digest}}))
    assert list(found) == ["known"]
    rows = {phone: values for phone, *values in unpacked(found["known"])[1:]}
    signs = {"+": 1, "0": 0, "−": -1}
    for phone in ("a", "p"):
        assert [signs[value] for value in rows[phone]] == panphon_features().vector(phone)[0].tolist()
    own = {"configuration": corpora, "feature_table": {"sha256": "another"}}
    assert list(features_of_corpora(tmp_path, own)) == []
