"""The page as text: template, style, scripts and data, under a policy that lets nothing else run or load.

What a page carries, packed: texts and arrays deflated, in base85; alignments as codes of phones.

Which alignments
----------------
All of them up to a limit. Of more, first the first utterance that holds each pair of phones, so that every cell of the
matrix has something behind it; the rest of the limit is filled with utterances evenly spaced through the corpus.
Their times and confidences are packed by `times.py`, which says how.
"""

import base64
import hashlib
import json
import posixpath
import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from phonxling.analyses.measures import Measure
from phonxling.core.arrays import Bools, Floats
from phonxling.core.display import Apart, free_places, lines_to
from phonxling.core.display import Page as Page_printed_map
from phonxling.core.inventory import GAP
from phonxling.report.first_screen import Card
from phonxling.report.further import StoredPart
from phonxling.report.numbers import Sentence
from phonxling.tables.files import read_table

# What a page carries, packed: texts and arrays deflated, in base85; alignments as codes of phones.

LIMIT = 5_000
_AT_ONCE = 1 << 18  # pairs that are looked at together

_PhoneCodes = NDArray[np.uint16]


@dataclass(frozen=True, eq=False, kw_only=True)
class PagePairs:
    """Aligned pairs of phones as a page needs them."""

    utterances: Sequence[str]
    speakers: Sequence[str]
    lengths: NDArray[np.int64]
    gold: _PhoneCodes
    predicted: _PhoneCodes


def packed(data: bytes | str) -> str:
    """Return data deflated, in base85 of RFC 1924 with a comma for <, which would be escaped in a page."""
    raw = data.encode() if isinstance(data, str) else data
    return base64.b85encode(zlib.compress(raw, 9)).decode().replace("<", ",")


def unpacked(text: str) -> bytes:
    """Return the data that was packed, as the scripts unpack it."""
    return zlib.decompress(base64.b85decode(text.replace(",", "<")))


def packed_table(table: bytes) -> str:
    r"""Return a TSV table column by column, a line each, packed: alike values beside each other take an eighth less."""
    lines = [line.split(b"\t") for line in table.removesuffix(b"\n").split(b"\n")]
    return packed(b"".join(b"\t".join(column) + b"\n" for column in zip(*lines, strict=True)))


def packed_pairs(pairs: PagePairs, chosen: NDArray[np.int64]) -> dict[str, str]:
    """Return the pairs of the utterances that a page carries, packed."""
    of_pair = carried_pairs(pairs, chosen)
    return {
        "ids": packed("\n".join(pairs.utterances[u] for u in chosen)),
        "speakers": packed("\n".join(pairs.speakers[u] for u in chosen)),
        "lengths": packed(pairs.lengths[chosen].astype("<u4").tobytes()),
        "gold": packed(pairs.gold[of_pair].astype("<u2").tobytes()),
        "predicted": packed(pairs.predicted[of_pair].astype("<u2").tobytes()),
    }


def packed_rates(utterances: pd.DataFrame, chosen: NDArray[np.int64]) -> dict[str, str]:
    """Return the rates of those utterances as utterances.tsv has them, packed: float32, NaN where it has none."""
    rates = {name: utterances[name].to_numpy("<f4")[chosen] for name in ("wper", "per")}
    return {name: packed(values.tobytes()) for name, values in rates.items()}


def carried_pairs(pairs: PagePairs, chosen: NDArray[np.int64]) -> Bools:
    """Return whether each pair is of a chosen utterance, bool [Σ lengths]."""
    carried = np.zeros(len(pairs.lengths), dtype=bool)
    carried[chosen] = True
    return np.repeat(carried, pairs.lengths)


def chosen_utterances(pairs: PagePairs, limit: int = LIMIT) -> NDArray[np.int64]:
    """Return which utterances a page carries, ascending."""
    number = len(pairs.lengths)
    if number <= limit:
        return np.arange(number, dtype=np.int64)
    chosen = np.unique(np.searchsorted(np.cumsum(pairs.lengths), _first_of_each(pairs), side="right"))[:limit]
    others = np.setdiff1d(np.arange(number, dtype=np.int64), chosen, assume_unique=True)
    spaced = others[np.linspace(0, len(others) - 1, limit - len(chosen)).astype(np.int64)]
    return np.union1d(chosen, spaced)


def _first_of_each(pairs: PagePairs) -> NDArray[np.int64]:
    """Return where each pair of phones stands first, in the order of the corpus."""
    width = int(pairs.predicted.max(initial=0)) + 1
    first = np.full((int(pairs.gold.max(initial=0)) + 1) * width, -1, np.int64)
    for begin in reversed(range(0, len(pairs.gold), _AT_ONCE)):
        keys = pairs.gold[begin : begin + _AT_ONCE].astype(np.int64) * width + pairs.predicted[begin : begin + _AT_ONCE]
        codes, place = np.unique(keys, return_index=True)
        first[codes] = begin + place
    return np.sort(first[first >= 0])


