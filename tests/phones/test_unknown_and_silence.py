"""Unknown symbols are all listed, dropped or kept; silence is dropped and counted, or kept as one phone."""

import pytest
from made_phones import audit_of, known, normalised, phones_of
from support import error_of

from phonxling.core.errors import DataError
from phonxling.load.resources import panphon_features
from phonxling.phones.normalise import make_transcript, normalise
from phonxling.phones.symbols import BUILT_IN, SILENCE, SymbolRules, SymbolSet


def refusal(utterances: str, symbols: str | SymbolSet = "ipa") -> list[str]:
    return error_of(DataError, normalised, utterances, symbols).split("\n")


def test_unknown_symbols_are_listed_with_all_that_helps() -> None:
    lines = refusal("a ẹ e s / tʰʃ ẹ b / ☃")
    assert lines[0] == "gold.tsv: 3 of 7 symbols are not known to the symbol set 'ipa':"
    assert lines[1].startswith(
        "  ẹ  (U+1EB9) 2 times, first at gold.tsv:2; ◌̣ (U+0323, dot below) looks like the IPA's ◌̩"
    )
    assert lines[2] == "  tʰʃ  (U+0074 U+02B0 U+0283) once, first at gold.tsv:3; several phones? tʰ ʃ"
    assert lines[3] == "  ☃  (U+2603) once, first at gold.tsv:4"
    assert "set symbols: [ipa, extra.tsv]" in lines[4]
    assert "symbols.unknown=drop" in lines[4]


@pytest.mark.parametrize(
    ("symbol", "what"),
    [
        ("\u0440", "\u0440 (U+0440, cyrillic small letter er) looks like the IPA's p (U+0070, latin small letter p)"),
        ("ʃt", "several phones? ʃ t"),
        ("XX", ""),
        ("{", "X-SAMPA's æ"),
        ("2", "a tone as a symbol of its own? A table says so: 2, tab, ²"),
        ("p\u200d", "p is known, with \\u200d (U+200D, zero width joiner) it is not"),
        ("\u200ep", "p is known, with \\u200e (U+200E, left-to-right mark) it is not"),
        ("É™", "ə in UTF-8 that was read as Windows-1252: save its source as UTF-8 anew"),
    ],
)
def test_what_an_unknown_symbol_may_be(symbol: str, what: str) -> None:
    (line,) = refusal(f"a b ʃ {symbol}")[1:-1]
    assert line.partition("; ")[2] == what


def test_the_set_that_knows_all_or_most_is_named() -> None:
    assert refusal("HH AH0 K T")[1] == "All 4 are arpabet: set symbols: arpabet."
    assert refusal("k a S t_h")[1] == "All 4 are xsampa: set symbols: xsampa."
    assert refusal("S a ʃ @", "xsampa")[1].partition("; ")[2] == "IPA already"
    assert refusal("hh ah k ow ih oth")[1].startswith(
        "5 of 6 are arpabet: set symbols: arpabet; for the others (oth), "
    )


def test_labels_that_hold_several_phones_are_named() -> None:
    text = "Labels hold several phones, with spaces between them (as in k a): "
    for label, how in (
        ("t o", "set symbols: ipa-joined, which separates them."),
        ("HH OW1", "write one phone into each"),
    ):
        given = make_transcript("gold", ["k a", label])
        said = error_of(DataError, normalise, given, BUILT_IN["ipa"], panphon_features(), SymbolRules())
        assert said.split("\n")[1].startswith(text + how)


def test_of_many_unknown_symbols_four_have_lines_and_the_rest_are_counted() -> None:
    lines = refusal(" ".join(f"№{number}" for number in range(1000)))
    assert len(lines) == 7
    assert lines[5].startswith("  996 more: №4 №5 ")
    assert lines[5].endswith(" №63 …")


def test_another_separator_than_spaces_is_named() -> None:
    for mark, joined in (("-", ""), (".", ", or set symbols: ipa-joined")):
        named = f"Phones are separated by {mark} (as in h{mark}ʌ{mark}m{mark}eː): write spaces in its place{joined}."
        assert refusal(f"h{mark}ʌ{mark}m{mark}eː / p{mark}a{mark}t{mark}a")[1:] == [named]
    assert phones_of("h.ʌ.m.eː", "ipa-joined") == "h ʌ m eː"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("t ʰ a ː ☃", "Marks stand apart from their letters: set symbols: ipa-joined, which joins them, but for ☃."),
        ("1 4 22 sil 17 9", "They look like the numbers of a symbol table (phones.txt), not like phones. Give a table"),
        (
            "ˈba.tu ki.la",
            "They look like words of IPA with . between syllables, as in ˈba.tu: set symbols: ipa-joined.",
        ),
        ("en:a en:k en:t en:o en:i <sil>", "Labels begin with en:, as in en:a: write them without it."),
        ("AA_eng K_eng T_eng AO_eng B_eng", "Labels end with _eng, as in AA_eng: write them without it, and set"),
        ("K Ə T A Ʃ ɹ", "They are in capitals: set case: fold (for score: --set symbols.case=fold)."),
        ("K I T A S", "They are in capitals"),
        ("aa_s2 aa_s3 k_s2", "They look like the states of a hidden Markov model, not like phones: write the file"),
        ("hello world this is a quick text", "They look like words in spelling, not like phones: turn them into"),
        (
            "kasa mano pelota",
            "They look like words of IPA without spaces, as in kasa → k a s a: set symbols: ipa-joined.",
        ),
    ],
)
def test_what_symbols_look_like(text: str, what: str) -> None:
    (line,) = refusal(text)[1:]
    assert line.startswith(what)


