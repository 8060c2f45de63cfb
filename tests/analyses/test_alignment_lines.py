"""The table of alignments: pair by pair what alignment, costs and the files' own times and confidences say."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from alignment_oracle import made_costs
from hypothesis import given, strategies as st
from made_alignments import alignments_of
from running import tables_of
from small_experiment import make_experiment

from phonxling.analyses import utterances as tables
from phonxling.analyses.utterances import alignment_lines
from phonxling.core.arrays import offsets_of
from phonxling.core.confusion import Alignments
from phonxling.core.inventory import GAP, Inventory

GOLD, HEARD = Inventory(("a", "t͡ʃ")), Inventory(("a", '"', "t͡ʃ"))
PAIRS = [(gold, heard) for gold in range(3) for heard in range(4) if (gold, heard) != (2, 3)]


COSTS = made_costs(np.random.default_rng(7).integers(0, 30, 11).tolist(), gold=GOLD, predicted=HEARD, denominator=7)


def aligned_of(rows: list[list[tuple[int, int]]]) -> Alignments:
    names = [[([*GOLD, GAP][gold], [*HEARD, GAP][heard]) for gold, heard in row] for row in rows]
    return alignments_of(names, GOLD.phones, HEARD.phones)


def expected(aligned: Alignments, speakers: list[str] | None) -> list[str]:
    lines = []
    for utterance, name in enumerate(aligned.utterances):
        speaker = speakers[utterance] if speakers else ""
        for position, (gold, heard) in enumerate(aligned.pairs_of(utterance), start=1):
            kind = "insertion" if gold == GAP else "deletion" if heard == GAP else "substitution"
            cost = COSTS.cost(*(None if phone == GAP else phone for phone in (gold, heard)))
            told = "correct" if gold == heard else kind
            lines.append(f"{name}\t{speaker}\t{position}\t{gold}\t{heard}\t{told}\t{float(cost)}")
    return lines


@given(st.lists(st.lists(st.sampled_from(PAIRS), max_size=5), max_size=9), st.data())
def test_each_line_is_a_pair_with_its_operation_and_cost(
    rows: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    aligned = aligned_of(rows)
    speakers = data.draw(st.none() | st.lists(st.sampled_from("sp"), min_size=len(rows), max_size=len(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_UTTERANCES", data.draw(st.integers(1, 4)))
        found = "".join(alignment_lines(aligned, COSTS, [], speakers).parts())
    assert found == "".join(f"{line}\n" for line in expected(aligned, speakers))


NUMBER = st.floats(0, 100) | st.just(math.nan)


@given(st.lists(st.lists(st.tuples(st.sampled_from(PAIRS), NUMBER, NUMBER), max_size=5), max_size=9), st.data())
def test_times_stand_beside_their_phones_and_change_nothing_before_them(
    rows: list[list[tuple[tuple[int, int], float, float]]], data: st.DataObject
) -> None:
    aligned = aligned_of([[pair for pair, _, _ in row] for row in rows])
    columns, cells = [], []
    for place, (side, gap) in enumerate((("gold", len(GOLD)), ("predicted", len(HEARD)))):
        of_phones = [[row[1 + place] for row in part if row[0][place] != gap] for part in rows]
        values = np.array([number for part in of_phones for number in part])
        columns.append((side, values, offsets_of([len(part) for part in of_phones])))
        cells.append([None if row[0][place] == gap else row[1 + place] for part in rows for row in part])
    columns.append(("predicted", None, np.zeros(len(rows) + 1, np.int64)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_UTTERANCES", data.draw(st.integers(1, 4)))
        found = "".join(alignment_lines(aligned, COSTS, columns).parts()).split("\n")
    for before, line, *wanted in zip(expected(aligned, None), found[:-1], *cells, strict=True):
        assert line.startswith(before)
        *_, first, second, none = line.split("\t")
        assert none == ""
        for text, number in zip((first, second), wanted, strict=True):
            assert not text if number is None or math.isnan(number) else abs(float(text) - number) <= 0.0000501


FEW = ("chance.models=[unigram]", "chance.replicates=1", "information.permutations=0")
PLAIN = ["utterance", "speaker", "position", "gold", "predicted", "operation", "cost"]
TIMES = {side: [f"{side}_start", f"{side}_end"] for side in ("gold", "predicted")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_experiment(tmp_path_factory.mktemp("timed"), utterances=6)


def aligned(configuration: Path, *settings: str) -> pd.DataFrame:
    return tables_of(configuration, *FEW, *settings)["yoruba/alignments"]


def phones_of(file: Path, columns: list[str]) -> list[tuple[object, ...]]:
    """Return the rows of a transcript without silence, as they stand in its file."""
    rows = pd.read_csv(file, sep="\t", keep_default_na=False)
    return list(rows[rows["phone"].str.lower() != "sil"][columns].itertuples(index=False, name=None))


def beside(rows: pd.DataFrame, side: str, columns: list[str]) -> list[tuple[object, ...]]:
    own = rows[rows[side] != "∅"]
    assert rows.loc[rows[side] == "∅", columns].isna().all(axis=None)
    return list(own[["utterance", *columns]].itertuples(index=False, name=None))


def test_each_phone_has_the_times_and_the_confidence_of_its_file(made: Path) -> None:
    rows = aligned(made)
    assert list(rows) == [*PLAIN, *TIMES["gold"], *TIMES["predicted"], "confidence"]
    names = ["utterance", "start", "end"]
    assert beside(rows, "gold", TIMES["gold"]) == phones_of(made.parent / "yoruba/gold.tsv", names)
    heard = phones_of(made.parent / "yoruba/predicted.tsv", [*names, "confidence"])
    assert beside(rows, "predicted", [*TIMES["predicted"], "confidence"]) == heard


def without_times(made: Path, side: str) -> str:
    rows = pd.read_csv(made.parent / "yoruba" / f"{side}.tsv", sep="\t", keep_default_na=False)
    path = made.parent / f"yoruba/{side}_without.tsv"
    joined = rows.groupby("utterance", sort=False)["phone"].agg(" ".join).rename("phones")
    joined.reset_index().to_csv(path, sep="\t", index=False)
    return f"corpora.yoruba.{side}.path={path}"


def test_times_of_segments_are_those_of_utterances_with_the_same_phones(made: Path) -> None:
    gold = made.parent / "yoruba/gold.tsv"
    rows = pd.read_csv(gold, sep="\t", keep_default_na=False)
    here = rows.index[(rows["utterance"] == "yoruba_02") & (rows["phone"] != "sil")]
    rows.loc[here[0], "phone"] = "s" if rows.loc[here[0], "phone"] != "s" else "b"
    segments = made.parent / "yoruba/segments.tsv"
    rows.to_csv(segments, sep="\t", index=False)
    found = aligned(made, without_times(made, "gold"), f"corpora.yoruba.segments.path={segments}")
    other = found["utterance"] == "yoruba_02"
    assert found.loc[other, TIMES["gold"]].isna().all(axis=None)
    wanted = [row for row in phones_of(gold, ["utterance", "start", "end"]) if row[0] != "yoruba_02"]
    assert beside(found[~other], "gold", TIMES["gold"]) == wanted
