"""What was decoded from posteriors, as a transcript that can be given as predictions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phonxling.core.sequences import Transcript
from phonxling.tables.files import Lines

if TYPE_CHECKING:
    from phonxling.analyses.case import Case, Items

_AT_ONCE = 1024  # utterances that are text at one time


def decoded(case: "Case", _: None) -> "Items":
    """Yield decoded.tsv, where predictions were decoded from posteriors."""
    if case.loaded.decoded is not None:
        yield "decoded", decoded_lines(case.loaded.decoded)


def decoded_lines(labels: Transcript) -> Lines:
    """Return labels with times and confidences as TSV, an interval a row; an utterance without any has empty cells."""

    def parts() -> Iterator[str]:
        yield "utterance\tstart\tend\tphone\tconfidence\n"
        for first in range(0, len(labels), _AT_ONCE):
            yield "".join(_rows(labels, utterance) for utterance in range(len(labels))[first : first + _AT_ONCE])

    return Lines(parts)


def _rows(labels: Transcript, utterance: int) -> str:
    name, tokens = labels.utterances[utterance], slice(*labels.offsets[utterance : utterance + 2])
    if labels.start is None or labels.end is None or labels.confidence is None:
        raise AssertionError("decoded labels have times and confidences")
    columns = (labels.start[tokens], labels.end[tokens], labels.codes[tokens], labels.confidence[tokens])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = [f"{name}\t{start!r}\t{end!r}\t{labels.symbols[code]}\t{score!r}\n" for start, end, code, score in rows]
    return "".join(lines) or f"{name}\t\t\t\t\n"
