"""The page as text: template, style, scripts and data, under a policy that lets nothing else run or load."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from phonxling.analyses.measures import Measure
from phonxling.report.findings.sentence import Sentence
from phonxling.report.further.stored import StoredPart
from phonxling.report.page.bundle import script, source_of, style, template
from phonxling.report.page.first import Card
from phonxling.report.page.packing import packed
from phonxling.report.page.printed_map import PrintedMap


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
    """One corpus on the page.

    Parameters
    ----------
    name, title, role, language, recogniser : str
        Who it is: its name in the configuration, and what it is called on the page.
    findings : list of Sentence
        What its numbers say.
    warnings : list of str
        What the symbol audit warns of.
    data : mapping
        What the scripts need: phones, classes, packed alignments.
    matrix : PrintedMatrix or None
        Its confusions as they are printed.
    """

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
    """A measure over all corpora: [corpus, value with its interval as text], "" where a corpus has none.

    `key` is the measure with its variant, as the scripts name it.
    """

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
    """Return the page, by the template of its kind; all text from data is escaped.

    Raises
    ------
    jinja2.UndefinedError
        If the template asks for what a page does not have: that is a mistake of this program.
    """
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
