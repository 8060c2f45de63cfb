"""The page as text: template, style, scripts and data, under a policy that lets nothing else run or load."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from phonxling.analyses.measures import Measure
from phonxling.core.arrays import Bools, Codes
from phonxling.core.estimate import FEW_TOKENS
from phonxling.report.findings import StoredPart
from phonxling.report.guide import glossary, with_terms
from phonxling.report.numbers import Sentence
from phonxling.results.tables import declared_figures, palette

LIMIT = 1_000
_AT_ONCE = 1 << 18  # pairs that are looked at together

_ASSETS = files("phonxling.report") / "assets"
_INDENT = re.compile(r"^ +", re.MULTILINE)
_LONG = re.compile(rb"-?\d+\.\d{6,}(?:e-?\d+)?")  # a number with more digits than the page carries


@dataclass(frozen=True, kw_only=True)
class CorpusPart:
    name: str
    title: str
    role: str
    language: str = ""
    recogniser: str = ""
    findings: Sequence[Sentence] = ()
    warnings: Sequence[str] = ()
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Page:
    title: str
    version: str
    corpora: Sequence[CorpusPart]
    heading: str = ""
    reference: str = ""
    headline: Sequence[Mapping[str, Any]] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, object] = field(default_factory=dict)
    cards: Sequence[Mapping[str, Any]] = ()
    headline_rates: Sequence[str] = ()
    groups: Sequence[str] = ()
    warnings: Sequence[tuple[str, str]] = ()
    audit: Sequence[Mapping[str, object]] = ()
    definitions: Sequence[Measure] = ()
    signatures: Sequence[tuple[str, str]] = ()
    citation: str = ""
    map_method: str = ""
    tables: Mapping[str, str] = field(default_factory=dict)
    pairs: Sequence[tuple[str, str, bool]] = ()
    compared: Sequence[Mapping[str, object]] = ()
    orders: Mapping[str, object] = field(default_factory=dict)
    further: Sequence[StoredPart] = ()
    # of a comparison
    level: str = ""
    ranking: str = ""
    findings: Sequence[Mapping[str, Any]] = ()
    missing: str = ""
    apart: Mapping[str, Sequence[str]] = field(default_factory=dict)


def page_html(page: Page, kind: str = "page.html.jinja") -> str:
    """Return the page, by the template of its kind; all text from data is escaped."""
    options: dict[str, Any] = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    environment = Environment(autoescape=True, loader=FunctionLoader(_text), **options)
    policy = (
        f"default-src 'none'; script-src {source_of(script())}; style-src {source_of(style())}; "
        "base-uri 'none'; form-action 'none'"
    )
    data = {
        "corpora": [{"name": part.name, "title": part.title, "role": part.role, **part.data} for part in page.corpora],
        "words": pack(json.dumps({"measures": dict(page.measures), "meanings": dict(page.meanings)})),
        "map_method": page.map_method,
        "tables": dict(page.tables),
        "version": page.version,
        "pairs": page.pairs,
        "few": FEW_TOKENS,
        "compared": page.compared,
        "orders": dict(page.orders),
    }
    # JSON that cannot end its element, and that is JavaScript: both ends of line are none in its strings.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    ours = {"style": Markup(style()), "script": Markup(script()), "data": Markup(text)}  # noqa: S704 - not to be escaped: files of this package, and JSON without "<"
    about = {"figure": lambda name: declared_figures()["corpus", name], "glossary": glossary()}
    return with_terms(environment.get_template(kind).render(page=page, policy=policy, **about, **ours))


def _text(name: str) -> str:
    return _ASSETS.joinpath(*name.split("/")).read_text(encoding="utf-8")


def source_of(text: str) -> str:
    """Return how a content security policy names an inline text: by its sha256."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def style() -> str:
    """Return the palette and the style sheets as one, in the order of their names."""
    names = sorted(file.name for file in (_ASSETS / "styles").iterdir() if file.name.endswith(".css"))
    known = {name: (one.light, one.dark) for name, one in palette().items()}
    values = {name: f"light-dark({light}, {dark})" if dark else light for name, (light, dark) in known.items()}
    colours = "".join(f"--{name}: {value};\n" for name, value in values.items())
    sheets = (_text(f"styles/{name}") for name in names)
    return _INDENT.sub("", "\n".join([f":root {{\ncolor-scheme: light dark;\n{colours}}}", *sheets]))


