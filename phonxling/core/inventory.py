"""Phone inventories: which phones there are, in which order, and the sign for no phone."""

# An inventory that is made of data stands in the order of the IPA chart, which is the order of every table, figure and
# page: vowels by height and backness, then consonants by manner and place, other symbols, tones, silence. It goes by
# the letters of a phone, not by its features, so that it is the same under each feature table.

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from phonxling.core.arrays import Codes
from phonxling.core.errors import DataError
from phonxling.core.estimate import ReadableValue, format_count, list_phones
from phonxling.core.spelling import (
    CHART,
    LATERAL,
    NON_SYLLABIC,
    SILENCE_PHONE as SILENCE_PHONE,
    SYLLABIC,
    Part,
    parts_of_phone,
    split_tone,
)

GAP = "∅"  # U+2205: no phone. Never the Greek epsilon, which no reader can tell from the vowel ɛ.

_SHOWN_PHONES = 60  # phones of an inventory that are printed
_RANK = {name: rank for rank, name in enumerate(CHART)}
_ROW = {letter: name for name, row in CHART.items() for letter in row}
_PLACE = {letter: place for place, letter in enumerate("".join(CHART.values()))}


@dataclass(frozen=True, slots=True, repr=False)
class Inventory(ReadableValue):
    """Distinct phones in a fixed order; their positions are the codes that arrays hold.

    Parameters
    ----------
    phones : tuple of str
        The phones; kept in Unicode NFC, so that they merge with other tables. None may be empty, occur twice, or be ∅.

    Raises
    ------
    DataError
        If a phone is ∅, which means "no phone" here.
        If a phone is the empty string.
        If a phone occurs twice.

    Examples
    --------
    >>> vowels = Inventory(("a", "e"))
    >>> vowels.code("e"), len(vowels), "i" in vowels
    (1, 2, False)

    A phone is known by its letters, in whichever Unicode form they are written:

    >>> nasal = Inventory(("e" + chr(0x303),))
    >>> len(nasal.phones[0]), nasal.code("ẽ"), "e" + chr(0x303) in nasal
    (1, 0, True)
    """

    phones: tuple[str, ...]
    _codes: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "phones", _check_phones(self.phones))
        object.__setattr__(self, "_codes", {phone: code for code, phone in enumerate(self.phones)})
        if GAP in self._codes:
            raise DataError(f"the symbol {GAP} (U+2205) stands for 'no phone' and cannot be a phone; rename it")
        if "" in self._codes:
            raise DataError("a phone cannot be the empty string")
        if len(self._codes) != len(self.phones):
            twice = sorted({phone for phone in self.phones if self.phones.count(phone) > 1})
            raise DataError(f"an inventory lists each phone once; listed twice: {' '.join(twice)}")

    def code(self, phone: str) -> int:
        """Return the position of a phone; KeyError when it is not in the inventory."""
        code = self._codes.get(phone)
        return self._codes[_compose_marks(phone)] if code is None else code

    def codes(self, phones: Iterable[str]) -> Codes:
        """Return the positions of phones, int64; −1 for one that is not in the inventory."""
        return np.array([self.code(phone) if phone in self else -1 for phone in phones], np.int64)

    def __len__(self) -> int:
        return len(self.phones)

    def _facts(self) -> Iterator[str]:
        yield f"{format_count(len(self), 'phone')}: {list_phones(self, _SHOWN_PHONES)}"

    def __iter__(self) -> Iterator[str]:
        return iter(self.phones)

    def __contains__(self, phone: object) -> bool:
        return phone in self._codes or (isinstance(phone, str) and _compose_marks(phone) in self._codes)


def as_inventory(phones: "Inventory | Iterable[str]") -> Inventory:
    """Return `phones` as an Inventory; a plain string is refused, since its letters are hardly meant as phones."""
    return phones if isinstance(phones, Inventory) else Inventory(_check_phones(phones))


def chart_place(phone: str) -> int:
    """Return where the first letter of a phone stands on the chart (an affricate's last), those without one last."""
    return (chart_key(phone)[2] or (len(_PLACE),))[0]


@lru_cache(maxsize=4096)
def chart_key(phone: str) -> tuple[int, bool, tuple[int, ...], int, str]:
    """Return what sorts phones as the IPA chart does: marks beside the plain phone, two letters after one, ∅ last."""
    parts, tone = parts_of_phone(phone), split_tone(phone)[1]
    placed = [part.letter for part in parts if part.letter in _PLACE]
    places = [_PLACE[letter] for letter in placed or tone if letter in _PLACE]
    row = _find_row([_ROW[letter] for letter in placed], parts) if placed else "tones" if places else "other"
    row = "silence" if phone.lower() == SILENCE_PHONE else row
    # An affricate stands by where it is released: t͡s by s.
    places = places[::-1] if row == "affricates" else places
    length = len(tone) + sum(len(str(part)) for part in parts)
    return _RANK[row] + (phone == GAP) * len(_RANK), len(places) > 1, tuple(places), length, phone


def _find_row(rows: list[str], parts: Sequence[Part]) -> str:
    """Return the row of a phone by those of its letters: the first one's, unless more than one or a mark says else."""
    marks = "".join(part.marks + part.modifiers for part in parts)
    if rows[0] != "vowels" and SYLLABIC in marks:
        return "vowels" if rows[0] == "approximants" else "syllabic consonants"
    if "clicks" in rows:
        return "clicks"
    if rows[0] == "stops" and (rows[-1] == "fricatives" or LATERAL in marks):
        return "affricates"
    if rows == ["vowels"] and NON_SYLLABIC in marks:
        return "approximants"
    return rows[0]


def sorted_inventory(phones: Iterable[str]) -> Inventory:
    return Inventory(tuple(sorted(set(map(_compose_marks, phones)), key=chart_key)))


def merge(first: Inventory, second: Inventory) -> Inventory:
    """Return one inventory for two: the same when they are equal or one is empty, else all, as the chart has them."""
    if first == second or not len(second):
        return first
    return second if not len(first) else sorted_inventory([*first, *second])


def _check_phones(phones: Iterable[str]) -> tuple[str, ...]:
    if isinstance(phones, str):
        raise DataError(f"a list of phones is needed, not the string {phones!r}")
    if not isinstance(phones, Iterable):
        raise DataError(f"a list of phones is needed, not {type(phones).__name__}")
    return tuple(map(_compose_marks, phones))


def _compose_marks(phone: str) -> str:
    if not isinstance(phone, str):
        raise DataError(f"a phone must be a text, not {type(phone).__name__} {phone!r}"[:200])
    # ã may be one code point or two: as keys of tables they would be two phones.
    return unicodedata.normalize("NFC", phone)


def with_gap(phones: Iterable[str]) -> list[str]:
    return [*phones, GAP]
