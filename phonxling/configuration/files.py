"""The configuration of the data: what values a setting takes, then files, and the corpora made of them."""

import math
import operator
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, TypeVar, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    SerializationInfo,
    WithJsonSchema,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from phonxling.configuration import checks
from phonxling.configuration.checks import check_text, did_you_mean, join_choices, quote_value
from phonxling.core.spelling import RESERVED_CLASSES, Levels
from phonxling.phones import symbols as rules

_Item = TypeVar("_Item")
LONGEST_NAME: Final = 100  # bytes of UTF-8; of the name of a class, letters
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: these open a device whatever their ending.
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


# A name that is fine here is fine on every machine: short enough for a file system with a figure's name behind it, no
# device of Windows, no two of one experiment alike where capitals or Unicode's forms do not count.
def check_name(value: object) -> str:
    name = unicodedata.normalize("NFC", check_text(value))
    bare = name[:1] + "".join(letter for letter in name[1:] if not unicodedata.category(letter).startswith("M"))
    if not re.fullmatch(r"[\w-]([\w.-]*[\w-])?", bare):
        rule = "letters with their marks, digits, '-', '_' and '.', neither beginning nor ending with '.'"
        raise ValueError(f"{quote_value(name)} cannot name a folder or file; a name consists of {rule}")
    if (size := len(name.encode())) > LONGEST_NAME:
        sizes = f"{size:,} bytes, at most {LONGEST_NAME}"
        raise ValueError(f"{quote_value(name)} is too long to name a folder or file: {sizes}")
    if _DEVICES.fullmatch(name):
        raise ValueError(f"{quote_value(name)} cannot name a folder or file: on Windows it is a device")
    return name


def fold_name(name: str) -> str:
    """Return what two names share that some machines take for one file: Yorùbá and YORÙBÁ, ﬁ and fi."""
    # Twice NFKC: folding case may give letters that are composed no more (https://unicode.org/reports/tr15/).
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def check_class_name(value: object) -> str:
    name = check_text(value)
    if name in RESERVED_CLASSES:
        raise ValueError(f"{quote_value(name)} is the name of a default class; choose another")
    if name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        rule = f"a line without spaces around it, of at most {LONGEST_NAME} letters"
        raise ValueError(f"the name of a class is {rule}, not {quote_value(name)}")
    return name


_BOUNDS: Final = {  # what a number within a bound is, in words, and in the schema for editors
    "at_least": (operator.ge, "of at least", "minimum"),
    "above": (operator.gt, "above", "exclusiveMinimum"),
    "below": (operator.lt, "below", "exclusiveMaximum"),
    "at_most": (operator.le, "", "maximum"),  # a limit against what takes days, or more memory than there is
}


class CheckedType:
    """Annotates a type; `check` returns a value, or raises ValueError with what is wrong, before pydantic checks it."""

    check: Callable[..., object]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(partial(self.check, source=source), handler(source))


class FormatName(CheckedType):
    """Annotates a text that is one of the formats that a module of `load` has, to which plug-ins add."""

    def __init__(self, module: str) -> None:
        self.module = f"phonxling.load.{module}"

    def names(self) -> Sequence[str]:
        # Every command reads this module, and those that compute nothing start without NumPy: formats are asked late.
        names: Sequence[str] = import_module(self.module).format_names()
        return names

    def check(self, value: object, source: object) -> object:  # noqa: ARG002 - a text
        return checks.check_choice(value, self.names())

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "enum": list(self.names())}


class Number(CheckedType):
    """Annotates a finite number within bounds, or a union of it and a Literal of words."""

    def __init__(self, *words: str, whole: bool = False, **bounds: float) -> None:
        self.words, self.whole, self.bounds = words, whole, bounds

    def check(self, value: object, source: object) -> object:  # noqa: ARG002 - a number
        if self._hold(value, self.bounds) or (isinstance(value, str) and value in self.words):
            return value
        if "at_most" in self.bounds and self._hold(value, {**self.bounds, "at_most": math.inf}):
            raise ValueError(f"may be at most {self.bounds['at_most']:,}, not {quote_value(value)}")
        quoted = isinstance(value, str) and re.fullmatch(r"[-+]?[0-9.]+", value)
        hint = " (in quotes it is a text)" if quoted else did_you_mean(value, self.words)
        raise ValueError(f"must be {join_choices([*self.words, str(self)])}, not {quote_value(value)}{hint}")

    def _hold(self, value: object, bounds: Mapping[str, float]) -> bool:
        # In Python true is a whole number, 1.
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            return False
        return math.isfinite(value) and all(_BOUNDS[name][0](value, bound) for name, bound in bounds.items())

    def __str__(self) -> str:
        bounds = {word: self.bounds[name] for name, (_, word, _) in _BOUNDS.items() if word and name in self.bounds}
        words = " and ".join(f"{word} {bound:g}" for word, bound in bounds.items())
        return f"a {'whole ' if self.whole else ''}number {words}".strip()

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        json = handler(schema)
        numbers = next((part for part in json.get("anyOf", ()) if part.get("type") == "number"), json)
        numbers.update({key: self.bounds[name] for name, (_, _, key) in _BOUNDS.items() if name in self.bounds})
        return json


