"""Analyses on the page: the sentences of each, and where they lead.

A new one is a `FurtherPart` among `PARTS`: sentences are functions of the corpus' name and of its tables.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from phonxling.core.estimate import is_descriptive
from phonxling.report.numbers import Numbers, Part, Sentence, address, joined, sentence
from phonxling.report.rounding import rounded
from phonxling.resample.p_values import SIGNIFICANT
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
_SURE, _CONTRASTS = 0.8, 5  # share of replicates; contrasts that are named


def assimilation_sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    """Yield how many contrasts are of which type, as far as that is sure, and which are told apart least."""
    table = tables["assimilation"]
    known = table[table["js"].notna()]
    if known.empty:
        yield sentence("No contrast has tokens enough.")
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
    what = "Jensen–Shannon divergence of what they are heard as, in bits; an interval from 0 tells of no difference"
    yield sentence(f"Told apart least ({what}): ", joined(", ", named), ".")


def _types(known: pd.DataFrame) -> str:
    number = f"{len(known)} contrasts" if len(known) > 1 else "1 contrast"
    typed = known[known["type"].fillna("").ne("")]
    if typed.empty:
        return f"{number}, none with a type: no phone is shown to be heard so more often than all are."
    judged = typed[~typed["note"].map(is_descriptive) & typed["probability"].notna()]
    sure = judged.loc[judged["probability"] >= _SURE, "type"]
    agree = f"{100 * _SURE:.0f} % of the replicates or more"
    if sure.empty and not judged.empty:
        return f"Of {number}, none has a type that {agree} agree on."
    counted = (typed["type"] if judged.empty else sure).value_counts()
    counts = ", ".join(f"{counted[name]} {meaning}" for name, meaning in _NAMES.items() if name in counted)
    if untyped := len(known) - len(typed):
        counts += f"; {untyped} without a type, because a phone may be heard as all phones are"
    if judged.empty:
        why = "there are too few speakers or utterances, or no replicates, to say how sure that is"
        return f"Of {number}, in these data, {counts}; {why}."
    verb = "has" if len(sure) == 1 else "have"
    return f"Of {number}, {len(sure)} {verb} a type that {agree} agree on: {counts}."


PART = FurtherPart(
    name="assimilation",
    title="Perceptual assimilation",
    tables=("assimilation",),
    sentences=assimilation_sentences,
)

_PAIRS = 3  # of groups that are named


def language_sentences(_: str, tables: Tables) -> Iterator[Sentence]:
    """Yield the mean over target languages, how far they differ beyond sampling, and which groups differ."""
    means, rows = tables["language_means"], tables["languages"]
    if rows.empty:
        return
    measure = str(rows["measure"].iloc[0])
    every = means[(means["measure"] == measure) & means["by"].eq("")].to_dict("records")[0]
    name, clusters = "wPER" if measure == "wper" else measure, ""
    if every["families"] == every["families"]:
        clusters = f", with {every['families']:.0f} families as clusters"
    mean = rounded(every["value"], every["low"], every["high"])
    text = f"The mean {name} of {every['languages']:.0f} target languages is {mean}{clusters}."
    if every["i2"] == every["i2"]:
        limits = rounded(every["pooled"], every["next_low"], every["next_high"])
        text += f" {every['i2']:.0%} of the variance between languages is no sampling. A further language: {limits}."
    yield sentence(text)
    own = rows[(rows["measure"] == measure) & rows["rank_low"].notna()].sort_values("rank")
    ranks = [
        f"{row['name']} (rank {row['rank_low']:.0f} to {row['rank_high']:.0f})"
        for row in own.head(5).to_dict("records")
    ]
    if ranks:
        yield sentence(f"The best of {len(own)}, with the limits of their ranks: {', '.join(ranks)}.")
    tests = tables.get("language_tests", means.head(0).assign(q=[], first=[]))
    tests = tests[tests["measure"] == measure]
    yield from map(_apart, tests[tests["by"] == "seen"].to_dict("records"))
    for by in ("family", "group"):
        own = tests[(tests["by"] == by) & tests["q"].notna()].sort_values("q", kind="stable")
        differ = own[own["q"] < SIGNIFICANT]
        if len(own):
            yield sentence(f"By {by}, {len(differ)} of {len(own)} pairs of groups differ (q < {SIGNIFICANT:g}).")
        yield from map(_apart, differ.head(_PAIRS).to_dict("records"))


def _apart(row: Mapping[Any, Any]) -> Sentence:
    claim = "differ" if row["q"] < SIGNIFICANT else "are not told apart"
    sides = f"{row['first']} ({row['languages']:.0f}) and {row['second']} ({row['other_languages']:.0f})"
    limits, q = (
        rounded(row["difference"], row["low"], row["high"]),
        "< 0.001" if row["q"] < 0.001 else f"{row['q']:.2g}",
    )
    return sentence(f"By {row['by']}, {sides} {claim}: difference {limits}, q {q}.")


LANGUAGES_PART = FurtherPart(
    name="languages",
    title="Target languages",
    tables=("languages", "language_means", "language_tests"),
    sentences=language_sentences,
    of="results",
)
PARTS: tuple[FurtherPart, ...] = (
    LANGUAGES_PART,
    PART,
)
_SILENT = "Nothing shows that anything was heard, so nothing can be said here."


@dataclass(frozen=True, eq=False)
class StoredPart:
    """A part with the sentences of each corpus that has it, by the corpus' name."""

    part: FurtherPart
    sentences: dict[str, list[Sentence]]


def stored_parts(folder: Path, corpora: Mapping[str, Numbers], parts: Iterable[FurtherPart]) -> list[StoredPart]:
    """Return the parts that a folder of results has; DataError when a table cannot be read."""
    stored = []
    for part in parts:
        found: dict[str, list[Sentence]] = {}
        for corpus in corpora if part.of == "corpus" else [""]:
            files = {name: f"{corpus}/{name}.tsv" if corpus else f"{name}.tsv" for name in part.tables}
            tables = {name: read_table(folder, file) for name, file in files.items() if (folder / file).exists()}
            if part.tables[0] in tables:
                deaf = corpus in corpora and corpora[corpus].deaf
                found[corpus] = [sentence(_SILENT)] if deaf else list(part.sentences(corpus, tables))
        if found:
            stored.append(StoredPart(part, found))
    return stored
