"""report.html of a comparison: what differs between each two items, the ranking, their confusions and utterances.

Confusions and utterances are read from the results that were compared, where these still are what they were.
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
from phonxling.core.files import digest, write_bytes
from phonxling.report.corpus_part import corpus_part
from phonxling.report.findings import sentences
from phonxling.report.first_screen import stored_orders
from phonxling.report.numbers import Numbers
from phonxling.report.page import LARGEST, meanings
from phonxling.report.render import CorpusPart, Page, packed_table, page_html
from phonxling.report.rounding import probability, rounded
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.store.folder import MANIFEST, PAGE, read_manifest
from phonxling.tables.columns import files_in
from phonxling.tables.files import NOT_ALIKE, read_table, table_bytes

# What differs between two items of a comparison, what they get wrong together, and where to see it on the page.

_CLEAR = 2  # standard errors beyond chance
_NAMED = 12  # phones, confusions and suspects that a pair's findings name


@dataclass(frozen=True)
class Difference:
    """What differs, as a link to where it is shown, and how."""

    what: str
    href: str
    how: str
    better: str = ""
    unlike: bool = False


@dataclass(frozen=True, kw_only=True)
class PairPart:
    """Two items on the page: what differs (q below 0.05), out of how much was tested, and what weakens the tests."""

    first: str
    second: str
    relation: str
    measures: tuple[Difference, ...]
    tested: int
    phones: tuple[Difference, ...]
    confusions: tuple[Difference, ...]
    more: str
    together: tuple[str, ...]
    suspects: tuple[Difference, ...]
    suspected: str
    notes: tuple[str, ...]


def findings_of(
    tables: Mapping[str, pd.DataFrame], titles: Mapping[str, str], pairs: Sequence[tuple[str, str, bool]]
) -> Iterator[PairPart]:
    """Yield what the tables of a comparison, by file, show of pairs of items that have these titles."""
    rows = tables["comparison.tsv"]
    tested = rows[rows["test"].str.endswith("bootstrap")]
    for first, second, paired in pairs:
        own, phones, cells = (
            table[(table["item"] == first) & (table["other"] == second)]
            for table in (tested, tables["phones.tsv"], tables["cells.tsv"])
        )
        phones, cells = phones[phones["measure"] == "accuracy"], cells[cells["gold"] != cells["predicted"]]
        confused, suspects = _differing(cells), _suspects(tables, first, second)
        yield PairPart(
            first=titles[first],
            second=titles[second],
            relation="the same utterances, tested together" if paired else "other utterances, taken as independent",
            measures=tuple(_measure(row) for row in _records(own[own["q"] < SIGNIFICANT])),
            tested=int(own["p"].notna().sum()),
            phones=tuple(_phone(row) for row in _differing(phones)[:_NAMED]),
            confusions=tuple(_cell(row) for row in confused[:_NAMED]),
            more=f"{len(confused)} of {int(cells['p'].notna().sum())} tested",
            together=tuple(_together(tables, first, second)),
            suspects=tuple(_suspect(row, first, second) for row in suspects[:_NAMED]),
            suspected=_suspected(suspects),
            notes=tuple(dict.fromkeys(filter(None, own["note"]))),
        )


def _together(tables: Mapping[str, pd.DataFrame], first: str, second: str) -> Iterator[str]:
    if (rows := tables.get("agreement.tsv")) is not None:
        for row in _records(rows[(rows["item"] == first) & (rows["other"] == second)]):
            yield from sentences(row)


def _suspects(tables: Mapping[str, pd.DataFrame], first: str, second: str) -> list[dict[str, Any]]:
    """Return the suspects of the gold that both items, and all others with this gold, heard alike."""
    rows = tables.get("suspects.tsv", pd.DataFrame(columns=["items"]))
    return _records(rows[[{first, second} <= set(items.split(", ")) for items in rows["items"]]])


def _suspected(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many tokens all items hear alike against the gold, and what that shows; "" if none."""
    if not rows:
        return ""
    number, chance = int(rows[0]["suspects"]), rows[0]["suspects_by_chance"]
    systems = "both" if rows[0]["systems"] == 2 else f"all {rows[0]['systems']:.0f}"
    alike = f"{number:,} {'token is' if number == 1 else 'tokens are'} heard alike by {systems}, against the gold"
    expected = f"by chance, independent recognisers of a right gold would hear {chance:,.{1 if chance < 10 else 0}f} so"
    if number - chance > _CLEAR * math.sqrt(number + chance):
        return f"{alike}; {expected}. The gold is wrong at some of the others, or the recognisers share mistakes."
    return f"{alike}; {expected}. This does not show that the gold is wrong anywhere."


def _suspect(row: Mapping[str, Any], first: str, second: str) -> Difference:
    pair = {"item": first, "other": second}
    href = _href(pair, at="utterances", utterance=row["utterance"], token=f"{row['position']:.0f}")
    return Difference(
        f"{row['gold']} heard as {row['heard']}", href, f"{row['utterance']}, phone {row['position']:.0f}"
    )


def _differing(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows with q below 0.05, the smallest q first, among equals the largest difference."""
    chosen = rows[rows["q"] < SIGNIFICANT]
    return _records(chosen.assign(size=-chosen["difference"].abs()).sort_values(["q", "size"], kind="stable"))


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def _measure(row: Mapping[str, Any]) -> Difference:
    one, key = measures_by_name()[row["measure"]], f"{row['measure']} {row['variant']}".strip()
    higher = row["difference"] > 0
    better = "" if not one.direction else "better" if higher == (one.direction == "higher") else "worse"
    limits = sorted(row[name] if higher else -row[name] for name in ("difference_low", "difference_high"))
    unit = "" if row["unit"] == "ratio" else f" {row['unit']}"
    by = f"{rounded(abs(row['difference']), *limits)}{unit} {'higher' if higher else 'lower'}"
    return Difference(
        what=title_of(row["measure"], row["variant"]),
        href=_href(row, measure=key),
        how=f"{rounded(row['value'])} against {rounded(row['other_value'])}{unit}: {by}",
        better=better,
        unlike=NOT_ALIKE in row["note"],
    )


def _phone(row: Mapping[str, Any]) -> Difference:
    return Difference(row["phone"], _href(row, partners=row["phone"], at="matrix"), _against(row))


def _cell(row: Mapping[str, Any]) -> Difference:
    gold, heard = row["gold"], row["predicted"]
    return Difference(f"{gold} heard as {heard}", _href(row, gold=gold, heard=heard), _against(row))


def _against(row: Mapping[str, Any]) -> str:
    """Return both values, and q."""
    q = probability(row["q"])
    return f"{rounded(row['value'])} against {rounded(row['other_value'])}, q {q if q.startswith('<') else f'= {q}'}"


def _href(row: Mapping[str, Any], **state: str) -> str:
    """Return the address of a state of the page for the row's two items."""
    return "#" + urlencode({"corpus": row["item"], "other": row["other"], "view": "difference", **state})


_OF_AN_ITEM = ("phones", "confusions", "class_confusions", "expected", "association", "sounds_like")
_PLACE = ("folder", "corpus", "title")  # of an item, in the manifest
_PAIRS = 20  # whose findings are told


@dataclass(frozen=True, kw_only=True)
class ComparisonPage(Page):
    """All that stands on the page of a comparison."""

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
