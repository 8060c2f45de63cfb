"""px.score: the numbers of the command, of files as of phones in memory; PER of a corpus, and of no matrix."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import printed
from support import speakers_file, transcript

import phonxling as px

GOLD = {f"u{number}": text for number, text in enumerate(["p a t a", "k a n i", "t u m i a", "s a k i"] * 3)}
HEARD = {name: text.replace("t", "d").replace("u m", "u n o") for name, text in GOLD.items()}
SPEAKERS = {name: f"s{number % 6}" for number, name in enumerate(GOLD)}
PHONES = ["p", "a", "d", "k", "n", "i", "u", "m", "s", "o"]
QUICK = ["chance.replicates=2"]


def written(folder: Path) -> dict[str, str]:
    files = [transcript(folder / "gold.tsv", GOLD), transcript(folder / "predicted.tsv", HEARD)]
    files.append(speakers_file(folder / "speakers.tsv", SPEAKERS))
    return {file.stem: str(file) for file in files}


def test_files_phones_in_memory_and_the_command_have_the_same_numbers(tmp_path: Path) -> None:
    files = written(tmp_path)
    options = ["--speakers", files["speakers"], "--inventory", " ".join(PHONES), "--json", "--set", *QUICK]
    told = json.loads(printed("score", files["gold"], files["predicted"], *options))
    given = {"inventory": PHONES, "settings": QUICK}
    of_files = px.score(files["gold"], files["predicted"], speakers=files["speakers"], **given)
    in_memory = px.score(GOLD, HEARD, speakers=SPEAKERS, **given)
    assert of_files.to_dict() == in_memory.to_dict() == told
    assert told["wper"] < told["per"]
    assert told["floor_wper"] is not None


def test_settings_are_those_of_a_configuration_and_wrong_ones_are_named() -> None:
    usual, unit = px.score(GOLD, HEARD), px.score(GOLD, HEARD, settings=["alignment.costs=unit"])
    assert unit.wper == unit.per == usual.per > usual["wper"]
    with pytest.raises(px.ConfigurationError, match=r"alignment\.costs: must be .*, not 'unt'"):
        px.score(GOLD, HEARD, settings=["alignment.costs=unt"])
    with pytest.raises(px.ConfigurationError, match="settings are a list of texts"):
        px.score(GOLD, HEARD, settings="alignment.costs=unit")


def test_per_is_of_a_corpus_and_a_matrix_is_refused_with_the_remedy() -> None:
    corpus = px.load_corpus(GOLD, HEARD)
    assert px.phone_error_rate(corpus) == px.score(GOLD, HEARD).per
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    matrix = px.count_confusions(px.align_corpus(corpus, costs))
    with pytest.raises(px.DataError, match=r"give the corpus: px\.phone_error_rate\(corpus\)"):
        px.phone_error_rate(matrix)  # type: ignore[arg-type]
    assert px.phone_error_rate(px.load_corpus([[], ["a"]], [["a"], ["a"]])) == 1


@pytest.fixture(scope="module")
def scored() -> px.Score:
    return px.score(GOLD, HEARD, speakers=SPEAKERS, inventory=PHONES, settings=QUICK)


def test_a_score_is_eight_lines_in_a_terminal_and_a_small_table_in_a_notebook(scored: px.Score) -> None:
    lines = repr(scored).splitlines()
    assert 4 <= len(lines) <= 8
    assert max(map(len, lines)) <= 80
    assert lines[-1].startswith("12 utterances, 51 gold phones")
    assert scored._repr_html_().count("<tr>") <= 10
    assert "wPER is" in scored._repr_html_()


def test_a_measure_is_an_attribute_and_an_item_and_a_float_with_limits(scored: px.Score) -> None:
    assert scored.wper == scored["wper"] == scored.to_dict()["wper"]
    assert scored.wper.low < scored.wper < scored.wper.high < 1
    assert json.loads(json.dumps(scored.wper)) == scored.wper.value
    assert scored["chance_wper:bigram"] >= scored.chance_wper
    assert scored["utterances"] == len(scored.utterances) == 12
    assert dict(scored)["skill_per"] == scored.skill_per
    assert "tone_error_rate" in scored
    assert np.isnan(scored.tone_error_rate)


def test_tables_are_those_of_a_run_of_the_same_data(scored: px.Score, tmp_path: Path) -> None:
    config = {"gold": GOLD, "predicted": HEARD, "speakers": SPEAKERS, "recogniser": {"inventory": PHONES}}
    quick = {"figures": {"kinds": ["rates"], "formats": ["svg"]}, "report": {"html": False}}
    settings = {"corpora": {"score": config}, "chance": {"replicates": 2}, **quick}
    results = px.run(settings, tmp_path / "results", messages=lambda _: None)
    for name in ("summary", "utterances", "speakers", "alignments", "phones", "confusions", "features"):
        pd.testing.assert_frame_equal(getattr(scored, name), results.table(name, "score"))
    assert {*results["score"]} == {*scored}
    assert results["score"]["wper"] == scored.wper


def test_a_score_shows_draws_and_goes_into_other_processes(
    scored: px.Score, capsys: pytest.CaptureFixture[str]
) -> None:
    scored.show(1)
    assert capsys.readouterr().out == "u0\n  gold      p a t a\n  predicted p a d a\n"
    assert scored.figure("confusions", width=84).get_figwidth() == pytest.approx(84 / 25.4)
    again = pickle.loads(pickle.dumps(scored))  # noqa: S301 - our own
    assert again.to_dict() == scored.to_dict()
    assert copy.copy(scored).wper == scored.wper
    with pytest.raises(AttributeError):
        scored.first = ()  # type: ignore[misc]


def test_a_name_that_there_is_not_is_answered_with_what_there_is(scored: px.Score) -> None:
    with pytest.raises(AttributeError, match=r"no 'phone'; did you mean 'phones'.* measures: per, .*tables: summary,"):
        _ = scored.phone
    with pytest.raises(KeyError, match="no measure of this score is called 'wpr'; did you mean 'wper'"):
        _ = scored["wpr"]
    assert {"wper", "summary", "confusions", "show", "to_dict"} <= {*dir(scored)}


def test_one_table_has_both_sides(scored: px.Score) -> None:
    table = pd.DataFrame({"id": [*GOLD], "gold": [*GOLD.values()], "answer": [*HEARD.values()]})
    table["speaker"] = [*SPEAKERS.values()]
    columns = {"gold": "gold", "predicted": "answer", "utterance": "id"}
    for named in (("gold", "answer"), columns):
        found = px.score(table, columns=named, inventory=PHONES, settings=QUICK)
        assert found.to_dict() == scored.to_dict()
    with pytest.raises(px.ConfigurationError, match="predicted is missing; if gold is a table of both sides"):
        px.score(table)
