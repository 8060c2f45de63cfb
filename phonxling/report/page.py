"""report.html: the page made of a folder of results, from its stored tables alone."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import headline, measures_by_name, title_of
from phonxling.core.files import open_regular, write_bytes
from phonxling.load.resources import corpus_titles
from phonxling.report.corpus_part import corpus_part
from phonxling.report.findings import order_sentences, stored_groups, stored_numbers, told_titles
from phonxling.report.first_screen import cards, stored_orders
from phonxling.report.further import PARTS, stored_parts
from phonxling.report.numbers import Numbers, named_together, probability
from phonxling.report.render import LIMIT, Page, packed_table, page_html
from phonxling.report.sections import rate_in_words
from phonxling.results.folder import PAGE
from phonxling.tables.files import columns_of, declared_tables, file_of, has_table, read_table, table_if_any

_NAMED = 4  # corpora that the heading names
_LISTED = 12  # symbols named in a line of the audit
_TOGETHER, _FEWEST = 10_000, 100  # utterances that the page carries of all corpora, and of each at least
LARGEST = 2_000_000  # bytes of a table that the page carries
_TABLES = 4_000_000  # bytes of packed tables, from which on only those are added that the page draws
_DRAWN = {"summary", "confusions", "phones", "expected", "errors", "map", "calibration"}
_WHOLE = {"summary", "languages", "language_groups", "symbols"}  # of all corpora; others stand by corpus
_UNITS = {"bits", "seconds"}  # that are told beside what a column means


def write_page(folder: Path, manifest: Mapping[str, Any]) -> Path:
    write_bytes(folder / PAGE, page_html(page_of(folder, manifest)).encode())
    return folder / PAGE


def page_of(folder: Path, manifest: Mapping[str, Any]) -> Page:
    rows = read_table(folder, "summary")
    settings, known = manifest["configuration"], measures_by_name()
    corpora = settings["corpora"]
    numbers = stored_numbers(folder, corpora)
    titles = told_titles(corpora, numbers)
    named = rows[["measure", "variant"]].drop_duplicates().itertuples(index=False)
    shown = cards(numbers, stored_groups(folder))
    numbers = {card["name"]: numbers[card["name"]] for card in shown}  # everywhere in this order, the best first
    rated = [one for one in numbers.values() if one.rate.defined]
    limit = max(_FEWEST, min(LIMIT, _TOGETHER // len(corpora)))
    carried = dict(_carried(folder))
    parts = [
        corpus_part(folder, own, corpora[name], titles[name], classes=settings["classes"], limit=limit)
        for name, own in numbers.items()
    ]
    return Page(
        title=settings["name"],
        heading=heading(corpora),
        reference=next((titles[name] for name, about in corpora.items() if about["role"] == "reference"), ""),
        version=str(manifest["phonxling"]),
        corpora=parts,
        headline=list(_headline(numbers)),
        measures={f"{name} {variant}".strip(): title_of(name, variant) for name, variant in named if name in known},
        cards=shown,
        headline_rates=[*dict.fromkeys(rate_in_words(one, settings["alignment"]) for one in rated)],
        groups=list(order_sentences(folder, titles)),
        warnings=named_together((part.name, warning) for part in parts for warning in part.warnings),
        audit=list(_audit(table_if_any(folder, "symbols"))),
        definitions=[known[name] for name in dict.fromkeys(rows["measure"]) if name in known],
        signatures=named_together((titles[name], manifest["signatures"][name]) for name in numbers),
        citation=f"phonxling {manifest['phonxling']}, experiment “{settings['name']}”, seed {manifest['seed']}.",
        tables=carried,
        meanings=meanings(name.rpartition("/")[-1] for name in carried),
        map_method=settings["map"]["method"],
        orders=stored_orders((folder, name) for name in corpora),
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


def meanings(tables: Iterable[str]) -> dict[str, dict[str, object]]:
    """Return what declared tables and their columns mean, by the names of their files without the ending."""
    known, result = {one.table: one for one in declared_tables()}, dict[str, dict[str, object]]()
    for table in dict.fromkeys(tables):
        own = {one.column: one.meaning + f" ({one.unit})" * (one.unit in _UNITS) for one in columns_of(table)}
        result[known[table].name] = {"meaning": known[table].meaning, "columns": own}
    return result


def _carried(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the tables that the page carries, packed, by `corpus/table`: those declared so, up to 2 MB each, 4 in all.

    Those that the page draws come first, whatever their size together.
    """
    names = [table.name for table in declared_tables() if table.on_page and has_table(folder, table.table)]
    total = 0
    for name in sorted(names, key=lambda name: name not in _DRAWN):
        for corpus, table in tables_by_corpus(folder, name):
            if total > _TABLES and name not in _DRAWN:
                return
            content = packed_table(table, numeric_columns(name))
            total += len(content)
            yield f"{corpus}/{name}".removeprefix("/"), content


def tables_by_corpus(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield a table of each corpus without that column, as TSV; of some tables all rows, for "". None above 2 MB."""
    with open_regular(folder / file_of(name)) as lines:
        head = next(lines)
        for corpus, rows in groupby(lines, lambda line: b"" if name in _WHOLE else line[: line.index(b"\t") + 1]):
            table = bytearray(head.removeprefix(b"corpus\t" if corpus else b""))
            for row in rows:
                table += row[len(corpus) :]
                if len(table) > LARGEST:
                    break
            else:
                yield corpus.decode().strip(), bytes(table)


@cache
def numeric_columns(table: str) -> frozenset[bytes]:
    """Return the names of the columns of numbers of a declared table."""
    return frozenset(one.column.encode() for one in columns_of(table) if one.type == "number")


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
