"""Ids of the utterances of two lists: which are the same as they stand, or else but for folder, ending and case.

Everything that puts two lists of utterances beside each other asks here: gold and predicted, posteriors, segments, a
second transcriber, tables of speakers, results that are compared, and a starter configuration.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import NamedTuple


def _strip_doubled_folder(name: str) -> str:
    # The id of 84/121123/84-121123-0000.lab has its folders before it; corpora of many speakers name files so.
    doubled = re.match(r"(.+)_(?=\1_)", name.replace("-", "_"))
    return name[doubled.end() :] if doubled else name


ALIKE_BUT_FOR: Mapping[str, Callable[[str], str]] = {
    "folder": lambda name: _strip_doubled_folder(re.split(r"[/\\]", name)[-1]),
    "ending": lambda name: re.sub(r"\.[A-Za-z][A-Za-z0-9]{0,7}$", "", name),
    "case": str.casefold,
    "zeros before numbers": lambda name: re.sub(r"0+(?=\d)", "", name),
    "Unicode form": lambda name: unicodedata.normalize("NFC", name),
    "spaces": lambda name: "".join(name.split()),
}
_PATHS = ((), ("folder",), ("ending",), ("folder", "ending"))
# The least change first: ids that are the same as they stand are never compared without their folders.
WAYS = tuple((*way, *case) for case, way in product(((), ("case",)), _PATHS))  # the first that pairs is taken


class SameIds(NamedTuple):
    """What ids of a second list are called in the first, and what they differ in; nothing where they are the same."""

    names: Mapping[str, str]
    but_for: tuple[str, ...]

    def note(self, what: str, other: str = "gold") -> str:
        """Return that ids were compared without what they differ in, with an example; "" where they do not differ."""
        if not self.names:
            return ""
        second, first = next(iter(self.names.items()))
        return f"ids of {what} are those of {other} but for {join_names(self.but_for)}: '{second}' is '{first}'"


def same_ids(first: Iterable[str], second: Iterable[str]) -> SameIds:
    """Return which ids of two lists are the same utterance.

    A way of comparing them counts only where no two ids of a list become one, and where all of a list have a partner:
    of some alone it cannot be known whether they are the same utterances.

    Examples
    --------
    >>> same_ids(["u1", "u2"], ["wav/u1.wav", "wav/u2.wav", "wav/u3.wav"]).names
    {'wav/u1.wav': 'u1', 'wav/u2.wav': 'u2'}
    """
    sides = [*dict.fromkeys(first)], [*dict.fromkeys(second)]
    if sides[0] == sides[1] or not all(sides):  # as nearly always
        return SameIds({}, ())
    for way in WAYS:
        case = tuple(part for part in way if part == "case")  # the one side may have what looks like an ending: a.rec01
        for ways in ((way, way), (case, way), (way, case)):
            own, other = (
                {strip_parts(name, each): name for name in side} for each, side in zip(ways, sides, strict=True)
            )
            common = own.keys() & other.keys()
            # All of a list must have partners, and none of its ids may fall together.
            if common and len(common) in {len(own), len(other)} and (len(own), len(other)) == (*map(len, sides),):
                names = {name: own[key] for key, name in other.items() if key in common and name != own[key]}
                return SameIds(names, way)
    return SameIds({}, ())


def strip_parts(name: str, parts: Iterable[str]) -> str:
    for part in parts:
        name = ALIKE_BUT_FOR[part](name)
    return name


def join_names(parts: Iterable[str]) -> str:
    *several, last = parts
    return f"{', '.join(several)} and {last}" if several else last
