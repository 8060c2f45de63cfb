"""What the program declares, as pages: names, commands, settings, figures, measures, symbols; each table’s page."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path
from typing import Any

import said
import typer
from docutils import nodes
from pygments.lexers import TextLexer
from sphinx import addnodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import phonxling
from phonxling.analyses.measures import measures
from phonxling.cli import app as command_line
from phonxling.core.spelling import LETTERS, LOOK_ALIKES, MARKS
from phonxling.draw.gallery import FIGURES
from phonxling.experiment.configuration import json_schema
from phonxling.load.formats import BUILT_IN
from phonxling.report.guide import glossary, terms_by_word, uses
from phonxling.report.numbers import templates
from phonxling.tables.files import DeclaredTable, declared_columns, declared_tables

ROOT = Path(__file__).resolve().parent.parent
# The folders that public names come from, in the order of the page. A name of another folder ends the build.
FOLDERS = {
    "experiment": "Load, align, run",
    "core": "Values",
    "load": "Files and feature tables",
    "phones": "Symbols and classes",
    "count": "Counts",
    "analyses": "Measures",
    "decoding": "Posteriors to phones",
    "forced": "Gold phones without times",
    "resample": "Uncertainty and estimators",
    "comparison": "Comparing results",
    "draw": "Figures",
    "report": "Writing",
}


class PublicNames(SphinxDirective):
    """The public names, each with its docstring."""

    def run(self) -> list[nodes.Node]:
        """Return a section for phonxling's own names by folder, and one a public module."""
        return self.parse_text_to_nodes("\n".join(_names()), allow_section_headings=True)


def _names() -> Iterator[str]:
    sections: dict[str, list[str]] = {words: [] for words in FOLDERS.values()}
    for name, module in phonxling._NAMES.items():
        sections[FOLDERS[module.split(".")[1]]].append(f"phonxling.{name}")
    for name in phonxling._MODULES:
        public = import_module(f"phonxling.{name}")
        head = f"`px.{name}`\n\n{public.__doc__}"
        sections[head] = [f"phonxling.{name}.{each}" for each in dir(public) if each[0] != "_"]
    for head, names in sections.items():
        if names:
            yield f"## {head}\n\n```{{eval-rst}}"
            for name in sorted(names, key=str.casefold):
                module, _, leaf = name.rpartition(".")
                yield f".. auto{_kind(getattr(import_module(module), leaf))}:: {name}"
            yield "```\n"


def _kind(value: object) -> str:
    if isclass(value):
        return "exception" if issubclass(value, Exception) else "class"
    return "function" if isroutine(value) else "data"


class Commands(SphinxDirective):
    """The commands with their arguments and options, as `--help` has them."""

    def run(self) -> list[nodes.Node]:
        """Return a section a command."""
        return self.parse_text_to_nodes("\n".join(_commands()), allow_section_headings=True)


def _commands() -> Iterator[str]:
    for name, command in typer.main.get_command(command_line).commands.items():  # type: ignore[attr-defined]
        words, _, example = _plain(command.help or "").partition("Example: ")
        context = command.make_context(name, [], resilient_parsing=True)
        usage = " ".join([f"phonxling {name}", *command.collect_usage_pieces(context)])
        yield f"## phonxling {name}\n\n{words}\n\n```text\n{usage}\n```\n"
        if example:
            yield f"Example:\n\n```sh\n{' '.join(example.split())}\n```\n"
        records = command.help_records(context, "argument") + command.help_records(context, "option")
        yield from _table("option | what it does", ((f"`{option}`", _plain(words)) for option, words in records))


def _plain(words: str) -> str:
    """Return a help text as Markdown in which <name> is no tag."""
    return words.replace("<", "\\<")


class Settings(SphinxDirective):
    """The settings of a configuration, as the JSON schema has them."""

    def run(self) -> list[nodes.Node]:
        """Return a section for the whole file, and for each of its parts."""
        return self.parse_text_to_nodes("\n".join(_settings()), allow_section_headings=True)


