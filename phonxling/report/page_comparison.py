"""report.html of a comparison: what differs between each two items, the ranking, their confusions and utterances.

Confusions and utterances are read from the results that were compared, where these still are what they were. Of each
pair it is told what differs (q below 0.05, as the tables have it), out of how much was tested, and what weakens the
tests; each difference leads to where it is shown. Nothing is said of pairs of which one is not above chance.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from phonxling.analyses.measures import measures_by_name, title_of
from phonxling.core.errors import DataError
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.files import digest, write_bytes
from phonxling.report.corpus_part import corpus_part
from phonxling.report.findings import below_chance, undecided
from phonxling.report.first_screen import stored_orders
from phonxling.report.numbers import Numbers, equals, rounded, said
from phonxling.report.page import LARGEST, meanings
from phonxling.report.render import CorpusPart, Page, packed_table, page_html
from phonxling.results.folder import MANIFEST, PAGE, read_manifest
from phonxling.tables.files import files_in, read_table

Tables = Mapping[str, pd.DataFrame]
_Row = Mapping[Any, Any]

_NAMED = 12  # phones and confusions that a pair's findings name
_PAIRS = 20  # whose findings are told
_OF_AN_ITEM = ("phones", "confusions", "class_confusions", "expected", "association", "sounds_like")
_PLACE = ("folder", "corpus", "title", "signature")  # of an item, in the manifest


@dataclass(frozen=True, kw_only=True)
class ComparisonPage(Page):
    findings: Sequence[Mapping[str, Any]]
    unnamed: int
    missing: str


def write_comparison_page(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Write the page of a comparison, and return it; DataError when a table cannot be read, or the page written."""
    page = page_of_comparison(folder, manifest)
    write_bytes(folder / PAGE, page_html(page, "comparison.html.jinja").encode())
    return folder / PAGE


def page_of_comparison(folder: Path, manifest: Mapping[str, Any]) -> ComparisonPage:
    written = manifest.get("outputs", files_in("comparison"))  # of an older version: not every table
    tables = {file: read_table(folder, file) for file in files_in("comparison") if file in written}
    rows, places = tables["comparison.tsv"], _places(folder, manifest)
    titles = {name: place["title"] for name, place in places.items()}
    missing = next(filter(None, (_changed(folder, place, manifest) for place in places.values())), "")
    shown = {} if missing else places
    both = rows[["item", "other", "paired"]].drop_duplicates().itertuples(index=False)
    pairs = [(first, second, paired == "yes") for first, second, paired in both]
    pairs.sort(key=lambda pair: not pair[2])  # those of the same utterances first
    named = rows[["measure", "variant"]].drop_duplicates().itertuples(index=False)
    return ComparisonPage(
        title=f"Comparison of {' and '.join(titles.values())}" if len(titles) == 2 else f"{len(titles)} items compared",
        version=str(manifest["phonxling"]),
        corpora=[_item(folder, name, title, shown.get(name)) for name, title in titles.items()],
        measures={f"{name} {variant}".strip(): title_of(name, variant) for name, variant in named},
        definitions=[measures_by_name()[name] for name in dict.fromkeys(rows["measure"])],
        signatures=[(titles[name], place["signature"]) for name, place in places.items()],
        citation=f"phonxling {manifest['phonxling']}, comparison, seed {manifest['settings'].get('seed')}.",
        tables=dict(_packed(folder, tables, shown)),
        orders=stored_orders({name: folder / at["folder"] / at["corpus"] for name, at in shown.items()}),
        meanings=meanings(tables),
        pairs=pairs,
        findings=[_findings(tables, titles, *pair) for pair in pairs[:_PAIRS]],
        unnamed=len(pairs[_PAIRS:]),
        missing=missing,
    )


def _places(folder: Path, manifest: Mapping[str, Any]) -> dict[str, Mapping[str, str]]:
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


def _item(folder: Path, name: str, title: str, place: Mapping[str, Any] | None) -> CorpusPart:
    if place is None:
        return CorpusPart(name=name, title=title, role="target", data={"gold": [], "predicted": [], "classes": {}})
    numbers = Numbers(name=place["corpus"])
    part = corpus_part(folder / place["folder"], numbers, {"role": "target"}, title)
    return replace(part, name=name, findings=())


