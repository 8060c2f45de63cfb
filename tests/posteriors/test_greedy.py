"""Greedy decoding against a slow reading of its definition."""

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import Posteriorgrams, RawPosteriors, Scale
from phonxling.core.sequences import PhoneSequences
from phonxling.phones.normalise import normalise_columns
from phonxling.phones.symbols import BUILT_IN, SymbolRules, SymbolSet

SHIFT, OFFSET = 0.02, 0.1
Said = list[tuple[str, float, float, float]]
MATRICES = st.lists(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any), max_size=9), min_size=1, max_size=3
)


def network(
    rows: Sequence[Sequence[float]],
    labels: str,
    table: FeatureTable,
    *,
    blank: str | None = None,
    scale: Scale = "probability",
    symbols: str | SymbolSet = "ipa",
    rules: SymbolRules | None = None,
    dtype: type[np.floating] = np.float64,
) -> Posteriorgrams:
    values = np.array(rows, dtype).reshape(len(rows), len(labels.split()))
    raw = RawPosteriors(source="p.npz", labels=tuple(labels.split()), utterances=("u",), read=lambda _: values)
    chosen = BUILT_IN[symbols] if isinstance(symbols, str) else symbols
    how = {"frame_shift": SHIFT, "frame_offset": OFFSET, "blank": blank, "scale": scale}
    return normalise_columns(raw, chosen, table, rules or SymbolRules(), **how)[0]  # type: ignore[arg-type]


def said(phones: PhoneSequences) -> Said:
    assert phones.start is not None
    assert phones.end is not None
    assert phones.confidence is not None
    columns = (phones.start.tolist(), phones.end.tolist(), phones.confidence.tolist())
    return list(zip(phones.phones_of(0), *columns, strict=True))


def rounded(rows: Said) -> Said:
    return [(name, *(round(number, 9) for number in numbers)) for name, *numbers in rows]  # type: ignore[misc]


def by_definition(rows: Sequence[Sequence[float]], labels: Sequence[str], silent: set[str]) -> Said:
    """The label of each frame, repeated ones once, silence and blank left out; read frame by frame."""
    best = [max(range(len(labels)), key=lambda column, row=row: (row[column], -column)) for row in rows]
    found: Said = []
    frame = 0
    for column, run in groupby(best):
        length = len(list(run))
        mean = math.fsum(rows[t][column] for t in range(frame, frame + length)) / length
        if labels[column] not in silent:
            found.append((labels[column], OFFSET + frame * SHIFT, OFFSET + (frame + length) * SHIFT, min(mean, 1.0)))
        frame += length
    return found


@pytest.mark.parametrize(("labels", "blank"), [("a sil b <blk>", "<blk>"), ("sil a b i", None)])
@given(counts=MATRICES)
def test_greedy_is_the_definition_where_every_run_counts(
    table: FeatureTable, counts: list[list[list[int]]], labels: str, blank: str | None
) -> None:
    for matrix in counts:
        rows = [[count / sum(row) for count in row] for row in matrix]
        found = px.decode(network(rows, labels, table, blank=blank), min_duration=0)
        assert rounded(said(found)) == rounded(by_definition(rows, labels.split(), {"sil", "<blk>"}))


def one_hot(path: str, labels: str) -> list[list[float]]:
    return [[float(label == frame) for label in labels.split()] for frame in path.split()]


def test_two_labels_of_one_phone_are_two_in_ctc_and_one_by_frames(table: FeatureTable) -> None:
    pair = SymbolSet("pair", {"a1": "a", "a2": "a", "b": "b", "_": ""})
    rows = [[0.3, 0.3, 0.4, 0.0], [0.6, 0.0, 0.4, 0.0], [0.0, 0.6, 0.4, 0.0], [0.0, 0.0, 0.0, 1.0]]
    assert px.decode(network(rows, "a1 a2 b _", table, blank="_", symbols=pair)).phones_of(0) == ["b", "a", "a"]
    found = px.decode(network(rows, "a1 a2 b _", table, symbols=pair), min_duration=0)
    assert rounded(said(found)) == [("a", 0.1, 0.16, 0.6)]


def test_short_runs_are_left_out_and_their_neighbours_joined(table: FeatureTable) -> None:
    path, labels = "a a a b a a sil b b i b b", "a b i sil"
    posteriors = network(one_hot(path, labels), labels, table)
    assert px.decode(posteriors, min_duration=0).phones_of(0) == ["a", "b", "a", "b", "i", "b"]
    found = px.decode(posteriors, min_duration=2 * SHIFT)
    assert rounded(said(found)) == [("a", 0.1, 0.22, 1.0), ("b", 0.24, 0.34, 1.0)]
    assert px.decode(posteriors, min_duration=1).phones_of(0) == []


def test_closures_join_their_releases_as_in_a_file_of_predictions(table: FeatureTable) -> None:
    labels = "dcl jh d ah h#"
    path = "h# h# dcl dcl jh jh ah ah dcl dcl d d ah ah dcl dcl h# h#"
    found = px.decode(network(one_hot(path, labels), labels, table, symbols="timit61"), min_duration=0)
    assert found.phones_of(0) == ["d͡ʒ", "ʌ", "d", "ʌ", "d"]


def test_tones_of_columns_stand_on_the_tier(table: FeatureTable) -> None:
    found = px.decode(network(one_hot("á á à à b b", "á à b"), "á à b", table), min_duration=0)
    assert found.phones_of(0) == ["a", "a", "b"]
    assert found.tones is not None
    assert found.tones.phones_of(0) == ["˥", "˩"]


def test_markers_are_no_phones_but_keep_phones_apart(table: FeatureTable) -> None:
    labels = "a <unk> | [PAD] </s>"
    found = px.decode(network(one_hot("a | a <unk> a [PAD] </s>", labels), labels, table, blank="[PAD]"))
    assert found.phones_of(0) == ["a", "a", "a"]


def test_a_blank_that_nobody_named_is_told(table: FeatureTable) -> None:
    told = "'u': 3 of 4 frames are column 2, which has the name of a CTC blank; name it"
    with pytest.raises(px.DataError, match=told):
        px.decode(network(one_hot("<pad> <pad> a <pad>", "a <pad>"), "a <pad>", table))
    assert px.decode(network(one_hot("a a", "a <pad>"), "a <pad>", table)).phones_of(0) == ["a"]


def test_a_duration_that_makes_no_sense_is_refused(table: FeatureTable) -> None:
    posteriors = network([[1.0, 0.0]], "a b", table)
    for wrong in (-1, math.nan):
        with pytest.raises(px.ConfigurationError, match="min_duration is at least 0 seconds, not"):
            px.decode(posteriors, min_duration=wrong)
