"""Errors that a user can act on. Each says what, where, how many, and what to do.

An argument of another type than a public function takes has one sentence, with what makes the right one.
"""

import builtins
import re
import types
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from inspect import Parameter, signature
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Note:
    """What a user should know of a corpus, or ("error") what is wrong with it; `corpus` is "" where it is of all."""

    corpus: str
    text: str
    kind: Literal["note", "error"] = "note"


class PhonxlingError(Exception):
    """An analysis that cannot go on. The message is for the user; commands print it without a traceback.

    Whatever data the message holds, its text is fit for a terminal (see `whole_message`); `args` has it in full.
    """

    exit_code = 1
    problems: Mapping[str, str] = MappingProxyType({})  # of each corpus, where there are several

    def __str__(self) -> str:
        return whole_message(super().__str__())


class DataError(PhonxlingError):
    """The data cannot be analysed as they are (exit code 1)."""


class OtherFileError(DataError):
    """A file is not the one any more, or on this machine, that was read before."""


class ConfigurationError(PhonxlingError):
    """The configuration or the command's usage is wrong (exit code 2)."""

    exit_code = 2


class MissingFileError(ConfigurationError):
    """A configuration, or what it names, is not there: the exit code is that of any file that is missing."""

    exit_code = 1


def install_command(extra: str) -> str:
    return f'pip install "phonxling[{extra}]"'  # double quotes work in every shell, that of Windows included


def join_problems(
    headline: str, problems: Iterable[str], remedy: str = "", limit: int | None = None, more: int = 0
) -> str:
    lines = list(problems)
    shown = [f"  {line}" for line in lines[:limit]]
    left = len(lines) - len(shown) + more
    if left:
        shown.append(f"  … and {left} more")
    return "\n".join([headline, *shown, *([remedy] if remedy else [])])


def join_alike(headline: str, problems: Iterable[str], limit: int = 20) -> str:
    """Return one message: a headline, and each problem once that is equal to others but for names and numbers."""
    groups: dict[str, list[str]] = {}
    for problem in problems:
        groups.setdefault(_VARYING.sub("…", problem.partition(": ")[2] or problem), []).append(problem)
    different = [*groups.values()]
    lines = [line for group in different[:limit] for line in _group_lines(group)]
    left = sum(map(len, different[limit:]))
    return "\n".join([headline, *lines, *([f"  … and {left} more"] if left else [])])


def _group_lines(alike: list[str]) -> Iterator[str]:
    """Yield the first of some problems, and what tells the others apart: their files, or what each quotes first."""
    yield f"  {alike[0]}"
    if len(alike) > 1:
        files = [problem.partition(": ")[0].rpartition("/")[2] for problem in alike]
        names = files if len({*files}) > 1 else [(_QUOTED.search(problem) or [""])[0] for problem in alike]
        more = " …" if len(alike) > _ALIKE + 1 else ""
        yield f"  … and {len(alike) - 1} more alike: {' '.join(names[1 : _ALIKE + 1])}{more}"


_QUOTED = re.compile(r"'[^'\n]*'")
_VARYING = re.compile(r"'[^'\n]*'|\d[\d.e+-]*")
_ALIKE = 5  # names of those that are alike
LONGEST_LINE, LONGEST = 10_000, 100_000  # letters of a line, and of a message
_PIECE = 100
_SHORTEST_FOLDER = 3  # parts of a folder from which paths are counted: not from / or /home


def printable(text: str) -> str:
    r"""Return a text whose letters all can be seen: what cannot is written as Python escapes it. Line ends stay."""
    if text.isprintable():
        return text
    kept = (letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape") for letter in text)
    return "".join(letter if isinstance(letter, str) else letter.decode("ascii") for letter in kept)


def shown(piece: str, most: int = _PIECE) -> str:
    r"""Return a piece of data as a message shows it: printable, on one line, and cut."""
    text = printable(piece[:most]).replace("\n", r"\n")
    return text if len(piece) <= most else f"{text}… ({len(piece):,} letters)"


def from_here(text: str) -> str:
    """Return a text whose absolute paths count from where the user stands, where that is shorter."""
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return text
    for up, folder in enumerate([here, *here.parents]):
        if "/" not in text or len(folder.parts) < _SHORTEST_FOLDER:
            break
        text = re.sub(rf"(?<![^\s'\"(\[=]){re.escape(str(folder))}/(?=[^\s/])", up * "../", text)
    return text


def whole_message(text: str) -> str:
    """Return a message as it can be printed: `printable`, its lines and itself cut where they have no end."""
    if len(text) <= LONGEST_LINE and text.isprintable():
        return text
    lines = printable(text[: LONGEST + 1]).split("\n")
    whole = "\n".join(shown(line, LONGEST_LINE) for line in lines)
    return whole if len(text) <= LONGEST else f"{whole[:LONGEST]}\n  … and {len(text) - LONGEST:,} more letters"


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
