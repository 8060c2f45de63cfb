"""A user's map: one symbol to one phone, to several whose times are cut equally, or to none."""

from pathlib import Path

import numpy as np
from support import phones_by_utterance, transcript_of, write

from phonxling.core.corpus import AuditRow
from phonxling.core.features import FeatureTable
from phonxling.experiment.inventories import symbol_set
from phonxling.experiment.loading import load_segments
from phonxling.phones.maps import SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

MINE = SymbolSet("mine.tsv", {"A": "a", "X": "k s", "M": "a ʧ ŋ", "gone": "", "b": "b", "\u00e9": "e"})


def test_one_to_one_several_and_none(table: FeatureTable) -> None:
    rows = [["A", "X", "gone"], ["gone"], ["M", "b", "\u00e9", "e\u0301"]]
    phones, audit = normalise(transcript_of(rows), MINE, table, SymbolRules())
    assert phones_by_utterance(phones) == [["a", "k", "s"], [], ["a", "t͡ʃ", "ŋ", "b", "e", "e"]]
    assert audit == (
        AuditRow("A", "a", "mapped", 1, "table"),
        AuditRow("X", "k s", "split", 1, "table"),
        AuditRow("gone", "", "dropped", 2, "none"),
        AuditRow("M", "a t͡ʃ ŋ", "split", 1, "table"),
        AuditRow("b", "b", "kept", 1, "table"),
        AuditRow("\u00e9", "e", "mapped", 1, "table"),
        AuditRow("e\u0301", "e", "mapped", 1, "table"),
    )


def test_times_of_a_split_are_cut_equally(table: FeatureTable) -> None:
    given = transcript_of(
        [["A", "X"], ["gone", "M"]], [(0, 1), (1, 2), (0, 5), (5, 5.75)], confidence=np.array([0.1, 0.2, 0.3, 0.4])
    )
    phones, _ = normalise(given, MINE, table, SymbolRules())
    assert phones_by_utterance(phones) == [["a", "k", "s"], ["a", "t͡ʃ", "ŋ"]]
    assert phones.start is not None
    assert phones.end is not None
    assert phones.confidence is not None
    assert phones.start.tolist() == [0, 1, 1.5, 5, 5.25, 5.5]
    assert phones.end.tolist() == [1, 1.5, 2, 5.25, 5.5, 5.75]
    assert phones.confidence.tolist() == [0.1, 0.2, 0.2, 0.4, 0.4, 0.4]


def test_the_last_part_ends_where_its_interval_does(table: FeatureTable) -> None:
    phones, _ = normalise(transcript_of([["M"]], [(0.1, 0.8)]), MINE, table, SymbolRules())
    assert phones.end is not None
    assert phones.end[-1] == 0.8


def test_case_matters_in_a_users_map(table: FeatureTable) -> None:
    phones, _ = normalise(transcript_of([["a", "A"]]), MINE, table, SymbolRules(unknown="drop"))
    assert phones_by_utterance(phones) == [["a"]]


def test_from_files(tmp_path: Path) -> None:
    path = write(tmp_path / "map.tsv", "symbol\tipa\nX\tk s\n@\tə\n")
    assert symbol_set(str(path)).name == "map.tsv"
    gold = write(tmp_path / "gold.tsv", "utterance\tstart\tend\tphone\nu1\t0\t1\tX\nu1\t1\t1\t@\nu1\t1\t2\tpau\n")
    phones = load_segments(gold, str(path))
    assert phones_by_utterance(phones) == [["k", "s", "ə"]]
    assert phones.end is not None
    assert phones.end.tolist() == [0.5, 1.0, 1.0]
