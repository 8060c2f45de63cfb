"""Every text that the program says to people: messages, notes, help, settings, columns, figures, and the page.

They are collected from the source: string literals of three words or more that are no docstrings, the descriptions of
settings among them; the cells of the package's tables and sentences; the texts of the page.
"""

import ast
import csv
import html
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "phonxling"
_COLUMNS = {"meaning", "row", "title", "reading"}  # of the package's tables, those that hold sentences
_LEAST = 3  # words of a text
_WORD = re.compile(r"(?<![\w-])[A-Za-z][a-z’']+(?![\w/(.=-]*[\w(=])")
_TAG = re.compile(r"<[^>]*>|\{[%#].*?[%#]\}", re.DOTALL)
_FUNCTION = re.compile(r"\b(?:an?|the|of|is|are|in|to|and|or|no|not|by|has|have|for|that|with|as|from|on|where)\b")
_QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\{[^{}]*\}|'[^' ]*'|\"[^\" ]*\"")


class Said(NamedTuple):
    """A text that people read, with … where data stand, and the file that says it."""

    file: str
    text: str


@cache
def all_said() -> list[Said]:
    """Return every text, each once, in the order of the files."""
    found: dict[str, Said] = {}
    for file in sorted(PACKAGE.rglob("*")):
        for text in _texts(file):
            found.setdefault(" ".join(text.split()), Said(file.relative_to(PACKAGE).as_posix(), text.strip("\n")))
    return list(found.values())


def _texts(file: Path) -> Iterator[str]:
    if file.suffix == ".py":
        yield from (text for text in _literals(ast.parse(file.read_text(encoding="utf-8"))) if is_prose(text))
    elif file.suffix == ".tsv" and file.parent.name != "phones":
        with file.open(encoding="utf-8", newline="") as lines:
            rows = [*csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
        yield from (row[name] for row in rows for name in row if name in _COLUMNS and row[name])
    elif file.suffix == ".toml":
        yield from _leaves(tomllib.loads(file.read_text(encoding="utf-8")))
    elif file.name.endswith(".html.jinja"):
        yield from (html.unescape(text) for text in _shown(file.read_text(encoding="utf-8")) if is_prose(text))
    elif file.suffix == ".js":
        script = re.sub(r"(?m)^ *//.*|/\*\*(?s:.*?)\*/", "", file.read_text(encoding="utf-8"))
        quoted = ("".join(pair) for pair in re.findall(r'"([^"\n]*)"|`([^`]*)`', script))
        yield from filter(is_prose, (re.sub(r"\$\{[^{}]*\}", "…", text) for text in quoted))


def _leaves(parts: dict[str, object]) -> Iterator[str]:
    for part in parts.values():
        yield from _leaves(part) if isinstance(part, dict) else [str(part)]


def _shown(template: str) -> Iterator[str]:
    """Yield the texts of a template, line by line: those between tags, and those that a pointer shows."""
    yield from re.findall(r'(?:title|aria-label|placeholder)="([^"{]+)"', template)
    inline = re.sub(r"</?(?:a|b|code|em|i|span|strong|kbd)\b[^>]*>", "", template)
    yield from (re.sub(r"\{\{.*?\}\}", "…", text) for text in _TAG.sub("\n", inline).split("\n"))


def _literals(tree: ast.Module) -> Iterator[str]:
    """Yield string literals but for docstrings; parts of a sum are one text."""
    passed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_text(node):
            passed.add(id(node.value))
        elif id(node) not in passed and isinstance(node, ast.JoinedStr | ast.BinOp | ast.Constant):
            passed |= {id(inner) for inner in _whole(node)}
            yield _worded(node)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _whole(node: ast.expr) -> Iterator[ast.AST]:
    """Yield a text's own parts: literals that stand inside what it fills in are texts of their own."""
    yield node
    if isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values if isinstance(part, ast.Constant))
        specs = (part.format_spec for part in node.values if isinstance(part, ast.FormattedValue) and part.format_spec)
        yield from (inner for spec in specs for inner in ast.walk(spec))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from (inner for side in (node.left, node.right) if _worded(side) != "…" for inner in _whole(side))


