"""Arguments of wrong types, to every public function: one sentence says what is needed, and no bare error of Python."""

import inspect
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import phonxling as px

CORPUS = px.load_corpus([["a", "t", "a"], ["b"]], [["a", "d"], ["b", "a"]])
COSTS = px.feature_costs(CORPUS.gold_inventory, CORPUS.predicted_inventory)
ALIGNED = px.align_corpus(CORPUS, COSTS)
MATRIX = px.count_confusions(ALIGNED)
FRAME = pd.DataFrame({"utterance": ["u"], "phones": ["a"]})
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: each for name in dir(px) if inspect.isfunction(each := getattr(px, name)) and name != "run"
}
WRONG: dict[str, Any] = {
    "a number": 5,
    "a text": "panphon",
    "nothing": None,
    "numbers": [1, 2],
    "texts": ["a", "b"],
    "a list of lists": [["a"], ["b"]],
    "a corpus": CORPUS,
    "costs": COSTS,
    "a matrix": MATRIX,
    "a table": FRAME,
    "an array": np.zeros((2, 2)),
    "bytes": b"a",
    "a mapping": {"a": 1},
    "an object": object(),
}
SAID = (px.PhonxlingError, TypeError, ValueError)
BARE = ("object has no attribute", "object is not", "path should be", "unhashable", "indices must be", "unexpected")


def calls(function: Callable[..., Any], value: object) -> Iterator[dict[str, Any]]:
    """Yield a call with the same wrong value for each parameter that is needed, and the right one for each other."""
    needed = [
        each.name
        for each in inspect.signature(function).parameters.values()
        if each.default is inspect.Parameter.empty and each.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    right = {"corpus": CORPUS, "costs": COSTS, "matrix": MATRIX, "aligned": ALIGNED, "gold": ["a"], "predicted": ["a"]}
    for name in needed:
        yield {other: right.get(other, value) for other in needed} | {name: value}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_bare_error_reaches_the_user(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write where a text says
    for call in (call for wrong in WRONG.values() for call in calls(FUNCTIONS[name], wrong)):
        said = message_of(FUNCTIONS[name], call)
        assert not any(part in said for part in BARE), (call, said)


def message_of(function: Callable[..., Any], call: dict[str, Any]) -> str:
    """Return what a call says that is refused; errors of other kinds are raised."""
    try:
        function(**call)
    except SAID as error:
        return str(error)
    return ""


OTHER = px.feature_costs(["x"], ["a"])
SENTENCES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a name for costs": (
        lambda: px.align_corpus(CORPUS, "panphon"),  # type: ignore[arg-type]
        TypeError,
        (
            "align_corpus: costs must be a CostTable, not the text 'panphon'; "
            "px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory) gives one"
        ),
    ),
    "another corpus' costs": (
        lambda: px.align_corpus(CORPUS, OTHER),
        px.DataError,
        (
            "the costs 'panphon' are of other phones: they lack 3 gold (a b t) and 2 predicted (b d); make them with "
            "px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)"
        ),
    ),
    "a table for a matrix": (
        lambda: px.confusion_entropy(FRAME),  # type: ignore[arg-type]
        TypeError,
        (
            "confusion_entropy: matrix must be a ConfusionMatrix, not a DataFrame; px.count_confusions(aligned), or "
            "px.ConfusionMatrix(gold=…, predicted=…, counts=…) gives one"
        ),
    ),
    "a matrix for a corpus": (
        lambda: px.align_corpus(MATRIX, COSTS),  # type: ignore[arg-type]
        TypeError,
        "align_corpus: corpus must be a Corpus, not a ConfusionMatrix; px.load_corpus(gold, predicted) gives one",
    ),
    "a number for a path": (
        lambda: px.load_corpus(5, ["a"]),  # type: ignore[arg-type]
        px.DataError,
        (
            "gold: a path is needed, or phones in memory (lists of phones, texts of spaced phones, a mapping by id, a "
            "DataFrame, or records), not int"
        ),
    ),
    "a list for a pair": (
        lambda: px.load_corpus(["a b"], ["a b"], symbols=["ipa", "timit61"]),
        px.ConfigurationError,
        "symbols: a set for gold and one for predicted are a tuple: symbols=('ipa', 'timit61')",
    ),
    "one of a pair": (
        lambda: px.load_corpus(["a b"], ["a b"], symbols=("ipa",)),  # type: ignore[arg-type]
        px.ConfigurationError,
        "a pair is needed, (of gold, of predicted), or one for both, not ('ipa',)",
    ),
    "letters for phones": (
        lambda: px.feature_costs("abc", ["a"]),
        TypeError,
        "feature_costs: gold must be an Inventory or a list, not the text 'abc'",
    ),
    "numbers for phones": (
        lambda: px.Inventory((1,)),  # type: ignore[arg-type]
        px.DataError,
        "a phone must be a text, not int 1",
    ),
    "lists for a corpus": (
        lambda: px.Corpus(gold=[["a"]], predicted=[["a"]]),  # type: ignore[arg-type]
        TypeError,
        "Corpus: gold must be a PhoneSequences, not a list; px.load_segments(…), or corpus.gold, gives one",
    ),
    "a rule that there is not": (
        lambda: px.load_corpus(["a b"], ["a b"], tone="teir"),  # type: ignore[arg-type]
        px.ConfigurationError,
        "tone: there is no 'teir'; there are: tier, attach, strip",
    ),
    "classes of other phones": (
        lambda: px.measures.class_errors(MATRIX, px.symbols.natural_classes(["x"], px.costs.panphon_features())),
        px.DataError,
        "the classes lack phones (3: a b t); make them with px.symbols.natural_classes of all phones",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_what_is_wrong_is_one_sentence(case: str) -> None:
    call, kind, sentence = SENTENCES[case]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == sentence


def test_checked_functions_are_what_they_were() -> None:
    for function in FUNCTIONS.values():
        assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own
    assert px.measures.perplexity(np.float32(3)) == 8  # type: ignore[arg-type]
