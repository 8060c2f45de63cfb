"""Which phone bears a tone, and whether phone and tone are right together."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from made_alignments import alignments_of
from support import write

import phonxling as px
from phonxling.analyses.tone import OUTCOMES, joint_outcomes, phone_tones, unborne
from phonxling.core.inventory import GAP
from phonxling.load.resources import panphon_features


def read(folder: Path, text: str, tone: str = "tier") -> px.Corpus:
    path = write(folder / "words.tsv", f"utterance\tphones\nu\t{text}\nv\tb a\n")
    return px.load_corpus(path, path, tone=tone)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "borne"),
    [
        ("b á k à", "b a˥ k a˩"),
        ("b a ˥ k a˩", "b a˥ k a˩"),
        ("m a n ⁵⁵", "m a˥˥ n"),
        ("m a n ˥ ˩", "m a˥˩ n"),  # two tones in one place are one string
        ("á ŋ̩̀ k", "a˥ ŋ̩˩ k"),
        ("á ǹ k", "a˥ n˩ k"),  # the vowel has its tone, so this one is the nasal's own
        ("ǹ k á", "n˩ k a˥"),  # no syllabic phone before it
        ("aː˥ a b", "aː˥ a b"),
        ("áꜜ k á", "a˥ k a˥"),  # a step stands between tones
        ("á ꜜk á", "a˥ k a˥"),
        ("s t ˥", "s t˥"),
    ],
)
def test_a_tone_belongs_to_the_phone_that_bears_it(tmp_path: Path, text: str, borne: str) -> None:
    gold = read(tmp_path, text).gold
    tones = phone_tones(gold, panphon_features())
    assert " ".join(map(str.__add__, gold.phones_of(0), tones)) == borne
    assert tones[-2:] == ["", ""]  # the other utterance has none


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["b", "k", "m", "a", "á", "à", "ẽ", "ɔ̃́", "i˧", "u ˥˩"]), min_size=1, max_size=8))
def test_tones_are_borne_as_attaching_them_would_have_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("attached")
    tier, attached = (read(folder, " ".join(rows), tone).gold for tone in ("tier", "attach"))
    joined = [
        phone + tone for phone, tone in zip(tier.phones_of(0), phone_tones(tier, panphon_features()), strict=False)
    ]
    assert joined == attached.phones_of(0)


def test_a_tone_before_the_first_phone_has_no_bearer(tmp_path: Path) -> None:
    gold = read(tmp_path, "˥ b a ˩").gold
    assert gold.tones is not None
    assert unborne(gold.tones) == 1
    assert phone_tones(gold, panphon_features()) == ["", "˩", "", ""]


TONED = st.tuples(st.sampled_from(["a", "i", "n", GAP]), st.sampled_from(["", "˥", "˩"]))
PAIRS = st.tuples(TONED, TONED).filter(lambda pair: (pair[0][0], pair[1][0]) != (GAP, GAP))


@given(st.lists(st.lists(PAIRS, max_size=6), min_size=1, max_size=4))
def test_outcomes_are_those_of_each_pair(rows: list[list[tuple[tuple[str, str], tuple[str, str]]]]) -> None:
    aligned = alignments_of([[(gold[0], heard[0]) for gold, heard in row] for row in rows], "ain", "ain")
    sides = ([tone for row in rows for pair in row for phone, tone in [pair[side]] if phone != GAP] for side in (0, 1))
    found = joint_outcomes(aligned, *sides)
    wanted: Counter[tuple[int, str, str, bool]] = Counter()
    for utterance, row in enumerate(rows):
        for (phone, tone), (heard, answer) in row:
            if phone != GAP and tone:
                same, toned = heard == phone, heard != GAP and answer == tone
                name = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}[same, toned]
                wanted[utterance, tone, OUTCOMES[name], heard == GAP] += 1
    names = np.array(OUTCOMES)[found.outcome]
    assert Counter(zip(found.utterance, found.tone, names, found.deleted, strict=True)) == wanted
