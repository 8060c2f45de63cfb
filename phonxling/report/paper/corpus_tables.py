"""Tables of one corpus: its phones, features, correspondences, what was not expected, and associations."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from phonxling.report.rounding import probability, rounded
from phonxling.report.typesetting import PaperTable
from phonxling.tables.files import read_table

_LISTED = 3  # phones in a list
_CELLS = 12  # cells that differ from the reference


def tables_of_corpus(folder: Path, corpus: str, signature: str) -> Iterator[tuple[str, PaperTable]]:
    """Yield `<corpus>-<table>` for each table that the corpus has."""
    for name, table in _TABLES.items():
        if (folder / corpus / f"{name}.tsv").exists():
            made = table(read_table(folder, f"{corpus}/{name}.tsv"))
            notes = [*made.notes, *[signature] * bool(signature)]
            yield f"{corpus}-{name}", PaperTable(made.header, made.rows, notes, made.phonetic)


def _phones(table: pd.DataFrame) -> PaperTable:
    """Return gold phones in rows: tokens, accuracy, deletions, entropy, and what they are confused with."""
    rows = [
        [
            row["phone"],
            rounded(row["tokens"]),
            rounded(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
            rounded(row["deletion_rate"]),
            rounded(row["entropy"], row["entropy_low"], row["entropy_high"]),
            row["confused_with"],
        ]
        for row in table[table["side"] == "gold"].to_dict("records")
    ]
    header = ["phone", "tokens", "accuracy", "deleted", "entropy (bits)", "most often confused with"]
    return PaperTable(header, rows, phonetic=frozenset({0, 5}))


def _correspondences(table: pd.DataFrame) -> PaperTable:
    """Return gold phones in rows, each with what it is heard as (shares in brackets) and what is most like it."""
    chosen = table[(table["given"] == "gold") & (table["rank"] <= _LISTED)]
    rows = [
        [
            str(phone),
            ", ".join(f"{x} ({rounded(p)})" for x, p in zip(own["heard_as"], own["heard_as_share"], strict=True) if x),
            ", ".join(x for x in own["most_similar"] if x),
        ]
        for phone, own in chosen.groupby("phone", sort=False)
    ]
    notes = ["Shares are of the tokens that were not deleted. The phone itself may be in either list."]
    return PaperTable(["phone", "most often heard as", "most similar by features"], rows, notes, frozenset({0, 1, 2}))


def _features(table: pd.DataFrame) -> PaperTable:
    """Return features in rows: how often substitutions change them, their part of the rate, what is transmitted.

    Features that never change and tell nothing are left out, as they are in the figure.
    """
    changing = table[(table["changed"] != 0) | (table["transfer_corrected"] > 0)]
    rows = [
        [
            row["feature"],
            *(rounded(row[name]) for name in ("changed", "plus_to_minus", "minus_to_plus", "share_of_wper")),
            rounded(row["transfer_corrected"], row["transfer_low"], row["transfer_high"]),
        ]
        for row in changing.to_dict("records")
    ]
    header = ["feature", "changed", "+ to −", "− to +", "share of wPER", "transmitted"]
    notes = ["Changes are shares of the substituted pairs; transmitted is I(F;F′)/H(F), corrected for few tokens."]
    return PaperTable(header, rows, notes)


def _expected(table: pd.DataFrame) -> PaperTable:
    """Return the tested cells that are farthest from what the reference leads one to expect, the farthest first."""
    tested = table[table["q"].notna()]
    order = tested["residual"].abs().sort_values(ascending=False, kind="stable").index
    rows = [
        [
            row["gold"],
            row["predicted"],
            rounded(row["observed"]),
            rounded(row["expected"]),
            rounded(row["residual"], row["low"], row["high"]),
            probability(row["q"]),
        ]
        for row in tested.loc[order[:_CELLS]].to_dict("records")
    ]
    notes = [
        f"The {len(rows)} of {len(tested)} tested cells that are farthest from what is expected; joint probabilities."
    ]
    return PaperTable(
        ["gold", "predicted", "observed", "expected", "residual", "q"], rows, notes, phonetic=frozenset({0, 1})
    )


def _association(table: pd.DataFrame) -> PaperTable:
    """Return gold phones in rows, each with the recognised phone that it is most associated with."""
    strongest = table[table["npmi"].notna()].sort_values("npmi", ascending=False, kind="stable")
    first = strongest.drop_duplicates("gold").sort_index()
    rows = [
        [row["gold"], row["recognised"], rounded(row["pmi"]), rounded(row["npmi"], row["low"], row["high"]), q]
        for row in first.to_dict("records")
        for q in [probability(row["q"])]
    ]
    notes = ["The recognised phone of the highest NPMI for each gold phone, from posteriors."]
    return PaperTable(["gold", "recognised", "PMI (bits)", "NPMI", "q"], rows, notes, frozenset({0, 1}))


_TABLES: Mapping[str, Callable[[pd.DataFrame], PaperTable]] = {
    "phones": _phones,
    "correspondences": _correspondences,
    "features": _features,
    "expected": _expected,
    "association": _association,
}
