"""The configuration of the data: files, and the corpora made of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.fields import FieldInfo

from phonxling.core.tone import Levels
from phonxling.phones import rules
from phonxling.settings.checks import check_text
from phonxling.settings.value_types import (
    Choice,
    Columns,
    DataPath,
    Labels,
    Language,
    Number,
    OneOf,
    PathMark,
    Pattern,
    PhoneInventory,
    Symbols,
    Text,
    same_folder,
)

Unknown: TypeAlias = Annotated[rules.Unknown, Choice()]
Tone: TypeAlias = Annotated[rules.Tone, Choice()]
ToneLevels: TypeAlias = Annotated[Levels, Choice()]
Silence: TypeAlias = Annotated[rules.Silence, Choice()]
Closures: TypeAlias = Annotated[rules.Closures, Choice()]
Diphthongs: TypeAlias = Annotated[rules.Diphthongs, Choice()]


def _transcript_formats() -> Sequence[str]:
    from phonxling.load.formats import format_names  # here, since it brings NumPy

    return format_names()


def _posterior_formats() -> Sequence[str]:
    from phonxling.load.posteriors import format_names  # here, since it brings NumPy

    return format_names()


PhoneFormat: TypeAlias = Annotated[str, OneOf(_transcript_formats)]
PosteriorFormat: TypeAlias = Annotated[str, OneOf(_posterior_formats)]
TableFormat: TypeAlias = Annotated[Literal["tsv", "csv", "utt2spk"], Choice("jsonl", "parquet")]


class Section(BaseModel):
    """A mapping of settings: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def path_mark(field: FieldInfo) -> PathMark | None:
    """Return how a setting may be the path of something, None where it cannot."""
    return next((part for part in _parts(field) if isinstance(part, PathMark)), None)


def section_of(field: FieldInfo) -> type[Section] | None:
    """Return the model of a section, or of each section of a mapping; None for a single value."""
    return next((part for part in _parts(field) if isinstance(part, type) and issubclass(part, Section)), None)


def _parts(field: FieldInfo) -> Iterator[object]:
    waiting: list[object] = [field.annotation, *field.metadata]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += get_args(part)


class SymbolFile(Section):
    """What every file of phones has. A rule that is left out is that of the section `symbols`."""

    path: DataPath
    """A file, a folder or a glob, relative to the configuration; or its URL (s3://…), with the extra remote."""
    symbols: Symbols = "ipa"
    """How the phones are written: a known symbol set, or the path or URL of a two-column TSV (symbol, ipa).

    A list is a set and tables whose rows are laid over it: [timit61, extra.tsv].
    """
    unknown: Unknown | None = None
    """What to do with a symbol that the set does not have."""
    tone: Tone | None = None
    """Tones stand on a tier of their own, are attached to their vowel, or are stripped."""
    tone_levels: ToneLevels | None = None
    """How tone accents read as pitch: in three levels (á ˥, ā ˧, à ˩) or the IPA chart's five (a̋ ˥, á ˦, à ˨)."""
    silence: Silence | None = None
    """Whether silences are dropped or kept as a phone."""
    closures: Closures | None = None
    """Whether a closure is merged with its release or stands alone."""
    diphthongs: Diphthongs | None = None
    """Whether a diphthong is one phone or split into its vowels."""

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """The name of a symbol set or the path of a table, and the paths of the tables laid over it."""
        several = self.symbols if isinstance(self.symbols, tuple) else (self.symbols,)
        return tuple(map(str, several))


class PhoneFile(SymbolFile):
    """A transcription: phones by utterance, or intervals with times."""

    format: PhoneFormat | None = None
    """The format; guessed from name and content when left out."""
    columns: Columns = {}
    """What the columns or fields are called in this file, by what they mean: {utterance: sample}."""
    tier: Text | None = None
    """The tier that holds the phones, by name or glob, in textgrid, eaf and cha (there: pho, or mod)."""


