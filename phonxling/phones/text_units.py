"""Columns that are characters or pieces of words, not phones: refused, since their errors are not phonetic ones."""

import re
import unicodedata
from collections.abc import Sequence

from phonxling.core.errors import DataError, shown

# SentencePiece's word begin, WordPiece's and BPE's joints, and the word begin of BPE over bytes.
_PIECE = re.compile(r"\u2581.*|##.+|.+@@|\u0120.*|.+</w>")
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz")
_BETWEEN = frozenset({"|", "\u2581", "<space>", " ", "'", "\u2019"})  # what stands between words, or in them
_MANY = 20  # letters, where there is also something between words
_SHOWN = 5
_IPA_SCRIPTS = ("LATIN", "GREEK", "MODIFIER", "SUPERSCRIPT")


def refuse_text_units(source: str, labels: Sequence[str], between: Sequence[str]) -> None:
    """Raise DataError when labels are clearly units of writing; `between` are the columns that stand for no sound.

    That is when a label of several letters is marked as a piece of a word (`▁the`, `##ing`); when all labels are single
    Latin letters, and all 26 of the alphabet are there, or at least 20 letters and a column for what stands between
    words; or when more than half of them are letters of a script that is not that of the IPA.
    """
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
