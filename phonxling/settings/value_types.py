"""The types of configuration values: what a field takes, checked in our words (`checks`).

Checks of names that become names of folders, of files or of rows.

A name that is fine here is fine on every machine: short enough for a file system with a figure's name behind it, no
device of Windows, no two of one experiment alike where capitals or Unicode's forms do not count.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    SerializationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from phonxling.core.queries import DEFAULT_CLASSES, OTHER
from phonxling.load.urls import Url
from phonxling.settings import checks
from phonxling.settings.checks import Bounds, check_text, shown
from phonxling.tables.columns import files_in

# Checks of names that become names of folders, of files or of rows.

LONGEST: Final = 100  # bytes of UTF-8
_LONGEST_CLASS: Final = 100  # letters
_TAKEN: Final = frozenset(  # what stands in the results beside the folders of the corpora
    {"figures", "tables", "manifest.json", "run.json", "report.html", *files_in("results")}
)
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def check_folder_name(value: object) -> str:
    """Return a name that can name a folder of the results."""
    name = check_text(value)
    if not re.fullmatch(r"[\w-]([\w.-]*[\w-])?", name):
        rule = "letters, digits, '-', '_' and '.', neither beginning nor ending with '.'"
        raise ValueError(f"{shown(name)} cannot name a folder of results; a name consists of {rule}")
    if (size := len(name.encode())) > LONGEST:
        raise ValueError(f"{shown(name)} is too long to name a folder: {size:,} bytes, at most {LONGEST}")
    if _DEVICES.fullmatch(name):
        raise ValueError(f"{shown(name)} cannot name a folder of results: on Windows it is a device")
    return name


def check_corpus_name(value: object) -> str:
    """Return a name of a folder that nothing else in the results has."""
    name = check_folder_name(value)
    if same_folder(name) in _TAKEN:
        raise ValueError(f"a corpus cannot be called {shown(name)}: the results have something of that name")
    return name


def same_folder(name: str) -> str:
    """Return what two names share that some machines take for one folder.

    Examples
    --------
    >>> same_folder("Yorùbá") == same_folder("YORÙBÁ"), same_folder("ﬁ") == same_folder("fi")
    (True, True)
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def check_class_name(value: object) -> str:
    """Return the name of a natural class that is none of the default ones."""
    name = check_text(value)
    if name in (*DEFAULT_CLASSES, OTHER):
        raise ValueError(f"{shown(name)} is the name of a default class; choose another")
    if name != name.strip() or not name.isprintable() or len(name) > _LONGEST_CLASS:
        rule = f"a line without spaces around it, of at most {_LONGEST_CLASS} letters"
        raise ValueError(f"the name of a class is {rule}, not {shown(name)}")
    return name


_Item = TypeVar("_Item")


class Choice:
    """Annotates a Literal of the values of this version; further known values are refused as not available yet."""

    def __init__(self, *unavailable: str) -> None:
        self.unavailable = unavailable

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the choice before pydantic does."""
        check = partial(checks.check_choice, available=get_args(source), unavailable=self.unavailable)
        return core_schema.no_info_before_validator_function(check, handler(source))


class OneOf:
    """Annotates a text that is one of the names that a function returns: plug-ins add to them."""

    def __init__(self, names: Callable[[], Sequence[str]]) -> None:
        self.names = names

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the name before pydantic does."""

        def check(value: object) -> object:
            return checks.check_choice(value, self.names())

        return core_schema.no_info_before_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell editors the names."""
        return {**handler(schema), "enum": list(self.names())}


class Number:
    """Annotates a number within bounds, or a union of it and a Literal of words, or None."""

    check = staticmethod(checks.check_number)

    def __init__(self, bounds: Bounds, *words: str, null: bool = False) -> None:
        self.bounds, self.words, self.null = bounds, words, null

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the number before pydantic does."""
        check = partial(self.check, bounds=self.bounds, words=self.words, null=self.null)
        return core_schema.no_info_before_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell editors the bounds."""
        keys = {"minimum": self.bounds.at_least, "exclusiveMinimum": self.bounds.above}
        keys |= {"exclusiveMaximum": self.bounds.below, "maximum": self.bounds.at_most}
        json = handler(schema)
        numbers = next((part for part in json.get("anyOf", ()) if part.get("type") == "number"), json)
        numbers.update({key: bound for key, bound in keys.items() if bound is not None})
        return json


class PathMark:
    """Marks a setting whose text may be a path, which then counts from the folder of the configuration.

    Parameters
    ----------
    of : str
        The table that it is the path of, which must be there; "" for data, of which the loaders tell.
    meant : callable
        Whether a text is meant as a path rather than as a name or a number.
    names : tuple of str
        Names that may have been meant by a path that leads nowhere.
    several : bool
        Whether each text of a list may be one.
    """

    def __init__(
        self, of: str, meant: Callable[[str], bool], names: tuple[str, ...] = (), *, several: bool = False
    ) -> None:
        self.of, self.meant, self.names, self.several = of, meant, names, several


class Gap(Number):
    """Annotates a gap cost: a number, a fraction, a word, or the path of a table."""

    check = staticmethod(checks.check_gap)


class _Written:
    """Annotates a path or an address, already checked; editors see a text."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Take either as it is, and a path from text."""
        return core_schema.union_schema([core_schema.is_instance_schema(Url), handler.generate_schema(Path)])

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell editors of a path."""
        return {"type": "string", "format": "path"}


def _relative(path: Path | Url, info: SerializationInfo) -> str:
    """Return a path from the folder in the context, so that it does not tell the machine's folders; or its address."""
    context = info.context or {}
    url = path.text if isinstance(path, Url) else context.get("copies", {}).get(path)
    if isinstance(path, Url) or url is not None:
        return str(url)
    folder = context.get("folder")
    return Path(os.path.relpath(path, folder)).as_posix() if folder else path.as_posix()


