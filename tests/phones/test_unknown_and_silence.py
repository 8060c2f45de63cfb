"""Unknown symbols are all listed, dropped or kept; silence is dropped and counted, or kept as one phone."""

import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.corpus import AuditRow
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.phones.maps import BUILT_IN, SILENCE, SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

IPA = BUILT_IN["ipa"]


def refusal(rows: list[list[str]], symbols: SymbolSet, table: FeatureTable) -> list[str]:
    with pytest.raises(DataError) as caught:
        normalise(transcript_of(rows), symbols, table, SymbolRules())
    return str(caught.value).split("\n")


def test_unknown_symbols_are_listed_with_all_that_helps(table: FeatureTable) -> None:
    lines = refusal([["a", "ẹ", "e", "s"], ["tʰʃ", "ẹ", "b"], ["☃"]], IPA, table)
    assert lines[0] == "gold.tsv: 3 of 7 symbols are not known to the symbol set 'ipa':"
    assert lines[1].startswith(
        "  ẹ  (U+1EB9) 2 times, first at gold.tsv:2; ◌̣ (U+0323, dot below) looks like the IPA's ◌̩"
    )
    assert lines[2] == "  tʰʃ  (U+0074 U+02B0 U+0283) once, first at gold.tsv:3; several phones? tʰ ʃ"
    assert lines[3] == "  ☃  (U+2603) once, first at gold.tsv:4"
    assert lines[4].startswith(
        "Give their IPA in a table of your own (symbol, tab, IPA), extra.tsv, and set symbols: [ipa"
    )
    assert "unknown: drop or keep" in lines[4]


@pytest.mark.parametrize(
    ("symbol", "what"),
    [
        ("\u0440", "\u0440 (U+0440, cyrillic small letter er) looks like the IPA's p (U+0070, latin small letter p)"),
        ("e\u0331", "◌\u0331 (U+0331, macron below) looks like the IPA's ◌\u0320 (U+0320, minus sign below)"),
        ("e\u0332", "e is known, with ◌\u0332 (U+0332, low line) it is not"),
        ("ʃt", "several phones? ʃ t"),
        ("XX", ""),
    ],
)
def test_what_an_unknown_symbol_may_be(symbol: str, what: str, table: FeatureTable) -> None:
    (line,) = refusal([["a", "b", "ʃ", symbol]], IPA, table)[1:-1]
    assert line.partition("; ")[2] == what


def test_the_set_that_knows_all_is_named(table: FeatureTable) -> None:
    lines = refusal([["HH", "AH0", "K", "T"]], IPA, table)
    assert lines == [
        "gold.tsv: 4 of 4 symbols are not known to the symbol set 'ipa': HH AH0 K T (first at gold.tsv:2)",
        "All 4 are arpabet: set symbols: arpabet.",
    ]
    assert refusal([["k", "a", "S", "t_h"]], IPA, table)[1] == "All 4 are xsampa: set symbols: xsampa."
    words = refusal([["kpàtàkì", "ɔkɔ̃"]], IPA, table)
    assert (
        words[1] == "They look like words of IPA without spaces, as in kpàtàkì → kp à t à k ì: set symbols: ipa-joined."
    )


def test_the_set_that_knows_most_is_named_with_what_it_lacks(table: FeatureTable) -> None:
    lines = refusal([["hh", "ah", "k", "ow", "ih", "oth"]], IPA, table)
    assert lines[1].startswith("5 of 6 are arpabet: set symbols: arpabet; for the others (oth), a table of your own")
    assert lines[1].endswith("symbols: [arpabet, extra.tsv].")


def test_no_label_is_proposed_for_one_that_is_near_it(table: FeatureTable) -> None:
    lines = refusal([["aa", "er", "sh", "err", "zhh"]], BUILT_IN["timit61"], table)
    assert lines[0] == "gold.tsv: 2 of 5 symbols are not known to the symbol set 'timit61':"
    assert lines[1:3] == [
        "  err  (U+0065 U+0072 U+0072) once, first at gold.tsv:2",
        "  zhh  (U+007A U+0068 U+0068) once, first at gold.tsv:2",
    ]


def test_a_label_whose_ipa_nobody_knows_says_so(table: FeatureTable) -> None:
    lines = refusal([["NGM"]], SymbolSet("mine.tsv", {"NGM": "ŋ͡ṣ"}), table)
    assert lines[1].endswith("; mapped to 'ŋ͡ṣ', which the feature table does not know")


def test_of_many_unknown_symbols_ten_have_lines_and_the_rest_are_counted(table: FeatureTable) -> None:
    lines = refusal([[f"№{number}" for number in range(1000)]], IPA, table)
    assert len(lines) == 13
    assert lines[11].startswith("  990 more: №10 №11 ")
    assert lines[11].endswith(" №69 …")


def test_a_table_of_ones_own_is_to_be_added_to(table: FeatureTable) -> None:
    mine = SymbolSet("mine.tsv", {"A": "a"})
    assert refusal([["A", "№"]], mine, table)[-1].startswith("Add them to mine.tsv (symbol, tab, IPA); or")
    over = BUILT_IN["ipa"].extended("ipa+mine.tsv", {"A": "a"})
    assert refusal([["A", "№"]], over, table)[-1].startswith("Add them to mine.tsv (symbol, tab, IPA); or")


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
    assert sum(row.count for row in audit if row.action == "silence") == 3
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