@pytest.mark.parametrize("text", ["ɯ̟ᵝ t a ɕ i ɨᵝ", "ɯᵝ t a ɕ i", "e̲ t a", "m a 1 tʰ a 2"])
def test_ipa_with_an_odd_mark_or_digits_is_no_other_set(text: str) -> None:
    lines = refusal(text)
    assert "is known, with " in lines[1] or "a tone as a symbol of its own?" in lines[1]
    assert "set symbols: [ipa, extra.tsv]" in lines[-1]


def test_a_table_of_ones_own_is_to_be_added_to() -> None:
    for mine in (SymbolSet("mine.tsv", {"A": "a"}), BUILT_IN["ipa"].extend("ipa+mine.tsv", {"A": "a"})):
        assert refusal("A №", mine)[-1].startswith("Add them to mine.tsv (symbol, tab, IPA); where")
    line = refusal("NGM", SymbolSet("mine.tsv", {"NGM": "ŋ͡ṣ"}))[1]
    assert line.endswith("; mapped to 'ŋ͡ṣ', which the feature table does not know")


def test_an_unknown_phone_is_the_same_in_each_spelling_and_from_a_map() -> None:
    assert phones_of("ŋ͡ṣ ŋṣ\u0361 ŋ\u035cṣ ˈŋ͡ṣ", unknown="keep") == "ŋ͡ṣ ŋ͡ṣ ŋ͡ṣ ŋ͡ṣ"
    mapped = SymbolSet("mine", {"NGM": "ŋ͡ṣ", "NGMA": "ŋ͡ṣ a"})
    assert phones_of("NGM NGMA ZZ", mapped, unknown="keep") == "ŋ͡ṣ ŋ͡ṣ a ZZ"
    rows = ["NGM > ŋ͡ṣ: unknown 1 none", "NGMA > ŋ͡ṣ a: unknown 1 none", "ZZ > ZZ: unknown 1 none"]
    assert audit_of("NGM NGMA ZZ", mapped, unknown="keep") == rows


@pytest.mark.parametrize("name", ["ipa", "ipa-joined", "xsampa", "timit61", "timit48", "timit39", "arpabet"])
def test_silence_is_dropped_and_counted_or_kept_as_one_phone(name: str) -> None:
    assert (known("", name).phones, known("", name, silence="keep").phones) == ((), ("sil",))
    for label in SILENCE - {""}:
        rows = f"{label} b {label.upper()} / {label}"
        phones, audit = normalised(rows, name)
        assert (phones.phones_of(0), len(phones.codes)) == (["b"], 1)
        assert sum(row.count for row in audit if row.action == "silence") == 3
        assert phones_of(rows, name, silence="keep") == "sil b sil / sil"
        kept = normalised(rows, name, silence="keep")[1]
        assert sum(row.count for row in kept) == 4
        assert {row.features for row in kept if row.raw != "b"} == {"none"}


def test_what_is_kept_as_silence_and_a_map_that_decides_it() -> None:
    assert phones_of("h# pau sil", silence="keep") == "sil sil sil"
    actions = [row.action for row in normalised("h# pau sil", silence="keep")[1]]
    assert actions == ["mapped", "mapped", "kept"]
    symbols = SymbolSet("mine", {"cl": "k", "breath": "sil", "gone": ""})
    assert phones_of("cl breath gone pau", symbols, silence="keep") == "k sil sil"
    assert audit_of("cl breath gone pau", symbols, silence="keep")[2] == "gone > : dropped 1 none"


@pytest.mark.parametrize("symbols", ["ipa", "arpabet", "xsampa", "espeak"])
def test_boundaries_and_specials_are_no_phones(symbols: str) -> None:
    marks = ["|", "||", "_|_", "_", ".", "▁", "<s>", "</s>", "<pad>", "[PAD]", "<unk>", "[UNK]", "<sos/eos>"]
    text = " ".join(f"k {mark}" for mark in marks)
    assert phones_of(text, symbols) == " ".join(["k"] * len(marks))
    rows = [f"{mark} > : boundary 1 none" for mark in marks]
    assert audit_of(text, symbols, silence="keep", unknown="keep")[1:] == rows


def test_a_table_or_raw_symbols_may_have_boundaries_as_phones() -> None:
    assert phones_of("a | b", SymbolSet("mine.tsv", {"|": "ǀ", "a": "a", "b": "b"})) == "a ǀ b"
    assert phones_of("a | b", BUILT_IN["ipa"].extend("ipa+mine.tsv", {"|": "ǀ"})) == "a ǀ b"
    assert phones_of("a | b", "raw") == "a | b"
    assert phones_of("ka|ta .", "ipa-joined") == "k a t a"
