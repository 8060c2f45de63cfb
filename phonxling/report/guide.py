"""What explains results: README.txt, codebook.tsv, and the glossary of the documentation and of the page."""

import csv
import io
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from markupsafe import escape

from phonxling.analyses.measures import measures
from phonxling.core.files import write_bytes
from phonxling.results.tables import declared_columns, declared_tables, file_of, has_table

README, CODEBOOK = "README.txt", "codebook.tsv"
_LINES = {  # tables that are named together, in the order in which one reads them
    "Numbers": ("summary", "languages", "language_groups"),
    "Utterances and speakers": ("utterances", "speakers", "groups", "alignments"),
    "Phones": ("phones", "confusions", "errors", "features", "classes", "tones", "contexts", "contrasts"),
    "Beside the reference": ("expected",),
    "Posteriors": ("association", "calibration", "map", "sounds"),
    "Symbols as they were read": ("symbols",),
}


def write_guide(folder: Path, name: str, version: str) -> list[Path]:
    """Write README.txt and codebook.tsv beside the tables of a folder of results; return both."""
    here = {what: [file_of(one) for one in tables if has_table(folder, one)] for what, tables in _LINES.items()}
    lines = [
        f"Results of “{name}”, by phonxling {version}. Begin with report.html.",
        *(f"{what}: {', '.join(files)}" for what, files in here.items() if files),
        "What measures and columns mean: codebook.tsv",
        "For a paper: figures/, and paper/ with tables, captions and methods",
        "How it was made: manifest.json, run.json. Kept work that may go: .phonxling/",
    ]
    write_bytes(folder / README, ("\n".join(lines) + "\n").encode())
    # The codebook explains each measure, and each column of each table, in words that a label could use.
    text = io.StringIO()
    rows = csv.writer(text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    rows.writerow(["table", "name", "variant", "unit", "label", "meaning"])
    for one in measures():
        title = f"{one.title[0].upper()}{one.title[1:]}"
        rows.writerow(["summary", one.name, one.variant, one.unit, title, f"{one.formula}. {one.reading}"])
    rows_of = {table.table: f"A row is {table.row}." for table in declared_tables()}
    for column in declared_columns():
        rows.writerow([column.table, column.column, "", column.unit, column.meaning, rows_of[column.table]])
    write_bytes(folder / CODEBOOK, text.getvalue().encode())
    return [folder / README, folder / CODEBOOK]


_PIECE = re.compile(r"(<[^>]*>)")
_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_TEXTS = frozenset({"p", "li"})  # elements whose texts are prose
_LEFT_ALONE = frozenset({"button", "code", "label", "select", "svg"})  # elements without terms


# A term of `assets/glossary.tsv` has the words that lead to it, words that are not used instead, and a meaning of two
# sentences and a number.
class Term(NamedTuple):
    name: str
    words: tuple[str, ...]
    instead_of: tuple[str, ...]
    meaning: str

    @property
    def anchor(self) -> str:
        return "term-" + re.sub(r"\W+", "-", self.name)


@cache
def glossary() -> tuple[Term, ...]:
    lines = (files("phonxling.report") / "assets/glossary.tsv").read_text(encoding="utf-8").splitlines()
    rows = csv.reader(lines[1:], delimiter="\t", quoting=csv.QUOTE_NONE)
    split = re.compile(", ").split
    return tuple(
        Term(name, tuple(split(words)), tuple(split(others) if others else ()), meaning)
        for name, words, others, meaning in rows
    )


@cache
def terms_by_word() -> dict[str, Term]:
    return {word: term for term in glossary() for word in term.words}


@cache
def word_pattern() -> re.Pattern[str]:
    """Return a pattern of all words, the longest first; those without capitals may begin with one."""
    forms = sorted(terms_by_word(), key=len, reverse=True)
    either = (f"[{word[0]}{word[0].upper()}]{re.escape(word[1:])}" for word in forms if word.islower() and word != "q")
    exact = (re.escape(word) for word in forms if not word.islower() or word == "q")
    return re.compile(rf"(?<![\w\-–/(])(?:{'|'.join((*exact, *either))})(?![\w\-–/(])")


def find_terms(text: str, known: set[str]) -> Iterator[tuple[int, int, Term]]:
    """Yield where a text has terms that are not known yet, and add them to those known."""
    for match in word_pattern().finditer(text):
        term = terms_by_word().get(match[0]) or terms_by_word()[match[0][0].lower() + match[0][1:]]
        if term.name not in known:
            known.add(term.name)
            yield match.start(), match.end(), term


def with_terms(html: str) -> str:
    """Return a page whose prose explains each term where it stands first: a link to the glossary, in a link a title."""
    head, main, rest = html.partition("<main")
    body, end, foot = rest.partition('<details id="definitions-section"')
    explained: set[str] = set()
    depth = dict.fromkeys((*_TEXTS, *_LEFT_ALONE, "a"), 0)
    pieces = []
    for piece in _PIECE.split(body):
        if name := _NAME.match(piece):
            if name[1] in depth:
                depth[name[1]] += -1 if piece.startswith("</") else 1
        elif any(depth[each] for each in _TEXTS) and not any(depth[each] for each in _LEFT_ALONE):
            at = 0
            for start, stop, term in find_terms(piece, explained):
                tag, where = ("span", "") if depth["a"] else ("a", f' href="#{term.anchor}"')
                title = escape(term.meaning)
                pieces += [piece[at:start], f'<{tag} class="term"{where} title="{title}">{piece[start:stop]}</{tag}>']
                at = stop
            piece = piece[at:]
        pieces.append(piece)
    return head + main + "".join(pieces) + end + foot
