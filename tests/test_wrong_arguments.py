"""What people give first where something else is needed: one sentence says what, and what makes it."""

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args, get_origin

import pandas as pd
import pytest
from support import error_of

import phonxling as px

CORPUS = px.load_corpus([["a", "t", "a"], ["b"]], [["a", "d"], ["b", "a"]])
COSTS = px.feature_costs(CORPUS.gold_inventory, CORPUS.predicted_inventory)
FRAME = pd.DataFrame({"utterance": ["u"], "phones": ["a"]})
OTHER = px.feature_costs(["x"], ["a"])
DATA, USAGE = px.DataError, px.ConfigurationError
WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {  # what is given; what the message must name
    "a name for costs": (lambda: px.align_corpus(CORPUS, "panphon"), DATA, "costs .*CostTable, not str: px.feat"),
    "others' costs": (lambda: px.align_corpus(CORPUS, OTHER), DATA, r"3 gold \(a b t\) and 2 .*px.feature_costs"),
    "a table": (lambda: px.confusion_entropy(FRAME), DATA, "matrix .*ConfusionMatrix, not DataFrame: px.count_"),
    "a number for a path": (lambda: px.load_corpus(5, ["a"]), DATA, "gold: a path .*or phones in memory.*not int"),
    "one of a pair": (lambda: px.load_corpus(["a"], ["a"], symbols=("ipa",)), USAGE, r"a pair .*not \('ipa',\)"),
    "letters for phones": (lambda: px.feature_costs("abc", ["a"]), DATA, "list of phones .*not the string 'abc'"),
    "numbers for phones": (lambda: px.Inventory((1,)), DATA, "a phone must be a text, not int 1"),
    "nothing for a folder": (lambda: px.load_results(None), DATA, "folder must be a path, not NoneType"),
    "no worker": (lambda: px.align_corpus(CORPUS, COSTS, workers=0), USAGE, "workers: .*at least 1.*not 0"),
    "a text to align": (lambda: px.align("a t", ["a"], COSTS), DATA, "list of phones .*not the string 'a t'"),
    "nothing to compare": (lambda: px.compare([]), USAGE, "^no folder: no corpus"),
    "one folder to compare": (lambda: px.compare("results/a"), USAGE, "list of folders, .*not one text"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_one_sentence_with_what_is_needed(case: str) -> None:
    call, kind, message = WRONG[case]
    with pytest.raises(kind, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


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


def test_a_word_that_an_option_does_not_have_is_refused_with_those_that_it_has() -> None:
    found = options_with_words()
    for option, (call, words) in found.items():
        message = error_of(px.ConfigurationError, call)
        assert [word for word in ("no such word", *words) if word not in message] == [], option
    assert {"confusion_entropy(gaps=…)", "SymbolRules(tone=…)", "PhoneErrors(ties=…)", "jackknife(kind=…)"} <= {*found}
    assert len(found) > 40
