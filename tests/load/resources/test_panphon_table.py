"""The feature table against panphon's own CSV, read here by the csv module alone."""

import csv
import hashlib
import unicodedata
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from phonxling.load.resources import panphon_features

ORIGIN = find_spec("panphon")
assert ORIGIN is not None
assert ORIGIN.origin is not None
DATA = Path(ORIGIN.origin).parent / "data"
SIGNS = {"+": 1, "0": 0, "-": -1}


def rows() -> list[dict[str, str]]:
    with (DATA / "ipa_all.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_size_and_name() -> None:
    table = panphon_features()
    assert table.values.shape == (6367, 24) == (len(table.segments), len(table.features))
    assert table.name == "panphon 0.22.2"
    assert len({values.tobytes() for values in table.values}) == 3010
    content = (DATA / "ipa_all.csv").read_bytes() + (DATA / "feature_weights.csv").read_bytes()
    assert table.digest == hashlib.sha256(content).hexdigest()


def test_six_hundred_segments_have_the_vectors_of_the_file() -> None:
    table = panphon_features()
    chosen = np.random.default_rng(3).permutation(np.array(rows(), dtype=object))[:600]
    for row in chosen:
        segment = row.pop("ipa")
        for form in ("NFC", "NFD"):
            vector, origin = table.vector(unicodedata.normalize(form, segment))
            assert vector is not None
            assert origin == "table"
            assert dict(zip(table.features, vector.tolist(), strict=True)) == {n: SIGNS[v] for n, v in row.items()}


def test_no_two_segments_fall_together() -> None:
    table = panphon_features()
    vectors, known = table.vectors(table.segments)
    assert known.all()
    np.testing.assert_array_equal(vectors, table.values)


def test_weights_go_with_their_names() -> None:
    table = panphon_features()
    with (DATA / "feature_weights.csv").open(encoding="utf-8", newline="") as file:
        (weights,) = csv.DictReader(file)
    assert table.weights == {name: float(value) for name, value in weights.items()}
    assert set(table.features) - set(table.weights) == {"hitone", "hireg"}
