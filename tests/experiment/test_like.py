"""The tables of other programs: against panphon's evaluators, a slow count of edits, and sclite's numbers by hand."""

import json
from functools import partial
from pathlib import Path

import kaldialign
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from running import command, printed
from support import more, panphon_itself

from phonxling.experiment.like import Strings, clean_text, cut_strings, panphon_segments, rates_of_strings
from phonxling.load.resources import panphon_features

score = partial(printed, "score", "--quiet")
PHONES = ["p", "t", "k", "b", "d", "ɡ", "t͡ʃ", "k͡p", "m", "ŋ", "s", "ʃ", "l", "i", "e", "a", "aɪ", "o", "ũ"]


@pytest.fixture(scope="module")
def pairs() -> dict[str, dict[str, str]]:
    """Joined words as PRiSM has them, some with spaces, one prediction empty."""
    generator = np.random.default_rng(39)
    pairs = {}
    for number in range(12):
        gold = list(generator.choice(PHONES, generator.integers(3, 12)))
        heard = [str(generator.choice(PHONES)) if generator.random() < 0.4 else phone for phone in gold]
        heard = [phone for phone in heard if generator.random() > 0.2] if number else []
        heard += list(generator.choice(PHONES, generator.integers(0, 3))) if number else []
        pairs[f"u{number}"] = {"prediction": "".join(heard), "transcription": " ".join(gold)}
    return pairs


def edits(heard: list[str], said: list[str]) -> tuple[int, int, int]:
    """Substitutions, insertions, deletions, as few as can be; from the end a pair goes first, then a deletion."""
    table = np.add.outer(np.arange(len(heard) + 1), np.arange(len(said) + 1))
    for i, one in enumerate(heard, start=1):
        for j, other in enumerate(said, start=1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (one != other))
    i, j, counts = len(heard), len(said), [0, 0, 0]
    while i or j:
        if i and j and table[i, j] == table[i - 1, j - 1] + (heard[i - 1] != said[j - 1]):
            i, j = i - 1, j - 1
            counts[0] += heard[i] != said[j]
        elif j and table[i, j] == table[i, j - 1] + 1:
            j, counts[2] = j - 1, counts[2] + 1
        else:
            i, counts[1] = i - 1, counts[1] + 1
    return counts[0], counts[1], counts[2]


@pytest.mark.parametrize("program", ["prism", "phoneticxeus"])
def test_feature_rates_are_those_of_panphons_own_evaluators(
    pairs: dict[str, dict[str, str]], program: str, tmp_path: Path
) -> None:
    path, theirs = tmp_path / "predictions.json", panphon_itself()
    path.write_text(json.dumps(pairs, ensure_ascii=False), encoding="utf-8")
    heard = [pair["prediction"] for pair in pairs.values()]
    said = [pair["transcription"].replace(" ", "") for pair in pairs.values()]
    segments = [[theirs.fm.ipa_segs(word) for word in side] for side in (heard, said)]
    phones = sum(map(len, segments[1]))
    counts = np.sum([edits(*pair) for pair in zip(*segments, strict=True)], axis=0) * 100 / phones
    fer = 100 * theirs.feature_error_rate(heard, said)
    hamming = sum(map(theirs.hamming_feature_edit_distance, heard, said)) / len(pairs)
    wanted = {
        "N": len(pairs),
        "phones": phones,
        **({"PFER": hamming, "FER": fer} if program == "prism" else {"PFER": fer}),
        "FED": fer * phones / 100,
        "PER": 100 * theirs.phoneme_error_rate(heard, said),
        **dict(zip(("SUB", "INS", "DEL"), counts, strict=True)),
    }
    found = json.loads(score(str(path), str(path), "--like", program, "--json"))
    found.pop("inventory", None)
    assert found == pytest.approx(wanted, rel=1e-12)


