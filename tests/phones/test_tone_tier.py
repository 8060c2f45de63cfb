"""Tone as a tier, attached, or stripped: written as letters, accents or digits; counted, and never lost."""

import unicodedata
from typing import Literal

import numpy as np
import pytest
from support import phones_by_utterance, transcript_of

from phonxling.core.features import FeatureTable
from phonxling.core.sequences import PhoneSequences
from phonxling.phones.deciding import decide
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

IPA = BUILT_IN["ipa"]
Tone = Literal["tier", "attach", "strip"]


def nfc(*symbols: str) -> list[str]:
    return [unicodedata.normalize("NFC", symbol) for symbol in symbols]


def run(table: FeatureTable, rows: list[list[str]], tone: Tone) -> PhoneSequences:
    return normalise(transcript_of(rows), IPA, table, SymbolRules(tone=tone))[0]


ACCENTS = {
    "a\u0301": "˥",
    "a\u0300": "˩",
    "a\u0304": "˧",
    "a\u0302": "˥˩",
    "a\u030c": "˩˥",
    "a\u1dc4": "˧˥",
    "a\u1dc5": "˩˧",
    "a\u1dc6": "˧˩",
    "a\u1dc7": "˥˧",
    "a\u1dc8": "˩˥˩",
    "a\u1dc9": "˥˩˥",
    "a\u030b": "\u030b",
    "a\u030f": "\u030f",
}
MARKED = {**ACCENTS, "a˥˩": "˥˩", "a˧": "˧", "aꜜ": "ꜜ", "a5": "⁵", "a55": "˥˥", "a⁵¹": "˥˩"}


@pytest.mark.parametrize("raw", MARKED)
def test_every_way_to_write_tone(table: FeatureTable, raw: str) -> None:
    tier = run(table, [["b", raw, "a"], ["b"]], "tier")
    assert phones_by_utterance(tier) == [["b", "a", "a"], ["b"]]
    assert tier.tones is not None
    assert phones_by_utterance(tier.tones) == [[MARKED[raw]], []]
    assert phones_by_utterance(run(table, [["b", raw]], "attach")) == [["b", *nfc("a" + MARKED[raw])]]
    strip = run(table, [["b", raw]], "strip")
    assert phones_by_utterance(strip) == [["b", "a"]]
    assert strip.tones is None


def test_accented_vowels_are_not_the_plain_vowel(table: FeatureTable) -> None:
    attached = run(table, [nfc("á", "à", "a")], "attach")
    assert len(attached.inventory) == 3
    tier = run(table, [nfc("á", "à", "a")], "tier")
    assert tier.tones is not None
    assert phones_by_utterance(tier.tones) == [["˥", "˩"]]


def test_nasality_is_no_tone(table: FeatureTable) -> None:
    read = run(table, [nfc("ã")], "tier")
    assert phones_by_utterance(read) == [nfc("ã")]
    assert read.tones is None


@pytest.mark.parametrize("raw", ["a\u0303\u0301", "a\u0301\u0303", "\u00e3\u0301", "\u00e1\u0303"])
def test_a_nasal_vowel_with_tone_keeps_both(table: FeatureTable, raw: str) -> None:
    tier = run(table, [[raw]], "tier")
    assert phones_by_utterance(tier) == [["\u00e3"]]
    assert tier.tones is not None
    assert phones_by_utterance(tier.tones) == [["˥"]]
    assert phones_by_utterance(run(table, [[raw]], "attach")) == [["\u00e3˥"]]
    assert phones_by_utterance(run(table, [[raw]], "strip")) == [["\u00e3"]]


def test_a_fall_and_a_rise_of_two_accents_differ(table: FeatureTable) -> None:
    fall, rise = "a\u0301\u0300", "a\u0300\u0301"
    tier = run(table, [[fall, rise]], "tier")
    assert tier.tones is not None
    assert phones_by_utterance(tier.tones) == [["˥˩", "˩˥"]]
    assert len(run(table, [[fall, rise]], "attach").inventory) == 2


