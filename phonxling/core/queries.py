"""Feature queries: natural classes as words such as "+syl +nas", of which "|" joins alternatives."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phonxling.core.spelling import pairs_of, values_of

if TYPE_CHECKING:
    from phonxling.core.features import FeatureTable


_WORD = re.compile(r"[+0-][^\s+|-][^\s|]*")


@dataclass(frozen=True, slots=True)
class Query:
    """A class of phones by their features: a phone belongs when it has all values of one alternative at least."""

    text: str

    def __post_init__(self) -> None:
        for part in self.text.split("|"):
            words = part.split()
            if not words:
                raise ValueError(f"'{self.text}' asks for no feature; a class is written '+syl +nas'")
            if wrong := [word for word in words if not _WORD.fullmatch(word)]:
                raise ValueError(
                    f"'{wrong[0]}' is no feature with its sign (+, - or 0); a class is written '+syl +nas'"
                )
            names = [word[1:] for word in words]
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"'{part.strip()}' names the feature {twice[0]} twice")

    @property
    def alternatives(self) -> list[str]:
        return [part.strip() for part in self.text.split("|")]

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.alternatives for name in values_of(part)))

    def members(self, phones: Iterable[str], table: "FeatureTable") -> list[bool]:
        """Return for each phone whether it belongs; one without features belongs to no class."""
        return [any(table.matches(phone, part) for part in self.alternatives) for phone in phones]


# The manners of the IPA chart (2020): a phone is in the first that holds it. PanPhon has ʔ, h and ɦ as sonorants; the
# chart, and these, have a plosive and two fricatives.
DEFAULT_CLASSES = {
    "vowels": "+syl -cons",
    "syllabic consonants": "+syl +cons",
    "clicks": "-syl +velaric",
    "affricates": "-syl -son -cont +delrel",
    "stops": "-syl -son -cont | -syl +son -cont -nas",
    "fricatives": "-syl -son +cont | -syl +son +cons +cont -delrel -cor -lab -lat",
    "nasals": "-syl +son +nas -cont",
    "trills and taps": "-syl +son +cons -lat",
    "laterals": "-syl +son +lat",
    "approximants": "-syl +son -cons",
}
OTHER = "other"  # what none of them holds
CONSONANTS = "consonants"  # what all of them hold but vowels
RESERVED = (*DEFAULT_CLASSES, CONSONANTS, OTHER)  # names that a user's class cannot have


# What panphon's features are called where there is room for a word.
_WORDS = """
    syl syllabic  son sonorant  cons consonantal  cont continuant  delrel delayed_release  lat lateral  nas nasal
    strid strident  voi voiced  sg spread_glottis  cg constricted_glottis  ant anterior  cor coronal  distr distributed
    lab labial  hi high  lo low  hitone high_tone  hireg high_register
"""
_NAMES = pairs_of(_WORDS)


def feature_name(feature: str) -> str:
    """Return the word for a feature; one that panphon does not abbreviate, or does not have, is its own word."""
    return _NAMES.get(feature, feature).replace("_", " ")
