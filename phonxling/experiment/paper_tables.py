"""tables/: the summary and each corpus' phones as LaTeX and Markdown, from the stored tables."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.headline import HEADLINE
from phonxling.core.files import write_bytes
from phonxling.report.definitions import definition_of
from phonxling.report.paper_tables import PaperTable, latex, markdown
from phonxling.report.rounding import rounded
from phonxling.store.journal import note
from phonxling.tables.files import read_table

_WRITERS = {"tex": latex, "md": markdown}


def write_paper_tables(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Write the paper's tables below a folder of results, and return them; DataError when a table cannot be read."""
    files = []
    for name, table in paper_tables(folder, manifest):
        for ending, text in _WRITERS.items():
            path = folder / "tables" / f"{name}.{ending}"
            note(folder, [path.relative_to(folder).as_posix()])
            write_bytes(path, text(table).encode())
            files.append(path)
    return files


def paper_tables(folder: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, PaperTable]]:
    """Yield `summary`, and `<corpus>-phones` of each corpus that has phones."""
    summary = read_table(folder, "summary.tsv")
    corpora = list(manifest["configuration"]["corpora"])
    yield "summary", summary_of(summary, corpora)
    for corpus in corpora:
        file = f"{corpus}/phones.tsv"
        if (folder / file).exists():
            yield f"{corpus}-phones", phones_of(read_table(folder, file), _signature(summary, corpus, "wper"))


def summary_of(summary: pd.DataFrame, corpora: list[str]) -> PaperTable:
    """Return the headline measures in rows and corpora in columns, each value with its interval."""
    values = {
        (corpus, measure, variant): rounded(value, low, high)
        for corpus, measure, variant, value, low, high in zip(
            *(summary[name] for name in ("corpus", "measure", "variant", "value", "low", "high")), strict=True
        )
    }
    rows = [
        [_title(measure, variant), *(values.get((corpus, measure, variant), "") for corpus in corpora)]
        for measure, variant in HEADLINE
    ]
    level = summary["level"].dropna()
    said = [f"In brackets: {100 * level.iloc[0]:g} % confidence intervals."] if len(level) else []
    signatures = [f"{corpus}: {_signature(summary, corpus, 'wper')}" for corpus in corpora]
    return PaperTable(["measure", *corpora], [row for row in rows if any(row[1:])], [*said, *signatures])


def phones_of(phones: pd.DataFrame, signature: str) -> PaperTable:
    """Return gold phones in rows: tokens, accuracy, deletions, entropy, and what they are confused with."""
    gold = phones[phones["side"] == "gold"]
    rows = [
        [
            row["phone"],
            rounded(row["tokens"]),
            rounded(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
            rounded(row["deletion_rate"]),
            rounded(row["entropy"], row["entropy_low"], row["entropy_high"]),
            row["confused_with"],
        ]
        for row in gold.to_dict("records")
    ]
    header = ["phone", "tokens", "accuracy", "deleted", "entropy (bits)", "most often heard as"]
    return PaperTable(header, rows, [signature] * bool(signature), frozenset({0, 5}))


def _title(measure: str, variant: str) -> str:
    known = definition_of(measure)
    title = known.title if known else measure.replace("_", " ")
    return f"{title} ({variant})" if variant else title


def _signature(summary: pd.DataFrame, corpus: str, measure: str) -> str:
    chosen = summary[summary["corpus"] == corpus]
    named = chosen.loc[chosen["measure"] == measure, "signature"]
    return str(named.iloc[0]) if len(named) else next(iter(chosen["signature"]), "")