class Gap(Number):
    """Annotates a gap cost: a number, a fraction such as 1/3, a word, or the path of a table."""

    def check(self, value: object, source: object) -> object:
        # A fraction is exact: costs of 1/3 and 2/3 tie with 1, which their floats do not. No denominator is 0.
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,40}/0*[1-9][0-9]{0,39}", value):
            return value
        if isinstance(value, str) and checks.is_table_path(value):
            return checks.check_path(value)
        return super().check(value, source)


class PathMark(NamedTuple):
    # Marks a setting whose text may be a path, which then counts from the folder of the configuration. It is of a
    # table, which must be there, or of data (""), which the loaders report. `meant` says whether a text is a path
    # rather than a name or a number; `names` may have been meant by a path that leads nowhere; of `several`, each text
    # of a list may be one.

    of: str
    meant: Callable[[str], bool]
    names: tuple[str, ...] = ()
    several: bool = False


def _relative_path(path: Path, info: SerializationInfo) -> str:
    # A path from the folder in the context, so that the machine's folders stay out of results.
    folder = (info.context or {}).get("folder")
    return Path(os.path.relpath(path, folder)).as_posix() if folder else path.as_posix()


Flag: TypeAlias = Annotated[bool, BeforeValidator(checks.check_flag)]
Text: TypeAlias = Annotated[str, BeforeValidator(checks.check_text)]
Pattern: TypeAlias = Annotated[str, BeforeValidator(checks.check_pattern)]
Name: TypeAlias = Annotated[str, BeforeValidator(check_name)]
ClassName: TypeAlias = Annotated[str, BeforeValidator(check_class_name)]
ClassQuery: TypeAlias = Annotated[str, BeforeValidator(checks.check_class_query)]
Language: TypeAlias = Annotated[
    str, BeforeValidator(checks.check_language), WithJsonSchema({"type": "string", "pattern": "^[a-z]{3}$"})
]
Several: TypeAlias = Annotated[tuple[_Item, ...], BeforeValidator(checks.check_list), AfterValidator(checks.check_once)]

WrittenPath: TypeAlias = Annotated[Path, PlainSerializer(_relative_path, return_type=str, when_used="json")]
DATA = PathMark("", lambda _: True)
DataPath: TypeAlias = Annotated[WrittenPath, BeforeValidator(checks.check_path), DATA]

SymbolSet: TypeAlias = Literal[
    "ipa", "ipa-joined", "ipa-panphon", "timit61", "timit48", "timit39", "arpabet", "xsampa", "espeak", "raw"
]
Symbols: TypeAlias = Annotated[
    SymbolSet | WrittenPath | tuple[SymbolSet | WrittenPath, ...],
    BeforeValidator(partial(checks.check_symbols, available=get_args(SymbolSet))),
    PathMark("symbols", checks.is_table_path, several=True),
]
LabelSet: TypeAlias = Literal["arpabet", "timit61", "timit48", "timit39"]
PhoneInventory: TypeAlias = Annotated[
    LabelSet | WrittenPath | tuple[Text, ...],
    BeforeValidator(partial(checks.check_inventory, available=get_args(LabelSet))),
    PathMark("phones", checks.is_table_path),
]
Ratio: TypeAlias = Annotated[str, Field(pattern="^[0-9]+/[0-9]+$")]
Labels: TypeAlias = Annotated[WrittenPath | tuple[Text, ...], BeforeValidator(checks.check_labels), DATA]
ColumnRole: TypeAlias = Literal["utterance", "phones", "times", "start", "end", "phone", "confidence", "speaker"]
Where: TypeAlias = Annotated[
    Mapping[str, tuple[str, ...]],
    BeforeValidator(checks.check_where),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": ["string", "number", "array"]}}),
]
Columns: TypeAlias = Annotated[Mapping[ColumnRole, Text], BeforeValidator(checks.check_mapping)]


PhoneFormat: TypeAlias = Annotated[str, FormatName("formats")]
PosteriorFormat: TypeAlias = Annotated[str, FormatName("posteriors")]
TableFormat: TypeAlias = Literal["tsv", "csv", "utt2spk"]


