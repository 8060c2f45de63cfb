"""px.score: the numbers of the command, of files as of phones in memory; PER of a corpus, and of no matrix."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from running import printed
from support import transcript

import phonxling as px

GOLD = {f"u{number}": text for number, text in enumerate(["p a t a", "k a n i", "t u m i a", "s a k i"] * 3)}
HEARD = {name: text.replace("t", "d").replace("u m", "u n o") for name, text in GOLD.items()}
SPEAKERS = {name: f"s{number % 6}" for number, name in enumerate(GOLD)}
PHONES = ["p", "a", "d", "k", "n", "i", "u", "m", "s", "o"]


def written(folder: Path) -> dict[str, str]:
    sides = {"gold": GOLD, "predicted": HEARD}
    for side, texts in sides.items():
        transcript(folder / f"{side}.tsv", texts)
    lines = "".join(f"{name}\t{speaker}\n" for name, speaker in SPEAKERS.items())
    (folder / "speakers.tsv").write_text("utterance\tspeaker\n" + lines, encoding="utf-8")
    return {side: str(folder / f"{side}.tsv") for side in (*sides, "speakers")}


def test_files_phones_in_memory_and_the_command_have_the_same_numbers(tmp_path: Path) -> None:
    files = written(tmp_path)
    options = ["--speakers", files["speakers"], "--inventory", " ".join(PHONES), "--json"]
    told = json.loads(printed("score", files["gold"], files["predicted"], *options))
    of_files = px.score(files["gold"], files["predicted"], speakers=files["speakers"], inventory=PHONES)
    in_memory = px.score(GOLD, HEARD, speakers=SPEAKERS, inventory=PHONES)
    for scored in (of_files, in_memory):
        assert {**scored, "notes": [asdict(note) for note in scored["notes"]]} == told
    assert told["wper"] < told["per"]
    assert told["floor_wper"] is not None


def test_settings_are_those_of_a_configuration_and_wrong_ones_are_named() -> None:
    usual, unit = px.score(GOLD, HEARD), px.score(GOLD, HEARD, settings=["alignment.costs=unit"])
    assert unit["wper"] == unit["per"] == usual["per"] > usual["wper"]
    with pytest.raises(px.ConfigurationError, match=r"alignment\.costs: must be .*, not 'unt'"):
        px.score(GOLD, HEARD, settings=["alignment.costs=unt"])
    with pytest.raises(px.ConfigurationError, match="settings are a list of texts"):
        px.score(GOLD, HEARD, settings="alignment.costs=unit")


def test_unknown_symbols_and_wrong_data_are_one_error() -> None:
    with pytest.raises(px.DataError, match=r"gold: 1 of 4 symbols is not known"):
        px.score(["p a % a", "k a"], ["p a t a", "k a"])
    corpus = px.load_corpus(GOLD, HEARD)
    with pytest.raises(px.ConfigurationError, match="gold: give phones as texts or lists, or a file"):
        px.score(corpus.gold, HEARD)  # type: ignore[arg-type]


def test_per_is_of_a_corpus_and_a_matrix_is_refused_with_the_remedy() -> None:
    corpus = px.load_corpus(GOLD, HEARD)
    assert px.phone_error_rate(corpus) == px.score(GOLD, HEARD)["per"]
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    matrix = px.count_confusions(px.align_corpus(corpus, costs))
    with pytest.raises(TypeError, match=r"give the corpus: px\.phone_error_rate\(corpus\)"):
        px.phone_error_rate(matrix)  # type: ignore[arg-type]
    assert px.phone_error_rate(px.load_corpus([[], ["a"]], [["a"], ["a"]])) == 1
