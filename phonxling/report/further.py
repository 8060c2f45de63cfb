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
from phonxling.tables.files import read_table

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


def assimilation_sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    """Yield how many contrasts are of which type, and which are told apart least."""
    table = tables["assimilation"]
    known = table[table["js"].notna()]
    if known.empty:
        yield sentence(said("assimilation.none"))
        return
    yield sentence(_types(known))
    named = [
        sentence(
            _named(corpus, row["phone"], row["category"]),
            " – ",
            _named(corpus, row["other"], row["category_other"]),
            f" {_shown(row, 'js')}",
        )
        for row in known.sort_values("js", kind="stable").head(_CONTRASTS).to_dict("records")
    ]
    yield phrase("assimilation.least", contrasts=joined(", ", named))


def _types(known: pd.DataFrame) -> str:
    number = f"{len(known)} contrasts" if len(known) > 1 else "1 contrast"
    typed = known[known["type"].fillna("").ne("")]
    if typed.empty:
        return said("assimilation.no_type", number=number)
    counted = typed["type"].value_counts()
    counts = ", ".join(f"{counted[name]} {meaning}" for name, meaning in _NAMES.items() if name in counted)
    if untyped := len(known) - len(typed):
        counts += said("assimilation.untyped", number=untyped)
    return said("assimilation.types", number=number, counts=counts)


_PAIRS = 3  # of groups that are named


def language_sentences(_: str, tables: Tables) -> Iterator[Sentence]:
    """Yield the mean over target languages, and which groups differ."""
    means, rows = tables["language_means"], tables["languages"]
    if rows.empty:
        return
    measure = str(rows["measure"].iloc[0])
    every = means[(means["measure"] == measure) & means["by"].eq("")].to_dict("records")[0]
    families = said("languages.no_families")
    if not pd.isna(every["families"]):
        families = said("languages.clusters", families=f"{every['families']:.0f}")
    own = {"measure": nearest(measure, "").short or measure, "languages": f"{every['languages']:.0f}"}
    mean = rounded(every["value"], every["low"], every["high"])
    yield sentence(said("languages.mean", mean=mean, clusters=families, **own))
    tests = tables.get("language_tests", means.head(0).assign(q=[], first=[]))
    tests = tests[tests["measure"] == measure]
    yield from map(_groups, tests[tests["by"] == "seen"].to_dict("records"))
    for by in ("family", "group"):
        tested = tests[(tests["by"] == by) & tests["q"].notna()].sort_values("q", kind="stable")
        differ = tested[tested["q"] < SIGNIFICANT]
        if len(tested):
            pairs = {"by": by, "differ": len(differ), "pairs": len(tested), "q": f"{SIGNIFICANT:g}"}
            yield sentence(said("languages.pairs", **pairs))
        yield from map(_groups, differ.head(_PAIRS).to_dict("records"))


def _groups(row: Mapping[Any, Any]) -> Sentence:
    """Return whether two groups of languages differ."""
    languages = {"languages": f"{row['languages']:.0f}", "others": f"{row['other_languages']:.0f}"}
    sides = said("languages.sides", first=row["first"], second=row["second"], **languages)
    own = {"difference": rounded(row["difference"], row["low"], row["high"]), "q": equals(row["q"])}
    return sentence(
        said(f"languages.{'differ' if row['q'] < SIGNIFICANT else 'alike'}", by=row["by"], sides=sides, **own)
    )


PARTS = (
    FurtherPart(
        name="languages",
        title="Target languages",
        tables=("languages", "language_means", "language_tests"),
        sentences=language_sentences,
        of="results",
    ),
    FurtherPart(
        name="assimilation",
        title="Perceptual assimilation",
        tables=("assimilation",),
        sentences=assimilation_sentences,
    ),
)
StoredPart = tuple[FurtherPart, dict[str, list[Sentence]]]
"""A part, and the sentences of each corpus that has it, by the corpus' name."""


def stored_parts(folder: Path, corpora: Mapping[str, Numbers], parts: Iterable[FurtherPart]) -> list[StoredPart]:
    """Return the parts that a folder of results has; DataError when a table cannot be read."""
    stored = []
    for part in parts:
        found: dict[str, list[Sentence]] = {}
        for corpus in corpora if part.of == "corpus" else [""]:
            files = {name: f"{corpus}/{name}.tsv" if corpus else f"{name}.tsv" for name in part.tables}
            tables = {name: read_table(folder, file) for name, file in files.items() if (folder / file).exists()}
            if part.tables[0] in tables:
                if corpus in corpora and not corpora[corpus].is_above_chance:
                    found[corpus] = [sentence(said("chance.none"))]
                else:
                    found[corpus] = list(part.sentences(corpus, tables))
        if found:
            stored.append((part, found))
    return stored
