"""Transcripts that are written read back the same: utterances, phones, tones, times, confidences, speakers."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from support import phones_by_utterance, transcript_of

import phonxling as px
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.load.formats import load_transcript
from phonxling.load.resources import panphon_features
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import BUILT_IN

TONED = ["á", "à", "ã́", "aː́", "a˥˩", "ŋ̀", "k͡p", "aꜜ˥", "ꜜk", "ꜜ", "˥"]
SYMBOLS = [*TONED, "b", "a", "a1", "a51", "⁵", "⁵¹", "a̋", "sil", "ẹ́", "☃"]
ROWS = st.lists(st.lists(st.sampled_from(SYMBOLS), max_size=6), min_size=1, max_size=4)
RULES = st.builds(
    px.symbols.SymbolRules,
    unknown=st.just("keep"),
    tone=st.sampled_from(["tier", "attach", "strip"]),
    silence=st.sampled_from(["drop", "keep"]),
    tone_levels=st.sampled_from(["three", "five"]),
)


def again(sequences: PhoneSequences, rules: px.symbols.SymbolRules) -> PhoneSequences:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.tsv"
        px.files.save_transcript(path, sequences)
        return normalise(load_transcript(path), BUILT_IN["ipa"], panphon_features(), rules)[0]


def same(first: PhoneSequences | None, second: PhoneSequences | None) -> bool:
    if first is None or second is None:
        return first is second
    names = ("start", "end", "confidence", "after") if len(first.codes) else ()  # a file without phones has no times
    arrays = [(getattr(first, name), getattr(second, name)) for name in names]
    return (
        first.utterances == second.utterances
        and first.speakers == second.speakers
        and phones_by_utterance(first) == phones_by_utterance(second)
        and all(a is b is None or np.array_equal(a, b) for a, b in arrays)
        and same(first.tones, second.tones)
    )


def said(rows: list[list[str]]) -> Transcript:
    tokens, speakers = sum(map(len, rows)), tuple(f"s{n % 2}" for n in range(len(rows)))
    times = [(n / 7, (n + 1) / 7) for n in range(tokens)]
    return transcript_of(rows, times, confidence=np.linspace(0, 1, tokens) / 3, speakers=speakers)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, rules=RULES, timed=st.booleans())
@example(rows=[["a1", "⁵"]], rules=px.symbols.SymbolRules(tone="attach"), timed=False)
def test_phones_tones_times_confidences_and_speakers_read_back_the_same(
    table: FeatureTable, rows: list[list[str]], rules: px.symbols.SymbolRules, timed: bool
) -> None:
    first, _ = normalise(said(rows) if timed else transcript_of(rows), BUILT_IN["ipa"], table, rules)
    assert same(first, again(first, rules))


def test_without_times_the_phones_stand_in_one_row_and_no_tsv_under_the_name_of_another_format(
    tmp_path: Path, table: FeatureTable
) -> None:
    first, _ = normalise(said([["b", "á"], []]), BUILT_IN["ipa"], table, px.symbols.SymbolRules())
    px.files.save_transcript(tmp_path / "said.tsv", first, times=False)
    text = (tmp_path / "said.tsv").read_text(encoding="utf-8")
    assert text == "utterance\tphones\tspeaker\nu0\tb a ˥\ts0\nu1\t\ts1\n"
    with pytest.raises(px.ConfigurationError, match=r"call it \.tsv"):
        px.files.save_transcript(tmp_path / "said.jsonl", first)
    assert [path.name for path in tmp_path.iterdir()] == ["said.tsv"]
