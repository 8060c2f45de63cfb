"""tables/: the summary and each corpus' phones as LaTeX and Markdown, from the stored tables."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import headline
from phonxling.core.files import write_bytes
from phonxling.report.rounding import rounded
from phonxling.report.typesetting import PaperTable, latex, markdown
from phonxling.store.journal import note
from phonxling.tables.files import read_table

_WRITERS = {"tex": latex, "md": markdown}
_CORRESPONDENCES = ["phone", "most often heard as", "most similar by features"]
_LISTED = 3  # phones in a list
_PHONES = ["phone", "tokens", "accuracy", "deleted", "entropy (bits)", "most often heard as"]


def write_paper_tables(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Write the paper's tables below a folder of results, and return them; DataError when a table cannot be read."""
    files = []
    for name, table in _paper_tables(folder, list(manifest["configuration"]["corpora"])):
        for ending, text in _WRITERS.items():
            file = f"tables/{name}.{ending}"
            note(folder, [file])
            write_bytes(folder / file, text(table).encode())
            files.append(folder / file)
    return files


def _paper_tables(folder: Path, corpora: list[str]) -> Iterator[tuple[str, PaperTable]]:
    """Yield `summary`, and `<corpus>-phones` and `<corpus>-correspondences` of each corpus that has such tables."""
    summary = read_table(folder, "summary.tsv")
    signatures = {corpus: _signature(summary[summary["corpus"] == corpus]) for corpus in corpora}
    yield "summary", _summary(summary, signatures)
    for corpus, signature in signatures.items():
        if (folder / corpus / "phones.tsv").exists():
            yield f"{corpus}-phones", _phones(read_table(folder, f"{corpus}/phones.tsv"), signature)
        if (folder / corpus / "correspondences.tsv").exists():
            table = read_table(folder, f"{corpus}/correspondences.tsv")
            yield f"{corpus}-correspondences", _correspondences(table, signature)


def _summary(summary: pd.DataFrame, signatures: Mapping[str, str]) -> PaperTable:
    """Return the headline measures in rows and corpora in columns, each value with its interval."""
    values = {
        (row["corpus"], row["measure"], row["variant"]): rounded(row["value"], row["low"], row["high"])
        for row in summary.to_dict("records")
    }
    rows = [
        [
            f"{measure.title} ({measure.variant})" if measure.variant else measure.title,
            *(values.get((corpus, measure.name, measure.variant), "") for corpus in signatures),
        ]
        for measure in headline()
    ]
    level = summary["level"].dropna()
    notes = [f"In brackets: {100 * level.iloc[0]:g} % confidence intervals."] if len(level) else []
    notes += [f"{corpus}: {signature}" for corpus, signature in signatures.items()]
    return PaperTable(["measure", *signatures], [row for row in rows if any(row[1:])], notes)


def _phones(phones: pd.DataFrame, signature: str) -> PaperTable:
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
        for row in phones[phones["side"] == "gold"].to_dict("records")
    ]
    return PaperTable(_PHONES, rows, [signature] * bool(signature), frozenset({0, 5}))


def _correspondences(table: pd.DataFrame, signature: str) -> PaperTable:
    """Return gold phones in rows, each with what it is heard as (shares in brackets) and what is most like it."""
    chosen = table[(table["given"] == "gold") & (table["rank"] <= _LISTED)]
    rows = [
        [
            str(phone),
            ", ".join(f"{x} ({rounded(p)})" for x, p in zip(own["heard_as"], own["heard_as_p"], strict=True) if x),
            ", ".join(x for x in own["most_similar"] if x),
        ]
        for phone, own in chosen.groupby("phone", sort=False)
    ]
    notes = ["Shares are of the tokens that were not deleted. The phone itself may be in either list."]
    return PaperTable(_CORRESPONDENCES, rows, [*notes, *[signature] * bool(signature)], frozenset({0, 1, 2}))


def _signature(rows: pd.DataFrame) -> str:
    """Return the signature of a corpus' weighted rate, or its first where it has no such rate."""
    weighted = rows.loc[rows["measure"] == "wper", "signature"]
    return next(iter([*weighted, *rows["signature"]]), "")
