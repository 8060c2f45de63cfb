"""px.load_corpus and its kin take data in memory, and give what the same data in files give."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_experiment import RECOGNISED, SHIFT, make_experiment
from support import transcript

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.sequences import Columns

GOLD = {"u1": "b a t", "u2": "", "u3": "ẽ b i"}
HEARD = {"u1": "P AA T", "u2": "S", "u3": "B IY1"}
BOTH = pd.DataFrame({"utterance": list(GOLD), "reference": list(GOLD.values()), "prediction": list(HEARD.values())})
SETS = ("ipa", "arpabet")


def same(one: Columns, other: Columns) -> None:
    """Fail where two sides differ in anything but their sources."""
    first, second = ({**vars(side), "source": ""} for side in (one, other))
    assert first.keys() == second.keys()
    for name, value in first.items():
        if isinstance(value, np.ndarray):
            assert value.dtype == second[name].dtype
            assert value.tobytes() == second[name].tobytes(), name
        elif isinstance(value, Columns):
            same(value, second[name])
        else:
            assert value == second[name], name


@pytest.fixture(scope="module")
def from_files(tmp_path_factory: pytest.TempPathFactory) -> px.Corpus:
    folder = tmp_path_factory.mktemp("files")
    for name, side in (("gold", GOLD), ("predicted", HEARD)):
        transcript(folder / f"{name}.tsv", side)
    return px.load_corpus(folder / "gold.tsv", folder / "predicted.tsv", symbols=SETS)


def test_a_table_of_both_sides_in_three_ways(from_files: px.Corpus, tmp_path: Path) -> None:
    each = ({"phones": "reference"}, {"phones": "prediction"})
    BOTH.to_csv(tmp_path / "both.tsv", sep="\t", index=False)
    for corpus in (
        px.load_corpus(gold=BOTH, predicted=BOTH, columns=each, symbols=SETS),
        px.load_corpus(BOTH, columns=("reference", "prediction"), symbols=SETS),
        px.load_corpus((row for row in BOTH.to_dict("records")), columns=each, symbols=SETS),
        px.load_corpus(tmp_path / "both.tsv", columns=("reference", "prediction"), symbols=SETS),
    ):
        same(corpus.gold, from_files.gold)
        same(corpus.predicted, from_files.predicted)
        assert corpus.gold_audit == from_files.gold_audit
        assert corpus.predicted_audit == from_files.predicted_audit


def test_a_transcript_that_was_built(from_files: px.Corpus) -> None:
    builder = px.files.TranscriptBuilder("mine")
    for line, (name, phones) in enumerate(GOLD.items()):
        builder.add_utterance(name, phones.split(), line)
    corpus = px.load_corpus(builder.finish(), pd.Series(HEARD), symbols=SETS)
    same(corpus.gold, from_files.gold)
    assert corpus.gold.source == "mine"


TWO_LEVELS = pd.DataFrame({"phones": ["a", "b"]}, index=pd.MultiIndex.from_tuples([("u", 1), ("u", 2)]))


@pytest.mark.parametrize(
    ("gold", "predicted", "remedy"),
    [
        ({"u": "a"}, ["a"], "give predicted as a mapping {id: phones}"),
        (["t", "a", "k"], ["t", "a"], r'one utterance, give gold=\["t a k …"\]'),
        ("t a k", ["t a"], r"phones in memory are a list, one text per utterance: gold=\[\"t a k\"\]"),
        ({"u": "a", "v": "b"}, {"u": "a"}, "only in gold"),
        (TWO_LEVELS, TWO_LEVELS, r"reset_index\(\) first"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_remedy(gold: Any, predicted: Any, remedy: str) -> None:  # noqa: ANN401
    with pytest.raises(DataError, match=remedy):
        px.load_corpus(gold, predicted)


@pytest.mark.parametrize(
    "speakers",
    [
        {"u1": "ann", "u2": "bob", "u3": "ann", "other": "x"},
        pd.Series({"u1": "ann", "u2": "bob", "u3": "ann"}),
        pd.DataFrame({"utterance": ["u3", "u2", "u1"], "speaker": ["ann", "bob", "ann"]}),
    ],
)
def test_speakers_in_memory(speakers: object) -> None:
    corpus = px.load_corpus(GOLD, HEARD, symbols=SETS, speakers=speakers)  # type: ignore[arg-type]
    assert corpus.speakers == ("ann", "bob", "ann")


def test_speakers_by_position_are_one_each() -> None:
    assert px.load_corpus(["a b", "a"], ["a", "a"], speakers=["x", 7]).speakers == ("x", "7")
    with pytest.raises(DataError, match="a list of 1 for 2 utterances"):
        px.load_corpus(["a b", "a"], ["a", "a"], speakers=["x"])
    with pytest.raises(DataError, match="no speaker for 2 of 3 utterances: u2 u3"):
        px.load_corpus(GOLD, HEARD, symbols=SETS, speakers={"u1": "x", "u2": ""})


@pytest.fixture(scope="module")
def yoruba(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    make_experiment(folder)
    return folder / "yoruba"


class Tensor:
    """What a library's tensor offers NumPy."""

    def __init__(self, values: np.ndarray, fault: str = "") -> None:
        self._values, self._fault = values, fault

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        if self._fault:
            raise RuntimeError(self._fault)
        return self._values


