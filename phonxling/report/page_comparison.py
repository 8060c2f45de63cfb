"""report.html of a comparison: what differs between each two items, their confusions and utterances."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from phonxling.analyses.measures import compared_measures, measures_by_name, title_of
from phonxling.core.errors import DataError
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.files import digest, write_bytes
from phonxling.report.findings import short_title, undecided_measures, verdict
from phonxling.report.first_screen import stored_orders
from phonxling.report.numbers import Numbers, fill_template, named_together, round_number
from phonxling.report.page import LARGEST_TABLE, corpus_part, meanings, numeric_columns, tables_by_corpus
from phonxling.report.render import CorpusPart, Page, packed_table, page_html
from phonxling.results.folder import MANIFEST, PAGE, read_manifest
from phonxling.results.tables import file_of, has_table, table_if_any, tables_of

Tables = Mapping[str, pd.DataFrame]
_Row = Mapping[Any, Any]

_NAMED_ITEMS = 12  # phones and confusions that a pair's findings name
_PAIRS = 20  # whose findings are told
_OF_AN_ITEM = ("phones", "confusions", "expected", "association", "sounds")
_PLACE = ("folder", "corpus", "title", "signature", "contents")  # of an item, in the manifest


def write_comparison_page(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Write the page of a comparison, and return it; DataError when a table cannot be read, or the page written."""
    page = page_of_comparison(folder, manifest)
    write_bytes(folder / PAGE, page_html(page, "comparison.html.jinja").encode())
    return folder / PAGE


# Confusions and utterances are read from the results that were compared, where these still are what they were. Of each
# pair it is told which is better, on which phones and confusions (q below 0.05, as the tables have it), and what
# weakens the tests; each difference leads to where it is shown. Nothing is said of pairs of which one is not above
# chance.
def page_of_comparison(folder: Path, manifest: Mapping[str, Any]) -> Page:
    tables = {name.rpartition("/")[-1]: table_if_any(folder, name) for name in tables_of("comparison")}
    rows, places = tables["differences"], places_of(folder, manifest)
    titles = {name: place["title"] for name, place in places.items()}
    missing = next(filter(None, (_explain_changed(folder, place, manifest) for place in places.values())), "")
    shown = {} if missing else places
    settings = manifest["settings"]
    both = rows[["item", "other"]].drop_duplicates().itertuples(index=False)
    same = {name: place["contents"] if settings["paired"] != "no" else name for name, place in places.items()}
    pairs = [(first, second, same[first] == same[second]) for first, second in both]
    pairs.sort(key=lambda pair: not pair[2])  # those of the same utterances first
    named, tests = rows[["measure", "variant"]].drop_duplicates(), int(rows["p"].notna().sum())
    empty: dict[str, object] = {"gold": [], "predicted": []}
    parts = {name: CorpusPart(name=name, title=title, role="target", data=empty) for name, title in titles.items()}
    for name, place in shown.items():
        part = corpus_part(folder / place["folder"], Numbers(name=place["corpus"]), {"role": "target"}, titles[name])
        parts[name] = replace(part, name=name, findings=())
    return Page(
        title=f"Comparison of {' and '.join(titles.values())}" if len(titles) == 2 else f"{len(titles)} items compared",
        version=str(manifest["phonxling"]),
        corpora=[*parts.values()],
        measures={f"{one} {form}".strip(): title_of(one, form) for one, form in named.itertuples(index=False)},
        definitions=[measures_by_name()[name] for name in dict.fromkeys(rows["measure"])],
        signatures=named_together((titles[name], place["signature"]) for name, place in places.items()),
        citation=f"phonxling {manifest['phonxling']}, comparison, seed {settings['seed']}.",
        tables=dict(_pack_tables(folder, shown)),
        orders=stored_orders((folder / at["folder"], at["corpus"]) for at in shown.values()),
        meanings=meanings(tables_of("comparison")),
        pairs=pairs,
        compared=_rows_of_picture(),
        level=f"{100 * settings['level']:g} %",
        ranking=verdict(rows, titles) if len(pairs) > 1 else "",
        findings=[_findings(tables, titles, pair, tests, settings["level"]) for pair in pairs[:_PAIRS]],
        missing=missing,
        apart=manifest["differ"],
    )