Flag: TypeAlias = Annotated[bool, BeforeValidator(checks.check_flag)]
Text: TypeAlias = Annotated[str, BeforeValidator(checks.check_text)]
Pattern: TypeAlias = Annotated[str, BeforeValidator(checks.check_pattern)]
FolderName: TypeAlias = Annotated[str, BeforeValidator(check_folder_name)]
CorpusName: TypeAlias = Annotated[str, BeforeValidator(check_corpus_name)]
ClassName: TypeAlias = Annotated[str, BeforeValidator(check_class_name)]
ClassQuery: TypeAlias = Annotated[str, BeforeValidator(checks.check_class_query)]
Language: TypeAlias = Annotated[
    str,
    BeforeValidator(checks.check_language),
    WithJsonSchema({"type": "string", "pattern": "^[a-z]{3}$"}),
]
Millimetres: TypeAlias = Annotated[
    float,
    BeforeValidator(checks.check_width),
    WithJsonSchema(
        {"type": ["number", "string"], "minimum": 60, "maximum": 400, "pattern": f"^{checks.LENGTH.pattern}$"}
    ),
]
Extra: TypeAlias = Annotated[_Item | None, BeforeValidator(checks.check_extra)]
"""The section of an analysis that is made only where the configuration has the section."""
Several: TypeAlias = Annotated[tuple[_Item, ...], BeforeValidator(checks.check_list), AfterValidator(checks.check_once)]

WrittenPath: TypeAlias = Annotated[
    Path | Url, _Written(), PlainSerializer(_relative, return_type=str, when_used="json")
]
DATA = PathMark("", lambda _: True)
DataPath: TypeAlias = Annotated[WrittenPath, BeforeValidator(checks.check_path), DATA]

SymbolSet: TypeAlias = Literal["ipa", "ipa-joined", "timit61", "timit48", "timit39", "arpabet", "xsampa", "raw"]
Symbols: TypeAlias = Annotated[
    SymbolSet | WrittenPath | tuple[SymbolSet | WrittenPath, ...],
    BeforeValidator(partial(checks.check_symbols, available=get_args(SymbolSet))),
    PathMark("symbols", checks.is_pathlike, several=True),
]
LabelSet: TypeAlias = Literal["arpabet", "timit61", "timit48", "timit39"]
PhoneInventory: TypeAlias = Annotated[
    LabelSet | WrittenPath | tuple[Text, ...],
    BeforeValidator(partial(checks.check_inventory, available=get_args(LabelSet))),
    PathMark("phones", checks.is_pathlike),
]
Ratio: TypeAlias = Annotated[str, Field(pattern="^[0-9]+/[0-9]+$")]
Labels: TypeAlias = Annotated[WrittenPath | tuple[Text, ...], BeforeValidator(checks.check_labels), DATA]
ColumnRole: TypeAlias = Literal["utterance", "phones", "times", "start", "end", "phone", "confidence", "speaker"]
Columns: TypeAlias = Annotated[Mapping[Annotated[ColumnRole, Choice()], Text], BeforeValidator(checks.check_mapping)]