def test_rows_of_a_run_are_the_same_numbers(pairs: dict[str, dict[str, str]], tmp_path: Path) -> None:
    path, theirs = tmp_path / "predictions.json", panphon_itself()
    path.write_text(json.dumps(pairs, ensure_ascii=False), encoding="utf-8")
    more = ["--symbols", "ipa-panphon", "--set", "symbols.diphthongs=split", "-o", str(tmp_path / "out")]
    score(str(path), str(path), *more)
    rows = pd.read_csv(tmp_path / "out/summary.tsv", sep="\t")
    shown = rows[rows["measure"] == "pfer"].set_index("variant")["value"].to_dict()
    words = [(pair["prediction"], pair["transcription"].replace(" ", "")) for pair in pairs.values()]
    distances = np.array([theirs.hamming_feature_edit_distance(*pair) for pair in words])
    wanted = {"phoneticxeus": theirs.feature_error_rate(*zip(*words, strict=True)), "prism": distances.mean()}
    assert shown == pytest.approx(wanted, abs=1e-9)


LETTERS = "".join(map(chr, [*range(0x61, 0x7B), 0xE6, 0xE7, 0xF0, 0xF8, *range(0x250, 0x2AF), *range(0x1D6B, 0x1D80)]))
MARKS = "ʰʲʷˠˤːˑ˞ⁿˡʼˀ˥˦˧˨˩ˈˌ.:' \u0325\u032c\u0329\u032f\u032a\u0303\u0308\u0301\u0300\u0302\u035c\u0361"
texts = st.lists(st.sampled_from(LETTERS) | st.sampled_from(MARKS), max_size=12).map("".join)


@more(3)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=8))
def test_any_letters_are_cut_and_weighed_as_panphon_itself_does(pairs: list[tuple[str, str]]) -> None:
    theirs, strings = panphon_itself(), Strings([str(n) for n in range(len(pairs))], *zip(*pairs, strict=True))
    cleaned = [tuple(map(clean_text, pair)) for pair in pairs]
    for text in (text for pair in cleaned for text in pair):
        assert panphon_segments(text, panphon_features())[0] == theirs.fm.ipa_segs(text)
    found = rates_of_strings("prism", cut_strings(strings, panphon_features())[0], panphon_features())
    assert found["FED"] == pytest.approx(sum(theirs.feature_edit_distance(*pair) for pair in cleaned))
    hamming = [theirs.hamming_feature_edit_distance(*pair) for pair in cleaned]
    assert found["PFER"] == pytest.approx(np.mean(hamming))
    assert found["phones"] == sum(len(theirs.fm.ipa_segs(gold)) for gold, _ in cleaned)


def test_kaldis_lines_are_those_of_kaldialign(tmp_path: Path) -> None:
    generator = np.random.default_rng(57)
    rows = [[list(generator.choice(list("aiptk"), generator.integers(0, 9))) for _ in range(40)] for _ in range(2)]
    sides = [tmp_path / "gold.txt", tmp_path / "heard.txt"]
    for path, side in zip(sides, rows, strict=True):
        path.write_text("".join(f"u{n} {' '.join(row)}\n" for n, row in enumerate(side)), encoding="utf-8")
    theirs = [kaldialign.edit_distance(gold, heard) for gold, heard in zip(*rows, strict=True)]
    total, ins, lost, sub = (sum(row[name] for row in theirs) for name in ("total", "ins", "del", "sub"))
    words, wrong = sum(map(len, rows[0])), sum(row["total"] > 0 for row in theirs)
    found = score(*map(str, sides), "--format", "kaldi-text", "--like", "kaldi").splitlines()
    assert found == [
        f"%WER {100 * total / words:.2f} [ {total} / {words}, {ins} ins, {lost} del, {sub} sub ]",
        f"%SER {100 * wrong / 40:.2f} [ {wrong} / 40 ]",
        "Scored 40 sentences, 0 not present in hyp.",
    ]


XEUS = {"pred": [{"processed_transcript": "kpa", "predicted_transcript": "k/p/a"}], "passthrough": {"utt_id": "u"}}


