"""How the letters and marks of one phone are ordered, and how they fall into its parts."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from phonxling.core.phonology.marks import ORDER
from phonxling.core.phonology.tone import LETTERS as TONE_LETTERS

TIE = "\u0361"
NON_SYLLABIC = "\u032f"
SYLLABIC = "\u0329"
# Letters with at most one combining mark each, before any modifier letters: nothing to put in order.
_IN_ORDER = re.compile("(?:[^\u02b0-\u036f\u1ab0-\u1dff\u2070-\u20ff][\u0300-\u036f]?[\u02b0-\u02ff]*)*")


@dataclass(frozen=True, slots=True)
class Part:
    """One letter of a phone with what belongs to it; a modifier letter before all others is a part of its own.

    Parameters
    ----------
    letter : str
        The letter; "" where marks stand without one.
    marks : str
        Combining marks, in code-point order.
    modifiers : str
        Modifier letters (ʰ ʷ ː), as they were written.
    tie : str
        The tie bar that joins it to the next part; "" for none.
    """

    letter: str
    marks: str = ""
    modifiers: str = ""
    tie: str = ""

    def __str__(self) -> str:
        return self.letter + self.marks + self.modifiers + self.tie


def parse(symbol: str) -> list[Part]:
    """Return the parts of a symbol.

    Combining marks that were written after a modifier letter (aː̃) go to the letter that it modifies.

    Examples
    --------
    >>> [(part.letter, part.modifiers, part.tie == TIE) for part in parse("t͡ʃʰ")]
    [('t', '', True), ('ʃ', 'ʰ', False)]
    """
    groups: list[list[str]] = []  # letter, marks, modifiers, tie bars
    for letter in unicodedata.normalize("NFD", symbol):
        last = groups[-1] if groups else None
        if unicodedata.combining(letter):
            last = last or ["", "", "", ""]
            last[3 if letter == TIE and last[0] else 1] += letter
            groups = groups or [last]
        elif last and last[0] and not last[3] and is_modifier(letter):
            last[2] += letter
        else:
            groups.append([letter, "", "", ""])
    return [Part(letter, "".join(sorted(marks)), modifiers, tie) for letter, marks, modifiers, tie in groups]


def joined(parts: Iterable[Part]) -> str:
    """Return parts as a string: each letter, its combining marks, its modifier letters, the tie bar."""
    return "".join(map(str, parts))


def canonical(symbol: str) -> str:
    """Return the form used for look-up: NFD, the marks of each letter in code-point order, the tie bar last.

    Two spellings of a phone that differ in Unicode form or in the order of their combining marks have one canonical
    form.

    Examples
    --------
    >>> canonical("ɛ̃́") == canonical("ɛ̃́"), canonical("aː" + chr(0x303)) == canonical("ãː")
    (True, True)
    """
    letters = unicodedata.normalize("NFD", symbol)
    return letters if _IN_ORDER.fullmatch(letters) else joined(parse(letters))


@lru_cache(maxsize=1024)
def ordered(symbol: str) -> str:
    """Return the canonical form with each letter's modifier letters in one order too: kʰʷ and kʷʰ are one.

    Examples
    --------
    >>> ordered("kʰʷ"), ordered("kʷʰ")
    ('kʷʰ', 'kʷʰ')
    """
    form = canonical(symbol)
    if sum(map(is_modifier, form)) < 2:
        return form
    return joined(replace(part, modifiers=sort_marks(part.modifiers)) for part in parse(form))


def sort_marks(marks: Iterable[str]) -> str:
    """Return marks in the order in which their rules are applied."""
    return "".join(sorted(marks, key=lambda mark: (ORDER.get(mark, len(ORDER)), mark)))


def placed_tie(symbol: str) -> str:
    """Return the canonical form with a tie bar that stands after the last letter (kp͡) moved before it (k͡p)."""
    parts = parse(symbol)
    if len(parts) < 2 or not parts[-1].tie or parts[-2].tie or not parts[-1].letter.isalpha():
        return joined(parts)
    return joined([*parts[:-2], replace(parts[-2], tie=parts[-1].tie), replace(parts[-1], tie="")])


def is_modifier(letter: str) -> bool:
    """Return whether a letter modifies its neighbour without standing above or below it (ʰ ʷ ː ˞); no tone letter."""
    return letter > "\x7f" and letter not in TONE_LETTERS and unicodedata.category(letter) in {"Lm", "Sk"}


def full_letter(modifier: str) -> str:
    """Return the letter that a superscript one is the small form of (ᵐ → m); "" when there is none."""
    kind, _, code = unicodedata.decomposition(modifier).partition(" ")
    return chr(int(code, 16)) if kind == "<super>" else ""
