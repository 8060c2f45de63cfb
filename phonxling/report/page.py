"""report.html: the page made of a folder of results, from its stored tables alone."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import headline, measures_by_name, title_of
from phonxling.core.files import write_bytes
from phonxling.load.resources import corpus_titles
from phonxling.report.corpus_part import corpus_part
from phonxling.report.findings import order_sentences, stored_groups, stored_numbers, told_titles
from phonxling.report.first_screen import cards, stored_orders
from phonxling.report.further import PARTS, stored_parts
from phonxling.report.numbers import Numbers, probability
from phonxling.report.render import LIMIT, Page, packed_table, page_html
from phonxling.report.sections import rate_in_words
from phonxling.results.folder import PAGE
from phonxling.tables.files import declared_columns, declared_table, files_in, read_numbers, read_table, stored_bytes

_NAMED = 4  # corpora that the heading names
_LISTED = 12  # symbols named in a line of the audit
_TOGETHER, _FEWEST = 10_000, 100  # utterances that the page carries of all corpora, and of each at least
LARGEST = 2_000_000  # bytes of a table that the page carries
_TABLES = 4_000_000  # bytes of packed tables, from which on only those are added that the page draws
_DRAWN = {
    "calibration",
    "posteriorgrams",
    "summary",
    "details",
    "confusions",
    "phones",
    "expected",
    "missed",
    "embedding",
}


def write_page(folder: Path, manifest: Mapping[str, Any]) -> Path:
    write_bytes(folder / PAGE, page_html(page_of(folder, manifest)).encode())
    return folder / PAGE


def page_of(folder: Path, manifest: Mapping[str, Any]) -> Page:
    rows = read_numbers(folder)
    settings, known = manifest["configuration"], measures_by_name()
    corpora = settings["corpora"]
    numbers = stored_numbers(folder, corpora)
    titles = told_titles(corpora, numbers)
    named = rows[["measure", "variant"]].drop_duplicates().itertuples(index=False)
    shown = cards(numbers, stored_groups(folder))
    numbers = {card["name"]: numbers[card["name"]] for card in shown}  # everywhere in this order, the best first
    rated = [one for one in numbers.values() if one.rate.defined]
    limit = max(_FEWEST, min(LIMIT, _TOGETHER // len(corpora)))
    carried = dict(_carried(folder, manifest))
    return Page(
        title=settings["name"],
        heading=heading(corpora),
        reference=next((titles[name] for name, about in corpora.items() if about["role"] == "reference"), ""),
        version=str(manifest["phonxling"]),
        corpora=[corpus_part(folder, own, corpora[name], titles[name], limit) for name, own in numbers.items()],
        headline=list(_headline(numbers)),
        measures={f"{name} {variant}".strip(): title_of(name, variant) for name, variant in named if name in known},
        cards=shown,
        headline_rates=[*dict.fromkeys(rate_in_words(one, settings["alignment"]) for one in rated)],
        groups=list(order_sentences(folder, titles)),
        audit=list(_audit(read_table(folder, "symbols.tsv"))),
        definitions=[known[name] for name in dict.fromkeys(rows["measure"]) if name in known],
        signatures=[(titles[name], manifest["signatures"][name]) for name in numbers],
        citation=f"phonxling {manifest['phonxling']}, experiment “{settings['name']}”, seed {manifest['seed']}.",
        tables=carried,
        meanings=meanings(carried),
        map_method=settings["embedding"]["method"],
        orders=stored_orders({name: folder / name for name in corpora}),
        pictures=_pictures(folder, corpora),
        further=stored_parts(folder, numbers, PARTS),
    )


def heading(corpora: Mapping[str, Mapping[str, Any]]) -> str:
    """Return in words what was run on what."""
    titles = corpus_titles(corpora)
    reference = next((titles[name] for name, about in corpora.items() if about["role"] == "reference"), "")
    targets = [title for title in titles.values() if title != reference] or [reference]
    many = len(targets) > _NAMED
    of = f"{len(targets)} corpora" if many else " and ".join(filter(None, (", ".join(targets[:-1]), targets[-1])))
    named = {(about.get("recogniser") or {}).get("name") for about in corpora.values()}
    name = (named.pop() if len(named) == 1 else "") or ("A recogniser" if reference else "")
    who = f"{name} (trained on {reference})" if reference and targets != [reference] else name
    return f"{who}: the phones of {of}" if who else f"The phones of {of}, gold and predicted"


def _pictures(folder: Path, corpora: Iterable[str]) -> dict[str, list[str]]:
    """Return which figures of each corpus, and of all together (""), the results' folder has as PDF."""
    drawn = {path.stem for path in (folder / "figures").glob("*.pdf")}
    own = {
        name: sorted(stem.removeprefix(f"{name}-") for stem in drawn if stem.startswith(f"{name}-")) for name in corpora
    }
    return {**own, "": sorted(stem for stem in drawn if not any(stem.startswith(f"{name}-") for name in own))}