class PosteriorFile(SymbolFile):
    """Probabilities of phones, frame by frame."""

    format: PosteriorFormat | None = None
    """The format; guessed from name and content when left out."""
    scale: Annotated[Literal["probability", "log-probability", "logit"], Choice()] = "probability"
    """What the numbers are: probabilities, their natural logarithms, or scores before the softmax."""
    frame_shift: Annotated[float, Number(above=0, at_most=3600)] | None = None
    """Seconds from one frame to the next: needed where the file does not say, used instead of what it says."""
    frame_offset: Annotated[float, Number(at_least=-1_000_000, at_most=1_000_000)] | None = None
    """The time of the first frame in seconds."""
    blank: Text | None = None
    """The label of the blank of a CTC recogniser, left out by weighting each frame by its other mass."""
    labels: Labels | None = None
    """The labels of the columns, where the file does not say: a list, or the path of a text file (one a line)."""


class SpeakerFile(Section):
    """Which speaker an utterance is of."""

    path: DataPath
    """A table of utterances and their speakers, or Kaldi's utt2spk, relative to the configuration; or a URL."""
    format: TableFormat | None = None
    """The format; guessed from name and content when left out."""
    columns: Columns = {}
    """What the columns are called in this file, by what they mean: {utterance: sample}."""


class Recogniser(Section):
    """What predicted the phones of a corpus."""

    name: Text | None = None
    """Its name; target and reference must agree for the expected correction."""
    inventory: PhoneInventory | None = None
    """The phones that it can predict: all of a set of labels, a list, or the path of a file of them.

    The file has one phone a line, or two columns (symbol, ipa); phones are written as the predictions are, or in IPA.
    """


def _named(value: object) -> object:
    return value if value is None or isinstance(value, dict | Recogniser) else {"name": check_text(value)}


class Corpus(Section):
    """One language: what was said, and what the recogniser heard."""

    role: Annotated[Literal["reference", "target"], Choice()] = "target"
    """The language that the recogniser was trained on is the reference (at most one corpus); others are targets."""
    language: Language | None = None
    """The language's ISO 639-3 code."""
    recogniser: Annotated[Recogniser | None, BeforeValidator(_named)] = None
    """What predicted the phones: its name alone, or name and inventory, without which there is no floor."""
    gold: PhoneFile
    """The reference transcription: what was said."""
    predicted: PhoneFile | None = None
    """The phones that the recogniser wrote; decoded from the posteriors when left out."""
    posteriors: PosteriorFile | None = None
    """The recogniser's probabilities of phones, frame by frame."""
    segments: PhoneFile | None = None
    """The gold phones with times, which tie frames to phones; the gold itself where it has times."""
    speakers: SpeakerFile | None = None
    """The speaker of each utterance."""
    speaker_pattern: Pattern | None = None
    """The beginning of an utterance's id that names its speaker, as a regular expression: `[^_]+` in `fdhc0_si1559`.

    Of an expression with a group, what the first one holds.
    """
    times: Annotated[Literal["auto", "forced"], Choice()] = "auto"
    """Which times tie frames to gold phones: forced ones are found from the posteriors; auto: where gold has none."""

    FILES: ClassVar[Mapping[str, type[Section]]] = {
        "gold": PhoneFile,
        "predicted": PhoneFile,
        "posteriors": PosteriorFile,
        "segments": PhoneFile,
        "speakers": SpeakerFile,
    }


def corpora_problems(corpora: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is wrong between the parts of corpora as plain data, each with the place it concerns."""
    references: list[str] = []
    names: dict[str, str] = {}
    for name, corpus in corpora.items():
        if (other := names.setdefault(same_folder(name), name)) != name:
            yield (
                ("corpora", name),
                f"differs from '{other}' in capitals or forms of letters alone; some machines take both for one folder",
            )
        if not isinstance(corpus, dict):
            continue
        if corpus.get("predicted") is None and corpus.get("posteriors") is None:
            yield ("corpora", name), "needs at least one of predicted and posteriors"
        if corpus.get("speakers") is not None and corpus.get("speaker_pattern") is not None:
            yield ("corpora", name, "speaker_pattern"), "speakers says already who speaks; keep one of the two"
        references += [name] if corpus.get("role") == "reference" else []
    for name in references[1:]:
        yield ("corpora", name, "role"), f"at most one corpus is the reference, and '{references[0]}' is already"