def test_a_tone_that_stands_alone(table: FeatureTable) -> None:
    phones, audit = normalise(transcript_of([["a", "˥", "b"]]), IPA, table, SymbolRules(tone="tier"))
    assert phones_by_utterance(phones) == [["a", "b"]]
    assert phones.tones is not None
    assert phones_by_utterance(phones.tones) == [["˥"]]
    assert [(row.raw, row.symbol, row.action) for row in audit][1] == ("˥", "˥", "split")
    _, stripped = normalise(transcript_of([["a", "˥"]]), IPA, table, SymbolRules(tone="strip"))
    assert [(row.raw, row.symbol, row.action) for row in stripped][1] == ("˥", "", "dropped")


def test_the_audit_shows_phone_and_tone(table: FeatureTable) -> None:
    _, audit = normalise(transcript_of([[*nfc("á", "a\u030b"), "a˥˩", "a"]]), IPA, table, SymbolRules())
    shown = [("a ˥", "split"), ("a ◌\u030b", "split"), ("a ˥˩", "split"), ("a", "kept")]
    assert [(row.symbol, row.action) for row in audit] == shown


def test_the_tier_has_the_times_of_its_phones(table: FeatureTable) -> None:
    given = transcript_of([["b", "a5"], ["a1"]], [(0, 1), (1, 3), (0.5, 0.75)], confidence=np.array([0.1, 0.2, 0.3]))
    tones = normalise(given, IPA, table, SymbolRules())[0].tones
    assert tones is not None
    assert tones.start is not None
    assert tones.end is not None
    assert tones.confidence is not None
    assert (tones.start.tolist(), tones.end.tolist()) == ([1.0, 0.5], [3.0, 0.75])
    assert tones.confidence.tolist() == [0.2, 0.3]
    assert tones.utterances == given.utterances


@pytest.mark.parametrize("tone", ["tier", "attach", "strip"])
def test_as_many_tones_come_out_as_went_in(table: FeatureTable, tone: Tone) -> None:
    generator = np.random.default_rng(7)
    marks = ["", *(raw[1:] for raw in MARKED)]
    rows = [
        [base + generator.choice(marks) for base in generator.choice(["a", "ɛ\u0303", "iː", "ŋ\u0329", "aɪ"], 9)]
        for _ in range(20)
    ]
    number = sum(raw not in {"a", "ɛ\u0303", "iː", "ŋ\u0329", "aɪ"} for row in rows for raw in row)
    read = run(table, rows, tone)
    assert len(read.codes) == 180
    found = {"tier": 0 if read.tones is None else len(read.tones.codes), "attach": 0, "strip": 0}[tone]
    held = sum(
        phone not in nfc("a", "ɛ\u0303", "iː", "ŋ\u0329", "aɪ") for row in phones_by_utterance(read) for phone in row
    )
    assert {"tier": found, "attach": held, "strip": number}[tone] == number
    assert held == (number if tone == "attach" else 0)


def test_unknown_segments_that_are_kept_give_their_tone_to_the_tier(table: FeatureTable) -> None:
    rules = SymbolRules(unknown="keep")
    phones, audit = normalise(transcript_of([["ẹ\u0301", "ẹ\u0300", "ẹ"]]), IPA, table, rules)
    assert phones_by_utterance(phones) == [["ẹ", "ẹ", "ẹ"]]
    assert phones.tones is not None
    assert phones_by_utterance(phones.tones) == [["˥", "˩"]]
    assert {row.action for row in audit} == {"unknown"}
    attached, _ = normalise(transcript_of([["ẹ\u0301", "ẹ"]]), IPA, table, SymbolRules(unknown="keep", tone="attach"))
    assert len(attached.inventory) == 2


def test_a_map_may_give_tones(table: FeatureTable) -> None:
    symbols = SymbolSet("mine", {"T5": "˥", "A4": "a˥˧", "N": "n i˩"})
    phones, audit = normalise(transcript_of([["A4", "T5", "N"]]), symbols, table, SymbolRules())
    assert phones_by_utterance(phones) == [["a", "n", "i"]]
    assert phones.tones is not None
    assert phones_by_utterance(phones.tones) == [["˥˧", "˥", "˩"]]
    assert [row.symbol for row in audit] == ["a ˥˧", "˥", "n i ˩"]


def test_parts_of_a_split_symbol_keep_their_own_tones(table: FeatureTable) -> None:
    symbols = SymbolSet("mine", {"X": "n\u0301 i\u0300"})
    phones, _ = normalise(transcript_of([["X"]]), symbols, table, SymbolRules())
    assert phones.tones is not None
    assert phones_by_utterance(phones.tones) == [["˥", "˩"]]  # not the fall ˥˩


