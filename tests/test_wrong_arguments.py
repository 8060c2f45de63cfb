"""What people give first where something else is needed: one sentence says what, and what makes it."""

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args, get_origin

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
        px.DataError,
        ("costs must be of the type CostTable, not str: px.feature_costs(gold_phones, predicted_phones) gives some"),
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
        px.DataError,
        "matrix must be of the type ConfusionMatrix, not DataFrame: px.count_confusions(aligned) gives one",
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
        lambda: px.load_corpus(["a b"], ["a b"], symbols=("ipa",)),
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
    "a rule that there is not": (
        lambda: px.load_corpus(["a b"], ["a b"], tone="teir"),  # type: ignore[arg-type]
        px.ConfigurationError,
        "tone: there is no 'teir'; there are: tier, attach, strip",
    ),
    "nothing for a folder": (
        lambda: px.load_results(None),  # type: ignore[arg-type]
        px.DataError,
        "folder must be a path, not NoneType",
    ),
    "no worker": (
        lambda: px.align_corpus(CORPUS, COSTS, workers=0),
        px.ConfigurationError,
        "workers: a whole number of at least 1 is needed, not 0",
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


def words_of(annotation: object) -> list[str]:
    """Return the words of the Literals in an annotation."""
    inner = get_args(annotation)
    return [*inner] if get_origin(annotation) is Literal else [word for part in inner for word in words_of(part)]


def options_with_words() -> dict[str, tuple[Callable[[], object], list[str]]]:
    """Return a call with a word that there is not, and those that there are, of each option of each public function."""
    modules = px.estimators, px.files, px.symbols
    names = [name for name in px.__all__ if name != "__version__"]  # type: ignore[attr-defined]
    public = {name: getattr(px, name) for name in names}
    public |= {name: getattr(module, name) for module in modules for name in vars(module) if name[0] != "_"}
    found: dict[str, tuple[Callable[[], object], list[str]]] = {}
    for name, one in public.items():
        declared = vars(one).get("__init__") if isinstance(one, type) else one
        for option, annotation in getattr(declared, "__annotations__", {}).items():
            if words := words_of(annotation):
                found[f"{name}({option}=…)"] = partial(one, **{option: "no such word"}), words
    return found


WORDS = options_with_words()


@pytest.mark.parametrize("case", WORDS)
def test_a_word_that_an_option_does_not_have_is_refused_with_those_that_it_has(case: str) -> None:
    call, words = WORDS[case]
    with pytest.raises(px.ConfigurationError, match="no such word") as caught:
        call()
    assert all(word in str(caught.value) for word in words)


def test_every_option_with_words_is_found() -> None:
    assert {"confusion_entropy(gaps=…)", "SymbolRules(tone=…)", "PhoneErrors(ties=…)", "jackknife(kind=…)"} <= {*WORDS}
    assert len(WORDS) > 40