# The page's style and scripts: files of their own in this package, put into the page when it is written.

_ASSETS = files("phonxling.report") / "assets"
_START = "main"
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[\w./]+)\.js";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^ +", re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:const|function) (\w+))", re.MULTILINE)


@cache
def style() -> str:
    """Return the style sheets as one, in the order of their names."""
    folder = _ASSETS / "styles"
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
    """Return the name of a script from how another one imports it."""
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
    """Return how a content security policy names an inline text: by its sha256."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return _ASSETS.joinpath(*name.split("/")).read_text(encoding="utf-8")


# The map of phones as it is printed: shapes that need no script, names beside their points.

SIZE = (100.0, 75.0)  # of the map; a name is LETTER high
LETTER = 3.2
_EDGE = 4.0
_KINDS = ("own", "reference")
_FAR = 1.6  # a name farther off its point has a line to it
_PAGE = Page_printed_map(
    limits=np.array([0.0, 0.0, *SIZE]),
    margin=np.array([0.4, 0.2]),
    nearest=np.array([1.0, 1.0]),
    farthest=np.array([24.0, 20.0]),
)
_STRICTNESS = (Apart(boxes=True, lines=True), Apart(boxes=True, lines=False), Apart(boxes=False, lines=False))


@dataclass(frozen=True)
class Name:
    """A phone on the map, and the middle of its foot."""

    phone: str
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class _Placed:
    """A phone with its point, the size of its name, and the box where that stands, None where it has no room."""

    phone: str
    point: Floats
    size: Floats
    box: Floats | None


@dataclass(frozen=True)
class Side:
    """The phones of a corpus on the map: names, and the paths of points and of lines between both."""

    kind: str
    names: Sequence[Name]
    points: str
    lines: str


@dataclass(frozen=True)
class PrintedMap:
    """A map of a corpus' phones, with those of the reference where there is one, and how many names had no room."""

    title: str
    sides: Sequence[Side]
    missing: int


def printed_maps(folder: Path, roles: Mapping[str, str], titles: Mapping[str, str]) -> Iterator[PrintedMap]:
    """Yield the map of each target of a folder of results, or of the reference where it is alone."""
    tables = {name: folder / name / "embedding.tsv" for name in roles}
    placed = {name: read_table(folder, f"{name}/embedding.tsv") for name, path in tables.items() if path.exists()}
    reference = next((name for name in placed if roles[name] == "reference"), "")
    targets = [name for name in placed if name != reference] or list(placed)
    for name in targets:
        other = placed[reference] if reference and name != reference else placed[name].iloc[:0]
        if drawn := printed_map(titles[name], placed[name], other):
            yield drawn


def printed_map(title: str, own: pd.DataFrame, reference: pd.DataFrame) -> PrintedMap | None:
    """Return the map of a corpus from its embedding.tsv and that of its reference; None without phones."""
    every = pd.concat([own.assign(kind="own"), reference.assign(kind="reference")], ignore_index=True)
    if not len(own) or every["x"].isna().all():
        return None
    every = every.dropna(subset=["x", "y"])
    phones = every["phone"].str.slice(0, 8).tolist()
    points, sizes = _scaled(every[["x", "y"]].to_numpy(float)), np.array([_size(phone) for phone in phones])
    for apart in _STRICTNESS:
        places = free_places(points, sizes, points, _PAGE, apart, all_or_none=apart is not _STRICTNESS[-1])
        if all(place is not None for place in places):
            break
    named = [_Placed(*each) for each in zip(phones, points, sizes, places, strict=True)]
    sides = [
        _side(kind, [one for one, own in zip(named, every["kind"], strict=True) if own == kind]) for kind in _KINDS
    ]
    return PrintedMap(title=title, sides=sides, missing=sum(place is None for place in places))


def _scaled(points: Floats) -> Floats:
    """Return points on the map, one unit as long on both axes, y downwards."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array(SIZE) - 2 * _EDGE
    unit = (room / np.maximum(high - low, 1e-9)).min()
    placed: Floats = np.array(SIZE) / 2 + unit * (points - (low + high) / 2) * (1, -1)
    return placed


def _size(phone: str) -> Floats:
    """Return width and height of a name: its letters, marks above and below not counted."""
    letters = sum(1 for letter in phone if not unicodedata.combining(letter))
    return np.array([0.62 * LETTER * max(1, letters), 1.15 * LETTER])


def _side(kind: str, placed: Sequence[_Placed]) -> Side:
    named = [(one, one.box) for one in placed if one.box is not None]
    feet = [(one.phone, *(box[:2] + one.size * (0.5, 0.78)).round(1).tolist()) for one, box in named]
    ends = [lines_to(one.point, box[None, :2], one.size)[0] for one, box in named]
    far = [end.round(1).tolist() for end in ends if np.hypot(*(end[2:] - end[:2])) > _FAR]
    return Side(
        kind=kind,
        names=[Name(*foot) for foot in feet],
        points="".join(f"M{x} {y}h0" for x, y in (one.point.round(1).tolist() for one in placed)),
        lines="".join(f"M{x0} {y0}L{x1} {y1}" for x0, y0, x1, y1 in far),
    )


@dataclass(frozen=True)
class Shade:
    """Cells of one darkness, from 1: the path of their squares, one unit wide."""

    darkness: int
    path: str


@dataclass(frozen=True, kw_only=True)
class PrintedMatrix:
    """A confusion matrix as shapes: phones in rows and columns, cells by their darkness."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    shades: Sequence[Shade]


