"""What people give first where something else is needed: one sentence says what, and what makes it."""

from collections.abc import Callable

import pandas as pd
import pytest

import phonxling as px

CORPUS = px.load_corpus([["a", "t", "a"], ["b"]], [["a", "d"], ["b", "a"]])
COSTS = px.feature_costs(CORPUS.gold_inventory, CORPUS.predicted_inventory)
ALIGNED = px.align_corpus(CORPUS, COSTS)
MATRIX = px.count_confusions(ALIGNED)
FRAME = pd.DataFrame({"utterance": ["u"], "phones": ["a"]})
OTHER = px.feature_costs(["x"], ["a"])
SENTENCES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a name for costs": (
        lambda: px.align_corpus(CORPUS, "panphon"),  # type: ignore[arg-type]
        TypeError,
        (
            "costs must be of the type CostTable, not str: "
            "px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory) gives some"
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
        "matrix must be of the type ConfusionMatrix, not DataFrame: px.count_confusions(aligned) gives one",
    ),
    "a matrix for a corpus": (
        lambda: px.align_corpus(MATRIX, COSTS),  # type: ignore[arg-type]
        TypeError,
        "corpus must be of the type Corpus, not ConfusionMatrix: px.load_corpus(gold, predicted) gives one",
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
        px.DataError,
        "a list of phones is needed, not the string 'abc'",
    ),
    "numbers for phones": (
        lambda: px.Inventory((1,)),  # type: ignore[arg-type]
        px.DataError,
        "a phone must be a text, not int 1",
    ),
    "lists for a corpus": (
        lambda: px.Corpus(gold=[["a"]], predicted=[["a"]]),  # type: ignore[arg-type]
        TypeError,
        "gold must be of the type PhoneSequences, not list: px.load_corpus(gold, predicted) makes a corpus",
    ),
    "a rule that there is not": (
        lambda: px.load_corpus(["a b"], ["a b"], tone="teir"),  # type: ignore[arg-type]
        px.ConfigurationError,
        "tone: there is no 'teir'; there are: tier, attach, strip",
    ),
    "a corpus for its alignments": (
        lambda: px.count_confusions(CORPUS),  # type: ignore[arg-type]
        TypeError,
        "aligned must be of the type Alignments, not Corpus: px.align_corpus(corpus, costs) gives some",
    ),
    "one folder to compare": (
        lambda: px.compare("results/a"),
        px.ConfigurationError,
        "results are a list of folders, such as ['results/a'], not one text",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_what_is_wrong_is_one_sentence(case: str) -> None:
    call, kind, sentence = SENTENCES[case]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == sentence