@cache
def script() -> str:
    """Return the scripts as one module with one scope, each after those whose values it takes at once."""
    return "\n".join(_text(f"scripts/{name}.js") for name in _text("scripts/order.txt").split())


@dataclass(frozen=True, eq=False, kw_only=True)
class PagePairs:
    utterances: Sequence[str]
    speakers: Sequence[str]
    lengths: Codes
    gold: NDArray[np.uint16]
    predicted: NDArray[np.uint16]


def pack(data: bytes | str) -> str:
    """Return data deflated, in base64, which a browser reads by itself."""
    raw = data.encode() if isinstance(data, str) else data
    return base64.b64encode(zlib.compress(raw, 9)).decode()


def packed_table(table: bytes, numbers: Collection[bytes] = ()) -> str:
    r"""Return a TSV table column by column, a line each, packed; columns of numbers in five digits.

    Alike values beside each other take an eighth less.
    """
    lines = [line.split(b"\t") for line in table.removesuffix(b"\n").split(b"\n")]
    columns = [b"\t".join(column) for column in zip(*lines, strict=True)]
    short = (
        _LONG.sub(lambda number: b"%.5g" % float(number[0]), one) if one.split(b"\t", 1)[0] in numbers else one
        for one in columns
    )
    return pack(b"".join(one + b"\n" for one in short))


def packed_pairs(pairs: PagePairs, rates: pd.DataFrame, chosen: Codes) -> dict[str, str]:
    """Return the chosen utterances and their pairs, packed, with rates as utterances.tsv has them (NaN: none)."""
    of_pair = carried_pairs(pairs, chosen)
    names = {"ids": pairs.utterances, "speakers": pairs.speakers}
    sides = [("gold", pairs.gold[of_pair]), ("predicted", pairs.predicted[of_pair])]
    return {
        **{key: pack("\n".join(own[u] for u in chosen)) for key, own in names.items()},
        "lengths": pack(pairs.lengths[chosen].astype("<u4").tobytes()),
        # a byte a code where that is enough
        **{name: pack(own.astype("u1" if own.max(initial=0) < 256 else "<u2").tobytes()) for name, own in sides},
        **{name: pack(rates[name].to_numpy("<f4")[chosen].tobytes()) for name in ("wper", "per")},
    }


def carried_pairs(pairs: PagePairs, chosen: Codes) -> Bools:
    """Return whether each pair is of a chosen utterance, bool [Σ lengths]."""
    carried = np.zeros(len(pairs.lengths), dtype=bool)
    carried[chosen] = True
    return np.repeat(carried, pairs.lengths)


# Alignments are carried up to a limit. Of more, first the first utterance that holds each pair of
# phones, so that every cell of the matrix has something behind it; the rest of the limit is filled with utterances
# evenly spaced through the corpus. Texts and arrays are deflated, in base64; phones are codes. How times and
# confidences are packed, `page.py` says. Numbers of tables have five digits on the page; the files in the results'
# folder have all.
def chosen_utterances(pairs: PagePairs, limit: int = LIMIT) -> Codes:
    """Return which utterances a page carries, ascending."""
    number = len(pairs.lengths)
    if number <= limit:
        return np.arange(number, dtype=np.int64)
    width = int(pairs.predicted.max(initial=0)) + 1
    first = np.full((int(pairs.gold.max(initial=0)) + 1) * width, -1, np.int64)  # where each pair of phones stands
    # From the end, so that the first place stays; in parts, so that memory does not grow with the corpus.
    for begin in reversed(range(0, len(pairs.gold), _AT_ONCE)):
        keys = pairs.gold[begin : begin + _AT_ONCE].astype(np.int64) * width + pairs.predicted[begin : begin + _AT_ONCE]
        codes, place = np.unique(keys, return_index=True)
        first[codes] = begin + place
    firsts = np.sort(first[first >= 0])
    chosen = np.unique(np.searchsorted(np.cumsum(pairs.lengths), firsts, side="right"))[:limit]
    others = np.setdiff1d(np.arange(number, dtype=np.int64), chosen, assume_unique=True)
    spaced = others[np.linspace(0, len(others) - 1, limit - len(chosen)).astype(np.int64)]
    return np.union1d(chosen, spaced)
