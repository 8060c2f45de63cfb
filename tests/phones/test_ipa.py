"""IPA: phones and their marks, places on the chart, natural classes."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_phones import audit_of, cases, fate, known, nfc, normalised, phones_of, tones_of
from support import more

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.core.spelling import DEFAULT_CLASSES, OTHER_CLASS
from phonxling.phones.chart import natural_classes
from phonxling.phones.symbols import SymbolSet

STOPS, NASALS, VOWELS = "pbtdʈɖcɟkɡqɢʔ", "mɱnɳɲŋɴ", "iyɨʉɯuɪʏʊeøɘɵɤoəɛœɜɞʌɔæɐaɶɑɒ"
FRICATIVES = "ɸβfvθðszʃʒʂʐçʝxɣχʁħʕhɦɕʑɧʜʢ"
LETTERS = STOPS + NASALS + FRICATIVES + VOWELS + "ʙrʀⱱɾɽɬɮlɭʎʟɺɫ" + "ʋɹɻjɰwɥʍ" + "ɓɗʄɠʛʡʘǀǃǂǁ"
BELOW = [0x325, 0x32C, 0x324, 0x330, 0x33C, 0x32A, 0x33A, 0x33B, 0x339, 0x31C, 0x31F, 0x320, 0x329, 0x32F]
BELOW += [0x31D, 0x31E, 0x318, 0x319]
MARKS = [*map(chr, [*BELOW, 0x303, 0x308, 0x33D, 0x31A, 0x306]), *"ʰʷʲˠˤⁿˡːˑʼ˞"]
AFFRICATES = [f"{stop}͡{fricative}" for stop in "ptdʈɖckɡq" for fricative in "fθðsʃʂʐɕçxχɬɮ"]

UNKNOWN = "ẹ  ṣ  tʰʃ  st  ps  å  a͡t  t͡  k͡p͡  ͡t  ʰ  ?  5  ◌́  '  ˈ'  aɪt  aeiou  R  th"
FOLDED = """
    g = ɡ  gː = ɡː  ʧ = t͡ʃ  ʤ = d͡ʒ  ʦ = t͡s  ʣ = d͡z  ʨ = t͡ɕ  ʥ = d͡ʑ  ʧʰ = t͡ʃʰ  a: = aː  kp͡ = k͡p
    gb͡ = ɡ͡b  k͜p = k͡p  kp = k͡p  ŋ̍ = ŋ̩  n̍ = n̩  ɚ = ə˞  ɝ = ɜ˞  dʒ = d͡ʒ  tʃː = t͡ʃː  t̪s̪ = t̪͡s̪
    ˈa = a  ˌa = a  'a = a  k' = kʼ  k’ = kʼ  t͡ʃ' = t͡ʃʼ
