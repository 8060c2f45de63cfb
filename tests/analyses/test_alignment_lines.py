"""alignments.tsv as a stream of lines: pair by pair what the alignment and the utterance's own costs say."""

import io
import math

import numpy as np
import pandas as pd
import pytest
from alignment_oracle import made_costs
from hypothesis import given, strategies as st
from made_alignments import alignments_of

from phonxling.analyses import utterances as tables
from phonxling.analyses.fitting import Fitted
from phonxling.analyses.utterances import alignment_lines
from phonxling.core.arrays import offsets_of
from phonxling.core.confusion import Alignments
from phonxling.core.inventory import GAP, Inventory
from phonxling.tables.files import table_bytes

GOLD, HEARD = Inventory(("a", "t͡ʃ")), Inventory(("a", '"', "t͡ʃ"))
PAIRS = [(gold, heard) for gold in range(3) for heard in range(4) if (gold, heard) != (2, 3)]


TABLES = tuple(
    made_costs(np.random.default_rng(n).integers(0, 30, 11).tolist(), gold=GOLD, predicted=HEARD, denominator=n)
    for n in (48, 7)
)


def aligned_of(rows: list[list[tuple[int, int]]]) -> Alignments:
    names = [[([*GOLD, GAP][gold], [*HEARD, GAP][heard]) for gold, heard in row] for row in rows]
    return alignments_of(names, GOLD.phones, HEARD.phones)


def expected(aligned: Alignments, half: list[int], speakers: list[str] | None) -> list[str]:
    lines = ["utterance\tposition\tgold\tpredicted\toperation\tcost\tright\tspeaker"]
    for utterance, name in enumerate(aligned.utterances):
        speaker = speakers[utterance] if speakers else ""
        for position, (gold, heard) in enumerate(aligned.pairs_of(utterance), start=1):
            kind = "insertion" if gold == GAP else "deletion" if heard == GAP else "substitution"
            cost = TABLES[half[utterance]].cost(*(None if phone == GAP else phone for phone in (gold, heard)))
            told = "correct" if gold == heard else kind
            right = "" if gold == GAP else int(gold == heard)
            lines.append(f"{name}\t{position}\t{gold}\t{heard}\t{told}\t{float(cost)}\t{right}\t{speaker}")
    return lines


@given(st.lists(st.tuples(st.lists(st.sampled_from(PAIRS), max_size=5), st.integers(0, 1)), max_size=9), st.data())
def test_each_line_is_a_pair_with_its_operation_and_cost(
    rows: list[tuple[list[tuple[int, int]], int]], data: st.DataObject
) -> None:
    aligned, half = aligned_of([pairs for pairs, _ in rows]), [side for _, side in rows]
    speakers = data.draw(st.none() | st.lists(st.sampled_from("sp"), min_size=len(rows), max_size=len(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_UTTERANCES", data.draw(st.integers(1, 4)))
        fitted = Fitted(tables=TABLES, half=np.array(half, dtype=np.int8))
        found = table_bytes(alignment_lines(aligned, fitted, speakers=speakers))
    assert found.decode() == "\n".join(expected(aligned, half, speakers)) + "\n"


NUMBER = st.floats(0, 100) | st.just(math.nan)


@given(st.lists(st.lists(st.tuples(st.sampled_from(PAIRS), NUMBER, NUMBER), max_size=5), max_size=9), st.data())
def test_times_stand_beside_their_phones_and_change_nothing_before_them(
    rows: list[list[tuple[tuple[int, int], float, float]]], data: st.DataObject
) -> None:
    aligned = aligned_of([[pair for pair, _, _ in row] for row in rows])
    fitted = Fitted(tables=TABLES[:1], half=np.zeros(len(rows), np.int8))
    columns, cells = [], []
    for place, (side, gap) in enumerate((("gold", len(GOLD)), ("predicted", len(HEARD)))):
        of_phones = [[row[1 + place] for row in part if row[0][place] != gap] for part in rows]
        values = np.array([number for part in of_phones for number in part])
        columns.append((f"{side}_end", side, values, offsets_of([len(part) for part in of_phones])))
        cells.append([None if row[0][place] == gap else row[1 + place] for part in rows for row in part])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_UTTERANCES", data.draw(st.integers(1, 4)))
        parts = [table_bytes(alignment_lines(aligned, fitted, columns, forced=forced)) for forced in (False, True)]
    plain, found, forced = (
        part.decode().split("\n") for part in (table_bytes(alignment_lines(aligned, fitted)), *parts)
    )
    assert [line.removesuffix("\tforced").removesuffix("\ttimes") for line in forced] == found
    assert found[0] == f"{plain[0].removesuffix('speaker')}gold_end\tpredicted_end\tspeaker"
    for before, line, *wanted in zip(plain[1:-1], found[1:-1], *cells, strict=True):
        assert line.startswith(before)
        for text, number in zip(line.split("\t")[-3:-1], wanted, strict=True):
            assert not text if number is None or math.isnan(number) else abs(float(text) - number) <= 0.0000501


def test_pandas_would_write_the_same() -> None:
    aligned = aligned_of([PAIRS, PAIRS[::-1]])
    found = table_bytes(alignment_lines(aligned, Fitted(tables=TABLES, half=np.array([0, 1], dtype=np.int8))))
    read = pd.read_csv(
        io.BytesIO(found), sep="\t", quoting=3, dtype={"right": "Int64"}, converters={"cost": float}
    )  # exact in every release
    assert table_bytes(read) == found
