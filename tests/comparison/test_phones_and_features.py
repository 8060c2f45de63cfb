"""What is compared by phone and by feature is what the functions for one matrix find."""

import numpy as np
import pytest

import phonxling as px
from phonxling.analyses.features import feature_errors
from phonxling.analyses.statistics import Counts, CountSettings
from phonxling.comparison.pairs import by_feature, by_phone

GOLD = ["p", "b", "t", "a", "e", "i", "u", "s", "ʃ", "n", "ʘ͡¤"]  # the last has no features
PREDICTED = ["p", "t", "d", "a", "i", "ɪ", "s", "n", "ŋ", "t͡ʃ"]


@pytest.fixture(scope="module")
def matrices() -> list[px.ConfusionMatrix]:
    counts = np.random.default_rng(1).poisson(2.0, (3, len(GOLD) + 1, len(PREDICTED) + 1)).astype(float)
    counts[:, -1, -1] = 0
    counts[:, 1] = 0  # b does not occur
    counts[:, 2, :-1] = 0  # t is always deleted
    counts[:, 3, 1:] = 0  # a is always heard as p
    return [px.ConfusionMatrix(GOLD, PREDICTED, one) for one in counts]


def counts_of(matrices: list[px.ConfusionMatrix], *, gaps: bool = False) -> Counts:
    counts = np.stack([matrix.counts.ravel() for matrix in matrices], axis=-1)[:, None]
    empty = px.ConfusionMatrix.zero(matrices[0].gold, matrices[0].predicted)
    return Counts(np.arange(len(counts)), counts, empty, CountSettings(np.zeros(1, np.int8), gaps=gaps), whole=True)


@pytest.mark.parametrize("gaps", ["exclude", "include"])
def test_entropies_of_phones(matrices: list[px.ConfusionMatrix], gaps: str) -> None:
    shown = by_phone(counts_of(matrices, gaps=gaps == "include"))["phone", "entropy"]
    for replicate, matrix in enumerate(matrices):
        wanted = px.confusion_entropy(matrix, estimator="miller-madow", gaps=gaps)
        assert shown[:, replicate].tolist() == pytest.approx([wanted[phone] for phone in GOLD], nan_ok=True)
    if gaps == "exclude":
        assert (shown[GOLD.index("a")] == 0).all()


def test_accuracy_counts_deletions_and_is_missing_without_tokens(matrices: list[px.ConfusionMatrix]) -> None:
    shown = by_phone(counts_of(matrices))["phone", "accuracy"]
    row, column = GOLD.index("s"), PREDICTED.index("s")
    for replicate, matrix in enumerate(matrices):
        assert shown[row, replicate] == matrix.counts[row, column] / matrix.counts[row].sum()
    assert (shown[GOLD.index("t")] == 0).all()
    assert np.isnan(shown[GOLD.index("b")]).all()


def test_features(matrices: list[px.ConfusionMatrix]) -> None:
    table = px.costs.panphon_features()
    shown = by_feature(counts_of(matrices), table)
    for replicate, matrix in enumerate(matrices):
        changed = feature_errors(matrix, table)["changed"]
        known = px.ConfusionMatrix(GOLD[:-1], PREDICTED, matrix.substitutions[:-1])
        transfer = px.feature_transfer(known, table).set_index("feature")["relative"]
        assert shown["feature", "changed"][:, replicate] == pytest.approx(changed[list(table.features)].to_numpy())
        assert shown["feature", "transfer"][:, replicate] == pytest.approx(
            transfer[list(table.features)].to_numpy(), nan_ok=True, abs=1e-9
        )


def test_no_counts_leave_everything_missing(matrices: list[px.ConfusionMatrix]) -> None:
    empty = counts_of([px.ConfusionMatrix.zero(matrices[0].gold, matrices[0].predicted)])
    for shown in (by_phone(empty) | by_feature(empty, px.costs.panphon_features())).values():
        assert np.isnan(shown).all()
