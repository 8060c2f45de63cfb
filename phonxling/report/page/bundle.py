"""The page's style and scripts: files of their own in this package, put into the page when it is written."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

_MODULES = (
    "data",
    "elements",
    "corpus",
    "views",
    "matrix",
    "utterances",
    "phones",
    "explore",
    "plots",
    "tables",
    "main",
)
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:const|function) (\w+))", re.MULTILINE)


@cache
def style() -> str:
    """Return the style sheet."""
    return _text("page.css")


@cache
def script() -> str:
    """Return the scripts as one module: each file as a scope of its own, after those that it imports from."""
    return "\n".join(_scoped(name, _text(f"scripts/{name}.js")) for name in _MODULES) + "\n"


def _scoped(name: str, text: str) -> str:
    """Return a module as a value that holds what it exports, or as a block when it exports nothing."""
    names = [name for _, name in _EXPORT.findall(text)]
    body = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = $\2;\n", text)).strip()
    return (
        f"const ${name} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();" if names else f"{{\n{body}\n}}"
    )


@cache
def template() -> str:
    """Return the template of the page."""
    return _text("page.html.jinja")


def source_of(text: str) -> str:
    """Return how a content security policy names an inline text: by its sha256.

    Examples
    --------
    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return files("phonxling.report.page").joinpath(*name.split("/")).read_text(encoding="utf-8")