"""


@pytest.mark.parametrize(("raw", "phone"), cases(FOLDED))
def test_look_alikes_are_folded(raw: str, phone: str) -> None:
    assert audit_of(f"{raw} {raw}") == [f"{raw} > {nfc(phone)}: folded 2 table"]


def test_every_row_of_the_table_is_known_as_itself(table: FeatureTable) -> None:
    segments = [segment for segment in table.segments if not {*"˩˨˧˦˥"} & {*segment}]
    assert len(segments) == len(table.segments) - 10  # the tone letters, and tone letters with a pharyngeal sign
    for segment in segments:
        assert (known(segment).phones, known(segment).action) == ((nfc(segment),), "kept")


@pytest.mark.parametrize("raw", [*UNKNOWN.split("  "), " "])
def test_what_no_rule_knows_is_unknown(raw: str) -> None:
    assert fate(raw) is None


@pytest.mark.parametrize(("symbols", "mark"), cases('ipa = ˈ  ipa = ˌ  ipa = ˈˌ  xsampa = "  xsampa = %'))
def test_a_stress_mark_alone_is_dropped(symbols: str, mark: str) -> None:
    for unknown in ("error", "keep"):
        assert phones_of(f"a {mark} t / {mark}", symbols, unknown=unknown) == "a t / "
        assert f"{mark} > : dropped 2 none" in audit_of(f"a {mark} t / {mark}", symbols, unknown=unknown)


def test_no_phone_is_called_nothing() -> None:
    for symbols, rules in (("raw", {}), ("ipa", {"unknown": "keep"})):
        with pytest.raises(DataError, match=r"∅ \(U\+2205\) stands for 'no phone'"):
            normalised("a ∅", symbols, **rules)
    with pytest.raises(DataError, match=r"1 of 2 symbols is not known"):
        normalised("a ∅")


def test_raw_symbols_are_compared_as_they_stand_but_for_their_unicode_form() -> None:
    symbols = "sil G g é e\u0301 a5 tcl t"
    assert (phones_of(symbols, "raw"), tones_of(symbols, "raw")) == (nfc(symbols), "no tier")
    assert {row.split(": ")[1] for row in audit_of(symbols, "raw")} == {"kept 1 none"}


@pytest.mark.parametrize(
    ("raw", "phone", "tone"), cases("š = ʃ = .  ž = ʒ = .  č = t͡ʃ = .  s\u030c = ʃ = .  ǎ = a = ˩˥  ś = s = ˥")
)
def test_a_caron_that_makes_a_letter_is_no_tone_and_other_accents_are_not_lost(raw: str, phone: str, tone: str) -> None:
    assert (known(raw).phones, known(raw).tone or ".") == ((phone,), tone)
    assert known(raw, tone="attach").phones == (phone + tone.strip("."),)


def one(*spellings: str, **rules: str) -> bool:
    """Return whether spellings, in either Unicode form, are known and the same."""
    forms = {unicodedata.normalize(form, spelling) for spelling in spellings for form in ("NFC", "NFD")}
    fates = [known(form, **rules) for form in forms]
    return len({(found.phones, found.tone, found.features) for found in fates}) == 1


@pytest.mark.parametrize("mark", MARKS)
def test_a_letter_of_the_chart_with_a_mark_is_known_in_every_form(mark: str) -> None:
    assert len({*LETTERS}) == 108
    for letter in LETTERS:
        assert one(letter + mark)
        assert known(letter + mark).phones == (nfc(letter + mark),)
        assert known(letter + mark).features in {"table", "composed"}


def test_tie_bars_above_below_and_after_are_one() -> None:
    for affricate in AFFRICATES:
        stop, fricative = affricate.split("͡")
        spellings = [stop + tie + fricative for tie in "\u0361\u035c"]
        assert one(*spellings, stop + fricative + "\u0361")
        assert one(*(spelling + "ʰ" for spelling in spellings))


def test_prenasalised_phones_and_clicks_are_one_however_they_are_written() -> None:
    pairs = [("nd", "ⁿd"), ("mb", "ᵐb"), ("ŋɡ", "ᵑɡ"), ("nt͡s", "ⁿt͡s"), ("ɳʈ", "ᶯʈ")]
    pairs += [(first + click, small + click) for first, small in ("ŋᵑ", "ɡᶢ", "kᵏ") for click in "ʘǀǃǂǁ"]
    for plain, small in pairs:
        assert one(plain, f"{plain[0]}\u0361{plain[1:]}", f"{plain[0]}\u035c{plain[1:]}", small)


@pytest.mark.parametrize("tie", ["\u0361", "\u035c", ""])
def test_diphthongs_are_one_with_a_tie_bar_and_without(tie: str) -> None:
    for first in VOWELS:
        for second in "iuəɪʊ":
            assert known(first + tie + second).phones == (nfc(first + second),)


SPLIT = """
    aɪ = a ɪ  aɪ̯ = a ɪ  a͡ɪ = a ɪ  i̯a = i a  aʊə = a ʊ ə  ãɪ̃ = ã ɪ̃  aɪː = a ɪː  w͡a = w a  aⁱ = a i
    a = a  t͡s = t͡s  ⁿd = ⁿd
