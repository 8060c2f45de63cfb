"""X-SAMPA: against the list that panphon ships, against samples by hand, and its case and longest match."""

import csv
import unicodedata
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.phones.deciding import decide
from phonxling.phones.maps import BUILT_IN, TABLE, xsampa_to_ipa
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

XSAMPA, IPA = BUILT_IN["xsampa"], BUILT_IN["ipa"]
# In panphon's list: no phones (syllable break), a slip ('=\), a retroflex affricate with an alveolar stop, and k_< as
# the letter that the IPA has withdrawn.
NOT_COMPARED = {".", "'=\\", "ts`", "tz`", "k_<"}
TONES = dict(zip("˥˦˧˨˩", "\u030b\u0301\u0304\u0300\u030f", strict=True))


def panphons_list() -> list[tuple[str, str]]:
    spec = find_spec("panphon")
    assert spec is not None
    assert spec.origin is not None
    with (Path(spec.origin).parent / "data" / "ipa-xsampa.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["X-SAMPA"], row["IPA"].strip("◌\b")) for row in csv.DictReader(file)]
    return [row for row in rows if row[0] not in NOT_COMPARED]


def test_panphons_list_has_the_same_ipa(table: FeatureTable) -> None:
    pairs = panphons_list()
    assert len(pairs) == 169
    for symbol, ipa in pairs:
        read = xsampa_to_ipa(symbol)
        assert read is not None, symbol
        wanted = TONES.get(ipa, ipa)
        if unicodedata.normalize("NFD", read) == unicodedata.normalize("NFD", wanted):
            continue
        # the same phone, spelt in another way: a tie bar that is left out, g for ɡ, ɚ for ə˞
        mine, theirs = decide(symbol, XSAMPA, table, SymbolRules()), decide(wanted, IPA, table, SymbolRules())
        assert mine is not None, symbol
        assert theirs is not None, symbol
        assert mine.phones == theirs.phones


@pytest.mark.parametrize(
    ("symbol", "ipa"),
    [
        ("@`", "ə˞"),
        ("b_<", "ɓ"),
        ("J\\_<", "ʄ"),
        ("d`_<", "ᶑ"),
        ("p_<", "ɓ\u0325"),
        ("t_>", "tʼ"),
        ("tS_>", "t͡ʃʼ"),
        ("t_S", "t͡ʃ"),
        ("k_p", "k͡p"),
        ("t_d", "t\u032a"),
        ("N_m", "ŋ\u033b"),
        ("n_=", "n\u0329"),
        ("n=", "n\u0329"),
        ("E~", "ɛ\u0303"),
        ("E_~", "ɛ\u0303"),
        ("a:", "aː"),
        ("a:\\", "aˑ"),
        ("t'", "tʲ"),
        ("t_j", "tʲ"),
        ("k_w_h", "kʷʰ"),
        ("l_G", "lˠ"),
        ("s_?\\", "sˤ"),
        ("b_t", "b\u0324"),
        ("b_k", "b\u0330"),
        ("d_0", "d\u0325"),
        ("a_X", "a\u0306"),
        ("t_}", "t\u031a"),
        ("t_l", "tˡ"),
        ("t_n", "tⁿ"),
        ("aI_^", "aɪ\u032f"),
        ("aI", "aɪ"),
        ("U\\", "ʊ\u0308"),
        ("r\\`", "ɻ"),
        ("r`", "ɽ"),
        ("|\\|\\", "ǁ"),
        ("!\\_h", "ǃʰ"),
        ('"a', "a"),
        ("%a", "a"),
    ],
)
def test_samples_by_hand(table: FeatureTable, symbol: str, ipa: str) -> None:
    found = decide(symbol, XSAMPA, table, SymbolRules())
    assert found is not None
    assert found.phones == (unicodedata.normalize("NFC", ipa),)
    assert found.tone == ""


@pytest.mark.parametrize(
    ("symbol", "phone", "tone"),
    [
        ("a_H", "a", "˥"),
        ("a~_T", "ã", "\u030b"),
        ("a_B_L", "a", "˩˧"),
        ("a_H_T", "a", "˧˥"),
        ("a_R_F", "a", "˩˥˩"),
        ("a_R", "a", "˩˥"),
        ("a_\\", "a", "˥˩"),
        ("a_5", "a", "⁵"),
        ("!a_H", "a", "ꜜ ˥"),
    ],
)
def test_tones_come_off(table: FeatureTable, symbol: str, phone: str, tone: str) -> None:
    found = decide(symbol, XSAMPA, table, SymbolRules())
    assert found is not None
    assert (found.phones, found.tone, found.action) == ((phone,), tone, "mapped")


def test_case_matters_and_what_is_no_xsampa_is_unknown(table: FeatureTable) -> None:
    phones, audit = normalise(transcript_of([["s", "S", "n", "N", "e", "E"]]), XSAMPA, table, SymbolRules())
    assert phones_by_utterance(phones) == [["s", "ʃ", "n", "ŋ", "e", "ɛ"]]
    assert [row.action for row in audit] == ["kept", "mapped"] * 3
    for symbol in ("ß", "<R>", "_", "SS", "-", ".", "#a"):
        assert decide(symbol, XSAMPA, table, SymbolRules()) is None
    with pytest.raises(DataError, match="2 of 2 symbols are not known to the symbol set 'xsampa'") as caught:
        normalise(transcript_of([["ß", "SS"]]), XSAMPA, table, SymbolRules())
    assert "SS  (U+0053 U+0053) once, first at gold.tsv:2; mapped to 'ʃʃ', which" in str(caught.value)


def test_every_symbol_of_the_table_is_ascii_and_has_a_meaning_of_its_own_or_a_known_double() -> None:
    assert all(symbol.isascii() for symbol in TABLE)
    doubles = {ipa for ipa in TABLE.values() if list(TABLE.values()).count(ipa) > 1}
    assert doubles == {"ʋ", "ʲ", "\u0329", "\u0303", "\u030c", "\u0302"}
