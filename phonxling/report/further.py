"""Analyses on the page: the sentences of each, and where they lead.

A new one is a `FurtherPart` among `PARTS`: sentences are functions of the corpus' name and of its tables.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.core.estimate import is_descriptive
from phonxling.report.numbers import Numbers, Part, Sentence, address, joined, sentence
from phonxling.report.rounding import rounded
from phonxling.tables.files import read_table

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, eq=False, kw_only=True)
class FurtherPart:
    name: str
    title: str
    tables: tuple[str, ...]
    sentences: Callable[[str, Tables], Iterator[Sentence]]


def _named(corpus: str, gold: object, heard: object, text: object = None) -> Part:
    """Return a text, the gold phone unless another is given, that leads to where it is heard as something."""
    return Part(str(gold if text is None else text), address(corpus, gold=str(gold), heard=str(heard)))


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

_RARE, _PHONES = 50, 4  # tokens below which a phone is rare; phones that are named
_UNLIKE = 50  # κ below which tokens of one speaker correlate by more than 1/51
_LIKELY = 0.2  # a lower limit from which on an answer is told


def pooling_sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    """Yield for which phones speakers clearly differ, and what the speakers of the language make of rare phones."""
    phones, cells = tables["pooled_phones"], tables["pooled"]
    parts = {"right": "how often they are heard right", "wrong": "what they are heard as when wrong"}
    for part, what in parts.items():
        kappa = f"kappa_{part}"
        known = phones[phones[kappa].notna() & ~phones["note"].map(is_descriptive)]
        low = known[known[f"{kappa}_high"] < _UNLIKE].sort_values(f"{kappa}_high", kind="stable")
        claim = f"Speakers or utterances clearly differ (κ below {_UNLIKE}) in {what}"
        named = [
            sentence(Part(str(row["phone"]), address(corpus, gold=str(row["phone"]))), f" κ {_shown(row, kappa)}")
            for row in low.head(_PHONES).to_dict("records")
        ]
        if named:
            yield sentence(f"{claim} for {len(low)} of {len(known)} phones, first ", joined(", ", named), ".")
        elif len(known):
            yield sentence(f"{claim} for none of {len(known)} phones.")
    few = cells[cells["tokens"] < _RARE]
    number = few["gold"].nunique()
    if not number:
        return
    rare = f"{number} gold phones have" if number > 1 else "1 gold phone has"
    named = []
    likely = few[few["low"] >= _LIKELY].sort_values("low", ascending=False, kind="stable")
    for row in likely.head(_PHONES).to_dict("records"):
        heard = _named(corpus, row["gold"], row["predicted"], f"{row['gold']} as {row['predicted']}")
        tokens = f"{row['tokens']:.0f} token" + "s" * (row["tokens"] > 1)
        limits = rounded(row["pooled"], row["low"], row["high"])
        named.append(sentence(heard, f" {limits} ({row['observed']:.2f} of {tokens})"))
    if named:
        what = "of the language’s speakers on average, with the limits of this mean"
        yield sentence(f"{rare} fewer than {_RARE} tokens. Their surest answers ({what}): ", joined(", ", named), ".")
    else:
        none = "none has an answer that is sure to be one of five or more"
        yield sentence(f"{rare} fewer than {_RARE} tokens; {none}.")


POOLING_PART = FurtherPart(
    name="pooled",
    title="Pooled confusions",
    tables=("pooled_phones", "pooled"),
    sentences=pooling_sentences,
)
PARTS: tuple[FurtherPart, ...] = (
    PART,
    POOLING_PART,
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
        for corpus in corpora:
            files = {name: f"{corpus}/{name}.tsv" for name in part.tables}
            tables = {name: read_table(folder, file) for name, file in files.items() if (folder / file).exists()}
            if part.tables[0] in tables:
                found[corpus] = [sentence(_SILENT)] if corpora[corpus].deaf else list(part.sentences(corpus, tables))
        if found:
            stored.append(StoredPart(part, found))
    return stored
