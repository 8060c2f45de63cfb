"""Corpora of text, an utterance a row: workload W, written in blocks of 20,000."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from scale.workload import PHONES, Side, blocks

CONFIGURATION = """\
corpora:
  made:
    gold: {path: gold.tsv}
    predicted: {path: predicted.tsv}
"""


def write_text(folder: Path, utterances: int) -> Path:
    """Write gold.tsv and predicted.tsv and the configuration that names them, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [(folder / f"{side}.tsv").open("w", encoding="utf-8") for side in ("gold", "predicted")]
    with files[0] as gold, files[1] as predicted:
        first = 0
        for said, heard in blocks(utterances):
            gold.writelines(_rows(said, first))
            predicted.writelines(_rows(heard, first))
            first += len(said.offsets) - 1
    configuration = folder / "made.yaml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    return configuration


def name_of(number: int) -> str:
    """Return an utterance's id, u00000007 for 7."""
    return f"u{number:08}"


def _rows(side: Side, first: int) -> Iterator[str]:
    """Yield the lines of a side's utterances, of which the first has this number; above number 0 there is a header."""
    if not first:
        yield "utterance\tphones\n"
    phones = [PHONES[code] for code in side.codes.tolist()]
    for number, (start, stop) in enumerate(pairwise(side.offsets.tolist()), start=first):
        yield f"{name_of(number)}\t{' '.join(phones[start:stop])}\n"
