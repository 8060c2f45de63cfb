"""Phone inventories: which phones there are, in which order, and the sign for no phone."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from phonxling.core.display import Shown, counted, listed
from phonxling.core.errors import DataError

GAP = "∅"  # U+2205: no phone. Never the Greek epsilon, which no reader can tell from the vowel ɛ.


_SHOWN = 60  # phones of an inventory that are printed


@dataclass(frozen=True, slots=True, repr=False)
class Inventory(Shown):
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
        object.__setattr__(self, "phones", _listed(self.phones))
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
        return self._codes[_composed(phone)] if code is None else code

    def __len__(self) -> int:
        return len(self.phones)

    def _facts(self) -> Iterator[str]:
        yield f"{counted(len(self), 'phone')}: {listed(self, _SHOWN)}"

    def __iter__(self) -> Iterator[str]:
        return iter(self.phones)

    def __contains__(self, phone: object) -> bool:
        return phone in self._codes or (isinstance(phone, str) and _composed(phone) in self._codes)


def as_inventory(phones: "Inventory | Iterable[str]") -> Inventory:
    """Return `phones` as an Inventory; a plain string is refused, since its letters are hardly meant as phones."""
    if isinstance(phones, Inventory):
        return phones
    return Inventory(_listed(phones))


def sorted_inventory(phones: Iterable[str]) -> Inventory:
    """Return an inventory of the distinct ones of phones, sorted."""
    return Inventory(tuple(sorted(set(map(_composed, phones)))))


def merge(first: Inventory, second: Inventory) -> Inventory:
    """Return one inventory for two: the same when they are equal or one is empty, else all phones, sorted."""
    if first == second or not len(second):
        return first
    return second if not len(first) else sorted_inventory([*first, *second])


def _listed(phones: Iterable[str]) -> tuple[str, ...]:
    if isinstance(phones, str):
        raise DataError(f"a list of phones is needed, not the string {phones!r}")
    return tuple(map(_composed, phones))


def _composed(phone: str) -> str:
    if not isinstance(phone, str):
        raise DataError(f"a phone must be a text, not {type(phone).__name__} {phone!r}"[:200])
    return unicodedata.normalize("NFC", phone)


def with_gap(phones: Iterable[str]) -> list[str]:
    """Return labels with ∅ last."""
    return [*phones, GAP]
