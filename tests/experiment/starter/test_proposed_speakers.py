"""Speakers that ids suggest: written by init as a comment, named by check, and read with `speaker_pattern`."""

from pathlib import Path

import pytest
from running import printed
from support import write

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.configuration import experiment_of, load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.load.resources import proposed_pattern, speakers_in_ids

TIMIT = [f"{name}0_s{kind}{number}" for name in ("fdhc", "felc", "mgmm") for kind in "ix" for number in range(3)]


def made(folder: Path, ids: list[str], header: str = "utterance\tphones", cells: str = "") -> Path:
    for side in ("gold", "predicted"):
        write(folder / f"{side}.tsv", "\n".join([header, *(f"{name}\tp a t{cells}" for name in ids)]) + "\n")
    return folder


def test_what_ids_suggest_is_written_as_a_comment_and_becomes_active_without_its_sign(tmp_path: Path) -> None:
    line = 'speaker_pattern: "[^_]+"'
    told = f"ids suggest 3 (fdhc0 felc0 mgmm0): if they are right, write {line}"
    assert told in printed("init", made(tmp_path, TIMIT))
    config = tmp_path / "experiment.yaml"
    assert told in printed("check", config)
    (corpus,) = load_corpora(load_configuration(config))
    assert corpus.corpus.speakers is None
    text = config.read_text(encoding="utf-8")
    assert text.count(f"    # {line}") == 1
    config.write_text(text.replace(f"# {line}", line), encoding="utf-8")
    (corpus,) = load_corpora(load_configuration(config))
    assert corpus.corpus.speakers == tuple(name.split("_")[0] for name in TIMIT)
    assert "ids suggest" not in printed("check", config)


@pytest.mark.parametrize(
    "ids",
    [
        [f"utt_{number:03}" for number in range(30)],
        [f"yor_{number:04}" for number in range(30)],
        [f"{number}" for number in range(30)],
        [f"a{number}_x" for number in range(30)],  # each its own
        [f"{side}_{number}" for side in ("train", "test") for number in range(15)],  # two of them are no speakers yet
        ["a", "b_1", "b_2", "c_1", "c_2", "d_1", "d_2"],
    ],
)
def test_numbered_and_single_ids_suggest_nothing(tmp_path: Path, ids: list[str]) -> None:
    assert proposed_pattern(ids) == ""
    assert "suggest" not in printed("init", made(tmp_path, ids))
    assert "speaker_pattern" not in (tmp_path / "experiment.yaml").read_text(encoding="utf-8")


def test_known_speakers_are_not_proposed_again(tmp_path: Path) -> None:
    made(tmp_path, TIMIT, "utterance\tphones\tspeaker", "\tann")
    assert "suggest" not in printed("init", tmp_path)


@pytest.mark.parametrize(
    ("ids", "pattern"),
    [
        ([f"s{speaker}/u{number}" for speaker in range(4) for number in range(3)], "[^/]+"),
        ([f"{speaker}-{chapter}-0{number}" for speaker in (84, 174, 251) for chapter in (1, 2) for number in (1, 2)],
         "[^-]+"),
        ([f"esw_0{speaker}_{number}" for speaker in range(3) for number in range(5)], "[^_]+_[^_]+"),
        ([*TIMIT, "lone0_si1"], "[^_]+"),
    ],
)  # fmt: skip
def test_the_beginning_that_several_utterances_share_is_proposed(ids: list[str], pattern: str) -> None:
    assert proposed_pattern(ids) == pattern


def test_the_first_group_of_a_pattern_is_the_speaker() -> None:
    assert speakers_in_ids(["day1_ann_07", "day2_bob_01"], r"[^_]+_([a-z]+)") == ("ann", "bob")


def test_ids_without_a_speaker_and_wrong_patterns_are_refused() -> None:
    with pytest.raises(DataError, match=r"speaker_pattern \[a-z\]\+: no speaker for 2 of 3 utterances: 12 13$"):
        speakers_in_ids(["ann_1", "12", "13"], "[a-z]+")
    corpus = {"gold": {"path": "g"}, "predicted": {"path": "p"}}
    with pytest.raises(ConfigurationError, match=r"speaker_pattern: is no regular expression"):
        experiment_of({"name": "x", "corpora": {"a": {**corpus, "speaker_pattern": "["}}}, "x")
    both = {**corpus, "speaker_pattern": "[^_]+", "speakers": {"path": "s.tsv"}}
    with pytest.raises(ConfigurationError, match=r"speakers says already who speaks"):
        experiment_of({"name": "x", "corpora": {"a": both}}, "x")
