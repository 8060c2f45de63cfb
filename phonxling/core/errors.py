"""Errors that a user can act on. Each says what, where, how many, and what to do."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from os import PathLike
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin


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
    lines = [f"  {line}" for line in problems]
    left = len(lines[limit:]) * (limit is not None) + more
    rest = [f"  … and {left} more"] if left else []
    return "\n".join([headline, *lines[:limit], *rest, *filter(None, [remedy])])


def join_alike(headline: str, problems: Iterable[str], limit: int = 20) -> str:
    """Return one message: a headline, and each problem once that is equal to others but for names and numbers."""
    groups: dict[str, list[str]] = {}
    for problem in problems:
        # Names in quotation marks and numbers vary from file to file where the fault is one; what comes before the
        # first colon is the file.
        groups.setdefault(_VARYING.sub("…", problem.partition(": ")[2] or problem), []).append(problem)
    different, lines = [*groups.values()], list[str]()
    for alike in different[:limit]:
        lines.append(alike[0])
        if len(alike) > 1:  # what tells the others apart: their files, or what each quotes first
            names = [problem.partition(": ")[0].rpartition("/")[2] for problem in alike]
            if len({*names}) == 1:
                names = [(_QUOTED_TEXT.search(problem) or [""])[0] for problem in alike]
            more = " …" if len(alike) > _ALIKE_ERRORS + 1 else ""
            lines.append(f"… and {len(alike) - 1} more alike: {' '.join(names[1 : _ALIKE_ERRORS + 1])}{more}")
    return join_problems(headline, lines, more=sum(map(len, different[limit:])))


_QUOTED_TEXT = re.compile(r"'[^'\n]*'")
_VARYING = re.compile(r"'[^'\n]*'|\d[\d.e+-]*")
_ALIKE_ERRORS = 5  # names of those that are alike
LONGEST_LINE, LONGEST = 10_000, 100_000  # letters of a line, and of a message
_PIECE = 100
_SHORTEST_FOLDER = 3  # parts of a folder from which paths are counted: not from / or /home


def escape_unprintable(text: str) -> str:
    r"""Return a text whose letters all can be seen: what cannot is written as Python escapes it. Line ends stay."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in text)


def quote(piece: str, most: int = _PIECE) -> str:
    r"""Return a piece of data as a message shows it: printable, on one line, and cut."""
    text = escape_unprintable(piece[:most]).replace("\n", r"\n")
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
    """Return a message as it can be printed: `escape_unprintable`, its lines and itself cut where they have no end."""
    if len(text) <= LONGEST_LINE and text.isprintable():
        return text
    lines = escape_unprintable(text[: LONGEST + 1]).split("\n")
    whole = "\n".join(quote(line, LONGEST_LINE) for line in lines)
    return whole if len(text) <= LONGEST else f"{whole[:LONGEST]}\n  … and {len(text) - LONGEST:,} more letters"


_GIVES = {  # what makes a value of a type that functions ask for
    "Alignments": "px.align_corpus(corpus, costs) gives some",
    "ConfusionMatrix": "px.count_confusions(aligned) gives one",
    "Corpus": "px.load_corpus(gold, predicted) gives one",
    "CostTable": "px.feature_costs(gold_phones, predicted_phones) gives some",
    "FeatureTable": "px.symbols.load_features(path) gives one",
    "Inventory": "px.Inventory(phones) makes one",
    "JointDistribution": "px.joint_distribution(posteriorgrams, segments) gives one",
    "PhoneErrors": "px.PhoneErrors() makes some",
    "PhoneSequences": "px.load_segments(path) gives some",
    "Posteriorgrams": "px.load_posteriorgrams(path) gives some",
    "TokenPosteriors": "px.phone_means(posteriorgrams, segments) gives some",
}
_NAMES, _PATHS = (str, type(None)), (Path, PathLike)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def check_arguments(function: _Function) -> _Function:
    """Decorate a public function: words that its options do not have, and other types than its own, are refused.

    What is refused is seen in its annotations: a word that no Literal has is a ConfigurationError with the words that
    there are; DataError says what is needed instead of another type than one of this package, a text or a path. Other
    annotations, such as of arrays, are left to the function.
    """
    annotations = {name: one for name, one in function.__annotations__.items() if name != "return"}
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function has them
        given = dict(zip(positional, args, strict=False)) | options
        for name, value in given.items():
            check_argument(name, value, annotations.get(name, object))
        return function(*args, **options)

    return cast("_Function", call)


def check_argument(name: str, value: object, annotation: object) -> None:
    parts = get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)
    words = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
    types = [get_origin(part) or part for part in parts if get_origin(part) is not Literal]
    own = [kind for kind in types if getattr(kind, "__module__", "").startswith("phonxling.")]
    if not {*own, *_NAMES, *_PATHS}.issuperset(types) or isinstance(value, tuple(types)):
        return  # it fits, or nobody can say
    if words and not (isinstance(value, str) and value in words):
        raise ConfigurationError(f"{name}: there is no {value!r}; there are: {', '.join(words)}")
    if own:
        refuse_other(value, own[0], name)
    elif types and not words:
        raise DataError(f"{name} must be {'a path' if Path in types else 'a text'}, not {type(value).__name__}")


def refuse_other(value: object, kind: type, name: str) -> None:
    """Raise DataError when an argument is of another kind, with what makes the right one."""
    if not isinstance(value, kind):
        msg = f"{name} must be of the type {kind.__name__}, not {type(value).__name__}"
        raise DataError(": ".join(filter(None, [msg, _GIVES.get(kind.__name__, "")])))
