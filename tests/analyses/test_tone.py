"""Tone from files to numbers: letters and accents alike, rates and confusions by hand, missing reasons."""

import json
import unicodedata
from itertools import permutations
from pathlib import Path

import pytest
from running import Tables, command, measured, tables_of
from support import phones_by_utterance, transcript

import phonxling as px

# s only without a caron: š is ʃ
YORUBA = [*"bdfɡhjklmnɾstwaeɛioɔu", "ʃ", "d͡ʒ", "k͡p", "ɡ͡b", "ã", "ɛ̃", "ĩ", "ɔ̃", "ũ", "ŋ̩", "m̩", "aː", "ɔ̃ː"]
ACCENTS = {"H": "\u0301", "M": "\u0304", "L": "\u0300", "HL": "\u0302", "LH": "\u030c", "": ""}
LETTERS = {"H": "˥", "M": "˧", "L": "˩", "HL": "˥˩", "LH": "˩˥", "": ""}
CHART = {**LETTERS, "H": "˦", "L": "˨"}  # as the IPA chart pairs letters with acute and grave
TONES = list(ACCENTS)


def spellings(phone: str, accent: str) -> set[str]:
    """Return every order in which a phone's marks and its accent can be typed, in both Unicode forms."""
    letters = unicodedata.normalize("NFD", phone)
    base, marks, length = letters[0], letters[1:].rstrip("ː"), "ː" * phone.endswith("ː")
    typed = {letters + accent}
    if accent and "\u0361" not in letters:
        typed |= {base + "".join(order) + length for order in permutations([*marks, accent])}
    return {unicodedata.normalize(form, text) for form in ("NFC", "NFD") for text in typed}


@pytest.mark.parametrize(
    ("letters", "tone"), [(LETTERS, "tier"), (CHART, "tier"), (CHART, "attach"), (LETTERS, "strip")]
)
def test_yoruba_in_letters_and_in_accents_is_the_same(tmp_path: Path, letters: dict[str, str], tone: str) -> None:
    accented, lettered = [], []
    for phone in YORUBA:
        for name, accent in ACCENTS.items():
            if (phone, name) == ("s", "LH"):
                continue
            typed = sorted(spellings(phone, accent))
            accented.append(typed)
            lettered.append([unicodedata.normalize("NFC", phone) + letters[name]] * len(typed))
    files = transcript(tmp_path / "accents.tsv", accented), transcript(tmp_path / "letters.tsv", lettered)
    for gold, predicted in (files, files[::-1]):
        corpus = px.load_corpus(gold, predicted, tone=tone)  # type: ignore[arg-type]
        assert phones_by_utterance(corpus.gold) == phones_by_utterance(corpus.predicted)
        assert len(corpus.gold_inventory) == (len(YORUBA) * len(TONES) - 1 if tone == "attach" else len(YORUBA))
        assert (corpus.gold.tones is None) == (tone != "tier")
        if corpus.gold.tones is not None and corpus.predicted.tones is not None:
            assert phones_by_utterance(corpus.gold.tones) == phones_by_utterance(corpus.predicted.tones)
            assert len(corpus.gold.tones.inventory) == len(TONES) - 1


def test_one_stray_mark_is_named_with_its_place(tmp_path: Path) -> None:
    path = transcript(tmp_path / "words.tsv", [["n", "á"], ["n", "\u0303"]])
    with pytest.raises(px.DataError, match=r"◌\u0303 \(first at .*words.tsv:3\)\nMarks stand apart from their letters"):
        px.load_corpus(path, path)


@pytest.mark.parametrize(
    ("gold", "predicted", "levels"),
    [
        (["á", "à"], ["a˥", "a˩"], "three"),
        (["á", "à"], ["a˦", "a˨"], "five"),
        (["á", "à"], ["a˥", "a˩", "a˩", "a˦"], "three"),  # one odd letter turns nothing over
        (["a̋", "á"], ["a˥", "a˦"], "five"),
        (["á"], ["a"], "three"),
    ],
)
def test_accents_are_read_as_the_corpus_has_them(
    tmp_path: Path, gold: list[str], predicted: list[str], levels: str
) -> None:
    files = transcript(tmp_path / "gold.tsv", [gold]), transcript(tmp_path / "predicted.tsv", [predicted])
    tones = px.load_corpus(*files).gold.tones
    chosen = px.load_corpus(*files, tone_levels="five" if levels == "three" else "three").gold.tones
    assert tones is not None
    assert chosen is not None
    assert tones.phones_of(0)[-1] in {"three": {"˥", "˩"}, "five": {"˦", "˨"}}[levels]
    assert chosen.phones_of(0)[-1] in {"five": {"˥", "˩"}, "three": {"˦", "˨"}}[levels]


GOLD = [["b", "á", "k", "à"], ["m", "ā"], ["á", "á", "b", "à"]]  # H L | M | H H L
HEARD = [["b", "a˥", "k", "a", "˧"], ["m", "a"], ["a˥", "a˥", "b", "a˩"]]  # H M | – | H H L


