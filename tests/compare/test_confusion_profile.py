"""A profile's numbers are those of the functions that compute each alone."""

import numpy as np
import pytest

import phonxling as px
from phonxling.analyses.features.errors import feature_errors
from phonxling.analyses.information.entropy import confusion_information
from phonxling.compare.profile import Profile

GOLD = ["p", "b", "t", "a", "e", "i", "u", "s", "ʃ", "n", "ʘ͡¤"]  # the last has no features
PREDICTED = ["p", "t", "d", "a", "i", "ɪ", "s", "n", "ŋ", "t͡ʃ"]


@pytest.fixture(scope="module")
def matrix() -> px.ConfusionMatrix:
    counts = np.random.default_rng(1).poisson(2.0, (len(GOLD) + 1, len(PREDICTED) + 1)).astype(float)
    counts[-1, -1] = 0
    counts[1] = 0  # b does not occur
    counts[2, :-1] = 0  # t is always deleted
    return px.ConfusionMatrix(GOLD, PREDICTED, counts)


def profile(matrix: px.ConfusionMatrix, *, gaps: bool = False) -> dict[tuple[str, str], float]:
    made = Profile(gold=matrix.gold, predicted=matrix.predicted, features=px.panphon_features(), gaps=gaps)
    return dict(zip(made.names, made.of(matrix.counts).tolist(), strict=True))


@pytest.mark.parametrize("gaps", ["exclude", "include"])
def test_entropies_and_information(matrix: px.ConfusionMatrix, gaps: str) -> None:
    found = profile(matrix, gaps=gaps == "include")
    options = {"estimator": "miller-madow", "gaps": gaps}
    assert found["conditional_entropy", ""] == pytest.approx(px.conditional_entropy(matrix, **options))
    assert found["mutual_information", ""] == pytest.approx(confusion_information(matrix, **options))
    by_phone = px.confusion_entropy(matrix, **options)
    assert [found["entropy", phone] for phone in GOLD] == pytest.approx(
        [by_phone[phone] for phone in GOLD], nan_ok=True
    )


def test_accuracy_counts_deletions_and_is_missing_without_tokens(matrix: px.ConfusionMatrix) -> None:
    found = profile(matrix)
    row, column = GOLD.index("s"), PREDICTED.index("s")
    assert found["accuracy", "s"] == matrix.counts[row, column] / matrix.counts[row].sum()
    assert found["accuracy", "t"] == 0
    assert np.isnan(found["accuracy", "b"])


def test_features(matrix: px.ConfusionMatrix) -> None:
    found, table = profile(matrix), px.panphon_features()
    errors = feature_errors(matrix, table)["changed"]
    known = px.ConfusionMatrix(GOLD[:-1], PREDICTED, matrix.substitutions[:-1])
    transfer = px.feature_transfer(known, table).set_index("feature")["relative"]
    for feature in table.features:
        assert found["changed", feature] == pytest.approx(errors[feature]), feature
        assert found["transfer", feature] == pytest.approx(transfer[feature], nan_ok=True, abs=1e-9), feature


def test_no_counts_leave_everything_missing(matrix: px.ConfusionMatrix) -> None:
    empty = px.ConfusionMatrix.zero(matrix.gold, matrix.predicted)
    assert np.isnan(list(profile(empty).values())).all()
