"""Speakers that ids suggest: written by init as a comment, named by check, and read by their pattern."""

from pathlib import Path

import pytest
from running import printed
from support import write

from phonxling.configuration.reading import experiment_of, load_configuration
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.corpora import load_corpora
from phonxling.load.resources import propose_pattern, speakers_in_ids

TIMIT = [f"{name}0_s{kind}{number}" for name in ("fdhc", "felc", "mgmm") for kind in "ix" for number in range(3)]


def made(folder: Path, ids: list[str], header: str = "utterance\tphones", cells: str = "") -> Path:
    for side in ("gold", "predicted"):
        write(folder / f"{side}.tsv", "\n".join([header, *(f"{name}\tp a t{cells}" for name in ids)]) + "\n")
    return folder


def test_what_ids_suggest_is_written_as_a_comment_and_becomes_active_without_its_sign(tmp_path: Path) -> None:
    line = 'speakers: {pattern: "{speaker}_*"}'
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
        [f"a{number}_x" for number in range(30)],  # each its own
        [f"{side}_{number}" for side in ("train", "test") for number in range(15)],  # two of them are no speakers yet
        ["a", "b_1", "b_2", "c_1", "c_2", "d_1", "d_2"],
        [f"{side}_{speaker}_{number}" for side in ("a", "b") for speaker in (1, 2) for number in range(5)],
    ],
)
def test_numbered_and_single_ids_suggest_nothing(tmp_path: Path, ids: list[str]) -> None:
    assert propose_pattern(ids) == ""
    assert "suggest" not in printed("init", made(tmp_path, ids))
    assert "pattern" not in (tmp_path / "experiment.yaml").read_text(encoding="utf-8")


def test_known_speakers_are_not_proposed_again(tmp_path: Path) -> None:
    made(tmp_path, TIMIT, "utterance\tphones\tspeaker", "\tann")
    assert "suggest" not in printed("init", tmp_path)


@pytest.mark.parametrize(
    ("ids", "pattern"),
    [
        ([f"s{speaker}/u{number}" for speaker in range(4) for number in range(3)], "{speaker}/*"),
        ([f"{speaker}-{chapter}-0{number}" for speaker in (84, 174, 251) for chapter in (1, 2) for number in (1, 2)],
         "{speaker}-*"),
        ([f"esw_0{speaker}_{number}" for speaker in range(3) for number in range(5)], "*_{speaker}_*"),
        ([*TIMIT, "lone0_si1"], "{speaker}_*"),
    ],
)  # fmt: skip
def test_the_part_that_several_utterances_share_is_proposed(ids: list[str], pattern: str) -> None:
    assert propose_pattern(ids) == pattern


@pytest.mark.parametrize(
    ("pattern", "utterance", "speaker"),
    [
        ("{speaker}_*", "fdhc0_si1559", "fdhc0"),
        ("*/{speaker}/*", "dr1/fcjf0/sa1", "fcjf0"),
        ("day*_{speaker}_*", "day1_ann_07_b", "ann"),
        ("*-{speaker}", "x-a-b", "a-b"),
        ("[x]{speaker}.*", "[x]ann.1", "ann"),  # no other letter has a meaning
        ("a{speaker}a", "aaa", "a"),
    ],
)
def test_the_speaker_is_the_shortest_text_up_to_what_follows(pattern: str, utterance: str, speaker: str) -> None:
    assert speakers_in_ids([utterance], pattern) == (speaker,)


@pytest.mark.parametrize("wrong", ["_1", "ann"])
def test_ids_that_a_pattern_does_not_fit_are_refused(wrong: str) -> None:
    fault = rf"speakers: the pattern {{speaker}}_\*: no speaker for 1 of 2 utterances: {wrong}$"
    with pytest.raises(DataError, match=fault):
        speakers_in_ids(["ann_1", wrong], "{speaker}_*")


def test_no_pattern_takes_long() -> None:
    with pytest.raises(DataError, match="speakers: the pattern "):
        speakers_in_ids(["a" * 5_000], "{speaker}a" + "*a" * 500 + "*b")


@pytest.mark.parametrize(
    ("speakers", "fault"),
    [
        ({"pattern": "[^_]+"}, r"speakers.pattern: must hold {speaker} once, such as {speaker}_\*, not '\[\^_\]\+'"),
        ({"pattern": "{speaker}*"}, r"does not say where the speaker ends"),
        ({"pattern": "{speaker}_*", "path": "s.tsv"}, r"named by a table or by a pattern: keep it, or path"),
        ({}, r"speakers: needs the path of a table, or a pattern such as {speaker}_\*"),
    ],
)
def test_speakers_that_are_no_table_and_no_pattern(speakers: dict[str, object], fault: str) -> None:
    corpus = {"gold": {"path": "g"}, "predicted": {"path": "p"}, "speakers": speakers}
    with pytest.raises(ConfigurationError, match=fault):
        experiment_of({"name": "x", "corpora": {"a": corpus}}, "x")