def _rows_of_picture() -> list[dict[str, Any]]:
    rows = [
        {
            "measure": one.name,
            "name": short_title(one),
            "unit": "" if one.unit == "ratio" else f" {one.unit}",
            "scale": 2 if one.unit != "ratio" else int(one.kind == "skill"),
            "better": {"lower": -1, "higher": 1}[one.direction],
        }
        for one in compared_measures()
    ]
    return sorted(rows, key=lambda row: row["scale"])


def places_of(folder: Path, manifest: Mapping[str, Any]) -> dict[str, Mapping[str, str]]:
    """Return where each item's results are; DataError where the manifest is not such as a comparison writes."""
    parts: list[Any] = [manifest.get(part) for part in ("corpora", "settings", "differ", "report")]
    known = all(isinstance(one, dict) for one in parts) and all(isinstance(one, dict) for one in parts[0].values())
    known = known and all(isinstance(place.get(key), str) for place in parts[0].values() for key in _PLACE)
    known = known and manifest.get("items") == list(parts[0]) and isinstance(parts[1].get("level"), float)
    if not known:
        raise DataError(f"{folder / MANIFEST}: is not of a comparison; compare the results again")
    return dict(parts[0])


def _explain_changed(folder: Path, place: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
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


def _pack_tables(folder: Path, places: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for name in tables_of("comparison"):
        path = folder / file_of(name)
        if has_table(folder, name) and path.stat().st_size <= LARGEST_TABLE:
            yield path.stem, packed_table(path.read_bytes(), numeric_columns(name))
    for results in dict.fromkeys(place["folder"] for place in places.values()):
        items = {place["corpus"]: item for item, place in places.items() if place["folder"] == results}
        outputs = read_manifest(folder / results)["outputs"]
        for name in _OF_AN_ITEM:
            file = file_of(name)
            if file not in outputs or digest(folder / results / file) != outputs[file]:
                continue
            for corpus, table in tables_by_corpus(folder / results, name):
                if corpus in items:
                    yield f"{items[corpus]}/{name}", packed_table(table, numeric_columns(name))


def _findings(
    tables: Tables, titles: Mapping[str, str], pair: tuple[str, str, bool], tests: int, level: float
) -> dict[str, Any]:
    """Return what the tables of a comparison show of two items, of so many tests of measures."""
    first, second, paired = pair
    every = (tables[name] for name in ("differences", "phones", "confusions"))
    measures, phones, cells = (rows[(rows["item"] == first) & (rows["other"] == second)] for rows in every)
    phones, cells = phones[phones["measure"] == "accuracy"], cells[cells["gold"] != cells["predicted"]]
    return {
        "first": titles[first],
        "second": titles[second],
        "relation": fill_template("comparison.tested" if paired else "comparison.independent"),
        "verdict": verdict(measures, titles),
        "undecided": undecided_measures(measures.to_dict("records"), tests, level),
        "phones": by_better(phones, titles, higher=True),
        "confusions": by_better(cells, titles, higher=False),
        "more": f"{(cells['q'] < SIGNIFICANT).sum()} of {cells['q'].count()} tested",
        "notes": list(dict.fromkeys(filter(None, [*measures["unlike"], *measures["note"]]))),
    }


def by_better(rows: pd.DataFrame, titles: Mapping[str, str], *, higher: bool) -> list[tuple[str, list[_Row]]]:
    """Return what differs (q below 0.05), by the title of the item that is better there; `higher` values are better.

    The smallest q stands first, among equals the largest difference; each leads to the state of the page that shows it.
    """
    lists: dict[str, list[_Row]] = {}
    chosen = rows[rows["q"] < SIGNIFICANT]
    chosen = chosen.assign(size=-chosen["difference"].abs()).sort_values(["q", "size"], kind="stable")
    for row in chosen[:_NAMED_ITEMS].to_dict("records"):
        sides = [(row["item"], row["value"]), (row["other"], row["other_value"])]
        (better, value), (_, worse) = sides if (row["difference"] > 0) == higher else reversed(sides)
        if "phone" in row:
            what, state = row["phone"], {"partners": row["phone"], "at": "matrix"}
        else:
            what, state = f"{row['gold']} → {row['predicted']}", {key: row[key] for key in ("gold", "predicted")}
        link = urlencode({"corpus": row["item"], "other": row["other"], "view": "difference", **state})
        how = f"{round_number(value)} against {round_number(worse)}"
        lists.setdefault(titles[better], []).append({"what": what, "href": f"#{link}", "how": how})
    return [*lists.items()]