def _headline(numbers: Mapping[str, Numbers]) -> Iterator[dict[str, object]]:
    for measure in headline():
        row = {corpus: own.get(measure.name, measure.variant) for corpus, own in numbers.items()}
        if any(number.defined for number in row.values()):
            of_p = measure.unit == "probability"
            texts = [(corpus, probability(one.value) if of_p else str(one)) for corpus, one in row.items()]
            key = f"{measure.name} {measure.variant}".strip()
            yield {"key": key, "measure": measure.name, "title": measure.title, "texts": texts}


def meanings(files: Iterable[str]) -> dict[str, dict[str, object]]:
    """Return what tables and their columns mean, by the names of their files without folder and ending."""
    result: dict[str, dict[str, object]] = {}
    for table in filter(None, map(declared_table, files)):
        own = [one for one in declared_columns() if one.table == table.table]
        columns = {one.column: f"{one.meaning} Unit: {one.unit}." if one.unit else one.meaning for one in own}
        result[table.name] = {"meaning": table.meaning, "columns": columns}
    return result


def _carried(folder: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tables that the page carries, packed: those that are declared so, up to 2 MB each and 4 MB in all.

    Those that the page draws come first, whatever their size together.
    """
    names = list(files_in("results"))
    for corpus in manifest["configuration"]["corpora"]:
        names += sorted(f"{corpus}/{path.name}" for path in (folder / corpus).glob("*.tsv"))
    total = 0
    for name in sorted(names, key=lambda name: Path(name).stem not in _DRAWN):
        table, path = declared_table(name), folder / name
        if not (table and table.on_page and path.is_file() and path.stat().st_size <= LARGEST):
            continue
        if total > _TABLES and table.name not in _DRAWN:
            continue
        content = packed_table(stored_bytes(path), numeric_columns(table.table))
        total += len(content)
        yield name, content


@cache
def numeric_columns(table: str) -> frozenset[bytes]:
    """Return the names of the columns of numbers of a declared table."""
    own = (one for one in declared_columns() if one.table == table)
    return frozenset(one.column.encode() for one in own if one.type == "number")


def _audit(symbols: pd.DataFrame) -> Iterator[dict[str, object]]:
    for (corpus, side, action), rows in symbols.groupby(["corpus", "side", "action"], sort=False):
        changes = [
            raw if raw == symbol else f"{raw} → {symbol or 'nothing'}"
            for raw, symbol in zip(rows["raw"], rows["symbol"], strict=True)
        ]
        more = f" … and {len(changes) - _LISTED} more" if len(changes) > _LISTED else ""
        yield {
            "corpus": corpus,
            "side": side,
            "action": action,
            "symbols": f"{len(rows):,}",
            "tokens": f"{rows['count'].sum():,.0f}",
            "which": ", ".join(changes[:_LISTED]) + more,
        }
