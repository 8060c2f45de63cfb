"""Columns of posteriors to phones: summed, left out, or refused."""

import numpy as np
import pytest

from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.normalise import normalise_columns
from phonxling.phones.rules import SymbolRules

TIMIT = BUILT_IN["timit61"]


def raw(labels: str, frames: list[list[float]], shift: float | None = 0.01) -> RawPosteriors:
    values = np.array(frames)
    return RawPosteriors(
        source="p.npz", labels=tuple(labels.split()), utterances=("u1",), read=lambda _: values, frame_shift=shift
    )


def test_columns_of_one_phone_are_summed_and_silence_left_out(table: FeatureTable) -> None:
    given = raw("t tcl h# b pau", [[0.5, 0.25, 0.125, 0.0, 0.125], [0, 0, 0, 1, 0]])
    found, audit = normalise_columns(given, TIMIT, table, SymbolRules())
    assert found.inventory.phones == ("b", "t")
    assert found.columns.tolist() == [1, 1, -1, 0, -1]
    assert found.frames("u1").tolist() == [[0.0, 0.75], [1.0, 0.0]]
    assert sum(row.count for row in audit) == 5
    assert [row.action for row in audit] == ["kept", "mapped", "silence", "kept", "silence"]
    assert (found.frame_shift, found.frame_offset, len(found)) == (0.01, 0.0, 1)


def test_silence_and_closures_by_rule(table: FeatureTable) -> None:
    given = raw("t tcl h# b pau", [[0.5, 0.25, 0.125, 0.0, 0.125]])
    found, _ = normalise_columns(given, TIMIT, table, SymbolRules(silence="keep", closures="alone"))
    assert found.inventory.phones == ("b", "sil", "t", "t\u031a")
    assert found.frames("u1").tolist() == [[0.0, 0.25, 0.5, 0.25]]


def test_the_blank_is_left_out(table: FeatureTable) -> None:
    found, _ = normalise_columns(raw("_ a", [[0.75, 0.25]]), BUILT_IN["ipa"], table, SymbolRules(), blank="_")
    assert found.frames("u1").tolist() == [[0.25]]
    with pytest.raises(DataError, match=r"p\.npz: blank '<b>' is none of its columns: _ a"):
        normalise_columns(raw("_ a", [[0.75, 0.25]]), BUILT_IN["ipa"], table, SymbolRules(), blank="<b>")


def test_tone_is_summed_over_on_a_tier_and_kept_when_attached(table: FeatureTable) -> None:
    given = raw("a˥ a˩ b", [[0.5, 0.25, 0.25]])
    assert normalise_columns(given, BUILT_IN["ipa"], table, SymbolRules())[0].frames("u1").tolist() == [[0.75, 0.25]]
    attached, _ = normalise_columns(given, BUILT_IN["ipa"], table, SymbolRules(tone="attach"))
    assert attached.inventory.phones == ("a˥", "a˩", "b")


def test_a_frame_shift_is_needed_and_the_one_given_counts(table: FeatureTable) -> None:
    with pytest.raises(DataError, match="the frame shift is not in the file; give frame_shift"):
        normalise_columns(raw("a", [[1]], None), BUILT_IN["ipa"], table, SymbolRules())
    found, _ = normalise_columns(
        raw("a", [[1]]), BUILT_IN["ipa"], table, SymbolRules(), frame_shift=0.02, frame_offset=0.005
    )
    np.testing.assert_allclose(found.centres(3), [0.015, 0.035, 0.055])


@pytest.mark.parametrize("shift", [0.0, -0.01, float("nan"), float("inf")])
def test_a_frame_shift_is_positive(table: FeatureTable, shift: float) -> None:
    with pytest.raises(DataError, match="the frame shift must be a positive number"):
        normalise_columns(raw("a", [[1]], shift), BUILT_IN["ipa"], table, SymbolRules())


def test_unknown_labels_are_all_listed_with_their_columns(table: FeatureTable) -> None:
    with pytest.raises(DataError) as caught:
        normalise_columns(raw("a ☃ b ☁", [[1, 0, 0, 0]]), BUILT_IN["ipa"], table, SymbolRules())
    lines = str(caught.value).split("\n")
    assert "☃" in lines[1]
    assert "first at p.npz: column 2" in lines[1]
    assert "first at p.npz: column 4" in lines[2]


def test_a_column_cannot_be_split(table: FeatureTable) -> None:
    symbols = SymbolSet("mine", {"X": "k s", "a": "a", "Y": "t s"})
    with pytest.raises(DataError, match="a column cannot stand for several phones: X Y; map each to one"):
        normalise_columns(raw("X a Y", [[0, 1, 0]]), symbols, table, SymbolRules())
