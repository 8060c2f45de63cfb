"""What users get wrong, and the words from which each mistake can be mended."""

from pathlib import Path

import pytest
from made_mistakes import FIFTEEN, TEN, both_in_the_wrong_set, swapped_with_sets
from running import Command

MOST_LINES = 8
WORDS: dict[str, tuple[int, list[str]]] = {
    "swapped gold and predicted": (0, ["note: gold has confidences and predicted has none: were the two swapped?"]),
    "wrong symbol set": (
        1,
        [
            "predicted.tsv (predicted): 14 of 14 symbols are not known to the symbol set 'ipa': AA IY S K T …",
            "All 14 are arpabet: set symbols: arpabet for predicted.",
            "--symbols ipa,arpabet",
        ],
    ),
    "ids that do not match": (
        1,
        [
            "16 of 16 utterances lack a partner",
            "only in gold.tsv (8): utterance-1",
            "only in predicted.tsv (8): 0001",
            "No two look alike. If the 8 utterances stand in the same order in both files, copy the ids",
        ],
    ),
    "unspaced IPA": (1, ["gold.tsv (gold): 16 of 16", "as in ka → k a: set symbols: ipa-joined for gold"]),
    "Windows line ends": (
        0,
        ["32 gold phones (18 different), 31 predicted (14 different)", "no problems"],
    ),
    "UTF-16": (1, ["predicted.tsv:1: not UTF-8 text (byte 0xff); it may be UTF-16. Save it as UTF-8."]),
    "TextGrid folder without the tier": (
        1,
        [
            "grids/u1.TextGrid: has no tier 'phones'; choose one with tier: (--tier)",
            "'segments', 'words'",
            "… and 7 more alike: u2.TextGrid",
        ],
    ),
    "ARPAbet with stress digits": (1, ["5 of 14 symbols", "'timit61': AA1 IY1", "All 14 are arpabet", "ipa,arpabet"]),
    "log-posteriors as probabilities": (
        1,
        ["8 utterances", "posteriors.npz: utterance 'u1', frame 0 holds a negative value", "look like scale: log-prob"],
    ),
    "empty predictions": (0, ["note: no phone is predicted in 5 of 8 utterances: u4 u5 u6 u7 u8"]),
    "side and column, and a tempting neighbour": (
        1,
        [
            "both.tsv (predicted, column heard): 1 of 15 symbols",
            "err  (U+0065",
            "symbols: [arpabet, extra.tsv] for",
        ],
    ),
    "X-SAMPA as IPA": (1, ["gold.tsv (gold): 4 of 18 symbols", "All 18 are xsampa", "--symbols xsampa,ipa"]),
    "letters of other alphabets": (
        1,
        [
            "2 of 18 symbols",
            "cyrillic small letter er) looks like the IPA's p (U+0070",
            "looks like the IPA's ◌̠ (U+0320",
        ],
    ),
    "ids in capitals": (1, ["8 of them are equal but for case: 'u1' in gold.tsv, 'U1' in predicted.tsv"]),
    "ids with a prefix": (1, ["8 of them are equal but for the prefix 'anna-': 'u1' in gold.tsv, 'anna-u1' in pred"]),
    "300 ids that are names of files": (
        1,
        ["only in gold.tsv (300): u1 u2 u3 u4 u5 … and 295 more", "equal but for the folder and the ending: 'u1' in"],
    ),
    "tabs in a CSV": (1, ["predicted.csv:1: looks tab-separated", "--format tsv"]),
    "semicolons in a CSV": (0, ["8 utterances, 32 gold phones (18 different), 31 predicted (14 different)"]),
    "no header line": (1, ["predicted.tsv:1: no header", "Write this line above it: utterance<tab>phones"]),
    "no column of ids": (
        1,
        ["predicted.csv:1: no column phones, utterance; the file has: path, pred", "--columns"],
    ),
    "predictions thrice as long as gold": (0, ["93 phones are predicted for 32 gold ones: is there a label for"]),
    "a set that fits where another fits better": (
        0,
        ["predicted: timit39 reads AO as AA; arpabet keeps them apart: symbols: arpabet"],
    ),
    "reference worse than target": (
        0,
        [
            "the reference english has a phone error rate of ",
            "more than yoruba 0.188: is its role right",
        ],
    ),
    "frame shift in milliseconds": (
        1,
        ["posteriors last 1,000 times as long as the gold times: is frame_shift: 10 right? 0.01 would fit"],
    ),
    "150 utterances with the same fault": (
        1,
        ["utterance 'u1', frame 0 does not sum to 1", "say scale: logit", "… and 63 more alike: 'u2' 'u3' 'u4'"],
    ),
}


@pytest.mark.parametrize("name", [*TEN, *(name for name in FIFTEEN if name != "reference worse than target")])
def test_the_message_names_the_remedy(name: str, phonxling: Command, tmp_path: Path) -> None:
    code, words = WORDS[name]
    done = phonxling(*{**TEN, **FIFTEEN}[name](tmp_path))
    printed = done.stderr + done.stdout
    assert done.code == code, printed
    for part in words:
        assert part in printed, printed
    assert str(tmp_path) not in printed
    assert "did you mean" not in printed
    assert len(printed.splitlines()) <= MOST_LINES, printed


@pytest.mark.slow
def test_a_run_tells_of_a_reference_that_is_worse(phonxling: Command, tmp_path: Path) -> None:
    name = "reference worse than target"
    done = phonxling(*FIFTEEN[name](tmp_path), "--workers", "1")
    assert done.code == 0, done.stderr
    for part in WORDS[name][1]:
        assert part in " ".join(done.stderr.split())


def test_both_sides_in_the_wrong_set_are_told_at_once(phonxling: Command, tmp_path: Path) -> None:
    done = phonxling(*both_in_the_wrong_set(tmp_path))
    assert "arpabet for gold." in done.stderr
    assert "arpabet for predicted." in done.stderr
    assert done.stderr.endswith('For score: --symbols arpabet,arpabet; in Python: symbols=("arpabet", "arpabet")\n')


def test_sides_of_which_each_fits_the_set_of_the_other_seem_swapped(phonxling: Command, tmp_path: Path) -> None:
    done = phonxling(*swapped_with_sets(tmp_path))
    assert done.code == 1
    assert "Each side fits the other's symbol set: were gold and predicted swapped?" in done.stderr
