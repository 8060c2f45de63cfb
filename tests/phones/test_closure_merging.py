"""TIMIT's closures: one phone with their release, a stop when they stand alone, never across utterances."""

import numpy as np
import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.corpus import AuditRow
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import PhoneSequences
from phonxling.phones.maps import BUILT_IN
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

MERGE, ALONE = SymbolRules(), SymbolRules(closures="alone")
UNRELEASED = "\u031a"


def times(phones: PhoneSequences) -> list[tuple[float, float]]:
    assert phones.start is not None
    assert phones.end is not None
    return list(zip(phones.start.tolist(), phones.end.tolist(), strict=True))


@pytest.mark.parametrize("name", ["timit61", "arpabet"])
@pytest.mark.parametrize(
    ("labels", "phones"),
    [
        ("tcl t", "t"),
        ("TCL t", "t"),
        ("tcl ch", "t͡ʃ"),
        ("dcl d", "d"),
        ("dcl jh", "d͡ʒ"),
        ("bcl b", "b"),
        ("gcl g", "ɡ"),
        ("pcl p", "p"),
        ("kcl k", "k"),
        ("bcl", "b"),
        ("tcl", "t"),
        ("tcl s", "t s"),
        ("tcl d", "t d"),
        ("tcl tcl t", "t t"),
        ("t tcl", "t t"),
        ("tcl pau t", "t t"),
        ("gcl d gcl g", "ɡ d ɡ"),
    ],
)
def test_a_closure_joins_its_release_alone(table: FeatureTable, name: str, labels: str, phones: str) -> None:
    read, audit = normalise(transcript_of([labels.split()]), BUILT_IN[name], table, MERGE)
    assert phones_by_utterance(read) == [phones.split()]
    assert sum(row.count for row in audit) == len(labels.split())


def test_the_phone_lasts_from_the_closures_start_to_the_releases_end(table: FeatureTable) -> None:
    given = transcript_of([["aa", "tcl", "t", "s"], ["tcl", "ch"]], [(0, 1), (1, 3), (3, 4), (4, 5), (0, 2), (2, 6)])
    read, _ = normalise(given, BUILT_IN["timit61"], table, MERGE)
    assert phones_by_utterance(read) == [["ɑ", "t", "s"], ["t͡ʃ"]]
    assert times(read) == [(0, 1), (1, 4), (4, 5), (0, 6)]
    alone, _ = normalise(given, BUILT_IN["timit61"], table, ALONE)
    assert phones_by_utterance(alone) == [["ɑ", "t" + UNRELEASED, "t", "s"], ["t" + UNRELEASED, "t͡ʃ"]]
    assert times(alone) == times(normalise(given, BUILT_IN["raw"], table, MERGE)[0])


def test_utterances_end_and_begin_without_touching(table: FeatureTable) -> None:
    given = transcript_of([["aa", "tcl"], ["t"], [], ["tcl"], [], ["t", "tcl"]], [(n, n + 1) for n in range(6)])
    read, audit = normalise(given, BUILT_IN["timit61"], table, MERGE)
    assert phones_by_utterance(read) == [["ɑ", "t"], ["t"], [], ["t"], [], ["t", "t"]]
    assert times(read) == [(n, n + 1) for n in range(6)]
    assert "merged" not in {row.action for row in audit}


def test_the_audit_counts_merged_and_lone_closures_apart(table: FeatureTable) -> None:
    _, audit = normalise(transcript_of([["tcl", "t", "tcl", "s", "tcl", "t"]]), BUILT_IN["timit61"], table, MERGE)
    assert audit == (
        AuditRow("tcl", "t", "mapped", 1, "table"),
        AuditRow("tcl", "(its release)", "merged", 2, "none"),
        AuditRow("t", "t", "kept", 2, "table"),
        AuditRow("s", "s", "kept", 1, "table"),
    )


def test_a_closure_that_stands_alone_has_its_stops_features(table: FeatureTable) -> None:
    _, audit = normalise(transcript_of([["tcl", "t"]]), BUILT_IN["timit61"], table, ALONE)
    assert audit[0] == AuditRow("tcl", "t" + UNRELEASED, "mapped", 1, "composed")
    np.testing.assert_array_equal(table.vector("t" + UNRELEASED)[0], table.vector("t")[0])


def test_merging_is_for_sets_that_have_closures(table: FeatureTable) -> None:
    read, _ = normalise(transcript_of([["cl", "t", "vcl", "d"]]), BUILT_IN["timit48"], table, MERGE)
    assert phones_by_utterance(read) == [["t", "d"]]
