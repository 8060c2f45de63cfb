"""How symbols are treated: the options of the configuration, the command line and the library, with their defaults."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args, get_type_hints

from phonxling.core.errors import ConfigurationError, DataError, shown
from phonxling.core.tone import Levels

Unknown: TypeAlias = Literal["error", "drop", "keep"]
Tone: TypeAlias = Literal["tier", "attach", "strip"]
Silence: TypeAlias = Literal["drop", "keep"]
Closures: TypeAlias = Literal["merge", "alone"]
Parts: TypeAlias = Literal["keep", "split"]
Marks: TypeAlias = Literal["keep", "strip"]
Case: TypeAlias = Literal["keep", "fold"]
LevelsOrAuto: TypeAlias = Literal["auto", "three", "five"]
RARE: Final = ("affricates", "length", "diacritics", "position_marks", "case")  # in a signature where they are not kept
POSITION: Final = re.compile("(?<=.)_[BIES]$")  # begin, inside, end, or all of a word
TONE_LEVELS: Final = "auto"  # the default before it is settled for a corpus


@dataclass(frozen=True, slots=True)
class SymbolRules:
    """The rules by which raw symbols become phones.

    Parameters
    ----------
    unknown : {"error", "drop", "keep"}
        What to do with a symbol that the symbol set does not have.
    tone : {"tier", "attach", "strip"}
        Whether tones stand on a tier of their own, are attached to their vowel, or are left out.
    silence : {"drop", "keep"}
        Whether silences are dropped or kept as a phone.
    closures : {"merge", "alone"}
        Whether a stop closure is merged with its release or stands alone.
    tone_levels : {"three", "five"}
        How tone accents read as pitch (see `phonxling.core.spelling`). The `auto` of the configuration and of
        `load_corpus` is settled for a corpus before its symbols are read.
    diphthongs, affricates : {"keep", "split"}
        Whether a diphthong is one phone or split into its vowels, and an affricate into stop and fricative.
    length, diacritics : {"keep", "strip"}
        Whether length (ː ˑ), and marks other than length, syllabicity and rhoticity, are part of a phone or taken off.
    position_marks : {"keep", "strip"}
        Whether Kaldi's marks of the place in a word (`_B`, `_I`, `_E`, `_S`) stay at the end of symbols.
    case : {"keep", "fold"}
        Whether capitals differ from small letters in symbols.
    """

    unknown: Unknown = "error"
    tone: Tone = "tier"
    silence: Silence = "drop"
    closures: Closures = "merge"
    tone_levels: Levels = "three"
    diphthongs: Parts = "keep"
    affricates: Parts = "keep"
    length: Marks = "keep"
    diacritics: Marks = "keep"
    position_marks: Marks = "keep"
    case: Case = "keep"

    def __post_init__(self) -> None:
        for name, values in get_type_hints(SymbolRules).items():
            if getattr(self, name) not in get_args(values):
                known = ", ".join(get_args(values))
                raise ConfigurationError(f"{name}: there is no '{getattr(self, name)}'; there are: {known}")

    def written(self, raw: str) -> str:
        """Return a raw symbol as a set is asked for it: without position mark, or in small letters, where rules say so.

        >>> SymbolRules(position_marks="strip", case="fold").written("AH_B")
        'ah'
        """
        bare = POSITION.sub("", raw) if self.position_marks == "strip" else raw
        return bare.casefold() if self.case == "fold" else bare


# Columns that are characters or pieces of words, not phones: refused, since their errors are not phonetic ones.

# SentencePiece's word begin, WordPiece's and BPE's joints, and the word begin of BPE over bytes.
_PIECE = re.compile(r"\u2581.*|##.+|.+@@|\u0120.*|.+</w>")
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz")
_BETWEEN = frozenset({"|", "\u2581", "<space>", " ", "'", "\u2019"})  # what stands between words, or in them
_MANY = 20  # letters, where there is also something between words
_SHOWN = 5
_IPA_SCRIPTS = ("LATIN", "GREEK", "MODIFIER", "SUPERSCRIPT")


def refuse_text_units(source: str, labels: Sequence[str], between: Sequence[str]) -> None:
    """Raise DataError when labels are clearly units of writing; `between` are the columns that stand for no sound."""
    pieces = [label for label in labels if _PIECE.fullmatch(label) and _size(label) > 1]
    if pieces:
        raise _refusal(source, "pieces of written words", pieces)
    letters = [label for label in labels if _latin(label)]
    known = {_latin(label) for label in letters}
    others = [label for label in labels if not _latin(label) and label not in _BETWEEN and label != "-"]
    if not others and (known >= _ALPHABET or (len(letters) >= _MANY and _BETWEEN & {*labels, *between})):
        raise _refusal(source, "the letters of an alphabet", letters)
    foreign = [label for label in labels if _foreign(label)]
    if 2 * len(foreign) > len(labels):
        raise _refusal(source, "characters of a script", foreign)


def _refusal(source: str, what: str, labels: Sequence[str]) -> DataError:
    examples = " ".join(shown(label, 20) for label in labels[:_SHOWN]) + (" …" if len(labels) > _SHOWN else "")
    remedy = "take a recogniser of phones, or map each label to a phone with a two-column TSV (symbol, ipa)"
    return DataError(f"{source}: its columns are {what}, not phones: {examples}; {remedy} (docs/ctc.md)")


def _size(piece: str) -> int:
    """Return how many letters a piece of a word has, its mark left out."""
    return sum(unicodedata.category(letter)[0] == "L" for letter in piece.lstrip("\u0120").replace("</w>", ""))


def _latin(label: str) -> str:
    """Return the letter a … z that a label is, accents and case left out; "" for any other label."""
    bare = "".join(letter for letter in unicodedata.normalize("NFD", label) if not unicodedata.combining(letter))
    return bare.lower() if bare.lower() in _ALPHABET else ""


def _foreign(label: str) -> bool:
    first = label[:1]
    return unicodedata.category(first or " ")[0] == "L" and not unicodedata.name(first, "?").startswith(_IPA_SCRIPTS)
