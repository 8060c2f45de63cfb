"""Analyses on the page: the sentences of each, and where they lead.

A new one is a `FurtherPart` among `PARTS`: sentences are functions of the corpus' name and of its tables.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from phonxling.analyses.measures import nearest
from phonxling.core.estimate import SIGNIFICANT
from phonxling.report.numbers import Numbers, Part, Sentence, address, equals, joined, phrase, rounded, said, sentence
from phonxling.tables.files import has_table, table_if_any

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, eq=False, kw_only=True)
class FurtherPart:
    name: str
    title: str
    tables: tuple[str, ...]
    sentences: Callable[[str, Tables], Iterator[Sentence]]
    of: Literal["corpus", "results"] = "corpus"


def _named(corpus: str, gold: object, heard: object) -> Part:
    """Return the gold phone, which leads to where it is heard as something."""
    return Part(str(gold), address(corpus, gold=str(gold), heard=str(heard)))


def _shown(row: Mapping[Any, Any], name: str) -> str:
    return rounded(row[name], row[f"{name}_low"], row[f"{name}_high"])


_NAMES = {
    "TC": "two-category (TC)",
    "SC": "single-category (SC)",
    "CG": "category-goodness (CG)",
    "UC": "uncategorised–categorised (UC)",
    "UU": "uncategorised–uncategorised (UU)",
}
_CONTRASTS = 5  # that are named


def contrast_sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    """Yield how many contrasts are of which type, and which are told apart least."""
    table = tables["contrasts"]
    known = table[table["js"].notna()]
    if known.empty:
        yield sentence(said("contrasts.none"))
        return
    yield sentence(_types(known))
    named = [
        sentence(
            _named(corpus, row["phone"], row["category"]),
            " – ",
            _named(corpus, row["other"], row["other_category"]),
            f" {_shown(row, 'js')}",
        )
        for row in known.sort_values("js", kind="stable").head(_CONTRASTS).to_dict("records")
    ]
    yield phrase("contrasts.least", contrasts=joined(", ", named))


def _types(known: pd.DataFrame) -> str:
    number = f"{len(known)} contrasts" if len(known) > 1 else "1 contrast"
    typed = known[known["type"] != ""]
    if typed.empty:
        return said("contrasts.no_type", number=number)
    counted = typed["type"].value_counts()
    counts = ", ".join(f"{counted[name]} {meaning}" for name, meaning in _NAMES.items() if name in counted)
    if untyped := len(known) - len(typed):
        counts += said("contrasts.untyped", number=untyped)
    return said("contrasts.types", number=number, counts=counts)


_GROUPS = 3  # that are named


def language_sentences(_: str, tables: Tables) -> Iterator[Sentence]:
    """Yield the mean over target languages, and which groups differ from all other languages."""
    rows = tables["language_groups"]
    measure = rows["measure"].iloc[0]
    every, *groups = rows[rows["measure"] == measure].to_dict("records")
    own = {"measure": nearest(measure, "").short or measure, "languages": f"{every['languages']:.0f}"}
    own |= {"mean": rounded(every["value"], every["low"], every["high"])}
    yield sentence(said("languages.mean", note=f" ({every['note']})" * bool(every["note"]), **own))
    for by in ("seen", "family", "group"):
        of = [row for row in groups if row["by"] == by]
        tested = sorted((row for row in of if row["q"] >= 0), key=lambda row: row["q"])
        differ = [row for row in tested if row["q"] < SIGNIFICANT]
        total = sum(row["languages"] for row in of)
        if len(of) == 2:  # both tests are one
            yield from (_group(row, total) for row in tested[:1])
        elif tested:
            yield sentence(
                said("languages.groups", by=by, differ=len(differ), tested=len(tested), q=f"{SIGNIFICANT:g}")
            )
            yield from (_group(row, total) for row in differ[:_GROUPS])


def _group(row: Mapping[Any, Any], total: float) -> Sentence:
    """Return whether a group of languages differs from all others of which the same is known."""
    languages = {"languages": f"{row['languages']:.0f}", "others": f"{total - row['languages']:.0f}"}
    sides = said("languages.sides", group=row["group"], **languages)
    difference = rounded(row["difference"], row["difference_low"], row["difference_high"])
    kind = "differ" if row["q"] < SIGNIFICANT else "alike"
    return sentence(said(f"languages.{kind}", by=row["by"], sides=sides, difference=difference, q=equals(row["q"])))


PARTS = (
    FurtherPart(
        name="languages",
        title="Target languages",
        tables=("language_groups",),
        sentences=language_sentences,
        of="results",
    ),
    FurtherPart(
        name="contrasts",
        title="Perceptual assimilation",
        tables=("contrasts",),
        sentences=contrast_sentences,
    ),
)
StoredPart = tuple[FurtherPart, dict[str, list[Sentence]]]
"""A part, and the sentences of each corpus that has it, by the corpus' name."""


def stored_parts(folder: Path, corpora: Mapping[str, Numbers], parts: Iterable[FurtherPart]) -> list[StoredPart]:
    """Return the parts that a folder of results has; DataError when a table cannot be read."""
    stored = []
    for part in parts:
        found: dict[str, list[Sentence]] = {}
        for corpus in (corpora if part.of == "corpus" else [""]) if has_table(folder, part.tables[0]) else ():
            tables = {name: table_if_any(folder, name, corpus) for name in part.tables}
            if tables[part.tables[0]].empty:
                continue
            if corpus in corpora and not corpora[corpus].is_above_chance:
                found[corpus] = [sentence(said("chance.none"))]
            else:
                found[corpus] = list(part.sentences(corpus, tables))
        if found:
            stored.append((part, found))
    return stored
