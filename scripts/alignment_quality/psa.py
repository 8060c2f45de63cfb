"""Gold alignments of word pairs in the format of the Benchmark Database for Phonetic Alignments (List & Prokić 2014).

The first line of a `.psa` file is its name. Each pair is a line with its title and two rows, a word's name and its
segments separated by tabs, `-` for a gap. Lines that begin with `#` are scores, and pass. Pairs end at a blank line.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from phonxling.core.errors import DataError, join_problems, shown
from phonxling.load.text import read_text


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


_GAP = "-"
_SHOWN = 10
_REMEDY = "Each pair is a title line and two rows of a name and segments, separated by tabs, then a blank line."
_Block = list[tuple[int, str]]


def load_psa(path: Path) -> GoldAlignments:
    """Return the gold alignments of a `.psa` file.

    Raises
    ------
    DataError
        If the file is missing, not UTF-8, or holds no pair.
        If a pair has not two rows, rows of unequal length, a row without segments, an empty cell, or a column of gaps.
    """
    lines = read_text(path).splitlines()
    problems: list[str] = []
    pairs: list[AlignedWords] = []
    for block in _blocks(lines):
        try:
            pairs.append(_pair(block))
        except ValueError as error:
            problems.append(f"{path}:{error}")
    if problems:
        headline = f"{len(problems)} of {len(problems) + len(pairs)} pairs cannot be read:"
        raise DataError(join_problems(headline, problems, _REMEDY, _SHOWN))
    if not pairs:
        raise DataError(f"{path}:1: the file holds no aligned pair. {_REMEDY}")
    return GoldAlignments(lines[0].strip() or path.stem, tuple(pairs))


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """Yield each pair's lines with their numbers, without the file's name and the scores."""
    block: _Block = []
    for number, line in enumerate([*lines[1:], ""], start=2):
        if not line.strip():
            if block:
                yield block
            block = []
        elif not line.startswith("#"):
            block.append((number, line))


def _pair(block: _Block) -> AlignedWords:
    """Return one pair; ValueError "line: what is wrong" when it is none."""
    (line, title), *rows = block
    if len(rows) != 2:
        raise ValueError(f"{line}: the pair '{shown(title.strip())}' has {_rows(len(rows))}, not two")
    first, second = (_cells(*row) for row in rows)
    if len(first) != len(second):
        raise ValueError(f"{rows[1][0]}: the row has {len(second)} columns, but the row above it {len(first)}")
    for column, cells in enumerate(zip(first, second, strict=True), start=1):
        if cells == (_GAP, _GAP):
            raise ValueError(f"{rows[1][0]}: both words have a gap in column {column}")
    return AlignedWords(title.strip(), _segments(first), _segments(second), _links(first, second))


def _cells(line: int, row: str) -> list[str]:
    name, *cells = (cell.strip() for cell in row.rstrip().split("\t"))
    if not cells:
        raise ValueError(f"{line}: the row '{shown(name)}' has no segments (separate them by tabs)")
    if "" in cells:
        raise ValueError(f"{line}: column {cells.index('') + 1} is empty (a gap is written {_GAP})")
    return cells


def _segments(cells: list[str]) -> tuple[str, ...]:
    return tuple(cell for cell in cells if cell != _GAP)


def _links(first: list[str], second: list[str]) -> frozenset[tuple[int, int]]:
    links, place = [], [0, 0]
    for above, below in zip(first, second, strict=True):
        if _GAP not in (above, below):
            links.append((place[0], place[1]))
        place = [place[0] + (above != _GAP), place[1] + (below != _GAP)]
    return frozenset(links)


def _rows(number: int) -> str:
    return {0: "no row", 1: "one row"}.get(number, f"{number} rows")