def test_posteriors_in_memory_are_those_of_the_file(yoruba: Path) -> None:
    stored = dict(np.load(yoruba / "posteriors.npz"))
    arrays = {name: values for name, values in stored.items() if name not in {"phones", "frame_shift_s"}}
    segments, wanted = (
        px.load_segments(yoruba / "gold.tsv"),
        px.load_posteriorgrams(yoruba / "posteriors.npz", symbols="arpabet"),
    )
    joint = px.joint_distribution(wanted, segments)
    tensors = {name: Tensor(values) for name, values in arrays.items()}
    for data in (arrays, tensors):
        given = px.load_posteriorgrams(data, "arpabet", labels=RECOGNISED, frame_shift=SHIFT)
        assert (given.utterances, given.inventory) == (wanted.utterances, wanted.inventory)
        for name in wanted.utterances:
            assert given.frames(name).tobytes() == wanted.frames(name).tobytes()
        assert px.joint_distribution(given, segments, workers=2) == joint


def test_posteriors_are_not_changed_by_who_gave_them() -> None:
    frames = np.array([[0.5, 0.5]])
    given = px.load_posteriorgrams([frames], labels=["a", "e"], frame_shift=0.01)
    frames[:] = 0
    assert given.utterances == ("0",)
    assert given.frames("0").tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("data", "changed", "fault"),
    [
        ({"u": [[0.5, 0.5]]}, {"labels": None}, "labels is needed"),
        ({"u": [[0.5, 0.5]]}, {"frame_shift": None}, "frame_shift is needed"),
        ({"u": [0.5, 0.5]}, {}, r"utterance 'u' has the shape \(2,\); expected \[frames, 2\]"),
        ({"u": Tensor(np.zeros(2), "it is on a GPU")}, {}, "utterance 'u' .*: it is on a GPU"),
        ({}, {}, "holds no utterance"),
    ],
)
def test_posteriors_that_cannot_be_read(data: Any, changed: dict[str, Any], fault: str) -> None:  # noqa: ANN401
    with pytest.raises((DataError, ConfigurationError), match=fault):
        px.load_posteriorgrams(data, **{"labels": ["a", "e"], "frame_shift": 0.01, **changed})


def test_one_iterator_for_both_sides_is_read_once() -> None:
    def rows() -> Iterator[dict[str, str]]:
        yield {"id": "u", "reference": "a b", "prediction": "a p"}

    both = rows()
    corpus = px.load_corpus(both, both, columns=("reference", "prediction"))
    assert corpus.predicted.phones_of(0) == ["a", "p"]