"""


@pytest.mark.parametrize(("symbol", "vowels"), cases(SPLIT))
def test_diphthongs_are_split_on_request(symbol: str, vowels: str) -> None:
    found = known(symbol, diphthongs="split")
    assert " ".join(found.phones) == vowels
    assert (found.action == "split") == (" " in vowels)


def test_times_and_audit_of_a_split_diphthong_and_one_of_a_users_map() -> None:
    times = {"times": [(0, 1), (1, 2), (2, 3)]}
    assert phones_of("ay t OW", "timit61") == "aɪ t oʊ"
    split = normalised("ay t OW", "timit61", given=times, diphthongs="split")[0]
    assert split.start.tolist() == [0, 0.5, 1, 2, 2.5]
    rows = ["ay > a ɪ: split 1 table", "t > t: kept 1 table", "OW > o ʊ: split 1 table"]
    assert audit_of("ay t OW", "timit61", diphthongs="split") == rows
    assert phones_of("AI", SymbolSet("mine.tsv", {"AI": "aɪ t"}), diphthongs="split") == "a ɪ t"


@pytest.mark.parametrize(("symbol", "attached"), cases("áɪ = a˥ ɪ  i\u032fá = i a˥  aɪ˥˩ = a˥˩ ɪ  w͡a5 = w a⁵"))
def test_tone_of_a_split_diphthong_stays_with_the_syllabic_vowel_or_on_its_tier(symbol: str, attached: str) -> None:
    assert " ".join(known(symbol, diphthongs="split", tone="attach").phones) == attached
    phones, audit = normalised(symbol, diphthongs="split")
    assert (len(phones.codes), len(phones.tones.codes), [row.count for row in audit]) == (2, 1, [1])


WORDS = """
    kpàtàkì = kp à t à k ì  k͡pàtàkì = k͡p à t à k ì  ẹ = ẹ  ɔ̃́ɡ͡ba = ɔ̃́ ɡ͡b a  tʃaɪ̯nɪz = tʃ aɪ̯ n ɪ z
    tʃaɪ = tʃ a ɪ  a͡ɪt = a͡ɪ t  ʧa: = ʧ a:  katsːu = k a tsː u  ˈtʰaˌlɛt̪ = ˈtʰ a ˌl ɛ t̪
    'tak'a = 't a k' a  kɛpt = k ɛ p t  abd = a b d  tʰʃa = tʰ ʃ a  maˈts = m a ˈts  atˈsa = a t ˈs a
    ⁿdaᵐba = ⁿd a ᵐb a  haʰt = h a ʰt  tⁿaʰ = tⁿ aʰ  ŋ͡maŋma = ŋ͡m a ŋ m a  ǃχoᶢǀa = ǃ χ o ᶢǀ a
    aᵑ̥ǃa = a ᵑ̥ǃ a  ta˥˩pa214 = t a˥˩ p a214  áꜜá = áꜜ á  ꜜka = ꜜk a  a.ta ka = a t a k a
    i̯aaɪ̯a = i̯a aɪ̯ a  a☃b = a ☃ b  paɪ̯ⁿda = p aɪ̯ ⁿd a  tsᵐba = ts ᵐb a  かで = か で