def _settings() -> Iterator[str]:
    schema = json_schema()
    parts = schema["$defs"]
    yield from _section("The file", schema["properties"], "A configuration has these keys; only `corpora` is required.")
    heads = {_part(field): f"`{name}:`" for name, field in schema["properties"].items() if _part(field)}
    heads |= {"Corpus": "A corpus"}
    heads |= {name: parts[name]["title"] for name in parts if name not in heads}
    for name, head in heads.items():
        yield from _section(head, parts[name]["properties"], parts[name]["description"])


def _section(heading: str, fields: dict[str, Any], words: str) -> Iterator[str]:
    yield f"## {heading}\n\n{words}\n"
    rows = ((f"`{name}`", _values(field), _default(field), _meaning(field)) for name, field in fields.items())
    yield from _table("key | values | default | what it is", rows)


def _part(field: dict[str, Any]) -> str:
    """Return the name of the section that a key holds, if it holds one."""
    kinds = [field, *field.get("anyOf", []), field.get("additionalProperties") or {}]
    return next((kind["$ref"].rsplit("/", 1)[-1] for kind in kinds if isinstance(kind, dict) and "$ref" in kind), "")


NAMED: dict[str, str] = {"string": "text", "integer": "whole number", "boolean": "true, false", "object": "keys"}


def _values(field: dict[str, Any]) -> str:
    """Return in words what a key may hold."""
    if _part(field):
        return "see below"
    if "anyOf" in field:
        return ", ".join(dict.fromkeys(_values(kind) for kind in field["anyOf"] if kind.get("type") != "null"))
    if "enum" in field or "const" in field:
        return ", ".join(f"`{value}`" for value in field.get("enum") or [field["const"]])
    if "prefixItems" in field:
        return f"[{', '.join(map(_values, field['prefixItems']))}]"
    if field.get("type") == "array":
        return f"list of {_values(field['items'])}"
    if field.get("format") == "path":
        return "path"
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    return ", ".join(NAMED.get(kind, kind) for kind in kinds if kind != "null")


def _default(field: dict[str, Any]) -> str:
    """Return the default; a part's defaults stand in its own table."""
    value = field.get("default")
    return "" if value is None or isinstance(value, dict) else f"`{json.dumps(value, ensure_ascii=False)}`"


def _meaning(field: dict[str, Any]) -> str:
    """Return the description, in which a page of the documentation is a link."""
    return re.sub(r"docs/(\w+\.md)", r"[\1](\1)", field.get("description", ""))


