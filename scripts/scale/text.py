"""A corpus of text: gold and predicted phones of workload W, an utterance a row, written in blocks of 20,000."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks.workload import PHONES, Side, blocks

_PHONES = "corpora:\n  made:\n    gold: {{path: {gold}}}\n    predicted: {{path: {predicted}}}\n"


def write_text(folder: Path, utterances: int, speakers: int = 0) -> Path:
    """Write gold.tsv and predicted.tsv and the configuration that names them, and return its path.

    With `speakers` the gold side names one of so many in each row.
    """
    folder.mkdir(parents=True, exist_ok=True)
    header = {"gold": "utterance\tspeaker\tphones\n" if speakers else "utterance\tphones\n"}
    files = {side: (folder / f"{side}.tsv").open("w", encoding="utf-8") for side in ("gold", "predicted")}
    with files["gold"] as gold, files["predicted"] as predicted:
        gold.write(header["gold"])
        predicted.write("utterance\tphones\n")
        first = 0
        for said, heard in blocks(utterances):
            gold.writelines(_rows(said, first, speakers))
            predicted.writelines(_rows(heard, first, 0))
            first += len(said.offsets) - 1
    configuration = folder / "made.yaml"
    configuration.write_text(_PHONES.format(gold="gold.tsv", predicted="predicted.tsv"), encoding="utf-8")
    return configuration


def name_of(number: int) -> str:
    """Return an utterance's id.

    Examples
    --------
    >>> name_of(7)
    'u00000007'
    """
    return f"u{number:08}"


def _rows(side: Side, first: int, speakers: int) -> Iterator[str]:
    phones = [PHONES[code] for code in side.codes.tolist()]
    for number, (start, stop) in enumerate(pairwise(side.offsets.tolist()), start=first):
        speaker = f"s{number % speakers:05}\t" if speakers else ""
        yield f"{name_of(number)}\t{speaker}{' '.join(phones[start:stop])}\n"
