"""Pooled confusions on the page: for which phones speakers differ, and what rare phones are heard as."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from phonxling.core.estimate import is_descriptive
from phonxling.report.findings.sentence import Part, Sentence, address, joined, sentence
from phonxling.report.further.part import FurtherPart, Tables
from phonxling.report.rounding import rounded

_RARE, _NAMED = 50, 4  # tokens below which a phone is rare; phones that are named
_UNLIKE = 50  # κ below which tokens of one speaker correlate by more than 1/51
_LIKELY = 0.2  # a lower limit from which on an answer is told


def pooling_sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    """Yield for which phones speakers clearly differ, and what the speakers of the language make of rare phones."""
    phones, cells = tables["pooled_phones"], tables["pooled"]
    yield from _unlike(corpus, phones, "right", "how often they are heard right")
    yield from _unlike(corpus, phones, "wrong", "what they are heard as when wrong")
    yield from _rare(corpus, cells)


def _unlike(corpus: str, phones: pd.DataFrame, part: str, what: str) -> Iterator[Sentence]:
    """Yield how many phones have a κ whose upper limit is low, and the first of them."""
    known = phones[phones[f"kappa_{part}"].notna() & ~phones["note"].map(is_descriptive)]
    if known.empty:
        return
    low = known[known[f"kappa_{part}_high"] < _UNLIKE].sort_values(f"kappa_{part}_high", kind="stable")
    claim = f"Speakers or utterances clearly differ (κ below {_UNLIKE}) in {what}"
    if low.empty:
        yield sentence(f"{claim} for none of {len(known)} phones.")
        return
    named = [
        sentence(Part(str(row["phone"]), address(corpus, gold=str(row["phone"]))), f" {_kappa(row, part)}")
        for row in low.head(_NAMED).to_dict("records")
    ]
    yield sentence(f"{claim} for {len(low)} of {len(known)} phones, first ", joined(", ", named), ".")


def _kappa(row: Mapping[Any, Any], part: str) -> str:
    name = f"kappa_{part}"
    return f"κ {rounded(row[name], row[f'{name}_low'], row[f'{name}_high'])}"


def _rare(corpus: str, cells: pd.DataFrame) -> Iterator[Sentence]:
    """Yield the likely answers of rare phones, with their limits."""
    few = cells[cells["tokens"] < _RARE]
    number = few["gold"].nunique()
    if not number:
        return
    likely = few[few["low"] >= _LIKELY].sort_values("low", ascending=False, kind="stable").head(_NAMED)
    phones = f"{number} gold phones have" if number > 1 else "1 gold phone has"
    if likely.empty:
        yield sentence(
            f"{phones} fewer than {_RARE} tokens; none has an answer that is sure to be one of five or more."
        )
        return
    named = [sentence(_heard(corpus, row), f" {_share(row)}") for row in likely.to_dict("records")]
    what = "of the language’s speakers on average, with the limits of this mean"
    yield sentence(f"{phones} fewer than {_RARE} tokens. Their surest answers ({what}): ", joined(", ", named), ".")


def _heard(corpus: str, row: Mapping[Any, Any]) -> Part:
    gold, heard = str(row["gold"]), str(row["predicted"])
    return Part(f"{gold} as {heard}", address(corpus, gold=gold, heard=heard))


def _share(row: Mapping[Any, Any]) -> str:
    tokens = f"{row['tokens']:.0f} token" + "s" * (row["tokens"] > 1)
    return f"{rounded(row['pooled'], row['low'], row['high'])} ({row['observed']:.2f} of {tokens})"


PART = FurtherPart(
    name="pooled",
    title="Pooled confusions",
    tables=("pooled_phones", "pooled"),
    columns=("phone", "tokens", "wrong", "clusters", "kappa_right", "kappa_wrong", "own_right", "own_wrong", "note"),
    sentences=pooling_sentences,
    sort="kappa_right",
    links={"phone": {"gold": "phone"}},
)
