"""Joined IPA is cut into phones by longest match; nothing of it is lost, and the audit counts its phones."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from support import phones_by_utterance, transcript_of

import phonxling as px
from phonxling.core.corpus import AuditRow
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.phones.maps import BUILT_IN
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

JOINED = BUILT_IN["ipa-joined"]


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("kpàtàkì", "kp à t à k ì"),
        ("k͡pàtàkì", "k͡p à t à k ì"),
        ("ẹ", "ẹ"),
        ("ɔ̃́ɡ͡ba", "ɔ̃́ ɡ͡b a"),
        ("tʃaɪ̯nɪz", "tʃ aɪ̯ n ɪ z"),
        ("tʃaɪ", "tʃ a ɪ"),
        ("a͡ɪt", "a͡ɪ t"),
        ("ʧa:", "ʧ a:"),
        ("katsːu", "k a tsː u"),
        ("ˈtʰaˌlɛt̪", "ˈtʰ a ˌl ɛ t̪"),
        ("'tak'a", "'t a k' a"),
        ("kɛpt", "k ɛ p t"),
        ("abd", "a b d"),
        ("tʰʃa", "tʰ ʃ a"),
        ("maˈts", "m a ˈts"),
        ("atˈsa", "a t ˈs a"),
        ("ⁿdaᵐba", "ⁿd a ᵐb a"),
        ("haʰt", "h a ʰt"),
        ("tⁿaʰ", "tⁿ aʰ"),
        ("ŋ͡maŋma", "ŋ͡m a ŋ m a"),
        ("ǃχoᶢǀa", "ǃ χ o ᶢǀ a"),
        ("aᵑ\u0325ǃa", "a ᵑ\u0325ǃ a"),
        ("ta˥˩pa214", "t a˥˩ p a214"),
        ("áꜜá", "áꜜ á"),
        ("ꜜka", "ꜜk a"),
        ("a.ta ka", "a t a k a"),
        ("i̯aaɪ̯a", "i̯a aɪ̯ a"),
        ("a☃b", "a ☃ b"),
        ("\u0303a", "\u0303 a"),
        ("", ""),
    ],
)
def test_words_by_hand(word: str, phones: str) -> None:
    for form in ("NFC", "NFD"):
        found = px.symbols.segment_ipa(unicodedata.normalize(form, word))
        assert found == unicodedata.normalize("NFC", phones).split(" ") if phones else found == []


def test_ties_may_be_required() -> None:
    assert px.symbols.segment_ipa("katʃkp", ties="required") == ["k", "a", "t", "ʃ", "k", "p"]
    assert px.symbols.segment_ipa("kat͡ʃ", ties="required") == ["k", "a", "t͡ʃ"]


@settings(max_examples=300)
@given(word=st.text("aɪtʃkpnŋǃⁿᵐʰːˈ'˥5\u0301\u0303\u032f\u0361. ☃", max_size=9))
def test_nothing_of_a_word_is_lost_or_moved(word: str) -> None:
    found = px.symbols.segment_ipa(word)
    assert unicodedata.normalize("NFC", "".join(found)) == unicodedata.normalize(
        "NFC", word.replace(" ", "").replace(".", "")
    )
    assert all(found)


def test_words_of_a_file_become_phones_with_tones_and_times(table: FeatureTable) -> None:
    given = transcript_of([["kpàkì", "sil"], ["kì"]], [(0, 4), (4, 5), (0, 1)], confidence=np.array([0.5, 1, 0.25]))
    phones, audit = normalise(given, JOINED, table, SymbolRules())
    assert phones_by_utterance(phones) == [["k͡p", "a", "k", "i"], ["k", "i"]]
    assert phones.tones is not None
    assert phones_by_utterance(phones.tones) == [["˩", "˩"], ["˩"]]
    assert phones.start is not None
    assert phones.confidence is not None
    assert phones.start.tolist() == [0, 1, 2, 3, 0, 0.5]
    assert phones.confidence.tolist() == [0.5] * 4 + [0.25] * 2
    assert audit == (
        AuditRow("kp", "k͡p", "folded", 1, "table"),
        AuditRow("à", "a ˩", "split", 1, "table"),
        AuditRow("k", "k", "kept", 2, "table"),
        AuditRow("ì", "i ˩", "split", 2, "table"),
        AuditRow("sil", "", "silence", 1, "none"),
    )
    assert sum(row.count for row in audit) == 7


def test_unknown_letters_of_words_are_named_with_their_place(table: FeatureTable) -> None:
    with pytest.raises(DataError) as caught:
        normalise(transcript_of([["ka"], ["kẹta", "ẹ☃"]]), JOINED, table, SymbolRules())
    lines = str(caught.value).split("\n")
    assert lines[0] == "gold.tsv: 2 of 5 symbols are not known to the symbol set 'ipa-joined':"
    assert lines[1].startswith("  ẹ  (U+1EB9) 2 times, first at gold.tsv:3")