@pytest.mark.parametrize(
    ("text", "both"),
    [
        (json.dumps({"0": XEUS}), False),
        (json.dumps({"0": {"pred": "k p a", "passthrough": {"utt_id": "u", "target": "k a"}}}), True),
        (json.dumps({"u": {"prediction": "k p a", "transcription": "k a"}}), True),
    ],
)
def test_their_json_goes_in_as_it_is(text: str, both: bool, tmp_path: Path) -> None:
    path, gold = tmp_path / "theirs.jsonl", tmp_path / "gold.tsv"
    path.write_text(text, encoding="utf-8")
    gold.write_text("utterance\tphones\nu\tk a\n", encoding="utf-8")
    found = json.loads(score(str(path if both else gold), str(path), "--like", "phoneticxeus", "--json"))
    assert (found["phones"], found["INS"], found["PER"]) == (2, 50, 50)


def test_sclites_table_has_a_row_a_speaker_and_keeps_silence(tmp_path: Path) -> None:
    stm = "u1 1 s1 0 1 <O,F> sil aa b\nu2 1 s1 1 2 <O,F> iy\nu3 1 s2 0 1 <O,F> iy s\n"
    ctm = "u1 1 0 1 SIL\nu1 1 1 1 AA\nu1 1 2 1 D\nu2 1 0 1 IY\nu3 1 0 1 IY\nu3 1 1 1 S\nu3 1 2 1 T\n"
    (tmp_path / "gold.stm").write_text(stm, encoding="utf-8")
    (tmp_path / "heard.ctm").write_text(ctm, encoding="utf-8")
    sides = str(tmp_path / "gold.stm"), str(tmp_path / "heard.ctm")
    found = score(*sides, "--symbols", "timit39", "--like", "sclite")
    assert found.splitlines() == [
        "| SPKR    | # Snt  # Wrd |   Corr    Sub    Del    Ins    Err  S.Err |",
        "| s1      |     2      4 |   75.0   25.0    0.0    0.0   25.0   50.0 |",
        "| s2      |     1      2 |  100.0    0.0    0.0   50.0   50.0  100.0 |",
        "| Sum/Avg |     3      6 |   83.3   16.7    0.0   16.7   33.3   66.7 |",
        "| Mean    |   1.5    3.0 |   87.5   12.5    0.0   25.0   37.5   75.0 |",
        "| S.D.    |   0.7    1.4 |   17.7   17.7    0.0   35.4   17.7   35.4 |",
        "| Median  |   1.5    3.0 |   87.5   12.5    0.0   25.0   37.5   75.0 |",
    ]
    assert json.loads(score(*sides, "--symbols", "timit39", "--like", "sclite", "--json"))["s2"]["Ins"] == 50


def test_sclite_needs_no_features_of_raw_symbols(tmp_path: Path) -> None:
    sides = [tmp_path / f"{side}.tsv" for side in ("gold", "predicted")]
    for path, phones in zip(sides, ("AA1 b_x ~", "AA1 c_x ~"), strict=True):
        path.write_text(f"utterance\tphones\nu1\t{phones}\n", encoding="utf-8")
    numbers = json.loads(score(*sides, "--like", "sclite", "--symbols", "raw,raw", "--json"))
    assert (numbers["Sum/Avg"]["Corr"], numbers["Sum/Avg"]["Sub"]) == pytest.approx((200 / 3, 100 / 3))


def test_silences_are_no_letters(tmp_path: Path) -> None:
    for side, phones in (("gold", "sil k a SIL"), ("heard", "k a h#")):
        (tmp_path / f"{side}.tsv").write_text(f"utterance\tphones\nu\t{phones}\n", encoding="utf-8")
    found = json.loads(score(str(tmp_path / "gold.tsv"), str(tmp_path / "heard.tsv"), "--like", "prism", "--json"))
    assert (found["phones"], found["PER"]) == (2, 0)


@pytest.mark.parametrize("program", ["prism", "sclite", "kaldi"])
def test_what_was_read_otherwise_than_it_stands_is_noted_here_too(program: str, tmp_path: Path) -> None:
    rows = ("u\t0.1\t0.2\ta\n", "u\t0\t0.1\tk\n")
    for side, own in (("gold", rows), ("heard", rows[::-1])):
        (tmp_path / f"{side}.tsv").write_text("utterance\tstart\tend\tphone\n" + "".join(own), encoding="utf-8")
    code, said = command("score", tmp_path / "gold.tsv", tmp_path / "heard.tsv", "--like", program)
    assert (code, "not in the order of their times" in said) == (0, True)
