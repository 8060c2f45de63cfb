"""Unknown symbols are all listed, dropped or kept; silence is dropped and counted, or kept as one phone."""

import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.corpus import AuditRow
from phonxling.core.errors import DataError
from phonxling.core.phonology.features import FeatureTable
from phonxling.phones.maps import BUILT_IN, SILENCE, SymbolSet
from phonxling.phones.normalise import MANY, normalise
from phonxling.phones.rules import SymbolRules

IPA = BUILT_IN["ipa"]


def refusal(rows: list[list[str]], symbols: SymbolSet, table: FeatureTable) -> list[str]:
    with pytest.raises(DataError) as caught:
        normalise(transcript_of(rows), symbols, table, SymbolRules())
    return str(caught.value).split("\n")


def test_all_unknown_symbols_are_listed_with_all_that_helps(table: FeatureTable) -> None:
    lines = refusal([["a", "ẹ"], ["tʰʃ", "ẹ", "b"], ["☃"]], IPA, table)
    assert lines[0] == "gold.tsv: 3 symbols not known to the feature table:"
    assert lines[1] == "  ẹ  (U+1EB9) 2 times, first at gold.tsv:2; nearest known: e"
    assert lines[2].startswith("  tʰʃ  (U+0074 U+02B0 U+0283) once, first at gold.tsv:3; nearest known: ")
    assert lines[3] == "  ☃  (U+2603) once, first at gold.tsv:4"
    assert len(lines) == 5
    assert "unknown: keep or drop" in lines[4]


def test_the_nearest_label_of_a_symbol_set(table: FeatureTable) -> None:
    lines = refusal([["aa", "SHH", "zhh"]], BUILT_IN["timit61"], table)
    assert lines[0] == "gold.tsv: 2 symbols not known to the symbol set 'timit61':"
    assert lines[1].endswith("; nearest known: sh")
    assert lines[2].endswith("; nearest known: zh")


def test_a_label_whose_ipa_nobody_knows_says_so(table: FeatureTable) -> None:
    lines = refusal([["NGM"]], SymbolSet("mine.tsv", {"NGM": "ŋ͡ṣ"}), table)
    assert lines[1].endswith("; mapped to 'ŋ͡ṣ', which the feature table does not know")


def test_thousands_of_unknown_symbols_are_listed_too(table: FeatureTable) -> None:
    words = [f"word{number}" for number in range(MANY + 1)]
    lines = refusal([words], IPA, table)
    assert len(lines) == MANY + 3
    assert "nearest" not in lines[1]


def test_unknown_symbols_are_dropped(table: FeatureTable) -> None:
    phones, audit = normalise(transcript_of([["a", "☃"], ["☃"]]), IPA, table, SymbolRules(unknown="drop"))
    assert phones_by_utterance(phones) == [["a"], []]
    assert audit == (AuditRow("a", "a", "kept", 1, "table"), AuditRow("☃", "", "unknown", 2, "none"))


def test_unknown_symbols_are_kept(table: FeatureTable) -> None:
    phones, audit = normalise(transcript_of([["a", "☃"], ["☃"]]), IPA, table, SymbolRules(unknown="keep"))
    assert phones_by_utterance(phones) == [["a", "☃"], ["☃"]]
    assert audit[1] == AuditRow("☃", "☃", "unknown", 2, "none")


def test_spellings_of_a_kept_unknown_symbol_fall_together(table: FeatureTable) -> None:
    spellings = ["ŋ͡ṣ", "ŋṣ\u0361", "ŋ\u035cṣ", "ˈŋ͡ṣ"]
    phones, _ = normalise(transcript_of([spellings]), IPA, table, SymbolRules(unknown="keep"))
    assert phones.inventory.phones == ("ŋ͡ṣ",)


def test_an_unknown_phone_is_the_same_from_ipa_and_from_a_map(table: FeatureTable) -> None:
    rules = SymbolRules(unknown="keep")
    mapped = SymbolSet("mine", {"NGM": "ŋ͡ṣ", "NGMA": "ŋ͡ṣ a"})
    phones, audit = normalise(transcript_of([["NGM", "NGMA", "ZZ"]]), mapped, table, rules)
    assert phones_by_utterance(phones) == [["ŋ͡ṣ", "ŋ͡ṣ", "a", "ZZ"]]
    assert [(row.symbol, row.action) for row in audit] == [("ŋ͡ṣ", "unknown"), ("ŋ͡ṣ a", "unknown"), ("ZZ", "unknown")]


@pytest.mark.parametrize("name", ["ipa", "ipa-joined", "xsampa", "timit61", "timit48", "timit39", "arpabet"])
@pytest.mark.parametrize("label", sorted(SILENCE))
def test_silence_is_dropped_and_counted_or_kept_as_one_phone(table: FeatureTable, name: str, label: str) -> None:
    symbols, rows = BUILT_IN[name], [[label, "b", label.upper()], [label]]
    phones, audit = normalise(transcript_of(rows), symbols, table, SymbolRules())
    assert phones_by_utterance(phones) == [["b"], []]
    assert sum(row.count for row in audit if row.action == "dropped") == 3
    phones, audit = normalise(transcript_of(rows), symbols, table, SymbolRules(silence="keep"))
    assert phones_by_utterance(phones) == [["sil", "b", "sil"], ["sil"]]
    assert sum(row.count for row in audit) == 4
    assert {row.features for row in audit if row.raw != "b"} == {"none"}


def test_all_silences_are_one_phone(table: FeatureTable) -> None:
    phones, audit = normalise(transcript_of([["h#", "pau", "sil", ""]]), IPA, table, SymbolRules(silence="keep"))
    assert phones.inventory.phones == ("sil",)
    assert [row.action for row in audit] == ["mapped", "mapped", "kept", "mapped"]


def test_a_map_decides_what_is_silence(table: FeatureTable) -> None:
    symbols = SymbolSet("mine", {"cl": "k", "breath": "sil", "gone": ""})
    phones, audit = normalise(
        transcript_of([["cl", "breath", "gone", "pau"]]), symbols, table, SymbolRules(silence="keep")
    )
    assert phones_by_utterance(phones) == [["k", "sil", "sil"]]
    assert [(row.raw, row.action) for row in audit][2] == ("gone", "dropped")
