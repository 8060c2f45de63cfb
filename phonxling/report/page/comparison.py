"""report.html of a comparison: what differs between each two items, the ranking, their confusions and utterances.

Confusions and utterances are read from the results that were compared, where these still are what they were.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import measures_by_name, title_of
from phonxling.core.errors import DataError
from phonxling.core.files import digest, write_bytes
from phonxling.report.findings.numbers import Numbers
from phonxling.report.page.corpus import corpus_part
from phonxling.report.page.orders import stored_orders
from phonxling.report.page.packing import packed_table
from phonxling.report.page.pairs import PairPart, findings_of
from phonxling.report.page.render import CorpusPart, Page, page_html
from phonxling.report.page.results import LARGEST, meanings
from phonxling.store.folder import MANIFEST, PAGE, read_manifest
from phonxling.tables.columns import files_in
from phonxling.tables.files import read_table, table_bytes

_OF_AN_ITEM = ("phones", "confusions", "class_confusions", "expected", "association", "sounds_like")
_PLACE = ("folder", "corpus", "title")  # of an item, in the manifest
_PAIRS = 20  # whose findings are told


@dataclass(frozen=True, kw_only=True)
class ComparisonPage(Page):
    """All that stands on the page of a comparison.

    Parameters
    ----------
    findings : tuple of PairPart
        What differs, of the first pairs.
    unnamed : int
        How many pairs there are beside these.
    missing : str
        Why the page shows no confusions, "" where it does.
    """

    findings: tuple[PairPart, ...]
    unnamed: int
    missing: str


def write_comparison_page(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Write the page of a comparison, and return it; DataError when a table cannot be read, or the page written."""
    page = page_of_comparison(folder, manifest)
    write_bytes(folder / PAGE, page_html(page, "comparison.html.jinja").encode())
    return folder / PAGE


def page_of_comparison(folder: Path, manifest: Mapping[str, Any]) -> ComparisonPage:
    """Return what stands on the page of a comparison."""
    written = manifest.get("outputs", files_in("comparison"))  # of an older version: not every table
    tables = {file: read_table(folder, file) for file in files_in("comparison") if file in written}
    rows, places = tables["comparison.tsv"], _places(folder, manifest)
    titles = {name: place["title"] for name, place in places.items()}
    missing = next(filter(None, (_changed(folder, place, manifest) for place in places.values())), "")
    shown = {} if missing else places
    pairs = _pairs(rows)
    named = rows[["measure", "variant"]].drop_duplicates().itertuples(index=False)
    return ComparisonPage(
        title=f"Comparison of {' and '.join(titles.values())}" if len(titles) == 2 else f"{len(titles)} items compared",
        version=str(manifest["phonxling"]),
        corpora=[_item(folder, name, title, shown.get(name)) for name, title in titles.items()],
        measures={f"{name} {variant}".strip(): title_of(name, variant) for name, variant in named},
        definitions=[measures_by_name()[name] for name in dict.fromkeys(rows["measure"])],
        signatures=[("what is compared", list(dict.fromkeys(filter(None, rows["signatures"]))))],
        citation=f"phonxling {manifest['phonxling']}, comparison, seed {manifest['settings'].get('seed')}.",
        tables={**dict(_tables(folder, tables)), **dict(_item_tables(folder, shown))},
        orders=stored_orders({name: folder / at["folder"] / at["corpus"] for name, at in shown.items()}),
        meanings=meanings(tables),
        pairs=pairs,
        findings=tuple(findings_of(tables, titles, pairs[:_PAIRS])),
        unnamed=len(pairs[_PAIRS:]),
        missing=missing,
    )


def _pairs(rows: pd.DataFrame) -> list[tuple[str, str, bool]]:
    """Return the pairs of items, those of the same utterances first."""
    pairs = rows[["item", "other", "paired"]].drop_duplicates().itertuples(index=False)
    return sorted(((first, second, paired == "yes") for first, second, paired in pairs), key=lambda pair: not pair[2])


def _tables(folder: Path, tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, str]]:
    """Yield the tables that the page carries, packed; cells.tsv also as the differences.tsv that the scripts read."""
    for file in tables:
        if (folder / file).stat().st_size <= LARGEST:
            yield file, packed_table((folder / file).read_bytes())
    cells = table_bytes(tables["cells.tsv"].rename(columns={"item": "corpus"}))
    if len(cells) <= LARGEST:
        yield "differences.tsv", packed_table(cells)


def _places(folder: Path, manifest: Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
    """Return where each item's results are; DataError where the manifest is not such as a comparison writes."""
    places: Any = manifest.get("corpora")
    known = isinstance(places, dict) and all(isinstance(place, dict) for place in places.values())
    known = known and all(isinstance(place.get(key), str) for place in places.values() for key in _PLACE)
    if not (known and manifest.get("items") == list(places) and isinstance(manifest.get("settings"), dict)):
        raise DataError(f"{folder / MANIFEST}: is none of a comparison; compare the results again")
    return dict(places)


def _changed(folder: Path, place: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    """Return why the results of an item cannot be shown, "" where they are those that were compared."""
    results = folder / place["folder"]
    for name, wanted in manifest["inputs"].items():
        if Path(name).is_relative_to(place["folder"]):
            try:
                held = digest(folder / name)
            except (OSError, DataError):
                return f"{results} is not there any more"
            if held != wanted:
                return f"{results} was changed after it was compared"
    return ""


def _item_tables(folder: Path, places: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the tables of items that the scripts read, packed, by the item's name and their own."""
    for item, place in places.items():
        results = folder / place["folder"]
        outputs = read_manifest(results)["outputs"]
        for table in _OF_AN_ITEM:
            file = f"{place['corpus']}/{table}.tsv"
            if file in outputs and digest(results / file) == outputs[file]:
                yield f"{item}/{table}.tsv", packed_table((results / file).read_bytes())


def _item(folder: Path, name: str, title: str, place: Mapping[str, Any] | None) -> CorpusPart:
    if place is None:
        return CorpusPart(name=name, title=title, role="target", data={"gold": [], "predicted": [], "classes": {}})
    about = {"role": "target"}
    part = corpus_part(folder / place["folder"], Numbers(name=place["corpus"]), about, title)
    return replace(part, name=name, findings=())