def _table(head: str, rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    if lines:
        yield f"| {head} |\n|{'---|' * (head.count('|') + 1)}"
        yield "\n".join(lines) + "\n"


class Measures(SphinxDirective):
    """The measures that a page names, as measures.tsv declares them."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return a table, in the order of the names."""
        return self.parse_text_to_nodes("\n".join(_measures(" ".join(self.content).split())))


def _measures(names: list[str]) -> Iterator[str]:
    declared = sorted((one for one in measures() if one.name in names), key=lambda one: names.index(one.name))
    often = Counter(one.name for one in declared)
    rows = []
    for one in declared:
        shown = one.variant.replace(" best", " …") if one.of else one.variant
        variant = f" `{shown}`" if shown and often[one.name] > 1 else ""
        rows.append((f"`{one.name}`{variant}", one.unit, one.title, one.formula, one.reading))
    yield from _table("measure | unit | what it is | formula | how it is read", iter(rows))


class SymbolRules(SphinxDirective):
    """The rules of symbols that the code has: look-alikes, marks, letters that panphon lacks."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return one of the three tables."""
        return self.parse_text_to_nodes("\n".join(_symbol_rules(self.arguments[0])))


def _symbol_rules(kind: str) -> Iterator[str]:
    if kind == "look-alikes":
        rows = ((raw, _code(raw), meant) for raw, meant in LOOK_ALIKES.items())
        yield from _table("written | code | meant", rows)
    elif kind == "marks":
        marks = ((f"◌{mark}", _code(mark), rule.name, _signed(rule.sets, rule.needs)) for mark, rule in MARKS.items())
        yield from _table("mark | code | name | sets", marks)
    else:
        yield from _table(
            "letter | like", ((letter, ", ".join(filter(None, like))) for letter, like in LETTERS.items())
        )


def _code(text: str) -> str:
    return " ".join(f"U+{ord(letter):04X}" for letter in text)


def _signed(sets: Mapping[str, int], needs: Mapping[str, int]) -> str:
    words, condition = (
        " ".join({1: "+", 0: "0", -1: "−"}[value] + name for name, value in values.items()) for values in (sets, needs)
    )
    return (words or "nothing") + (f" if {condition}" if condition else "")


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
        yield from _table("case | sentence", iter(rows))


class Said(SphinxDirective):
    """Every text that the program says to people, by the folder that says it."""

    def run(self) -> list[nodes.Node]:
        """Return a section a folder, with a list."""
        return self.parse_text_to_nodes("\n".join(said.page()), allow_section_headings=True)


class Terms(SphinxDirective):
    """The glossary of the package, as the page of results has it."""

    def run(self) -> list[nodes.Node]:
        """Return a list of terms."""
        escaped = ((term.name, term.meaning.replace("|", r"\|")) for term in glossary())
        lines = "".join(f"{name}\n  {meaning}\n\n" for name, meaning in escaped)
        return self.parse_text_to_nodes(f"```{{glossary}}\n{lines}```")


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
        for start, stop, term in uses(text.astext(), found):
            word = nodes.inline("", text.astext()[start:stop], classes=["xref", "std", "std-term"])
            link = pending_xref("", word, refdomain="std", reftype="term", reftarget=term.name, refdoc=page)
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
    "Hugging Face": "models",
    "Kaldi": "models",
    "MFA": "models",
    "Montreal Forced Aligner": "models",
    "own features": "symbols#your-own-features",
    "own recogniser": "own_data",
    "own symbols": "symbols",
    "R": "r",
    "speakers": "own_data#speakers",
}


MAIN = ("confusions", "phones", "summary", "utterances")  # the tables that one looks up first


class Searched(SphinxTransform):
    """Entries of the index for what people search, and for each column on the page of one table that has it."""

    default_priority = 800  # before the index is read

    def apply(self, **_: object) -> None:
        """Put this page's entries at its beginning."""
        page = self.env.docname
        places = (place.partition("#") for place in SEARCHED.values())
        own = [(word, place[2]) for word, place in zip(SEARCHED, places, strict=True) if place[0] == page]
        own += [(column, "") for column, table in _homes().items() if f"tables/{table}" == page]
        if own:
            first = next(iter(self.document.findall(nodes.section)))["ids"][0]
            entries = [("single", word, place or first, "main", None) for word, place in own]
            self.document.insert(0, addnodes.index(entries=entries))


@cache
def _homes() -> dict[str, str]:
    """Return the page of one table that has each column: a main one, else the one with the shortest name."""
    pages = {table.table: _page(table) for table in declared_tables()}
    homes: dict[str, str] = {}
    for one in declared_columns():
        known = homes.get(one.column, pages[one.table])
        homes[one.column] = min(known, pages[one.table], key=lambda page: (page not in MAIN, len(page)))
    words = {word.casefold() for word in (*SEARCHED, *terms_by_word())}
    return {column: page for column, page in homes.items() if column not in words}


