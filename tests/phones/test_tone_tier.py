"""Tone as a tier, attached, or stripped: written as letters, accents or digits; counted, and never lost."""

import numpy as np
import pytest
from made_phones import audit_of, cases, nfc, normalised, phones_of, tones_of

from phonxling.phones.symbols import SymbolSet

MARKED = {
    "a\u0301": "˥", "a\u0300": "˩", "a\u0304": "˧", "a\u0302": "˥˩", "a\u030c": "˩˥", "a\u1dc4": "˧˥", "a\u1dc5": "˩˧",
    "a\u1dc6": "˧˩", "a\u1dc7": "˥˧", "a\u1dc8": "˩˥˩", "a\u1dc9": "˥˩˥", "a\u030b": "\u030b", "a\u030f": "\u030f",
    "a˥˩": "˥˩", "a˧": "˧", "aꜜ": "ꜜ", "a5": "⁵", "a55": "˥˥", "a⁵¹": "˥˩",
    "a\u0301\u0300": "˥˩", "a\u0300\u0301": "˩˥",
}  # fmt: skip


@pytest.mark.parametrize("raw", MARKED)
def test_every_way_to_write_tone(raw: str) -> None:
    assert (phones_of(f"b {raw} a / b"), tones_of(f"b {raw} a / b")) == ("b a a / b", f"{MARKED[raw]} / ")
    assert phones_of(f"b {raw}", tone="attach") == f"b {nfc('a' + MARKED[raw])}"
    assert (phones_of(f"b {raw}", tone="strip"), tones_of(f"b {raw}", tone="strip")) == ("b a", "no tier")


@pytest.mark.parametrize("raw", ["a\u0303\u0301", "a\u0301\u0303", "\u00e3\u0301", "\u00e1\u0303"])
def test_a_nasal_vowel_with_tone_keeps_both(raw: str) -> None:
    assert (phones_of(raw), tones_of(raw)) == ("\u00e3", "˥")
    assert (phones_of(raw, tone="attach"), phones_of(raw, tone="strip")) == ("\u00e3˥", "\u00e3")
    assert tones_of("\u00e3") == "no tier"  # nasality is no tone


def test_the_tier_has_the_times_of_its_phones() -> None:
    given = {"times": [(0, 1), (1, 3), (0.5, 0.75)], "confidence": np.array([0.1, 0.2, 0.3])}
    tones = normalised("b a5 / a1", given=given)[0].tones
    columns = [None if values is None else values.tolist() for values in (tones.start, tones.end, tones.confidence)]
    assert columns == [[1.0, 0.5], [3.0, 0.75], [0.2, 0.3]]
    assert tones.utterances == ("u0", "u1")


def test_unknown_segments_that_are_kept_give_their_tone_to_the_tier() -> None:
    rows = "ẹ\u0301 ẹ\u0300 ẹ"
    assert (phones_of(rows, unknown="keep"), tones_of(rows, unknown="keep")) == ("ẹ ẹ ẹ", "˥ ˩")
    assert all(": unknown" in row for row in audit_of(rows, unknown="keep"))
    assert phones_of(rows, unknown="keep", tone="attach") == "ẹ˥ ẹ˩ ẹ"


def test_a_map_may_give_tones_and_parts_keep_their_own() -> None:
    symbols = SymbolSet("mine", {"T5": "˥", "A4": "a˥˧", "N": "n i˩", "X": "n\u0301 i\u0300"})
    assert (phones_of("A4 T5 N X", symbols), tones_of("A4 T5 N X", symbols)) == ("a n i n i", "˥˧ ˥ ˩ ˥ ˩")
    assert [row.split(" > ")[1].split(":")[0] for row in audit_of("A4 T5 N", symbols)] == ["a ˥˧", "˥", "n i ˩"]


@pytest.mark.parametrize("row", ["á ꜜk á", "áꜜ k á", "á ꜜ k á", "a ˥ ꜜ k a˥"])
def test_a_downstep_is_a_tone_of_its_own_wherever_it_is_written(row: str) -> None:
    assert (phones_of(row), tones_of(row)) == ("a k a", "˥ ꜜ ˥")


