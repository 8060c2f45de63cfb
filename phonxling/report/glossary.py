"""The glossary: each term with two sentences and a number, for the documentation and for the page of results.

`assets/glossary.tsv` has a row a term: the words that lead to it, and the words that are not used instead.
"""

import csv
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from markupsafe import escape

_PIECE = re.compile(r"(<[^>]*>)")
_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_TEXTS = frozenset({"p", "li"})  # elements whose texts are prose
_LEFT_ALONE = frozenset({"button", "code", "label", "select", "svg"})  # elements without terms


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
    return tuple(Term(name, _listed(words), _listed(others), meaning) for name, words, others, meaning in rows)


def _listed(words: str) -> tuple[str, ...]:
    return tuple(filter(None, words.split(", ")))


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


def uses(text: str, found: set[str]) -> Iterator[tuple[int, int, Term]]:
    """Yield where a text uses terms that are not found yet, and add them to those found."""
    for match in word_pattern().finditer(text):
        term = terms_by_word().get(match[0]) or terms_by_word()[match[0][0].lower() + match[0][1:]]
        if term.name not in found:
            found.add(term.name)
            yield match.start(), match.end(), term


def with_terms(html: str) -> str:
    """Return a page whose prose explains each term where it stands first: a link to the glossary, in a link a title."""
    head, main, rest = html.partition("<main")
    body, end, foot = rest.partition('<details id="definitions-section"')
    found: set[str] = set()
    open_ = dict.fromkeys((*_TEXTS, *_LEFT_ALONE, "a"), 0)
    pieces = []
    for piece in _PIECE.split(body):
        if name := _NAME.match(piece):
            if name[1] in open_:
                open_[name[1]] += -1 if piece.startswith("</") else 1
            pieces.append(piece)
        elif any(open_[each] for each in _TEXTS) and not any(open_[each] for each in _LEFT_ALONE):
            pieces.append(_explained(piece, found, linked=open_["a"] > 0))
        else:
            pieces.append(piece)
    return head + main + "".join(pieces) + end + foot


def _explained(text: str, found: set[str], *, linked: bool) -> str:
    parts, at = [], 0
    for start, stop, term in uses(text, found):
        tag, where = ("span", "") if linked else ("a", f' href="#{term.anchor}"')
        own = f'<{tag} class="term"{where} title="{escape(term.meaning)}">{text[start:stop]}</{tag}>'
        parts += [text[at:start], own]
        at = stop
    return "".join([*parts, text[at:]])
