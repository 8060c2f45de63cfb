"""The page's style and scripts: files of their own in this package, put into the page when it is written."""

import base64
import hashlib
import posixpath
import re
from functools import cache
from importlib.resources import files

_PACKAGE = "phonxling.report.page"
_START = "main"
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[\w./]+)\.js";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^ +", re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:const|function) (\w+))", re.MULTILINE)


@cache
def style() -> str:
    """Return the style sheets as one, in the order of their names."""
    folder = files(_PACKAGE) / "styles"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".css"))
    return _INDENT.sub("", "\n".join(_text(f"styles/{name}") for name in names))


@cache
def script(start: str = _START) -> str:
    """Return a script with all that it imports as one module: each file as a scope of its own, after what it needs."""
    return "\n".join(_scoped(name, text) for name, text in _with_imports(start, {}).items()) + "\n"


def _with_imports(name: str, earlier: dict[str, str]) -> dict[str, str]:
    """Return the texts of scripts by name: those before, those that this one imports, then this one."""
    if name in earlier:
        return earlier
    text = _text(f"scripts/{name}.js")
    for _, imported in _IMPORT.findall(text):
        earlier = _with_imports(_joined(name, imported), earlier)
    return {**earlier, name: text}


def _joined(name: str, imported: str) -> str:
    """Return the name of a script from how another one imports it.

    Examples
    --------
    >>> _joined("main", "./matrix/grid"), _joined("matrix/grid", "../data"), _joined("matrix/grid", "./views")
    ('matrix/grid', 'data', 'matrix/views')
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))


def _scoped(name: str, text: str) -> str:
    """Return a module as a value that holds what it exports, or as a block when it exports nothing."""
    names = [exported for _, exported in _EXPORT.findall(text)]
    imports = _IMPORT.sub(lambda match: f"const {match[1]} = {_value(_joined(name, match[2]))};\n", text)
    body = _INDENT.sub("", _COMMENT.sub("", _EXPORT.sub(r"\1", imports))).strip()  # a sixth less to carry
    if not names:
        return f"{{\n{body}\n}}"
    return f"const {_value(name)} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();"


def _value(name: str) -> str:
    """Return the name of the value that holds what a script exports."""
    return "$" + name.replace("/", "$")


def template(name: str) -> str:
    """Return the template of that name, of the page or of a part of it."""
    return _text(name)


def source_of(text: str) -> str:
    """Return how a content security policy names an inline text: by its sha256.

    Examples
    --------
    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return files(_PACKAGE).joinpath(*name.split("/")).read_text(encoding="utf-8")
