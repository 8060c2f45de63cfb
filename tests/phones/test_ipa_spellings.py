"""IPA: look-alikes are folded, Unicode forms fall together, and nothing is lost on the way."""

import unicodedata
from itertools import permutations

import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.corpus import AuditRow
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.phones.deciding import decide
from phonxling.phones.maps import BUILT_IN
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

IPA = BUILT_IN["ipa"]
TIE = "\u0361"


@pytest.mark.parametrize(
    ("raw", "phone"),
    [
        ("g", "ɡ"),
        ("gː", "ɡː"),
        ("ʧ", "t͡ʃ"),
        ("ʤ", "d͡ʒ"),
        ("ʦ", "t͡s"),
        ("ʣ", "d͡z"),
        ("ʨ", "t͡ɕ"),
        ("ʥ", "d͡ʑ"),
        ("ʧʰ", "t͡ʃʰ"),
        ("a:", "aː"),
        ("kp" + TIE, "k͡p"),
        ("gb" + TIE, "ɡ͡b"),
        ("k\u035cp", "k͡p"),
        ("kp", "k͡p"),
        ("ŋ\u030d", "ŋ\u0329"),
        ("n\u030d", "n\u0329"),
        ("ɚ", "ə˞"),
        ("ɝ", "ɜ˞"),
        ("dʒ", "d͡ʒ"),
        ("tʃː", "t͡ʃː"),
        ("t\u032as\u032a", "t̪͡s̪"),
        ("ˈa", "a"),
        ("ˌa", "a"),
        ("'a", "a"),
        ("k'", "kʼ"),
        ("k’", "kʼ"),
        ("t͡ʃ'", "t͡ʃʼ"),
    ],
)
def test_look_alikes_are_folded(table: FeatureTable, raw: str, phone: str) -> None:
    phones, audit = normalise(transcript_of([[raw, raw]]), IPA, table, SymbolRules())
    assert phones_by_utterance(phones) == [[unicodedata.normalize("NFC", phone)] * 2]
    assert audit == (AuditRow(raw, unicodedata.normalize("NFC", phone), "folded", 2, "table"),)


@pytest.mark.parametrize("phone", ["ɡ", "t͡ʃ", "k͡p", "kʼ", "tʰ", "aː", "ã", "ç", "ŋ̩", "ɫ", "r", "ɾ", "ɜ", "ə", "t̪͡s̪"])
def test_standard_phones_are_kept(table: FeatureTable, phone: str) -> None:
    composed = unicodedata.normalize("NFC", phone)
    assert normalise(transcript_of([[composed]]), IPA, table, SymbolRules())[1] == (
        AuditRow(composed, composed, "kept", 1, "table"),
    )
    assert (
        normalise(transcript_of([[unicodedata.normalize("NFD", phone)]]), IPA, table, SymbolRules())[1][0].action
        == "kept"
    )


def test_phones_with_equal_vectors_stay_different(table: FeatureTable) -> None:
    phones, _ = normalise(transcript_of([["r", "ɾ", "ɜ", "ə"]]), IPA, table, SymbolRules())
    assert phones.inventory.phones == ("r", "ə", "ɜ", "ɾ")


@pytest.mark.parametrize("tone", ["tier", "attach", "strip"])
@pytest.mark.parametrize("letters", ["e\u0330\u0303", "d\u032a\u0303", "e\u0303\u0301", "e\u0330\u0303\u0301"])
def test_unicode_form_and_order_of_marks_make_no_difference(table: FeatureTable, letters: str, tone: str) -> None:
    spellings = [letters[0] + "".join(order) for order in permutations(letters[1:])]
    forms = [unicodedata.normalize(form, spelling) for spelling in spellings for form in ("NFC", "NFD")]
    rules = SymbolRules(tone=tone)  # type: ignore[arg-type]
    fates = [decide(form, IPA, table, rules) for form in forms]
    assert None not in fates
    assert len({(fate.phones, fate.tone, fate.features) for fate in fates if fate is not None}) == 1


