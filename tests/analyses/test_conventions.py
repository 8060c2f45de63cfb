"""Two sides in two conventions: seen with the number of phones, the rates and the setting; contrasts are left alone."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from support import transcript, write

import phonxling as px
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora

PHONES = "p t k s m n l aɪ oʊ t͡ʃ d͡ʒ i u ɛ".split()  # noqa: SIM905 - as phones are written
DIPHTHONGS = {"aɪ": "a ɪ", "oʊ": "o ʊ"}
AFFRICATES = {"t͡ʃ": "t ʃ", "d͡ʒ": "d ʒ"}
LONG = {"i": "iː", "u": "uː"}
ASPIRATED = {"p": "pʰ", "t": "tʰ", "k": "kʰ"}
RULES = {"diphthongs": "split", "affricates": "split", "length": "strip", "diacritics": "strip"}
Rows = list[list[str]]


def said() -> Rows:
    return np.random.default_rng(1).choice(PHONES, (60, 12)).tolist()


def heard(rows: Rows) -> Rows:
    """Return rows of which a sixth of the phones are another one."""
    chosen = np.random.default_rng(2)
    return np.where(chosen.random((60, 12)) < 1 / 6, chosen.choice(PHONES, (60, 12)), rows).tolist()


GOLD, HEARD = said(), heard(said())


def written(rows: Rows, otherwise: Mapping[str, str]) -> Rows:
    return [[part for phone in row for part in otherwise.get(phone, phone).split()] for row in rows]


def loaded(folder: Path, gold: Rows, predicted: Rows, symbols: str = "ipa", more: str = "") -> LoadedCorpus:
    """Load rows; `symbols` is the set of both sides, or one of each with | between."""
    for name, rows in (("gold", gold), ("heard", predicted)):
        transcript(folder / f"{name}.tsv", rows)
    names = (symbols.split("|") * 2)[:2]
    files = zip(("gold", "predicted"), ("gold", "heard"), names, strict=True)
    sides = ", ".join(f"{side}: {{path: {file}.tsv, symbols: {name}}}" for side, file, name in files)
    text = f"corpora: {{x: {{{sides}}}}}\nuncertainty: {{cluster: utterance}}\n{more}"
    (one,) = load_corpora(load_configuration(write(folder / "x.yaml", text)))
    return one


def per(gold: Rows, predicted: Rows, **rules: str) -> float:
    return px.phone_error_rate(px.load_corpus(gold, predicted, **rules))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("otherwise", "rule", "first", "side"),
    [
        (
            DIPHTHONGS,
            "diphthongs",
            r"\d+ {} tokens are diphthongs that {} writes otherwise \((aɪ as a ɪ|oʊ as o ʊ), ",
            "predicted",
        ),
        (
            AFFRICATES,
            "affricates",
            r"\d+ {} tokens are affricates that {} writes otherwise \((t͡ʃ as t ʃ|d͡ʒ as d ʒ), ",
            "gold",
        ),
        (LONG, "length", r"\d+ {} tokens are long phones that {} writes otherwise \((iː as i|uː as u), ", "predicted"),
        (
            ASPIRATED,
            "diacritics",
            r"\d+ {} tokens are phones with marks that {} writes otherwise \([ptk]ʰ as [ptk], ",
            "gold",
        ),
    ],
)
def test_what_one_side_writes_otherwise(
    tmp_path: Path, otherwise: dict[str, str], rule: str, first: str, side: str
) -> None:
    own = {"gold": GOLD, "predicted": HEARD}
    own[side] = written(own[side], otherwise)
    (note,) = loaded(tmp_path, own["gold"], own["predicted"]).notes
    names = ["gold", "predicted"]
    if (rule in {"diphthongs", "affricates"}) == (side == "gold"):
        names.reverse()  # it is the other side that has one phone, or the marks
    assert re.match(first.format(*names), note)
    value = RULES[rule]
    before, after = (f"{per(own['gold'], own['predicted'], **given):.3f}" for given in ({}, {rule: value}))
    assert f": symbols: {{{rule}: {value}}} takes PER from {before} to {after}, wPER " in note
    assert float(after) < float(before)
    count = sum(phone in otherwise for row in (GOLD if names[0] == "gold" else HEARD) for phone in row)
    assert note.startswith(f"{count:,} ")
    assert loaded(tmp_path, own["gold"], own["predicted"], more=f"symbols: {{{rule}: {value}}}\n").notes == ()


def test_no_note_where_all_is_well_or_the_recogniser_lacks_a_contrast(tmp_path: Path) -> None:
    assert loaded(tmp_path, GOLD, HEARD).notes == ()
    half = np.random.default_rng(3)
    for otherwise in (LONG, ASPIRATED):  # gold tells i from iː, and t from tʰ: the recogniser has one of each
        gold = [[otherwise.get(phone, phone) if half.random() < 0.5 else phone for phone in row] for row in GOLD]
        assert loaded(tmp_path, gold, HEARD).notes == ()
    ours = {"aɪ": "ɛ", "oʊ": "u"}  # no diphthong in gold, and nothing that would be one in two phones
    assert loaded(tmp_path, written(GOLD, ours), HEARD).notes == ()
    few = [[*GOLD[0], "iː"], *GOLD[1:]]
    assert loaded(tmp_path, few, HEARD).notes == ()
    for one, other in (({"aɪ": "ɲ"}, {"aɪ": "n j"}), ({"l": "r"}, {"l": "ɹ"}), ({"t": "ɗ"}, {"t": "d"})):
        assert loaded(tmp_path, written(GOLD, one), written(HEARD, other)).notes == ()


OFF_GLIDES = {"aɪ": "a j", "oʊ": "o w"}
ARPABET = dict(zip(PHONES, "p t k s m n l ay ow ch jh iy uw eh".split(), strict=True))  # noqa: SIM905 - as above


def test_phones_that_the_other_side_writes_as_two_that_no_rule_makes(tmp_path: Path) -> None:
    """The table that the note asks for is written, and takes PER where the note says."""
    sides = written(GOLD, ARPABET), written(HEARD, OFF_GLIDES)
    (note,) = loaded(tmp_path, *sides, "arpabet|ipa").notes
    found = re.fullmatch(r"(\d+) gold tokens .* IPA\) of (.*), with symbols: .* PER from (.*) to (.*), wPER .*", note)
    assert found is not None, note
    number, lines, before, after = found.groups()
    assert int(number) == sum(phone in OFF_GLIDES for row in GOLD for phone in row)
    write(tmp_path / "extra.tsv", "symbol\tipa\n" + lines.replace(", ", "\n").replace(" → ", "\t") + "\n")
    as_it_is, mended = (loaded(tmp_path, *sides, f"{gold}|ipa") for gold in ("arpabet", "[arpabet, extra.tsv]"))
    assert as_it_is.corpus is not None
    assert mended.corpus is not None
    assert f"{px.phone_error_rate(as_it_is.corpus):.3f}" == before
    assert f"{px.phone_error_rate(mended.corpus):.3f}" == after
    assert mended.notes == ()


@pytest.mark.parametrize(
    ("gold", "predicted", "row"),
    [
        ({"i": "iː", "u": "uː"}, {"i": "ii", "u": "uu"}, "ii → iː"),
        ({"k": "kʷ", "t": "ⁿd"}, {"k": "k w", "t": "n d"}, "kʷ → k w"),
    ],
)
def test_pairs_of_spellings_are_learned(
    tmp_path: Path, gold: dict[str, str], predicted: dict[str, str], row: str
) -> None:
    sides = written(GOLD, gold), written(HEARD, predicted)
    (note,) = loaded(tmp_path, *sides).notes
    assert "tokens are phones that" in note
    assert row in note
    before, after = map(float, re.findall(r"PER from (\S+) to ([^\s,]+)", note)[0])
    assert f"{before:.3f}" == f"{per(*sides):.3f}"
    assert after < before / 1.5


@pytest.mark.parametrize(
    ("gold", "predicted", "rule"),
    [
        ({"t": "t̪", "s": "s̪"}, {"t": "t̠", "s": "s̠"}, "diacritics: strip"),
        ({"i": "í", "u": "ù"}, {}, "tone: strip"),
        ({"s": "sil s"}, {}, "silence: drop"),
    ],
)
def test_marks_of_both_sides_and_rules_that_were_asked_for(
    tmp_path: Path, gold: dict[str, str], predicted: dict[str, str], rule: str
) -> None:
    more = "symbols: {tone: attach, silence: keep}\n"
    (note,) = loaded(tmp_path, written(GOLD, gold), written(HEARD, predicted), more=more).notes
    assert f": symbols: {{{rule}}} takes PER" in note


def test_length_that_gold_never_writes(tmp_path: Path) -> None:
    half = np.random.default_rng(3)
    heard = [[LONG.get(phone, phone) if half.random() < 0.5 else phone for phone in row] for row in HEARD]
    (note,) = loaded(tmp_path, GOLD, heard).notes
    assert "predicted tokens are long phones that gold writes otherwise (" in note
    assert loaded(tmp_path, heard, GOLD).notes == ()  # a contrast of gold


def test_raw_symbols_that_a_symbol_set_or_a_rule_reads_as_the_same(tmp_path: Path) -> None:
    unit, rate = "alignment: {costs: unit}\n", f"{per(GOLD, HEARD):.3f}"
    gold, predicted = written(GOLD, ARPABET), written(HEARD, ARPABET)
    assert loaded(tmp_path, gold, predicted, "raw", unit).notes == ()
    numbers = written(HEARD, {phone: str(number) for number, phone in enumerate(PHONES)})
    stressed = [[f"{label}1" if label[0] in "aeiou" else label for label in row] for row in predicted]
    upper = [[f"{label.upper()}" for label in row] for row in predicted]
    placed = [[f"{label}_{'BIE'[place % 3]}" for place, label in enumerate(row)] for row in predicted]
    for own, symbols, remedy in (
        (stressed, "raw", "symbols: arpabet for predicted instead of raw"),
        (upper, "raw", "symbols: {case: fold}"),
        (placed, "raw", "symbols: {position_marks: strip}"),
        (numbers, "raw", "720 predicted tokens are phones that gold writes otherwise"),
    ):
        (note,) = loaded(tmp_path, gold, own, symbols, unit).notes
        assert remedy in note
        assert note.endswith(f" takes PER from {per(gold, own, symbols='raw'):.3f} to {rate}")
    (note,) = loaded(tmp_path, gold, numbers[::-1], "raw", unit).notes
    assert "share no phone, so every one counts as wrong" in note


def test_timit_in_48_classes_is_said_in_39_too(tmp_path: Path) -> None:
    names = dict(
        zip(PHONES, ["ao", "aa", "ix", "ih", "m", "el", "l", "zh", "sh", "ax", "ah", "n", "en", "k"], strict=True)
    )
    gold, predicted = written(GOLD, names), written(HEARD, names)
    (note,) = loaded(tmp_path, gold, predicted, "timit48").notes
    fine, coarse = (f"{per(gold, predicted, symbols=name):.3f}" for name in ("timit48", "timit39"))
    assert note == (f"PER over TIMIT's 48 classes is {fine}, over the 39 that papers report {coarse}: symbols: timit39")
    assert coarse < fine
    assert loaded(tmp_path, gold, predicted, "timit39").notes == ()


def test_boundaries_are_left_out_with_a_word_and_no_rate_moves(tmp_path: Path) -> None:
    marked = [["<s>", *row[:4], "|", *row[4:], "<unk>", "</s>"] for row in HEARD]
    one = loaded(tmp_path, GOLD, marked)
    (note,) = one.notes
    assert note.startswith("240 of 960 predicted symbols (<s> 60, | 60, <unk> 60, </s> 60) are left out, because")
    assert one.corpus is not None
    assert px.phone_error_rate(one.corpus) == per(GOLD, HEARD)
