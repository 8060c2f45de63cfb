"""What the site has beyond the pages: contents, the docstrings of public names, texts, links to terms and types."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import isclass, isroutine

import said
import write_docs
from docutils import nodes
from pygments.lexers import TextLexer
from sphinx import addnodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from phonxling.load.formats import BUILT_IN
from phonxling.report.guide import find_terms, terms_by_word
from phonxling.report.numbers import templates
from phonxling.results.tables import declared_columns

_CONTENTS = re.compile(r"^## (.+)\n\n((?:- .+\n)+)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([\w/]+)\.md\)")
_INCLUDED = "```{include} ../%s.md\n:relative-docs: docs/\n:relative-images:\n```\n"


def _complete(_app: Sphinx, page: str, source: list[str]) -> None:
    """Give a page, which any viewer of Markdown shows as it is, what the site alone can show."""
    if page == "api":
        source[0] = write_docs.PART.sub("```{public-names}\n```", source[0])
    elif page in {"changelog", "contributing"}:
        source[0] = _INCLUDED % page.upper()
    elif page == "index":
        source[0] += "".join(_contents(part[1], _LINK.findall(part[2])) for part in _CONTENTS.finditer(source[0]))
    elif page == "measures":
        source[0] += _contents("Measures", re.findall(r"^\| \[(.+)\]\((.+)\.md\)", source[0], re.MULTILINE))


def _contents(caption: str, links: list[tuple[str, str]]) -> str:
    places = "\n".join(f"{text} <{place}>" for text, place in links)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{places}\n```\n"


class PublicNames(SphinxDirective):
    """The public names, each with its docstring."""

    def run(self) -> list[nodes.Node]:
        """Return a section for phonxling's own names by folder, and one a public module."""
        return self.parse_text_to_nodes("\n".join(_names()), allow_section_headings=True)


def _names() -> Iterator[str]:
    for head, names in write_docs.public_names().items():
        words = (
            f"`{head}`\n\n{import_module(head.replace('px', 'phonxling', 1)).__doc__}" if head[:3] == "px." else head
        )
        yield f"## {words}\n\n```{{eval-rst}}"
        yield from (f".. auto{_kind(value)}:: {name}" for name, value in names)
        yield "```\n"


def _kind(value: object) -> str:
    if isclass(value):
        return "exception" if issubclass(value, Exception) else "class"
    return "function" if isroutine(value) else "data"


class Sentences(SphinxDirective):
    """Every sentence that is said of results, as the program has it."""

    def run(self) -> list[nodes.Node]:
        """Return a table for each part."""
        return self.parse_text_to_nodes("\n".join(_sentences()), allow_section_headings=True)


def _sentences() -> Iterator[str]:
    parts: dict[str, list[tuple[str, str]]] = {}
    for name, text in templates().items():
        part, _, case = name.partition(".")
        parts.setdefault(part, []).append((f"`{case}`", text.strip().replace("{", "\\{")))
    for part, rows in parts.items():
        yield f"## {part.capitalize()}\n"
        yield from write_docs.table("case | sentence", rows)


class Said(SphinxDirective):
    """Every text that the program says to people, by the folder that says it."""

    def run(self) -> list[nodes.Node]:
        """Return a section a folder, with a list."""
        return self.parse_text_to_nodes("\n".join(said.page()), allow_section_headings=True)


PLAIN = {"api", "changelog", "glossary", "sentences"}  # pages without links to the glossary
SET_APART = (nodes.reference, nodes.literal, nodes.title, nodes.term, nodes.FixedTextElement, pending_xref, nodes.raw)


def _link_terms(app: Sphinx, doctree: nodes.document) -> None:
    """Make each term's first use on a page a link to the glossary."""
    found: set[str] = set()
    page = app.env.docname
    for text in [] if page in PLAIN else list(doctree.findall(nodes.Text)):
        if any(isinstance(one, SET_APART) for one in _holders(text)):
            continue
        parts: list[nodes.Node] = []
        at = 0
        for start, stop, term in find_terms(text.astext(), found):
            word = nodes.inline("", text.astext()[start:stop], classes=["xref", "std", "std-term"])
            place = {"reftarget": "glossary", "reftargetid": term.name.casefold().replace(" ", "-")}
            link = pending_xref("", word, refdomain="doc", reftype="myst", refexplicit=True, refdoc=page, **place)
            parts += [nodes.Text(text.astext()[at:start]), link]
            at = stop
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text.astext()[at:])])


