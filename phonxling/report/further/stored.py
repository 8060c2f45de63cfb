"""The parts that a folder of results has, with their sentences."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from phonxling.report.findings.numbers import Numbers
from phonxling.report.findings.sentence import Sentence, sentence
from phonxling.report.further.part import FurtherPart, Tables
from phonxling.tables.files import read_table

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
