"""report.html: the page made of a folder of results, from its stored tables alone."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.loaded import boundary_note, silence_note
from phonxling.analyses.measures import headline, measures_by_name, title_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.files import open_regular, write_bytes
from phonxling.core.inventory import GAP
from phonxling.load.resources import corpus_titles
from phonxling.report import findings, render
from phonxling.report.first_screen import cards, stored_orders
from phonxling.report.numbers import Numbers, named_together, probability, round_estimate, round_number
from phonxling.report.render import CorpusPart, Page, PagePairs
from phonxling.report.sections import rate_in_words
from phonxling.results.folder import PAGE
from phonxling.results.tables import (
    columns_of,
    declared_tables,
    file_of,
    has_table,
    read_rows,
    read_table,
    table_if_any,
    table_parts,
)

_SIDES = ("gold", "predicted")
_TIME_COLUMNS = [f"{side}_{end}" for side in _SIDES for end in ("start", "end")]


def corpus_part(
    folder: Path,
    numbers: Numbers,
    about: Mapping[str, Any],
    title: str,
    *,
    limit: int = render.LIMIT,
) -> CorpusPart:
    corpus = numbers.name
    phones, utterances = (table_if_any(folder, table, corpus) for table in ("phones", "utterances"))
    names = {side: list(phones.loc[phones["side"] == side, "phone"]) for side in _SIDES}
    alignments, sampled, number = None, "", len(utterances)
    if number:
        pairs = read_pairs(folder, corpus, utterances, names)
        chosen = render.chosen_utterances(pairs, limit)
        forced = numbers.get("times_certainty").defined
        alignments = render.packed_pairs(pairs, utterances, chosen)
        alignments |= {"times": "forced" * forced} | packed_times(folder, corpus, pairs, chosen)
    if number > limit:
        sampled = (
            f"the page carries {round_number(float(limit))} of {round_number(float(number))} utterances: the first "
            "with each pair of phones, then others evenly spaced; all are in alignments.tsv."
        )
    symbols = read_rows(folder, "symbols", corpus)
    read = [(row["side"], row["raw"], row["action"], int(row["count"])) for row in symbols]
    recogniser = about.get("recogniser")
    return CorpusPart(
        name=corpus,
        title=title,
        role=about["role"],
        language=about.get("language") or "",
        recogniser=(recogniser.get("name") if isinstance(recogniser, Mapping) else recogniser) or "",
        findings=findings.findings(numbers),
        warnings=[*filter(None, (silence_note(read), boundary_note(read), numbers.get("utterances").note))],
        data={
            **names,
            "alignments": alignments,
            "sampled": sampled,
        },
    )


def read_pairs(folder: Path, corpus: str, utterances: pd.DataFrame, phones: Mapping[str, list[str]]) -> PagePairs:
    labels: dict[str, Any] = {"utterance": utterances["utterance"], **{side: [*phones[side], GAP] for side in _SIDES}}
    kinds = {column: pd.CategoricalDtype(pd.Index(texts, dtype=str)) for column, texts in labels.items()}
    lengths = np.zeros(len(utterances), dtype=np.int64)
    parts = {side: [np.zeros(0, np.uint16)] for side in _SIDES}
    for rows in table_parts(folder, "alignments", corpus, [*kinds]):
        part = rows.astype(kinds)
        lengths += np.bincount(part["utterance"].cat.codes, minlength=len(lengths))
        for side, codes in parts.items():
            codes.append(np.asarray(part[side].cat.codes).astype(np.uint16))
    gold, predicted = map(np.concatenate, parts.values())
    names, speakers = utterances["utterance"].tolist(), utterances["speaker"].tolist()
    return PagePairs(utterances=names, speakers=speakers, lengths=lengths, gold=gold, predicted=predicted)


# Times and confidences stand beside the phones of aligned pairs, where a corpus has some: each an array with a
# number for each pair that the page carries, deflated, in base64 (little-endian). `readAlignments` in `scripts/data.js`
# makes seconds and shares of them again.
# `gold_gaps`, `gold_lengths`, `predicted_gaps`, `predicted_lengths` : int32: Times in hundredths of a second: how long
# after the end of the phone before, on the same side of the same utterance, a phone begins (of the first: after 0), and
# how long it lasts; −1 lasts a phone without times, and ∅, after which the end of the phone before stays what it was.
# `confidence` : uint8: Hundredths of the predicted phone's confidence; 255 for none.
# `times` : str, not packed: "forced" where the gold times were found from the posteriors, else "".
def packed_times(folder: Path, corpus: str, pairs: PagePairs, chosen: Codes) -> dict[str, str]:
    """Return the times and confidences of the pairs of the chosen utterances, packed: those that the corpus has."""
    carried, first = render.carried_pairs(pairs, chosen), 0
    parts = [np.zeros((0, len(_TIME_COLUMNS) + 1))]
    for part in table_parts(folder, "alignments", corpus, [*_TIME_COLUMNS, "confidence"]):
        parts.append(part[carried[first : first + len(part)]].to_numpy(np.float64))
        first += len(part)
    *times, scores = np.concatenate(parts).T
    owner, result = np.repeat(chosen, pairs.lengths[chosen]), dict[str, str]()
    for side, start, end in zip(_SIDES, times[::2], times[1::2], strict=True):
        timed = np.flatnonzero(~np.isnan(start) & ~np.isnan(end))
        if not len(timed):
            continue
        begins, ends = _hundredths(start[timed]), _hundredths(end[timed])
        before = np.where(np.diff(owner[timed], prepend=-1) == 0, np.append(0, ends)[:-1], 0)
        gaps, lengths = np.zeros(len(start), "<i4"), np.full(len(start), -1, "<i4")
        gaps[timed], lengths[timed] = begins - before, ends - begins
        result |= {f"{side}_gaps": render.pack(gaps.tobytes()), f"{side}_lengths": render.pack(lengths.tobytes())}
    if not np.isnan(scores).all():
        result["confidence"] = render.pack(np.where(np.isnan(scores), 255, _hundredths(scores)).astype("u1").tobytes())
    return result


def _hundredths(values: Floats) -> NDArray[np.int32]:
    return np.rint(np.nan_to_num(values) * 100).astype("<i4")


_NAMED_ITEMS = 4  # corpora that the heading names
_LISTED_SYMBOLS = 12  # symbols named in a line of the audit
_TOGETHER, _FEWEST = 10_000, 100  # utterances that the page carries of all corpora, and of each at least
LARGEST_TABLE = 2_000_000  # bytes of a table that the page carries
_TABLES = 4_000_000  # bytes of packed tables, from which on only those are added that the page draws
_DRAWN_TABLES = {"summary", "confusions", "phones", "expected", "errors", "map", "calibration"}
_UNSPLIT_TABLES = {"summary", "languages", "language_groups", "symbols"}  # of all corpora; others stand by corpus
_UNITS = {"bits", "seconds"}  # that are told beside what a column means


def write_page(folder: Path, manifest: Mapping[str, Any]) -> Path:
    write_bytes(folder / PAGE, render.page_html(page_of(folder, manifest)).encode())
    return folder / PAGE


def page_of(folder: Path, manifest: Mapping[str, Any]) -> Page:
    rows = read_table(folder, "summary")
    settings, known = manifest["configuration"], measures_by_name()
    corpora = settings["corpora"]
    numbers = findings.stored_numbers(folder, corpora)
    titles = findings.display_titles(corpora, numbers)
    named = rows[["measure", "variant"]].drop_duplicates().itertuples(index=False)
    shown = cards(numbers, findings.stored_groups(folder))
    numbers = {card["name"]: numbers[card["name"]] for card in shown}  # everywhere in this order, the best first
    rated = [one for one in numbers.values() if one.rate.defined]
    limit = max(_FEWEST, min(render.LIMIT, _TOGETHER // len(corpora)))
    carried = dict(_pack_tables(folder))
    parts = [corpus_part(folder, own, corpora[name], titles[name], limit=limit) for name, own in numbers.items()]
    top = list[dict[str, object]]()
    for one in headline():
        row = {corpus: own.get(one.name, one.variant) for corpus, own in numbers.items()}
        if any(number.defined for number in row.values()):
            of_p = one.unit == "probability"
            texts = [(name, probability(own.value) if of_p else round_estimate(own)) for name, own in row.items()]
            key, title = f"{one.name} {one.variant}".strip(), one.title + " (bits)" * (one.unit == "bits")
            top.append({"key": key, "measure": one.name, "title": title, "texts": texts})
    return Page(
        title=settings["name"],
        heading=heading(corpora),
        reference=next((titles[name] for name, about in corpora.items() if about["role"] == "reference"), ""),
        version=str(manifest["phonxling"]),
        corpora=parts,
        headline=top,
        measures={f"{name} {variant}".strip(): title_of(name, variant) for name, variant in named if name in known},
        cards=shown,
        headline_rates=[*dict.fromkeys(rate_in_words(one, settings["alignment"]) for one in rated)],
        groups=list(findings.order_sentences(folder, titles)),
        warnings=named_together((part.name, warning) for part in parts for warning in part.warnings),
        audit=list(_audit(table_if_any(folder, "symbols"))),
        definitions=[known[name] for name in dict.fromkeys(rows["measure"]) if name in known],
        signatures=named_together((titles[name], manifest["signatures"][name]) for name in numbers),
        citation=f"phonxling {manifest['phonxling']}, experiment “{settings['name']}”, seed {manifest['seed']}.",
        tables=carried,
        meanings=meanings(name.rpartition("/")[-1] for name in carried),
        map_method=settings["map"]["method"],
        orders=stored_orders((folder, name) for name in corpora),
        further=findings.stored_parts(folder, numbers, findings.PARTS),
    )


def heading(corpora: Mapping[str, Mapping[str, Any]]) -> str:
    """Return in words what was run on what."""
    titles = corpus_titles(corpora)
    reference = next((titles[name] for name, about in corpora.items() if about["role"] == "reference"), "")
    targets = [title for title in titles.values() if title != reference] or [reference]
    many = len(targets) > _NAMED_ITEMS
    of = f"{len(targets)} corpora" if many else " and ".join(filter(None, (", ".join(targets[:-1]), targets[-1])))
    named = {(about.get("recogniser") or {}).get("name") for about in corpora.values()}
    name = (named.pop() if len(named) == 1 else "") or ("A recogniser" if reference else "")
    who = f"{name} (trained on {reference})" if reference and targets != [reference] else name
    return f"{who}: the phones of {of}" if who else f"The phones of {of}, gold and predicted"


def meanings(tables: Iterable[str]) -> dict[str, dict[str, object]]:
    """Return what declared tables and their columns mean, by the names of their files without the ending."""
    known, result = {one.table: one for one in declared_tables()}, dict[str, dict[str, object]]()
    for table in dict.fromkeys(tables):
        own = {one.column: one.meaning + f" ({one.unit})" * (one.unit in _UNITS) for one in columns_of(table)}
        result[known[table].name] = {"meaning": known[table].meaning, "columns": own}
    return result


def _pack_tables(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the tables that the page carries, packed, by `corpus/table`: those declared so, up to 2 MB each, 4 in all.

    Those that the page draws come first, whatever their size together.
    """
    names = [table.name for table in declared_tables() if table.on_page and has_table(folder, table.table)]
    total = 0
    # What the page draws comes first, whatever its size; others as long as a browser opens the page at once.
    for name in sorted(names, key=lambda name: name not in _DRAWN_TABLES):
        for corpus, table in tables_by_corpus(folder, name):
            if total > _TABLES and name not in _DRAWN_TABLES:
                return
            content = render.packed_table(table, numeric_columns(name))
            total += len(content)
            yield f"{corpus}/{name}".removeprefix("/"), content


def tables_by_corpus(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield a table of each corpus without that column, as TSV; of some tables all rows, for "". None above 2 MB."""
    with open_regular(folder / file_of(name)) as lines:
        head = next(lines)
        for corpus, rows in groupby(
            lines, lambda line: b"" if name in _UNSPLIT_TABLES else line[: line.index(b"\t") + 1]
        ):
            table = bytearray(head.removeprefix(b"corpus\t" if corpus else b""))
            for row in rows:
                table += row[len(corpus) :]
                if len(table) > LARGEST_TABLE:
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
        more = f" … and {len(changes) - _LISTED_SYMBOLS} more" if len(changes) > _LISTED_SYMBOLS else ""
        yield {
            "corpus": corpus,
            "side": side,
            "action": action,
            "symbols": f"{len(rows):,}",
            "tokens": f"{rows['count'].sum():,.0f}",
            "which": ", ".join(changes[:_LISTED_SYMBOLS]) + more,
        }