# What people search, and the place that answers it: entries of the index, which come first among what a search finds.
SEARCHED = {
    "adding speakers": "own_data#speakers",
    "BibTeX": "cite",
    "cite": "cite",
    "citing": "cite",
    "compare": "compare",
    "CTC logits": "ctc",
    "definition of wPER": "measures/rates",
    "ESPnet": "models",
    "figure size": "results#one-figure-at-your-size",
    "figure width": "results#one-figure-at-your-size",
    "journal width": "results#one-figure-at-your-size",
    "Hugging Face": "models",
    "Kaldi": "models",
    "DataFrame": "notebook_frame",
    "MFA": "models",
    "mispronunciation": "measures/mispronunciation",
    "Montreal Forced Aligner": "models",
    "own features": "symbols#your-own-features",
    "own recogniser": "own_data",
    "own symbols": "symbols",
    "p_predicted_given_gold": "tables#confusions-tsv",
    "PCC": "measures/features#natural-classes",
    "percent consonants correct": "measures/features#natural-classes",
    "R": "r",
    "wav2vec 2.0": "notebook_ctc",
    "speakers": "own_data#speakers",
    "worst phones": "results#the-worst-phones",
}


MAIN = ("confusions", "phones", "summary", "utterances")  # the tables that one looks up first


class Searched(SphinxTransform):
    """Entries of the index for what people search, and for each column at one table that has it."""

    default_priority = 800  # before the index is read

    def apply(self, **_: object) -> None:
        """Put this page's entries at its beginning."""
        page = self.env.docname
        places = (place.partition("#") for place in SEARCHED.values())
        own = [(word, place[2]) for word, place in zip(SEARCHED, places, strict=True) if place[0] == page]
        own += _homes().items() if page == "tables" else []
        if own:
            first = next(iter(self.document.findall(nodes.section)))["ids"][0]
            entries = [("single", word, place or first, "main", None) for word, place in own]
            self.document.insert(0, addnodes.index(entries=entries))


@cache
def _homes() -> dict[str, str]:
    """Return the place of one table that has each column: a main one, else the one with the shortest name."""
    places = write_docs.headings_of_tables()
    homes: dict[str, str] = {}
    for one in sorted(declared_columns(), key=lambda one: (one.table not in MAIN, len(places[one.table]))):
        homes.setdefault(one.column, nodes.make_id(places[one.table]))
    words = {word.casefold() for word in (*SEARCHED, *terms_by_word())}
    return {column: place for column, place in homes.items() if column not in words}


def _holders(node: nodes.Node) -> Iterator[nodes.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def _link(app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: nodes.Element) -> nodes.Node | None:
    """Return where a type in a signature leads: a public name to its entry, any other type nowhere."""
    if node.get("refdomain") != "py":
        return None
    domain, place = environment.domains.python_domain, "phonxling." + node["reftarget"].rsplit(".", 1)[-1]
    return domain.resolve_xref(environment, node["refdoc"], app.builder, "obj", place, node, content) or content


def _plain_bars(_app: Sphinx, _what: str, _name: str, _value: object, _options: object, lines: list[str]) -> None:
    """Keep bars in docstrings what they are: reStructuredText takes |x| for something to be replaced."""
    lines[:] = [line if ">>>" in line else line.replace("|", "\\|") for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and what else the pages need."""
    app.add_directive("public-names", PublicNames)
    app.add_directive("sentences", Sentences)
    app.add_directive("said", Said)
    app.connect("doctree-read", _link_terms)
    app.add_transform(Searched)
    app.connect("source-read", _complete)
    for name in BUILT_IN:  # blocks that show a file have its format's name
        app.add_lexer(name, TextLexer)
    app.connect("missing-reference", _link)
    app.connect("autodoc-process-docstring", _plain_bars, priority=400)
    return {"parallel_read_safe": True}