def _packed(folder: Path, tables: Tables, places: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the tables that the page carries: of the comparison, and those of the items."""
    for file in tables:
        if (folder / file).stat().st_size <= LARGEST:
            yield file, packed_table((folder / file).read_bytes())
    for item, place in places.items():
        results = folder / place["folder"]
        outputs = read_manifest(results)["outputs"]
        for table in _OF_AN_ITEM:
            file = f"{place['corpus']}/{table}.tsv"
            if file in outputs and digest(results / file) == outputs[file]:
                yield f"{item}/{table}.tsv", packed_table((results / file).read_bytes())


def _findings(tables: Tables, titles: Mapping[str, str], first: str, second: str, paired: bool) -> dict[str, Any]:
    """Return what the tables of a comparison show of two items."""
    measures, phones, cells = (
        table[(table["item"] == first) & (table["other"] == second)]
        for table in (tables["comparison.tsv"], tables["phones.tsv"], tables["cells.tsv"])
    )
    phones, cells = phones[phones["measure"] == "accuracy"], cells[cells["gold"] != cells["predicted"]]
    confused = _differing(cells)
    return {
        "first": titles[first],
        "second": titles[second],
        "relation": said("comparison.tested" if paired else "comparison.independent"),
        "verdict": below_chance(_records(measures)) or _verdict(measures, titles),
        "measures": [_measure(row) for row in measures[measures["q"] < SIGNIFICANT].to_dict("records")],
        "tested": int(measures["p"].notna().sum()),
        "undecided": undecided(_records(measures)),
        "phones": [
            _shown(row["phone"], row, _against(row), partners=row["phone"], at="matrix")
            for row in _differing(phones)[:_NAMED]
        ],
        "confusions": [
            _shown(f"{gold} → {heard}", row, _against(row), gold=gold, heard=heard)
            for row in confused[:_NAMED]
            for gold, heard in [(row["gold"], row["predicted"])]
        ],
        "more": f"{len(confused)} of {int(cells['p'].notna().sum())} tested",
        "notes": list(dict.fromkeys(filter(None, [*measures["unlike"], *measures["note"]]))),
    }


def _verdict(measures: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Return in words which of two items has the lower error rate, by wPER or else PER; "" without a test."""
    for name, what in (("wper", "wPER"), ("per", "PER")):
        for row in measures[measures["measure"] == name].to_dict("records"):
            numbers = f"{rounded(row['value'])} against {rounded(row['other_value'])}"
            if math.isnan(row["q"]):
                return said("comparison.untested", measure=what, numbers=numbers)
            own = {"measure": what, "numbers": numbers, "q": equals(row["q"])}
            if row["q"] >= SIGNIFICANT:
                return said("comparison.no_difference", **own)
            return said("comparison.lower", item=titles[row["item"] if row["difference"] < 0 else row["other"]], **own)
    return ""


def _shown(what: str, pair: _Row, how: str, **state: str) -> dict[str, Any]:
    """Return what differs between a row's two items, how, and the address of the page's state that shows it."""
    address = {"corpus": pair["item"], "other": pair["other"], "view": "difference", **state}
    return {"what": what, "href": f"#{urlencode(address)}", "how": how}


def _against(row: _Row) -> str:
    return f"{rounded(row['value'])} against {rounded(row['other_value'])}, q {equals(row['q'])}"


def _measure(row: _Row) -> dict[str, Any]:
    direction, higher = measures_by_name()[row["measure"]].direction, row["difference"] > 0
    limits = sorted(row[name] if higher else -row[name] for name in ("difference_low", "difference_high"))
    unit = "" if row["unit"] == "ratio" else f" {row['unit']}"
    by = f"{rounded(abs(row['difference']), *limits)}{unit} {'higher' if higher else 'lower'}"
    how = f"{rounded(row['value'])} against {rounded(row['other_value'])}{unit}: {by}"
    return {
        **_shown(title_of(row["measure"], row["variant"]), row, how, table="comparison.tsv"),
        "better": "" if not direction else "better" if higher == (direction == "higher") else "worse",
        "unlike": bool(row["unlike"]),
    }


def _records(rows: pd.DataFrame) -> list[dict[Any, Any]]:
    return rows.to_dict("records")


def _differing(rows: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the rows with q below 0.05, the smallest q first, among equals the largest difference."""
    chosen = rows[rows["q"] < SIGNIFICANT]
    chosen = chosen.assign(size=-chosen["difference"].abs()).sort_values(["q", "size"], kind="stable")
    return chosen.to_dict("records")
