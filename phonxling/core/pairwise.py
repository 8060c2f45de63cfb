"""Gold alignments of pairs of words, as experts made them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """Two words aligned segment by segment.

    Parameters
    ----------
    title : str
        What the words mean, or where they come from.
    first, second : tuple of str
        The words' segments, of n and m; a gap is no segment.
    links : frozenset of (int, int)
        Which segment of the first word stands above which of the second, by position.

    An alignment is a set of links: neighbouring gaps of the two words in another order are the same alignment.
    """

    title: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    links: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class GoldAlignments:
    """The aligned pairs of one file, under the name that the file gives itself."""

    name: str
    pairs: tuple[AlignedWords, ...]