class Section(BaseModel):
    """A mapping of settings: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def setting(default: object, description: str) -> Any:  # noqa: ANN401 - a field of pydantic's
    """Return the field of a setting: its default, and what it is in the schema and the documentation."""
    return Field(default=default, description=description)


def find_path_mark(field: FieldInfo) -> PathMark | None:
    """Return how a setting may be the path of something, None where it cannot."""
    return next((part for part in _walk_parts(field) if isinstance(part, PathMark)), None)


def choices_of(field: FieldInfo) -> tuple[str, ...]:
    """Return the words that a setting, or each of its entries, may be."""
    return next((get_args(part) for part in _walk_parts(field) if get_origin(part) is Literal), ())


def section_of(field: FieldInfo) -> type[Section] | None:
    """Return the model of a section, or of each section of a mapping; None for a single value."""
    return next((part for part in _walk_parts(field) if isinstance(part, type) and issubclass(part, Section)), None)


def _walk_parts(field: FieldInfo) -> Iterator[object]:
    # Annotated, unions and tuples nest to any depth; what is sought may stand at each.
    waiting: list[object] = [field.annotation, *field.metadata]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += get_args(part)


class SymbolFile(Section):
    """What every file of phones has. A rule that is left out is that of the section `symbols`."""

    path: DataPath = Field(description="A file, a folder or a glob, relative to the configuration.")
    symbols: Symbols = setting(
        "ipa",
        "How the phones are written: a known symbol set, or the path of a two-column TSV (symbol, ipa).\n\nA list "
        "is a set and tables whose rows are laid over it: [timit61, extra.tsv].",
    )
    unknown: rules.Unknown | None = setting(None, "What to do with a symbol that the set does not have.")
    tone: rules.Tone | None = setting(
        None, "Tones stand on a tier of their own, are attached to their vowel, or are stripped."
    )
    tone_levels: Levels | None = setting(
        None, "How tone accents read as pitch: in three levels (á ˥, ā ˧, à ˩) or the IPA chart's five (a̋ ˥, á ˦, à ˨)."
    )
    silence: rules.Silence | None = setting(None, "Whether silences are dropped or kept as a phone.")
    closures: rules.Closures | None = setting(None, "Whether a closure is merged with its release or stands alone.")
    diphthongs: rules.Parts | None = setting(None, "Whether a diphthong is one phone or split into its vowels.")
    affricates: rules.Parts | None = setting(
        None, "Whether an affricate is one phone or split into stop and fricative."
    )
    length: rules.Marks | None = setting(None, "Whether length (ː ˑ) is part of a phone or taken off.")
    diacritics: rules.Marks | None = setting(
        None, "Whether marks (ʰ, ◌̪, ◌̃ …) are part of a phone or taken off: all but length, syllabicity and rhoticity."
    )
    position_marks: rules.Marks | None = setting(
        None, "Whether Kaldi's marks of the place in a word (_B, _I, _E, _S) stay at the end of symbols."
    )
    case: rules.Case | None = setting(
        None, "Whether capitals differ from small letters; fold: symbols are read in small letters."
    )

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """The name of a symbol set or the path of a table, and the paths of the tables laid over it."""
        return tuple(map(str, self.symbols if isinstance(self.symbols, tuple) else (self.symbols,)))


class PhoneFile(SymbolFile):
    """A transcription: phones by utterance, or intervals with times."""

    format: PhoneFormat | None = setting(None, "The format; guessed from name and content when left out.")
    columns: Columns = setting(
        {}, "What the columns or fields are called in this file, by what they mean: {utterance: sample}."
    )
    where: Where = setting(
        {}, "Which rows of a table are read: those whose column has this value, or one of a list: {lang: ibo}."
    )
    tier: Text | None = setting(
        None, "The tier that holds the phones, by name or glob, in textgrid, eaf and cha (there: pho, or mod)."
    )

    @property
    def reading(self) -> tuple[Path, str | None, dict[str, str]]:
        return self.path, self.format, {str(name): title for name, title in self.columns.items()}


class PosteriorFile(SymbolFile):
    """Probabilities of phones, frame by frame."""

    format: PosteriorFormat | None = setting(None, "The format; guessed from name and content when left out.")
    scale: Literal["probability", "log-probability", "logit"] = setting(
        "probability", "What the numbers are: probabilities, their natural logarithms, or scores before the softmax."
    )
    frame_shift: Annotated[float, Number(above=0, at_most=3600)] | None = setting(
        None, "Seconds from one frame to the next: needed where the file does not say, used instead of what it says."
    )
    frame_offset: Annotated[float, Number(at_least=-1_000_000, at_most=1_000_000)] | None = setting(
        None, "The time of the first frame in seconds."
    )
    blank: Text | None = setting(
        None, "The label of the blank of a CTC recogniser, left out by weighting each frame by its other mass."
    )
    labels: Labels | None = setting(
        None,
        "The labels of the columns, where the file does not say: a list, or the path of a text file (one per line).",
    )


class SpeakerFile(Section):
    """Which speaker an utterance is of."""

    path: DataPath | None = setting(
        None, "A table of utterances and their speakers, or Kaldi's utt2spk, relative to the configuration."
    )
    pattern: Pattern | None = setting(
        None,
        "Instead of a table: how ids name the speaker, * standing for anything: {speaker}_* finds fdhc0 in "
        "fdhc0_si1559.",
    )
    format: TableFormat | None = setting(None, "The format; guessed from name and content when left out.")
    columns: Columns = setting({}, "What the columns are called in this file, by what they mean: {utterance: sample}.")
    groups: Several[Text] | None = setting(
        None, "Further columns, one value per speaker (gender, accent): rates by group, and tests between groups."
    )
    prompt: Text | None = setting(
        None,
        "The column that says which sentence an utterance is; the same gold phones are the same one when left out.",
    )


class Recogniser(Section):
    """What predicted the phones of a corpus."""

    name: Text | None = setting(None, "Its name; target and reference must agree for the expected correction.")
    inventory: PhoneInventory | None = setting(
        None,
        "The phones that it can predict: all of a set of labels, a list, or the path of a file of them.\n\nThe "
        "file has one phone per line, or two columns (symbol, ipa); phones are written as the predictions are, or "
        "in IPA.",
    )


class Corpus(Section):
    """One language: gold phones, and the phones that a recogniser predicted."""

    role: Literal["reference", "target"] = setting(
        "target",
        "The language that the recogniser was trained on is the reference (at most one corpus); others are targets.",
    )
    language: Language | None = setting(None, "The language's ISO 639-3 code.")
    title: Annotated[str | None, BeforeValidator(checks.check_title)] = setting(
        None,
        "What people read instead of the corpus' name; left out, the language (with the name where corpora share it).",
    )
    recogniser: Recogniser | None = setting(
        None, "What predicted the phones: its name alone, or name and inventory, without which there is no floor."
    )
    split_by: Text | None = Field(
        default=None,
        exclude=True,
        description="The column of the files whose values are corpora of their own, as the languages of a benchmark: "
        "lang.\n\nEach is called by its value, and its files are read where their column has it, or from paths with "
        "{lang} in them.",
    )
    gold: PhoneFile = Field(description="The gold phones: what was said.")
    canonical: PhoneFile | None = setting(
        None, "What speakers should say, beside gold, which is what they said; gives mispronunciation detection."
    )
    gold_second: PhoneFile | None = setting(
        None, "Another transcriber of the same utterances, of some or all: how much people differ."
    )
    predicted: PhoneFile | None = setting(
        None, "The phones that the recogniser wrote; decoded from the posteriors when left out."
    )
    posteriors: PosteriorFile | None = setting(None, "The recogniser's probabilities of phones, frame by frame.")
    segments: PhoneFile | None = setting(
        None, "The gold phones with times, which tie frames to phones; the gold itself where it has times."
    )
    speakers: SpeakerFile | None = setting(None, "The speaker of each utterance.")
    times: Literal["auto", "forced"] = setting(
        "auto",
        "Which times tie frames to gold phones: forced ones are found from the posteriors; auto: where gold has none.",
    )

    FILES: ClassVar[Mapping[str, type[Section]]] = {
        **dict.fromkeys(("gold", "canonical", "gold_second", "predicted"), PhoneFile),
        "posteriors": PosteriorFile,
        "segments": PhoneFile,
        "speakers": SpeakerFile,
    }


def find_corpora_problems(corpora: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is wrong between the parts of corpora as plain data, each with the place it concerns."""
    references: list[str] = []
    names: dict[str, str] = {}
    for name, corpus in corpora.items():
        if (other := names.setdefault(fold_name(name), name)) != name:
            fault = f"differs from '{other}' in capitals or forms of letters alone"
            yield ("corpora", name), f"{fault}; some machines take both for one file"
        if not isinstance(corpus, dict):
            continue
        if corpus.get("predicted") is None and corpus.get("posteriors") is None:
            yield ("corpora", name), "needs at least one of predicted and posteriors"
        speakers, place = corpus.get("speakers"), ("corpora", name, "speakers")
        given = [key for key, value in speakers.items() if value] if isinstance(speakers, dict) else ["path"]
        if "path" not in given and "pattern" not in given:
            yield place, "needs the path of a table, or a pattern such as {speaker}_*"
        if "pattern" in given and len(given) > 1:
            others = join_choices([key for key in given if key != "pattern"])
            yield (*place, "pattern"), f"speakers are named by a table or by a pattern: keep it, or {others}"
        references += [name] if corpus.get("role") == "reference" else []
    for name in references[1:]:
        yield ("corpora", name, "role"), f"at most one corpus is the reference, and '{references[0]}' is already"
