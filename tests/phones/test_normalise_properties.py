"""What holds for any symbols and rules: the audit adds up, and normalised phones stay as they are."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import assume, example, given, strategies as st
from support import more, phones_by_utterance, transcript_of

from phonxling.core.features import FeatureTable
from phonxling.core.sequences import Transcript
from phonxling.phones.ipa import segment_words
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import BUILT_IN, SILENCE, SymbolRules, SymbolSet

SETS = [*BUILT_IN.values(), SymbolSet("mine", {"a": "a ɪ", "b": "", "t": "☃", "h#": "sil", "tcl": "˥"})]
GIVEN = ["a", "b", "t", "tcl", "ch", "h#", "q", "g", "sil", "", "a5", "ã́", "˥", "aɪ", "AH0", "kp͡", "☃", "ẹ́", "ˈ", "ꜛ"]
GIVEN += ["ꜜk", "a˥ꜜ", "⁵¹", "ŋ̀", "a\u1dc8", "a\u030b"]
LETTERS = "aeɪgktpʃ˥˩5ːʰˈ'\u0301\u0300\u0303\u0323\u0329\u031a\u0361\u035c\u032f˞"
SYMBOLS = (
    st.sampled_from(GIVEN)
    | st.text(LETTERS, max_size=5)
    | st.text(st.characters(categories=["L", "M"]), min_size=1, max_size=3)
)
ROWS = st.lists(st.lists(SYMBOLS, max_size=8), min_size=1, max_size=5)
RULES = st.builds(
    SymbolRules,
    unknown=st.sampled_from(["drop", "keep"]),
    tone=st.sampled_from(["tier", "attach", "strip"]),
    silence=st.sampled_from(["drop", "keep"]),
    closures=st.sampled_from(["merge", "alone"]),
    tone_levels=st.sampled_from(["three", "five"]),
    diphthongs=st.sampled_from(["keep", "split"]),
    affricates=st.sampled_from(["keep", "split"]),
    length=st.sampled_from(["keep", "strip"]),
    diacritics=st.sampled_from(["keep", "strip"]),
)


def timed(rows: list[list[str]]) -> Transcript:
    tokens = sum(len(row) for row in rows)
    return transcript_of(rows, [(float(n), n + 1.0) for n in range(tokens)], confidence=np.linspace(0, 1, tokens))


@more(4)
@given(rows=ROWS, symbols=st.sampled_from(SETS), rules=RULES)
def test_the_audit_accounts_for_every_token(
    table: FeatureTable, rows: list[list[str]], symbols: SymbolSet, rules: SymbolRules
) -> None:
    if symbols.raw:
        rows = [[symbol for symbol in row if symbol] for row in rows]
    phones, audit = normalise(timed(rows), symbols, table, rules)
    if symbols.joined:  # what is read there are the phones of the words
        cut = segment_words(timed(rows), table, symbols.joined)
        rows = [[cut.symbols[code] for code in cut.codes[slice(*pair)]] for pair in pairwise(cut.offsets)]
    assert sum(row.count for row in audit) == sum(len(row) for row in rows)
    counted: Counter[str] = Counter()
    for row in audit:
        counted[row.raw] += row.count
    assert counted == Counter(symbol for row in rows for symbol in row)
    assert len(phones) == len(rows)
    shown = sum(row.count * len(row.symbol.split()) for row in audit if row.action != "merged" and not symbols.raw)
    held = len(phones.codes) + (0 if phones.tones is None else len(phones.tones.codes))
    assert symbols.raw or shown == held


@more(4)
@given(rows=ROWS, symbols=st.sampled_from(SETS[2:]), rules=RULES)
def test_times_stay_in_order_within_their_utterance(
    table: FeatureTable, rows: list[list[str]], symbols: SymbolSet, rules: SymbolRules
) -> None:
    given = timed(rows)
    phones, _ = normalise(given, symbols, table, rules)
    for side in (phones, phones.tones):
        if side is None:
            continue
        assert side.start is not None
        assert side.end is not None
        assert (side.end >= side.start).all()
        home = side.token_utterances()
        assert (side.start >= given.offsets[home]).all()  # token n lasts from n to n + 1
        assert (side.end <= given.offsets[home + 1]).all()
        assert (np.diff(side.start) >= 0).all()


@more(4)
@given(rows=ROWS, rules=RULES)
@example(rows=[["555\u035c", "kp\u0361˥"]], rules=SymbolRules(unknown="keep"))
def test_normalised_ipa_stays_as_it_is(table: FeatureTable, rows: list[list[str]], rules: SymbolRules) -> None:
    # A lone apostrophe is kept as unknown, and a tone after it is attached: 'ꜛ, which the second reading takes off.
    rows = [[symbol for symbol in row if "'" not in symbol or symbol.strip("ˈ'")] for row in rows]
    once = phones_by_utterance(normalise(timed(rows), BUILT_IN["ipa"], table, rules)[0])
    # Without its tone, an unknown symbol may be the name of a silence: ĆL.
    assume(not {one for row in once for one in row if one.lower() in SILENCE} - {"sil" * (rules.silence == "keep")})
    second, audit = normalise(timed(once), BUILT_IN["ipa"], table, rules)
    assert phones_by_utterance(second) == once
    assert second.tones is None
    assert {row.action for row in audit} <= {"kept", "unknown"}
