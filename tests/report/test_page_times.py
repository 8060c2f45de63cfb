"""Times and confidences on the page: unpacked they are those of alignments.tsv, to a hundredth."""

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phonxling.report import corpus_part as times
from phonxling.report.corpus_part import packed_times
from phonxling.report.render import PagePairs, unpacked as raw

COLUMNS = ("gold_start", "gold_end", "predicted_start", "predicted_end", "confidence")
SPAN = st.tuples(st.floats(0, 5000), st.floats(0, 20)).map(lambda span: (span[0], span[0] + span[1]))
NONE = st.just((math.nan, math.nan))
ROW = st.builds(
    lambda gold, heard, score: (*gold, *heard, score), SPAN | NONE, SPAN | NONE, st.floats(0, 1) | st.just(math.nan)
)


def numbers_of(text: str, kind: str) -> list[int]:
    whole: list[int] = np.frombuffer(raw(text), kind).tolist()
    return whole


def spans(packed: dict[str, str], side: str, lengths: list[int]) -> list[tuple[float, float]]:
    """Return start and end of each pair, by what the module says of the packed arrays."""
    gaps, lasting = (iter(numbers_of(packed[f"{side}_{name}"], "<i4")) for name in ("gaps", "lengths"))
    result: list[tuple[float, float]] = []
    for length in lengths:
        end = 0
        for gap, time in zip((next(gaps) for _ in range(length)), (next(lasting) for _ in range(length)), strict=True):
            result.append((math.nan, math.nan) if time < 0 else ((end + gap) / 100, (end + gap + time) / 100))
            end += 0 if time < 0 else gap + time
    assert next(gaps, None) is next(lasting, None) is None
    return result


def packed_of(utterances: list[list[tuple[float, ...]]], chosen: list[int], columns: tuple[str, ...]) -> dict[str, str]:
    """Return what is packed of a written alignments.tsv of these rows, with some columns."""
    rows = [[("" if math.isnan(x) else repr(x)) for x in row] for rows in utterances for row in rows]
    kept = [COLUMNS.index(name) for name in columns if name in COLUMNS]
    more = ["forced"] * ("times" in columns)
    lines = ["\t".join(["u", '"', *(row[place] for place in kept), *more]) for row in rows]
    lengths = np.array([len(rows) for rows in utterances])
    codes = np.zeros(lengths.sum(), np.uint16)
    names = [str(number) for number in range(len(utterances))]
    pairs = PagePairs(utterances=names, speakers=names, lengths=lengths, gold=codes, predicted=codes)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "alignments.tsv"
        file.write_text("\n".join(["\t".join(["utterance", "gold", *columns]), *lines]) + "\n", encoding="utf-8")
        return packed_times(file, pairs, np.array(chosen))


@given(st.lists(st.lists(ROW, max_size=4), min_size=1, max_size=5), st.integers(1, 7), st.data())
def test_what_is_unpacked_is_what_the_table_says_of_the_chosen_utterances(
    utterances: list[list[tuple[float, ...]]], chunk: int, data: st.DataObject
) -> None:
    chosen = sorted(data.draw(st.sets(st.integers(0, len(utterances) - 1), min_size=1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(times, "_CHUNK", chunk)
        packed = packed_of(utterances, chosen, COLUMNS)
    rows, lengths = [row for place in chosen for row in utterances[place]], [len(utterances[place]) for place in chosen]
    for side, first in (("gold", 0), ("predicted", 2)):
        np.testing.assert_allclose(
            np.array(spans(packed, side, lengths)).reshape(-1, 2),
            np.array([row[first : first + 2] for row in rows]).reshape(-1, 2),
            atol=0.00501,
        )
    scores = [math.nan if one == 255 else one / 100 for one in numbers_of(packed["confidence"], "u1")]
    np.testing.assert_allclose(scores, [row[4] for row in rows], atol=0.00501)
    assert packed["times"] == ""


def test_a_corpus_has_what_its_table_has_columns_for() -> None:
    rows = [[(0.0, 0.1, 0.2, 0.3, 0.5)]]
    assert packed_of(rows, [0], ()) == {}
    assert set(packed_of(rows, [0], ("confidence",))) == {"times", "confidence"}
    found = packed_of(rows, [0], ("gold_start", "gold_end", "times"))
    assert set(found) == {"times", "gold_gaps", "gold_lengths"}
    assert found["times"] == "forced"