"""


@pytest.mark.parametrize(("word", "phones"), cases(WORDS))
def test_joined_words_are_cut_by_longest_match(word: str, phones: str) -> None:
    for form in ("NFC", "NFD"):
        assert px.symbols.segment_ipa(unicodedata.normalize(form, word)) == nfc(phones).split(" ")


def test_ties_may_be_required() -> None:
    assert px.symbols.segment_ipa("katʃk͡p", ties="required") == ["k", "a", "t", "ʃ", "k͡p"]


@more(6)
@given(word=st.text("aɪtʃkpnŋǃⁿᵐʰːˈ'˥5\u0301\u0303\u032f\u0361. ☃", max_size=9))
def test_nothing_of_a_word_is_lost_or_moved(word: str) -> None:
    found = px.symbols.segment_ipa(word)
    assert nfc("".join(found)) == nfc(word.replace(" ", "").replace(".", ""))
    assert all(found)


def test_words_of_a_file_become_phones_with_tones_and_times() -> None:
    given = {"times": [(0, 4), (4, 5), (0, 1)], "confidence": np.array([0.5, 1, 0.25])}
    phones, audit = normalised("kpàkì sil / kì", "ipa-joined", given=given)
    assert phones.start.tolist() == [0, 1, 2, 3, 0, 0.5]
    assert phones.confidence.tolist() == [0.5] * 4 + [0.25] * 2
    words = "kpàkì sil / kì", "ipa-joined"
    assert (phones_of(*words), tones_of(*words)) == ("k͡p a k i / k i", "˩ ˩ / ˩")
    assert [(row.symbol, row.action, row.count) for row in audit] == [
        ("k͡p", "folded", 1), ("a ˩", "split", 1), ("k", "kept", 2), ("i ˩", "split", 2), ("", "silence", 1),
    ]  # fmt: skip


APART = """
    t ʰ a ː n ã = tʰ aː n ã  k ʷ ɛ \u0303 p = kʷ ɛ̃ p  d͡ ʒ i = d͡ʒ i  d \u0361 ʒ i = d͡ʒ i  a ⁿ d = a ⁿd
    t ʰ ʷ a : = tʰʷ aː  a ʰ t a = a ʰt a  t ʼ = tʼ  kat ː a = k a tː a  t ʃ a = t ʃ a
"""


@pytest.mark.parametrize(("row", "phones"), cases(APART))
def test_marks_apart_from_their_letters_are_joined_with_them(row: str, phones: str) -> None:
    assert phones_of(f"{row} / {row}", "ipa-joined") == nfc(f"{phones} / {phones}")
    noted = [part for part in row.split() if part in {*"ʰːʷⁿʼ:\u0303\u0361", "d͡"}]
    assert bool(normalised(row, "ipa-joined")[0].notes) == bool(noted)


def test_a_phone_that_is_joined_lasts_from_its_first_token_to_its_last_and_has_their_least_confidence() -> None:
    given = {"times": [(0, 1), (1, 2), (2, 3), (3, 5), (5, 6)], "confidence": np.array([0.9, 0.8, 0.3, 0.7, 0.6])}
    phones = normalised("a t ʰ a / ː", "ipa-joined", given=given, unknown="drop")[0]
    assert phones.start.tolist() == [0, 1, 3]
    assert phones.end.tolist() == [1, 3, 5]
    assert phones.confidence.tolist() == [0.9, 0.3, 0.7]


@pytest.mark.parametrize("row", ["ʰ a", "sil ʰ a", "a | ː", "a / ː", "n d͡", "d͡ | ʒ"])
def test_a_mark_that_no_letter_bears_is_unknown(row: str) -> None:
    with pytest.raises(DataError, match="is not known to the symbol set 'ipa-joined'"):
        normalised(row, "ipa-joined")


def test_tone_letters_that_stand_alone_are_one_tone() -> None:
    assert (phones_of("m a n ˥ ˩ t a", "ipa-joined"), tones_of("m a n ˥ ˩ t a", "ipa-joined")) == ("m a n t a", "˥˩")
    assert phones_of("m a n ˥ ˩ t a", "ipa-joined", tone="attach") == "m a˥˩ n t a"
    assert (phones_of("m a ˧ ˨ ʔ", "ipa-joined"), tones_of("m a ˧ ˨ ʔ", "ipa-joined")) == ("m a", "˧˨ˀ")


BY_RULES = """
    length strip = aː iˑ n̩ː tʰː ã́ː = a i n̩ tʰ ã
    diacritics strip = tʰ t̪ː ã aɪ̯ n̩ t͡ʃʰ ɜ˞ ç ᵐb ã́ = t tː a aɪ̯ n̩ t͡ʃ ɜ˞ ç ᵐb a
    affricates split = t͡ʃ ts d͡ʒʷ t͡sʼ kp ŋm ⁿd͡ʒ tʃː a = t ʃ t s d ʒʷ t sʼ k͡p ŋ͡m ⁿd ʒ t ʃː a
    diphthongs split = aɪ̯ t͡ʃ a͡u = a ɪ t͡ʃ a u
