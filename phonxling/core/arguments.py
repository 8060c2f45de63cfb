"""Arguments of another type than a public function takes: said in one sentence, with what makes the right one."""

import builtins
import types
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from inspect import Parameter, signature
from itertools import zip_longest
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Checks = Mapping[str, tuple[tuple[type, ...], bool]]
_MAKERS = {  # what gives a value of a type
    "Alignments": "px.align_corpus(corpus, costs)",
    "ConfusionMatrix": "px.count_confusions(aligned), or px.ConfusionMatrix(gold=…, predicted=…, counts=…)",
    "ConfusionStack": "px.stack_confusions(aligned)",
    "Corpus": "px.load_corpus(gold, predicted)",
    "CostTable": "px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)",
    "ExpectedConfusions": "px.expected_confusions(target, reference)",
    "FeatureTable": "px.costs.panphon_features()",
    "JointDistribution": "px.joint_distribution(posteriorgrams, segments)",
    "NaturalClasses": "px.symbols.natural_classes(phones, px.costs.panphon_features())",
    "PhoneMeans": "px.phone_means(posteriorgrams, segments)",
    "PhoneSequences": "px.load_segments(…), or corpus.gold,",
    "Posteriorgrams": "px.load_posteriorgrams(…)",
    "SymbolRules": "px.symbols.SymbolRules(tone=…)",
    "ForcedRules": "px.posteriors.ForcedRules(…)",
}
_NAMES = {"PathLike": "path", "Mapping": "mapping", "Callable": "function", "ndarray": "array", "NoneType": "None"}
_PLAIN = {**_NAMES, "str": "text", "float": "number", "int": "a whole number", "bool": "True or False"}
_TEXTS_TOO = (Sequence, Iterable, Container)  # whose items are not meant to be letters
_SHOWN = 40
_MOST = 4  # types: what may be of more of them has a message of its own


def checked_types(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function whose arguments are held against its annotations before it runs."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        checks, names, rest = _checks_of(function)
        for name, value in [*zip_longest(names[: len(args)], args, fillvalue=rest), *kwargs.items()]:
            refuse(function, name, value, checks)
        return function(*args, **kwargs)

    return call


@cache
def _checks_of(function: Callable[..., Any]) -> tuple[_Checks, list[str], str]:
    """Return the types that arguments may have, where they can be told, and the names of those by position."""
    known = defaultdict(lambda: Any, {**vars(builtins), **function.__globals__})  # imported for type checkers: Any
    hints, parameters = get_type_hints(function, localns=known), signature(function).parameters.values()
    checks = {name: kinds for name, hint in hints.items() if (kinds := _kinds(hint))[0]}
    rest = next((each.name for each in parameters if each.kind is Parameter.VAR_POSITIONAL), "")
    named = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return checks, [each.name for each in parameters if each.kind in named], rest


def _kinds(hint: Any) -> tuple[tuple[type, ...], bool]:  # noqa: ANN401 - an annotation
    """Return the types that an annotation stands for, none when not all can be told; whether lists hold texts."""
    parts = get_args(hint) if get_origin(hint) in {Union, types.UnionType} else (hint,)
    kinds = dict.fromkeys(str if get_origin(part) is Literal else get_origin(part) or part for part in parts)
    told = all(isinstance(kind, type) and kind is not Any and not getattr(kind, "_is_protocol", 0) for kind in kinds)
    items = [get_args(part) for part in parts if get_origin(part) in {*_TEXTS_TOO, list, tuple}]
    return (*kinds,) if told and len(kinds) <= _MOST else (), bool(items) and {*items} == {(str,)}


def refuse(function: Callable[..., Any], name: str, value: object, checks: _Checks) -> None:
    """Raise TypeError when the value of a parameter is of none of the types that it may have."""
    kinds, texts = checks.get(name, ((), False))
    others = [each for each in value if not isinstance(each, str)] if texts and isinstance(value, list | tuple) else []
    if not kinds or (any(map(_fits, [value] * len(kinds), kinds)) and not others):
        return
    *most, last = ["a list of texts"] if others else dict.fromkeys(map(_called, kinds))
    needed = f"{', '.join(most)} or {last}" if most else last
    remedy = next((f"; {_MAKERS[kind.__name__]} gives one" for kind in kinds if kind.__name__ in _MAKERS), "")
    actual = f"one that holds {_called(type(others[0]), _NAMES)}" if others else _called(type(value), _NAMES)
    if isinstance(value, str):
        actual = f"the text '{value[:_SHOWN]}{'…' * (len(value) > _SHOWN)}'"
    raise TypeError(f"{function.__qualname__.removesuffix('.__init__')}: {name} must be {needed}, not {actual}{remedy}")


def _fits(value: object, kind: type) -> bool:
    if kind in {float, int}:
        return hasattr(value, "__float__" if kind is float else "__index__")
    return isinstance(value, kind) and not (isinstance(value, str | bytes) and kind in _TEXTS_TOO)


def _called(kind: type, names: Mapping[str, str] = _PLAIN) -> str:
    name = "list" if kind in _TEXTS_TOO else names.get(kind.__name__, kind.__name__)
    return name if " " in name or name == "None" else f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


@contextmanager
def replaced(owner: object, name: str, other: Callable[[Any], object]) -> Iterator[None]:
    """Put what `other` makes of a function of a library in its place, and that back in the end."""
    original = vars(owner).get(name)
    if original is None:
        yield
        return
    setattr(owner, name, other(original))
    try:
        yield
    finally:
        setattr(owner, name, original)
