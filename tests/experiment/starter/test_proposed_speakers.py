"""Speakers that ids suggest: written by init as a comment, named by check, and read by their pattern."""

from pathlib import Path

import pytest
from running import printed
from support import transcript

from phonxling.configuration.reading import experiment_of, load_configuration
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.corpora import load_corpora
from phonxling.load.resources import propose_pattern, speakers_in_ids

TIMIT = [f"{name}0_s{kind}{number}" for name in ("fdhc", "felc", "mgmm") for kind in "ix" for number in range(3)]


def test_what_ids_suggest_is_said_and_read_once_it_is_written(tmp_path: Path) -> None:
    line = 'speakers: {pattern: "{speaker}_*"}'
    for side in ("gold", "predicted"):
        transcript(tmp_path / f"{side}.tsv", dict.fromkeys(TIMIT, "p a t"))
    told = f"ids suggest 3 (fdhc0 felc0 mgmm0): if they are right, write {line}"
    assert told in printed("init", tmp_path)
    config = tmp_path / "experiment.yaml"
    assert told in printed("check", config)
    (corpus,) = load_corpora(load_configuration(config))
    assert corpus.corpus.speakers is None
    config.write_text(
        config.read_text(encoding="utf-8").replace("    gold:", f"    {line}\n    gold:"), encoding="utf-8"
    )
    (corpus,) = load_corpora(load_configuration(config))
    assert corpus.corpus.speakers == tuple(name.split("_")[0] for name in TIMIT)
    assert "ids suggest" not in printed("check", config)


@pytest.mark.parametrize(
    ("ids", "pattern"),
    [
        ([f"s{speaker}/u{number}" for speaker in range(4) for number in range(3)], "{speaker}/*"),
        ([f"{speaker}-{chapter}-0{number}" for speaker in (84, 174, 251) for chapter in (1, 2) for number in (1, 2)],
         "{speaker}-*"),
        ([f"esw_0{speaker}_{number}" for speaker in range(3) for number in range(5)], "*_{speaker}_*"),
        ([*TIMIT, "lone0_si1"], "{speaker}_*"),
        ([f"utt_{number:03}" for number in range(30)], ""),
        ([f"a{number}_x" for number in range(30)], ""),  # each its own
        ([f"{side}_{number}" for side in ("train", "test") for number in range(15)], ""),  # two are no speakers yet
        (["a", "b_1", "b_2", "c_1", "c_2", "d_1", "d_2"], ""),
        ([f"{side}_{speaker}_{number}" for side in ("a", "b") for speaker in (1, 2) for number in range(5)], ""),
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


def test_no_pattern_takes_long() -> None:
    with pytest.raises(DataError, match="speakers: the pattern "):
        speakers_in_ids(["a" * 5_000], "{speaker}a" + "*a" * 500 + "*b")


@pytest.mark.parametrize(
    ("speakers", "fault"),
    [
        ({"pattern": "[^_]+"}, r"speakers.pattern: must hold {speaker} once"),
        ({"pattern": "{speaker}_*", "path": "s.tsv"}, r"named by a table or by a pattern: keep it, or path"),
    ],
)
def test_speakers_that_are_no_table_and_no_pattern(speakers: dict[str, object], fault: str) -> None:
    corpus = {"gold": {"path": "g"}, "predicted": {"path": "p"}, "speakers": speakers}
    with pytest.raises(ConfigurationError, match=fault):
        experiment_of({"name": "x", "corpora": {"a": corpus}}, "x")