def score(*arguments: object) -> str:
    return command("score", *arguments, "--json")[1]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return transcript(tmp_path / "gold.tsv", GOLD), transcript(tmp_path / "predicted.tsv", HEARD)


def test_score_gives_the_rate_its_chance_and_its_skill(files: tuple[Path, Path]) -> None:
    found = json.loads(score(*files))
    assert found["per"] == 0
    assert found["tone_error_rate"] == 2 / 6
    # always ˥, as often as predicted: H L by H H, M by nothing, H H L by H H H: three wrong; no model can do better
    assert found["chance_tone_error_rate"] <= 3 / 6
    rate, chance = found["tone_error_rate"], found["chance_tone_error_rate"]
    assert found["skill_tone_error_rate"] == pytest.approx(1 - rate / chance)


CONFIGURATION = """
corpora:
  toned:    {gold: {path: gold.tsv}, predicted: {path: predicted.tsv}}
  toneless: {gold: {path: gold.tsv}, predicted: {path: bare.tsv}}
  flat:     {gold: {path: bare.tsv}, predicted: {path: predicted.tsv}}
  stripped: {gold: {path: gold.tsv, tone: strip}, predicted: {path: predicted.tsv}}
  attached: {gold: {path: gold.tsv, tone: attach}, predicted: {path: predicted.tsv, tone: attach}}
chance: {replicates: 3}
figures: {formats: [png]}
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tone")
    transcript(folder / "gold.tsv", GOLD)
    transcript(folder / "predicted.tsv", HEARD)
    transcript(folder / "bare.tsv", [["b", "a", "k", "a"], ["m", "a"], ["a", "a", "b", "a"]])
    (folder / "tone.yaml").write_text(CONFIGURATION, encoding="utf-8")
    return folder / "tone.yaml"


@pytest.fixture(scope="module")
def tables(config: Path) -> Tables:
    return tables_of(config)


def test_the_confusions_of_tones_stand_in_a_table(tables: Tables) -> None:
    table = tables["toned/tones"]
    cells = dict(zip(zip(table["gold"], table["predicted"], strict=True), table["count"], strict=True))
    assert cells == {("˥", "˥"): 3, ("˧", "∅"): 1, ("˩", "˧"): 1, ("˩", "˩"): 1}
    shares = table.set_index(["gold", "predicted"])[["share_of_gold", "share_of_predicted"]]
    assert shares.loc[("˩", "˧")].tolist() == [0.5, 1]
    assert set(tables["tones"]["corpus"]) == {"toned"}


@pytest.mark.parametrize(
    ("corpus", "why"),
    [
        ("toneless", "the recogniser predicts no tone"),
        ("flat", "the gold phones carry no tone"),
        ("stripped", "tone is stripped (tone: strip)"),
        ("attached", "tone is part of the phones (tone: attach)"),
    ],
)
def test_a_missing_tone_error_rate_has_its_reason(tables: Tables, corpus: str, why: str) -> None:
    found = measured(tables, corpus, "tone_error_rate")
    assert found["value"].isna().all()
    assert found["note"].to_dict() == {"": why}
    assert measured(tables, corpus, "chance_tone_error_rate").empty


def test_attached_tones_are_part_of_the_phones(tables: Tables) -> None:
    phones = tables["attached/phones"]
    gold = phones[phones["side"] == "gold"].set_index("phone")["tokens"]
    assert gold.to_dict() == {"a˥": 3, "a˧": 1, "a˩": 2, "b": 2, "k": 1, "m": 1}


def test_attached_tone_weighs_in_the_weighted_feature_costs(files: tuple[Path, Path]) -> None:
    """Σw is 7.25 for the segments and 9.25 with tone; ˩ and ˧ are half a step apart on both tone features."""
    found = json.loads(score(*files, "--set", "symbols.tone=attach", "--costs", "panphon-weighted"))
    # ten phones; à heard as ā costs half of each tone feature, ā heard as a costs nothing: ˧ has both unset, as no tone
    assert found["substitution_rate"] * found["gold_tokens"] == pytest.approx(2)
    assert found["wper"] == pytest.approx((2 * 0.5 / 9.25) / 10)
    bare = json.loads(score(*files, "--set", "symbols.tone=strip", "--costs", "panphon-weighted"))
    assert bare["wper"] == 0


@pytest.mark.parametrize(
    ("gold", "heard", "phones", "note"),
    [
        ("ś á š", "s˥ a˥ ʃ", "s a ʃ", "accents on obstruents of gold are read as tone: ś 1; map the symbols where"),
        ("s a˥", "s a˩", "s a", ""),
    ],
)
def test_a_mark_on_an_obstruent_is_a_tone(tmp_path: Path, gold: str, heard: str, phones: str, note: str) -> None:
    files = transcript(tmp_path / "g.tsv", [gold.split()]), transcript(tmp_path / "p.tsv", [heard.split()])
    printed = " ".join(command("score", *files)[1].split())
    assert note in printed
    assert ("on obstruents of" in printed) is bool(note)
    assert ("tone is written in accents and in letters" in printed) is ("š" in gold)  # of which one alone needs no note
    assert px.load_corpus(*files).gold.phones_of(0) == phones.split()