@dataclass(frozen=True, kw_only=True)
class CorpusPart:
    """One corpus on the page."""

    name: str
    title: str
    role: str
    language: str = ""
    recogniser: str = ""
    findings: Sequence[Sentence] = ()
    warnings: Sequence[str] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    matrix: PrintedMatrix | None = None


@dataclass(frozen=True)
class HeadlineRow:
    """A measure over all corpora: [corpus, value with its interval as text], "" where a corpus has none."""

    key: str
    measure: str
    title: str
    texts: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Page:
    """All that stands on the page."""

    title: str
    version: str
    corpora: Sequence[CorpusPart]
    headline: Sequence[HeadlineRow] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, object] = field(default_factory=dict)
    cards: Sequence[Card] = ()
    headline_rates: Sequence[str] = ()
    groups: Sequence[str] = ()
    audit: Sequence[Mapping[str, object]] = ()
    definitions: Sequence[Measure] = ()
    signatures: Sequence[tuple[str, Sequence[str]]] = ()
    citation: str = ""
    maps: Sequence[PrintedMap] = ()
    map_method: str = ""
    features: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    pairs: Sequence[tuple[str, str, bool]] = ()
    orders: Mapping[str, object] = field(default_factory=dict)
    further: Sequence[StoredPart] = ()


def page_html(page: Page, kind: str = "page.html.jinja") -> str:
    """Return the page, by the template of its kind; all text from data is escaped."""
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(template),
    )
    policy = (
        f"default-src 'none'; script-src {source_of(script())}; style-src {source_of(style())}; "
        "base-uri 'none'; form-action 'none'"
    )
    ours = {"style": Markup(style()), "script": Markup(script()), "data": Markup(_data(page))}  # noqa: S704 - not to be escaped: files of this package, and JSON without "<"
    return environment.get_template(kind).render(page=page, policy=policy, **ours)


def _data(page: Page) -> str:
    """Return the scripts' data as JSON that cannot end its element."""
    data = {
        "corpora": [{"name": part.name, "title": part.title, "role": part.role, **part.data} for part in page.corpora],
        "words": packed(json.dumps({"measures": dict(page.measures), "meanings": dict(page.meanings)})),
        "map_method": page.map_method,
        "features": dict(page.features),
        "tables": dict(page.tables),
        "version": page.version,
        "pairs": page.pairs,
        "orders": dict(page.orders),
        "further": [stored.part.shown for stored in page.further],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


# What is printed in the place of the explorer: each corpus' confusion matrix, as shapes that need no script.

_SHADES = 6  # steps of darkness
_Phones = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _Cell:
    row: int
    column: int
    shade: int


def printed_matrix(confusions: pd.DataFrame, title: str, phones: _Phones) -> PrintedMatrix | None:
    """Return the matrix of a corpus' confusions.tsv, p(predicted | gold) in steps of darkness; None without rows."""
    if not len(confusions):
        return None
    rows, columns = list(phones["gold"]), [*phones["predicted"], GAP]
    cells = sorted(_cells(confusions, rows, columns), key=lambda cell: cell.shade)
    shades = [Shade(shade, _path(list(own))) for shade, own in groupby(cells, lambda cell: cell.shade)]
    return PrintedMatrix(title=title, rows=rows, columns=columns, shades=shades)


def _cells(confusions: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> Iterator[_Cell]:
    """Yield the cells that are dark enough to be seen."""
    of_gold = confusions[confusions["gold"] != GAP]
    shares = of_gold["count"] / of_gold.groupby("gold")["count"].transform("sum")
    places = [{phone: place for place, phone in enumerate(phones)} for phones in (rows, columns)]
    for gold, predicted, share in zip(of_gold["gold"], of_gold["predicted"], shares, strict=True):
        shade = round(_SHADES * float(share) ** 0.5)
        if shade:
            yield _Cell(places[0][gold], places[1][predicted], shade)


def _path(cells: Sequence[_Cell]) -> str:
    return "".join(f"M{cell.column} {cell.row}h1v1h-1z" for cell in cells)
