"""An analysis on the page: its sentences and the columns of its table, each with where it leads."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from phonxling.core.estimate import is_descriptive
from phonxling.report.numbers import Numbers, Part, Sentence, address, joined, sentence
from phonxling.report.rounding import rounded
from phonxling.tables.files import read_table

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, eq=False, kw_only=True)
class FurtherPart:
    """An analysis on the page."""

    name: str
    title: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    sentences: Callable[[str, Tables], Iterator[Sentence]]
    of: Literal["corpus", "results"] = "corpus"
    interval: str = ""
    sort: str = ""
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def shown(self) -> Mapping[str, object]:
        """What the page's scripts need to show the table."""
        return {
            "name": self.name,
            "table": f"{self.tables[0]}.tsv",
            "of": self.of,
            "columns": self.columns,
            "interval": self.interval,
            "sort": self.sort,
            "links": {column: dict(state) for column, state in self.links.items()},
        }


# Contrasts on the page: how many are of each type of assimilation, and which are told apart least.

_NAMES = {
    "TC": "two-category (TC)",
    "SC": "single-category (SC)",
    "CG": "category-goodness (CG)",
    "UC": "uncategorised–categorised (UC)",
    "UU": "uncategorised–uncategorised (UU)",
}
_SURE, _NAMED = 0.8, 5  # share of replicates; contrasts that are named


def assimilation_sentences(corpus: str, tables: Tables) -> Iterator[Sentence]:
    """Yield how many contrasts are of which type, as far as that is sure, and which are told apart least."""
    table = tables["assimilation"]
    known = table[table["js"].notna()]
    if known.empty:
        yield sentence("No contrast has tokens enough.")
        return
    yield _types(known)
    yield _least(corpus, known)


def _types(known: pd.DataFrame) -> Sentence:
    number = f"{len(known)} contrasts" if len(known) > 1 else "1 contrast"
    typed = known[known["type"].fillna("").ne("")]
    if typed.empty:
        return sentence(f"{number}, none with a type: no phone is shown to be heard so more often than all are.")
    judged = typed[~typed["note"].map(is_descriptive) & typed["probability"].notna()]
    if judged.empty:
        why = "there are too few speakers or utterances, or no replicates, to say how sure that is"
        return sentence(f"Of {number}, in these data, {_counts(typed['type'])}{_without(known, typed)}; {why}.")
    sure = judged.loc[judged["probability"] >= _SURE, "type"]
    agree = f"{100 * _SURE:.0f} % of the replicates or more"
    if sure.empty:
        return sentence(f"Of {number}, none has a type that {agree} agree on.")
    verb = "has" if len(sure) == 1 else "have"
    shown = f"{len(sure)} {verb} a type that {agree} agree on: {_counts(sure)}"
    return sentence(f"Of {number}, {shown}{_without(known, typed)}.")


def _without(known: pd.DataFrame, typed: pd.DataFrame) -> str:
    """Return how many contrasts have no type, "" if none."""
    number = len(known) - len(typed)
    return f"; {number} without a type, because a phone may be heard as all phones are" if number else ""


def _counts(types: "pd.Series[str]") -> str:
    numbers = types.value_counts()
    return ", ".join(f"{numbers[name]} {meaning}" for name, meaning in _NAMES.items() if name in numbers)


def _least(corpus: str, known: pd.DataFrame) -> Sentence:
    """Return the contrasts of least divergence, with its interval: one that holds 0 tells of no difference."""
    rows = known.sort_values("js", kind="stable").head(_NAMED).to_dict("records")
    named = [
        sentence(_heard(corpus, row, ""), " – ", _heard(corpus, row, "_other"), f" {_divergence(row)}") for row in rows
    ]
    what = "Jensen–Shannon divergence of what they are heard as, in bits; an interval from 0 tells of no difference"
    return sentence(f"Told apart least ({what}): ", joined(", ", named), ".")


def _heard(corpus: str, row: Mapping[Any, Any], suffix: str) -> Part:
    phone = str(row["other" if suffix else "phone"])
    return Part(phone, address(corpus, gold=phone, heard=str(row[f"category{suffix}"])))


