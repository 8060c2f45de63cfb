"""The parts that a folder of results has, with their sentences."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from phonxling.report.findings.sentence import Sentence
from phonxling.report.further.part import FurtherPart, Tables
from phonxling.tables.files import read_table


@dataclass(frozen=True, eq=False)
class StoredPart:
    """A part with the sentences of each corpus that has it by the corpus' name, "" for all corpora together."""

    part: FurtherPart
    sentences: dict[str, list[Sentence]]


def stored_parts(folder: Path, corpora: Iterable[str], parts: Iterable[FurtherPart]) -> list[StoredPart]:
    """Return the parts that a folder of results has; DataError when a table cannot be read."""
    names = list(corpora)
    stored = [StoredPart(part, dict(_sentences(folder, names, part))) for part in parts]
    return [one for one in stored if one.sentences]


def _sentences(folder: Path, corpora: list[str], part: FurtherPart) -> Iterator[tuple[str, list[Sentence]]]:
    for corpus in corpora if part.of == "corpus" else [""]:
        tables = _tables(folder, f"{corpus}/" if corpus else "", part)
        if part.tables[0] in tables:
            yield corpus, list(part.sentences(corpus, tables))


def _tables(folder: Path, within: str, part: FurtherPart) -> Tables:
    files = {name: f"{within}{name}.tsv" for name in part.tables}
    return {name: read_table(folder, file) for name, file in files.items() if (folder / file).exists()}
