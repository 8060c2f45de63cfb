"""Write what the program declares into the documentation: `python scripts/write_docs.py`.

A page has such a part between two comments, `<!-- generated: terms -->` and `<!-- end -->`; words after the name are
its arguments. A test holds each part against the program. With `--figures RESULTS COMPARISON`, finished results of
`configs/demo.yaml` and a comparison of them, the pictures of the gallery are drawn anew, too.
"""

import argparse
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import typer
from PIL import Image

import phonxling as px
from phonxling.analyses.measures import measures
from phonxling.cli import app as command_line
from phonxling.configuration.reading import json_schema
from phonxling.core.spelling import LETTERS, LOOK_ALIKES, MARKS
from phonxling.draw.figure import DeclaredFigure
from phonxling.draw.gallery import FIGURES
from phonxling.report.guide import glossary
from phonxling.results.tables import declared_columns, declared_tables

DOCS = Path(__file__).resolve().parent.parent / "docs"
PICTURES = DOCS / "images/gallery"
PART = re.compile(r"(<!-- generated: (\w+)(.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
# The folders that public names come from, in the order of the page.
FOLDERS = {
    "experiment": "Load, align, run",
    "core": "Values",
    "load": "Files and feature tables",
    "phones": "Symbols and classes",
    "alignment": "Counts",
    "analyses": "Measures",
    "posteriors": "Posteriors",
    "stats": "Uncertainty and estimators",
    "comparison": "Comparing results",
    "draw": "Figures",
    "report": "Writing",
}


def filled(markdown: str) -> str:
    """Return a page with its generated parts as the program has them now."""
    return PART.sub(lambda part: f"{part[1]}\n{_text(part[2], part[3].split())}\n\n{part[4]}", markdown)


def _text(name: str, words: list[str]) -> str:
    return "\n".join(MAKERS[name](*words)).strip("\n")


def table(head: str, rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield a table of Markdown; nothing where there are no rows."""
    lines = ["| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |" for row in rows]
    if lines:
        yield f"| {head} |\n|{'---|' * (head.count('|') + 1)}"
        yield "\n".join(lines) + "\n"


def _names() -> Iterator[str]:
    for head, names in public_names().items():
        yield f"## {head}\n"
        yield from table("name | what it is", ((f"`{_called(name)}`", _first_line(value)) for name, value in names))


def public_names() -> dict[str, list[tuple[str, object]]]:
    """Return the public names with what they name: phonxling's own by folder, then those of each public module."""
    sections: dict[str, list[tuple[str, object]]] = {words: [] for words in FOLDERS.values()}
    for name, origin in px._NAMES.items():
        sections[FOLDERS[origin.split(".")[1]]].append((f"phonxling.{name}", getattr(px, name)))
    for name in px._MODULES:
        module = import_module(f"phonxling.{name}")
        own = [each for each in dir(module) if each[0] != "_"]
        sections[f"px.{name}"] = [(f"phonxling.{name}.{each}", getattr(module, each)) for each in own]
    return {head: sorted(names, key=lambda one: one[0].casefold()) for head, names in sections.items() if names}


def _called(name: str) -> str:
    return name.replace("phonxling.", "px.", 1)


def _first_line(value: object) -> str:
    return (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ").replace("*", "\\*")


def _commands() -> Iterator[str]:
    for name, command in typer.main.get_command(command_line).commands.items():  # type: ignore[attr-defined]
        words, _, example = (command.help or "").partition("Example: ")
        context = command.make_context(name, [], resilient_parsing=True)
        usage = " ".join([f"phonxling {name}", *command.collect_usage_pieces(context)])
        yield f"## phonxling {name}\n\n{_plain(words.strip())}\n\n```text\n{usage}\n```\n"
        if example:
            yield f"<!-- not run: stands for your own files -->\n```sh\n{' '.join(example.split())}\n```\n"
        records = command.help_records(context, "argument") + command.help_records(context, "option")
        yield from table("option | what it does", ((f"`{option}`", _plain(words)) for option, words in records))


def _plain(words: str) -> str:
    """Return a help text as Markdown in which <name> is no tag."""
    return words.replace("<", "\\<")


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
    yield from table("key | values | default | what it is", rows)


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
    return ", ".join(str(NAMED.get(kind, kind)) for kind in kinds if kind != "null")


def _default(field: dict[str, Any]) -> str:
    """Return the default; a part's defaults stand in its own table."""
    value = field.get("default")
    return "" if value is None or isinstance(value, dict) else f"`{json.dumps(value, ensure_ascii=False)}`"


def _meaning(field: dict[str, Any]) -> str:
    """Return the description, in which a page of the documentation is a link."""
    return re.sub(r"docs/(\w+\.md)", r"[\1](\1)", field.get("description", ""))


def _measures(*names: str) -> Iterator[str]:
    declared = sorted((one for one in measures() if one.name in names), key=lambda one: names.index(one.name))
    often = Counter(one.name for one in declared)
    rows = []
    for one in declared:
        shown = one.variant.replace(" best", " …") if one.of else one.variant
        variant = f" `{shown}`" if shown and often[one.name] > 1 else ""
        rows.append((f"`{one.name}`{variant}", one.unit, one.title, _signs(one.formula), _signs(one.reading)))
    yield from table("measure | unit | what it is | formula | how it is read", rows)


def _signs(text: str) -> str:
    """Return a formula as Markdown whose stars are signs."""
    return text.replace("*", "\\*")


def _look_alikes() -> Iterator[str]:
    yield from table("written | code | meant", ((raw, _code(raw), meant) for raw, meant in LOOK_ALIKES.items()))


def _marks() -> Iterator[str]:
    rows = ((f"◌{mark}", _code(mark), rule.name, _signed(rule.sets, rule.needs)) for mark, rule in MARKS.items())
    yield from table("mark | code | name | sets", rows)


def _letters() -> Iterator[str]:
    yield from table("letter | like", ((letter, ", ".join(filter(None, like))) for letter, like in LETTERS.items()))


def _code(text: str) -> str:
    return " ".join(f"U+{ord(letter):04X}" for letter in text)


def _signed(sets: Mapping[str, int], needs: Mapping[str, int]) -> str:
    words, condition = (
        " ".join({1: "+", 0: "0", -1: "−"}[value] + name for name, value in values.items()) for values in (sets, needs)
    )
    return (words or "nothing") + (f" if {condition}" if condition else "")


def _terms() -> Iterator[str]:
    for term in glossary():
        yield f"## {term.name}\n\n{_signs(term.meaning)}\n"


def headings_of_tables() -> dict[str, str]:
    """Return the heading of each table's section."""
    return {
        one.table: f"{one.name}.tsv{' of a comparison' * (one.folder == 'comparison')}" for one in declared_tables()
    }


def _tables() -> Iterator[str]:
    """Yield a list of all tables, and a section of each with its columns."""
    heads = headings_of_tables()
    links = {name: f"[{head}](#{head.replace('.', '').replace(' ', '-')})" for name, head in heads.items()}
    yield from table("table | a row is", ((links[one.table], one.row) for one in declared_tables()))
    for one in declared_tables():
        only = f" Only with the section `{one.section}`." if one.section else ""
        yield f"## {heads[one.table]}\n\n{one.meaning} A row is {one.row}.{only}\n"
        own = (column for column in declared_columns() if column.table == one.table)
        rows = ((f"`{column.column}`", column.type, column.unit, column.meaning) for column in own)
        yield from table("column | type | unit | what it is", rows)


def _gallery() -> Iterator[str]:
    for one in FIGURES:
        yield f"## {one.name}\n\n{one.reading}\n"
        if (PICTURES / f"{one.name}.png").is_file():
            yield f"![{one.name}](images/gallery/{one.name}.png)\n"
        else:
            yield "*The demo has no data for it.*\n"


MAKERS: dict[str, Callable[..., Iterator[str]]] = {
    "names": _names,
    "commands": _commands,
    "settings": _settings,
    "measures": _measures,
    "look_alikes": _look_alikes,
    "marks": _marks,
    "letters": _letters,
    "terms": _terms,
    "tables": _tables,
    "gallery": _gallery,
}


def draw_gallery(results: Path, comparison: Path) -> None:
    """Draw each figure that there are data for, as a PNG of few colours, since the repository keeps it."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for one in FIGURES:
        _draw(one, comparison if one.of == "comparison" else results, "yoruba" if one.of == "corpus" else None)


def _draw(one: DeclaredFigure, source: Path, corpus: str | None) -> None:
    try:
        figure = px.figure(source, one.name, corpus, width=150)
    except (px.ConfigurationError, px.DataError):
        return
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=130)
    Image.open(drawn).convert("RGB").quantize(64).save(PICTURES / f"{one.name}.png", optimize=True)


def main() -> None:
    """Write every page that has a generated part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", nargs=2, type=Path, metavar=("RESULTS", "COMPARISON"))
    if (figures := parser.parse_args().figures) is not None:
        draw_gallery(*figures)
    for page in sorted(DOCS.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        if (after := filled(before)) != before:
            page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