def _divergence(row: Mapping[Any, Any]) -> str:
    return rounded(row["js"], row["js_low"], row["js_high"])


PART = FurtherPart(
    name="assimilation",
    title="Perceptual assimilation",
    tables=("assimilation",),
    columns=(
        "phone",
        "other",
        "distance",
        "type",
        "probability",
        "category",
        "p_category",
        "category_other",
        "p_category_other",
        "js",
        "overlap",
        "overlap_null",
    ),
    sentences=assimilation_sentences,
    links={
        "category": {"gold": "phone", "heard": "category"},
        "category_other": {"gold": "other", "heard": "category_other"},
    },
)


# Pooled confusions on the page: for which phones speakers differ, and what rare phones are heard as.

_RARE, _POOLING_NAMED = 50, 4  # tokens below which a phone is rare; phones that are named
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
        for row in low.head(_POOLING_NAMED).to_dict("records")
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
    likely = few[few["low"] >= _LIKELY].sort_values("low", ascending=False, kind="stable").head(_POOLING_NAMED)
    phones = f"{number} gold phones have" if number > 1 else "1 gold phone has"
    if likely.empty:
        yield sentence(
            f"{phones} fewer than {_RARE} tokens; none has an answer that is sure to be one of five or more."
        )
        return
    named = [sentence(_pooling_heard(corpus, row), f" {_share(row)}") for row in likely.to_dict("records")]
    what = "of the language’s speakers on average, with the limits of this mean"
    yield sentence(f"{phones} fewer than {_RARE} tokens. Their surest answers ({what}): ", joined(", ", named), ".")


def _pooling_heard(corpus: str, row: Mapping[Any, Any]) -> Part:
    gold, heard = str(row["gold"]), str(row["predicted"])
    return Part(f"{gold} as {heard}", address(corpus, gold=gold, heard=heard))


def _share(row: Mapping[Any, Any]) -> str:
    tokens = f"{row['tokens']:.0f} token" + "s" * (row["tokens"] > 1)
    return f"{rounded(row['pooled'], row['low'], row['high'])} ({row['observed']:.2f} of {tokens})"


POOLING_PART = FurtherPart(
    name="pooled",
    title="Pooled confusions",
    tables=("pooled_phones", "pooled"),
    columns=("phone", "tokens", "wrong", "clusters", "kappa_right", "kappa_wrong", "own_right", "own_wrong", "note"),
    sentences=pooling_sentences,
    sort="kappa_right",
    links={"phone": {"gold": "phone"}},
)


# The analyses that the page shows where an experiment has them: a new one is its module and a line here.

PARTS: tuple[FurtherPart, ...] = (
    PART,
    POOLING_PART,
)


# The parts that a folder of results has, with their sentences.

_SILENT = "Nothing shows that anything was heard, so nothing can be said here."


@dataclass(frozen=True, eq=False)
class StoredPart:
    """A part with the sentences of each corpus that has it by the corpus' name, "" for all corpora together."""

    part: FurtherPart
    sentences: dict[str, list[Sentence]]


def stored_parts(folder: Path, corpora: Mapping[str, Numbers], parts: Iterable[FurtherPart]) -> list[StoredPart]:
    """Return the parts that a folder of results has; DataError when a table cannot be read."""
    stored = [StoredPart(part, dict(_sentences(folder, corpora, part))) for part in parts]
    return [one for one in stored if one.sentences]


def _sentences(folder: Path, corpora: Mapping[str, Numbers], part: FurtherPart) -> Iterator[tuple[str, list[Sentence]]]:
    for corpus in corpora if part.of == "corpus" else [""]:
        tables = _tables(folder, f"{corpus}/" if corpus else "", part)
        if part.tables[0] in tables:
            deaf = corpus in corpora and corpora[corpus].deaf
            yield corpus, [sentence(_SILENT)] if deaf else list(part.sentences(corpus, tables))


def _tables(folder: Path, within: str, part: FurtherPart) -> Tables:
    files = {name: f"{within}{name}.tsv" for name in part.tables}
    return {name: read_table(folder, file) for name, file in files.items() if (folder / file).exists()}