def _worded(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else "…"
    if isinstance(node, ast.JoinedStr):
        return "".join(_worded(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _worded(node.left) + _worded(node.right)
    return "…"


def is_prose(text: str) -> bool:
    """Whether a text has so many words, and more of them than of anything else."""
    words, signs = _WORD.findall(text), [one for one in text.split() if one != "…"]
    spoken = _FUNCTION.search(text.casefold()) and not re.search(r"__|\\\w+\{|\)\?", text)  # no names, LaTeX, patterns
    return len(words) >= _LEAST and 2 * len(words) >= len(signs) and bool(spoken)


def sentences(text: str) -> Iterator[str]:
    """Yield a text's sentences: what ends in . ! ? before a capital, a quotation or …, or at the end of a line."""
    bare = re.sub(r"…(?: …)+", "…", _QUOTED.sub("…", text))  # names in a row are a list
    yield from (
        part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[A-Z“‘…\[]|wPER\b)|\n(?! {4}\S)|•", bare) if part.strip()
    )


LONGEST = 25  # words of a sentence
# Words that the program follows up with a name.
JOINED = {
    "not clearly different from",
    "……: … of … symbols … not known to",
    ". Hatched: no recogniser with",
    "“…” has no cell of ",
    "Map of the phones of ",
}
RULES = {
    "“for” for because": r"\bfor with\b|[,;:] for (?!example|instance|each|every|all|more|short|the same|one\b|both)",
    "a last preposition": r"\b(?:of|for|to|with|from|by|at|into|than|(?<!\d )in|(?<!go )(?<!goes )on|about)"
    r"(?=[.,;:)?!](?:\s|$)|$)",
    "a riddle": r"\b(?:hear|hears|heard|told|tells?|what there is)\b",
    "“is no” for is not a": r"(?<![Tt]here )\b(?:is|are|was|were) no (?!more|longer|better|worse|\w+er\b)",
    "“a” for per": r"\b(?:a|one) (?:column|file|label|line|phone|row|text|value) an? [a-z]+",
    "“such data”": r"\bsuch data\b|\bby chance alone\b",
}


def faults(text: str) -> Iterator[str]:
    """Yield the rules that a text breaks, each with where."""
    for sentence in sentences(text) if text not in JOINED else ():
        if (number := len(re.findall(r"[\w…][\w…’'\-./=]*", sentence))) > LONGEST:
            yield f"{number} words: {sentence}"
        for rule, pattern in RULES.items():
            if match := re.search(pattern, sentence):
                yield f"{rule}: {sentence[max(0, match.start() - 40) : match.end() + 20]}"


_BLOCK = re.compile(r"^```.*?^```$|^<!--.*?-->$", re.MULTILINE | re.DOTALL)
_PARTS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |\||#|: ))")


def prose(markdown: str) -> Iterator[str]:
    """Yield a page's paragraphs, items of lists, heads and cells of tables, without examples and the marks of links."""
    text = re.sub(r"\A---\n.*?\n---\n", "", _BLOCK.sub("\n\n", markdown), flags=re.DOTALL)
    for part in _PARTS.split(re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)):
        cells = part.strip().strip("|").split(" | ") if part.strip().startswith("|") else [part]
        yield from (" ".join(re.sub(r"^\s*(?:[-*>:]|\d+\.|#+)\s+", "", cell).split()) for cell in cells)


def page() -> Iterator[str]:
    """Yield the list of all texts as Markdown, by the folder that says them."""
    by_folder: dict[str, list[Said]] = {}
    for one in all_said():
        if one.file.endswith(".toml"):
            continue  # sentences on results have a table of their own
        by_folder.setdefault(one.file.rpartition("/")[0] or "commands", []).append(one)
    for folder, texts in by_folder.items():
        yield f"## {folder.replace('/', ', ').capitalize()}\n"
        yield from (f"- {_escaped(' '.join(one.text.split()))}" for one in texts)
        yield ""


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|$~])", r"\\\1", text)


def listed(texts: Iterable[Said]) -> str:
    """Return the texts that break a rule, each with its file and what is wrong."""
    return "\n".join(f"{one.file}: {fault}\n    {one.text}" for one in texts for fault in faults(one.text))