def test_every_row_of_the_table_is_known_as_itself(table: FeatureTable) -> None:
    letters = {"˩", "˨", "˧", "˦", "˥"}
    segments = [segment for segment in table.segments if not letters & set(segment)]
    assert len(segments) == len(table.segments) - 10  # the tone letters, and tone letters with a pharyngeal sign
    for segment in segments:
        fate = decide(segment, IPA, table, SymbolRules())
        assert fate is not None
        assert (fate.phones, fate.action) == ((unicodedata.normalize("NFC", segment),), "kept")


def test_diphthongs_are_composed_and_the_audit_says_so(table: FeatureTable) -> None:
    symbols = ["aɪ", "aʊ̯", "i̯a", "ai̯", "aʊə", "a"]
    phones, audit = normalise(transcript_of([symbols]), IPA, table, SymbolRules())
    assert phones_by_utterance(phones) == [symbols]
    assert [row.features for row in audit] == ["composed"] * 5 + ["table"]


@pytest.mark.parametrize(
    "raw", ["ẹ", "ṣ", "tʰʃ", "st", "ps", "å", "a͡t", "t͡", "͡t", "ʰ", "?", "5", "◌́", " ", "'", "ˈ'", "aɪt", "aeiou", "R"]
)
def test_what_no_rule_knows_is_unknown(table: FeatureTable, raw: str) -> None:
    assert decide(raw, IPA, table, SymbolRules()) is None


@pytest.mark.parametrize(
    ("symbols", "mark"), [("ipa", "ˈ"), ("ipa", "ˌ"), ("ipa", "ˈˌ"), ("xsampa", '"'), ("xsampa", "%")]
)
def test_a_stress_mark_alone_is_dropped(table: FeatureTable, symbols: str, mark: str) -> None:
    for unknown in ("error", "keep"):
        given = transcript_of([["a", mark, "t"], [mark]])
        phones, audit = normalise(given, BUILT_IN[symbols], table, SymbolRules(unknown=unknown))
        assert phones_by_utterance(phones) == [["a", "t"], []]
        assert AuditRow(mark, "", "dropped", 2, "none") in audit


def test_no_phone_is_called_nothing(table: FeatureTable) -> None:
    for symbols, rules in ((BUILT_IN["raw"], SymbolRules()), (IPA, SymbolRules(unknown="keep"))):
        with pytest.raises(DataError, match=r"∅ \(U\+2205\) stands for 'no phone'"):
            normalise(transcript_of([["a", "∅"]]), symbols, table, rules)
    with pytest.raises(DataError, match=r"1 of 2 symbols is not known"):
        normalise(transcript_of([["a", "∅"]]), IPA, table, SymbolRules())


def test_raw_symbols_are_compared_as_they_stand_but_for_their_unicode_form(table: FeatureTable) -> None:
    symbols = ["sil", "G", "g", "é", "e\u0301", "a5", "tcl", "t"]
    phones, audit = normalise(transcript_of([symbols]), BUILT_IN["raw"], table, SymbolRules())
    assert phones_by_utterance(phones) == [["é" if symbol == "e\u0301" else symbol for symbol in symbols]]
    assert phones.tones is None
    assert {(row.action, row.features) for row in audit} == {("kept", "none")}


@pytest.mark.parametrize(
    ("raw", "phone", "tone"),
    [("š", "ʃ", ""), ("ž", "ʒ", ""), ("č", "t͡ʃ", ""), ("s\u030c", "ʃ", ""), ("ǎ", "a", "˩˥"), ("ś", "s", "˥")],
)
def test_a_caron_that_makes_a_letter_is_no_tone_and_other_accents_are_not_lost(
    table: FeatureTable, raw: str, phone: str, tone: str
) -> None:
    fate = decide(raw, IPA, table, SymbolRules())
    assert fate is not None
    assert (fate.phones, fate.tone) == ((phone,), tone)
    assert decide(raw, IPA, table, SymbolRules(tone="attach")).phones == (phone + tone,)  # type: ignore[union-attr]