"""


@pytest.mark.parametrize(("rule", "symbols", "phones"), cases(BY_RULES))
def test_rules_take_marks_off_and_split_phones(rule: str, symbols: str, phones: str) -> None:
    name, value = rule.split()
    assert phones_of(symbols, **{name: value}) == nfc(phones)
    assert phones_of(phones, **{name: value}) == nfc(phones)  # once is enough


def test_position_marks_and_case_are_taken_off_before_a_set_is_asked() -> None:
    assert phones_of("HH_B AH0_I TCL_I T_E AY_S", "arpabet", position_marks="strip") == "h ʌ t aɪ"
    assert phones_of("a_B b_I sil_S", "ipa", position_marks="strip") == "a b"
    assert phones_of("A_B _B b_X", "raw", position_marks="strip", case="fold") == "a _b b_x"
    assert phones_of("A b", case="fold") == "a b"
    assert audit_of("AH_B AH_E", "arpabet", position_marks="strip")[0] == "AH_B > ʌ: mapped 1 table"
    with pytest.raises(ConfigurationError, match="position_marks: there is no 'off'; there are: keep, strip"):
        phones_of("a", position_marks="off")


PANPHON = px.symbols.panphon_features()
CHART = {  # of letters alone see test_chart
    "vowels": "ĩ ɔ̃ aɪ ə˞",
    "syllabic consonants": "n̩ l̩ m̩ z̩",
    "stops": "k͡p ɡ͡b ɓ pʼ tʰ ⁿd ʔʷ",
    "affricates": "t͡s d͡z t͡ʃ d͡ʒ t͡ɬ k͡x ⁿt͡s p͡f",
    "fricatives": "ɕ ʑ hʷ",
    "nasals": "m̥ ŋ͡m",
    "laterals": "ɫ l̃",
    "approximants": "w ɥ ʍ w̃",
    OTHER_CLASS: "sil ˥",
}


@pytest.mark.parametrize("name", CHART)
def test_a_phone_is_in_the_class_where_the_chart_has_it(name: str) -> None:
    phones = CHART[name].split()
    found = natural_classes(phones, PANPHON)
    assert {phone: found.names[row] for phone, row in zip(phones, found.members.argmax(axis=0), strict=True)} == (
        dict.fromkeys(phones, name)
    )


def test_a_users_classes_stand_after_the_default_ones_and_may_overlap() -> None:
    own = {"nasal vowels": "+syl +nas", "nasal sounds": "+nas", "front vowels": "+syl -back -nas"}
    found = natural_classes(["i", "ĩ", "m", "t"], PANPHON, own)
    assert {*found.names[: found.default]} == {*DEFAULT_CLASSES, OTHER_CLASS}
    assert found.names[found.default :] == (*own,)
    assert found.members[found.default :].astype(int).tolist() == [[0, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]]


def test_a_feature_system_of_ones_own_has_ones_own_classes_alone() -> None:
    table = FeatureTable(
        name="own", digest="", features=("round",), segments=("u",), values=np.array([[1]], dtype=np.int8), weights={}
    )
    found = natural_classes(["u", "x"], table, {"rounded": "+round"})
    assert (found.names, found.default) == (("rounded",), 0)
    assert found.members.tolist() == [[True, False]]
    none = natural_classes(["u"], table)
    assert (none.names, none.differ, none.default_of("u")) == ((), False, OTHER_CLASS)