ALONE = """
    b a ˥˩ b = b a˥˩ b  m a n ⁵⁵ t i ˩ = m a˥˥ n t i˩  m a˥ ŋ́ ˩ = m a˥ ŋ˥˩  ŋ ˥ k a = ŋ˥ k a
    ˥ b a = b a˥  ꜜ ˥ a˩ = aꜜ˥˩  ˥ b = b˥  a˥ ꜜ k a = a˥ꜜ k a  aː́ áː = aː˥ aː˥  aɪ ˥ = aɪ˥
"""


@pytest.mark.parametrize(("row", "attached"), cases(ALONE))
def test_a_tone_that_stands_alone_is_attached_to_its_vowel(row: str, attached: str) -> None:
    phones, audit = normalised(f"{row} / {row}", tone="attach")
    assert [" ".join(phones.phones_of(place)) for place in (0, 1)] == [attached, attached]
    lost = len(row.split()) - len(attached.split())
    assert sum(one.count for one in audit) == 2 * len(row.split())
    assert sum(one.count for one in audit if one.action in {"merged", "dropped"}) == 2 * lost


def test_a_tone_is_not_attached_across_utterances() -> None:
    assert phones_of("a / ˥ b /  / a ˩", tone="attach") == "a / b˥ /  / a˩"
    assert audit_of("˥ ˩ / a", tone="attach")[1:] == ["˩ > : dropped 1 none", "˥ > : dropped 1 none"]


def test_the_tier_knows_after_how_many_phones_each_tone_stands() -> None:
    read = normalised("b a / ˥ b aꜜ˥ b ˩ a")[0]
    assert tones_of("b a / ˥ b aꜜ˥ b ˩ a") == " / ˥ ꜜ ˥ ˩"
    assert read.tones.after.tolist() == [0, 2, 2, 3]
    assert read.select(np.array([1, 0])).tones.after.tolist() == [0, 2, 2, 3]  # type: ignore[union-attr]


def test_accents_read_in_five_levels_on_request() -> None:
    row = "a\u030b á ā à a\u030f"
    assert tones_of(row, tone_levels="five") == "˥ ˦ ˧ ˨ ˩"
    assert phones_of(row, tone="attach", tone_levels="five") == "a˥ a˦ a˧ a˨ a˩"


GLOTTAL = """
    t a ˧˨ʔ = t a = ˧˨ˀ  t a ˦ˀ˥ = t a = ˦ˀ˥  t a˦ʔ˥ = t a = ˦ˀ˥  a ³⁵ʔ = a = ˧˥ˀ  a˧˨ʔ = a = ˧˨ˀ  a²¹ˀ = a = ˨˩ˀ
    aː5ʔ = aː = ⁵ˀ  ʔ˧˨ = ʔ = ˧˨  aˀ˧˨ = aˀ = ˧˨  aˀ = aˀ = no tier  ʔ a˧ʔ = ʔ a = ˧ˀ
"""
JOINED = """
    ta˧˨ʔ = t a = ˧˨ˀ  taʔ˧˨ = t a ʔ = ˧˨  ta˦ˀ˥ma˧˨ʔ = t a m a = ˦ˀ˥ ˧˨ˀ  ta³⁵ʔpa = t a p a = ˧˥ˀ
    ta˧˨ʔa = t a ʔ a = ˧˨  ta˧ʔʷa = t a ʔʷ a = ˧
"""
BY_SET = {"ipa": cases(GLOTTAL), "ipa-joined": cases(JOINED)}
BY_SET["xsampa"] = cases("a_3_2? = a = ˧˨ˀ  ? a = ʔ a = no tier  a_3?_2 = a = ˧ˀ˨")
BY_SET["espeak"] = cases("a5ʔ = a = ⁵ˀ  oe6ˀ = œ = ⁶ˀ  ʔ a5 = ʔ a = ⁵")
SPELT = [(name, *case) for name, rows in BY_SET.items() for case in rows]


@pytest.mark.parametrize(("symbols", "row", "phones", "tone"), SPELT)
def test_a_glottal_stop_in_or_after_tone_letters_is_of_the_tone(symbols: str, row: str, phones: str, tone: str) -> None:
    assert (phones_of(row, symbols), tones_of(row, symbols)) == (phones, tone)
    assert (phones_of(row, symbols, tone="strip"), tones_of(row, symbols, tone="strip")) == (phones, "no tier")
    attached = phones_of(row, symbols, tone="attach")
    assert len(attached.split()) == len(phones.split())
    assert sorted(attached) == sorted(phones + tone.replace("no tier", "").replace(" ", ""))