@pytest.mark.parametrize("row", [["á", "ꜜk", "á"], ["áꜜ", "k", "á"], ["á", "ꜜ", "k", "á"], ["a", "˥", "ꜜ", "k", "a˥"]])
def test_a_downstep_is_a_tone_of_its_own_wherever_it_is_written(table: FeatureTable, row: list[str]) -> None:
    read = run(table, [row], "tier")
    assert phones_by_utterance(read) == [["a", "k", "a"]]
    assert read.tones is not None
    assert phones_by_utterance(read.tones) == [["˥", "ꜜ", "˥"]]


@pytest.mark.parametrize(
    ("row", "attached"),
    [
        (["b", "a", "˥˩", "b"], ["b", "a˥˩", "b"]),
        (["m", "a", "n", "⁵⁵", "t", "i", "˩"], ["m", "a˥˥", "n", "t", "i˩"]),
        (["m", "a˥", "ŋ\u0301", "˩"], ["m", "a˥", "ŋ˥˩"]),
        (["ŋ", "˥", "k", "a"], ["ŋ˥", "k", "a"]),
        (["˥", "a"], ["˥", "a"]),
        (["a˥", "ꜜ", "k", "a"], ["a˥ꜜ", "k", "a"]),
        (["aː\u0301", "a\u0301ː"], ["aː˥", "aː˥"]),
        (["aɪ", "˥"], ["aɪ˥"]),
    ],
)
def test_a_tone_that_stands_alone_is_attached_to_its_vowel(
    table: FeatureTable, row: list[str], attached: list[str]
) -> None:
    phones, audit = normalise(transcript_of([row, row]), IPA, table, SymbolRules(tone="attach"))
    assert phones_by_utterance(phones) == [attached, attached]
    assert sum(row.count for row in audit) == 2 * len(row)
    assert sum(row.count for row in audit if row.action == "merged") == 2 * (len(row) - len(attached))


def test_a_symbol_whose_phone_takes_on_a_tone_has_two_rows_in_the_audit(table: FeatureTable) -> None:
    _, audit = normalise(transcript_of([["a", "˥", "a"]]), IPA, table, SymbolRules(tone="attach"))
    found = {(row.raw, row.symbol, row.action, row.count) for row in audit}
    assert found == {("a", "a", "kept", 1), ("a", "a˥", "folded", 1), ("˥", "(its phone)", "merged", 1)}


def test_a_tone_is_not_attached_across_utterances(table: FeatureTable) -> None:
    read = run(table, [["a"], ["˥", "b"], [], ["a", "˩"]], "attach")
    assert phones_by_utterance(read) == [["a"], ["˥", "b"], [], ["a˩"]]


def test_the_tier_knows_after_how_many_phones_each_tone_stands(table: FeatureTable) -> None:
    read = run(table, [["b", "a"], ["˥", "b", "aꜜ˥", "b", "˩", "a"]], "tier")
    assert read.tones is not None
    assert read.tones.after is not None
    assert phones_by_utterance(read.tones)[1] == ["˥", "ꜜ", "˥", "˩"]
    assert read.tones.after.tolist() == [0, 2, 2, 3]
    assert read.select(np.array([1, 0])).tones.after.tolist() == [0, 2, 2, 3]  # type: ignore[union-attr]


def test_accents_read_in_five_levels_on_request(table: FeatureTable) -> None:
    row = nfc("a\u030b", "á", "ā", "à", "a\u030f")
    for tone, wanted in (("tier", ["˥", "˦", "˧", "˨", "˩"]), ("attach", ["a˥", "a˦", "a˧", "a˨", "a˩"])):
        read = normalise(transcript_of([row]), IPA, table, SymbolRules(tone=tone, tone_levels="five"))[0]  # type: ignore[arg-type]
        assert (read.tones or read).phones_of(0) == wanted


def test_attached_tone_has_features_by_rule(table: FeatureTable) -> None:
    fate = decide("a˥", IPA, table, SymbolRules(tone="attach"))
    assert fate is not None
    assert fate.features == "composed"
    plain, high = table.vector("a")[0], table.vector("a˥")[0]
    assert plain is not None
    assert high is not None
    assert {table.features[place] for place in np.flatnonzero(plain != high)} == {"hitone", "hireg"}