def _holders(node: nodes.Node) -> Iterator[nodes.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


TABLES = {"results": "An experiment", "comparison": "A comparison"}


def _write_tables(app: Sphinx) -> None:
    """Write a page for each table that the program declares, and leave those alone that are as they should be."""
    folder = Path(app.srcdir) / "tables"
    folder.mkdir(exist_ok=True)
    pages = {f"{_page(table)}.md": "\n".join(_columns(table)) for table in declared_tables()}
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text:
            (folder / name).write_text(text, encoding="utf-8")


def _page(table: DeclaredTable) -> str:
    return f"comparison_{table.name}" if table.folder == "comparison" else table.name


def _columns(table: DeclaredTable) -> Iterator[str]:
    head = f"{table.name}.tsv" + (" of a comparison" if table.folder == "comparison" else "")
    only = f" Only with the section `{table.section}`." if table.section else ""
    yield f"---\norphan: true\n---\n\n# {head}\n\n{table.meaning} A row is {table.row}.{only}\n"
    own = (one for one in declared_columns() if one.table == table.table)
    yield from _table(
        "column | type | unit | what it is", ((f"`{one.column}`", one.type, one.unit, one.meaning) for one in own)
    )


class Tables(SphinxDirective):
    """The tables that the program writes, each with a link to its page."""

    def run(self) -> list[nodes.Node]:
        """Return a list for each kind of folder."""
        return self.parse_text_to_nodes("\n".join(_tables()), allow_section_headings=True)


def _tables() -> Iterator[str]:
    for folder, words in TABLES.items():
        own = (table for table in declared_tables() if table.folder == folder)
        yield f"## {words}\n"
        yield from _table("table | a row is", ((f"[{one.name}.tsv](tables/{_page(one)}.md)", one.row) for one in own))


class Gallery(SphinxDirective):
    """The figures, each with how to read it, drawn from results of the demo, which are kept for the next build."""

    def run(self) -> list[nodes.Node]:
        """Return a section a figure, with its picture where the demo has data for it."""
        kept = Path(self.env.app.outdir).parent / "gallery"
        folder = Path(self.env.app.outdir) / "_images"
        folder.mkdir(parents=True, exist_ok=True)
        return self.parse_text_to_nodes("\n".join(_gallery(kept, folder)), allow_section_headings=True)


def _gallery(kept: Path, folder: Path) -> Iterator[str]:
    demo, compared = kept / "demo", kept / "compared"
    run = ("run", ROOT / "configs/demo.yaml", "--output", demo, "--set", "report.html=false")
    for command in (run, ("compare", demo, "--output", compared)):
        words = [sys.executable, "-m", "phonxling", *map(str, command), "--quiet"]
        subprocess.run(words, check=True, cwd=ROOT)  # noqa: S603 - our own command
    for one in FIGURES:
        yield f"## `{one.name}`{' of a comparison' * (one.of == 'comparison')}\n\n{one.reading}\n"
        source, corpus = compared if one.of == "comparison" else demo, "yoruba" if one.of == "corpus" else None
        try:
            figure = phonxling.figure(source, one.name, corpus)
        except (phonxling.ConfigurationError, phonxling.DataError):
            yield "*The demo has no data for it.*\n"
            continue
        name = f"gallery-{one.of}-{one.name}.png"
        figure.savefig(folder / name, dpi=150)
        yield f'```{{raw}} html\n<img src="_images/{name}" alt="{one.name}">\n```\n'


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
    app.add_directive("commands", Commands)
    app.add_directive("settings", Settings)
    app.add_directive("gallery", Gallery)
    app.add_directive("measures", Measures)
    app.add_directive("symbol-rules", SymbolRules)
    app.add_directive("tables", Tables)
    app.add_directive("sentences", Sentences)
    app.add_directive("said", Said)
    app.add_directive("terms", Terms)
    app.connect("doctree-read", _link_terms)
    app.add_transform(Searched)
    app.connect("builder-inited", _write_tables)
    for name in BUILT_IN:  # blocks that show a file have its format's name
        app.add_lexer(name, TextLexer)
    app.connect("missing-reference", _link)
    app.connect("autodoc-process-docstring", _plain_bars, priority=400)
    return {"parallel_read_safe": True}
