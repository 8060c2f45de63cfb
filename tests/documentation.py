"""The blocks of the documentation's pages, and how each kind is tried.

A block whose first line names a file (```tsv gold.tsv) is written to it. Before a block that cannot be run here stands
`<!-- not run: why -->`; its commands and Python are then read, not run. Blocks in braces are Sphinx's.
"""

import ast
import doctest
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import typer

from phonxling.cli import app
from phonxling.configuration.reading import load_configuration
from phonxling.load.formats import BUILT_IN

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "data").glob("*.md")])
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
KNOWN = {"python", "yaml", "sh", "toml", "r", "text", "csv", *BUILT_IN}
OTHERS = {"export", "pip", "sh", ".venv/bin/python", "python"}  # programs besides ours that commands may call
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>.+) -->\n)?```(?P<info>[^\s`].*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE
)
SOME_CORPUS = "\ncorpora: {some: {gold: {path: gold.tsv}, predicted: {path: predicted.tsv}}}\n"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it is written to ("": none), and why it is not run ("": it is)."""

    language: str
    file: str
    text: str
    why: str


def blocks(page: Path) -> list[Block]:
    """Return a page's blocks, but for those that Sphinx reads."""
    return [_block(match) for match in BLOCK.finditer(page.read_text(encoding="utf-8")) if match["info"][0] != "{"]


def _block(match: re.Match[str]) -> Block:
    language, _, name = match["info"].partition(" ")
    file = name if "." in name and language != "text" else ""  # of text, the file that is quoted
    return Block(language, file, match["text"], match["why"] or "")


def prepare(page: Path, folder: Path) -> None:
    """Write the files that a page shows, beside the project's data."""
    for name in ("configs", "data", "scripts"):
        (folder / name).symlink_to(ROOT / name)
    for block in blocks(page):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")


def try_block(block: Block, folder: Path, scope: dict[str, object]) -> None:
    """Run a block in a page's folder, or read it; a command is only read."""
    if block.language == "python":
        run_python(block, scope)
    elif block.language == "yaml" and not block.why:
        check_settings(block, folder)
    elif block.language == "sh":
        for words in commands(block):
            check_command(words)
    elif block.language == "toml":
        tomllib.loads(block.text)


def run_python(block: Block, scope: dict[str, object]) -> None:
    """Run Python; what a comment right after a `print` or `show` says must have been printed."""
    if block.why:
        ast.parse(block.text)
    elif block.text.startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.text, scope, "page", None, None)
        assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
        scope.update(test.globs)
    else:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(block.text, "page", "exec"), scope)  # noqa: S102 - our own text
        promised = re.findall(r"^ *(?:print\(|\w+\.show\().*\n((?:# .*\n)+)", block.text, re.MULTILINE)
        lines = printed.getvalue().splitlines()
        assert [line for text in promised for line in text.splitlines() if line[2:] not in lines] == []


def check_settings(block: Block, folder: Path) -> None:
    """Read settings as a configuration; a part of one gets a corpus."""
    whole = re.search(r"^(corpora|extends):", block.text, re.MULTILINE)
    path = folder / (block.file or "page.yaml")
    path.write_text(block.text if whole else block.text + SOME_CORPUS, encoding="utf-8")
    load_configuration(path)


def commands(block: Block) -> Iterator[list[str]]:
    """Yield a shell block's commands as words; of a pipe, the first one, without the file that it writes."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield list(takewhile(lambda word: word not in {"|", ">"}, words))


def check_command(words: list[str]) -> None:
    """Read a command: ours with its own parser, a script's by the script's text."""
    if words[0] == "phonxling":
        context = COMMANDS[words[1]].make_context(words[1], words[2:])
        config = context.params.get("config")
        if config is not None and (ROOT / config).is_file():
            load_configuration(ROOT / config, context.params["settings"] or [])
        return
    assert words[0] in OTHERS, words
    for script in (ROOT / word for word in words if word.startswith("scripts/")):
        text = "".join(file.read_text(encoding="utf-8") for file in [script, *script.with_suffix("").rglob("*.py")])
        assert [word for word in words if word.startswith("--") and word not in text] == [], words
    for extra in re.findall(r"\[([\w,-]+)\]$", " ".join(words)):
        assert f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8"), words


def commands_in_text(page: Path) -> Iterator[list[str]]:
    """Yield the commands that a page's sentences name, as words."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for command in re.findall(r"`phonxling ([a-z][^`]*)`", text):
        yield shlex.split(command)
