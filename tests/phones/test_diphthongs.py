"""Diphthongs: one phone by default, on request split into their vowels, whose times share the diphthong's."""

import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.corpus import AuditRow
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.phones.deciding import decide
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.normalise import normalise, normalise_columns
from phonxling.phones.rules import SymbolRules

IPA, SPLIT = BUILT_IN["ipa"], SymbolRules(diphthongs="split")


@pytest.mark.parametrize(
    ("symbol", "vowels"),
    [
        ("aɪ", "a ɪ"),
        ("aɪ\u032f", "a ɪ"),
        ("a͡ɪ", "a ɪ"),
        ("i\u032fa", "i a"),
        ("aʊə", "a ʊ ə"),
        ("ãɪ\u0303", "ã ɪ\u0303"),
        ("aɪː", "a ɪː"),
        ("w͡a", "w a"),
        ("aⁱ", "a i"),
        ("a", "a"),
        ("t͡s", "t͡s"),
        ("ⁿd", "ⁿd"),
    ],
)
def test_split(table: FeatureTable, symbol: str, vowels: str) -> None:
    found = decide(symbol, IPA, table, SPLIT)
    assert found is not None
    assert " ".join(found.phones) == vowels
    assert (found.action == "split") == (" " in vowels)


def test_kept_by_default_and_the_audit_of_a_split(table: FeatureTable) -> None:
    given = transcript_of([["ay", "t", "OW"]], [(0, 1), (1, 2), (2, 3)])
    kept, _ = normalise(given, BUILT_IN["timit61"], table, SymbolRules())
    assert phones_by_utterance(kept) == [["aɪ", "t", "oʊ"]]
    split, audit = normalise(given, BUILT_IN["timit61"], table, SPLIT)
    assert phones_by_utterance(split) == [["a", "ɪ", "t", "o", "ʊ"]]
    assert split.start is not None
    assert split.start.tolist() == [0, 0.5, 1, 2, 2.5]
    assert audit == (
        AuditRow("ay", "a ɪ", "split", 1, "table"),
        AuditRow("t", "t", "kept", 1, "table"),
        AuditRow("OW", "o ʊ", "split", 1, "table"),
    )


@pytest.mark.parametrize(
    ("symbol", "attached"), [("áɪ", "a˥ ɪ"), ("i\u032fá", "i a˥"), ("aɪ˥˩", "a˥˩ ɪ"), ("w͡a5", "w a⁵")]
)
def test_tone_stays_with_the_syllabic_vowel_or_on_its_tier(table: FeatureTable, symbol: str, attached: str) -> None:
    found = decide(symbol, IPA, table, SymbolRules(diphthongs="split", tone="attach"))
    assert found is not None
    assert " ".join(found.phones) == attached
    phones, audit = normalise(transcript_of([[symbol]]), IPA, table, SPLIT)
    assert len(phones.codes) == 2
    assert phones.tones is not None
    assert len(phones.tones.codes) == 1
    assert [row.count for row in audit] == [1]


def test_a_users_map_to_a_diphthong_is_split_too(table: FeatureTable) -> None:
    mine = SymbolSet("mine.tsv", {"AI": "aɪ t"})
    phones, _ = normalise(transcript_of([["AI"]]), mine, table, SPLIT)
    assert phones_by_utterance(phones) == [["a", "ɪ", "t"]]


def test_a_column_of_posteriors_cannot_be_split(table: FeatureTable) -> None:
    raw = RawPosteriors(source="p.npz", utterances=("u",), labels=("ay", "t"), read=lambda _: None, frame_shift=0.01)  # type: ignore[arg-type,return-value]
    with pytest.raises(
        DataError, match="cannot stand for several phones: ay; map each to one, or set diphthongs: keep"
    ):
        normalise_columns(raw, BUILT_IN["timit39"], table, SPLIT)
