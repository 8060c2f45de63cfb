"""Writes phone sequences as a TSV transcript that reads back as the same phones and tones."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Floats
from phonxling.core.files import write_bytes
from phonxling.core.sequences import PhoneSequences

_Token = tuple[PhoneSequences, int]


@checked_types
def save_transcript(path: str | Path, sequences: PhoneSequences, *, times: bool = True) -> None:
    r"""Write phones and their tones as UTF-8 TSV, one file whole or not at all.

    With times there is an interval a row (`utterance`, `start`, `end`, `phone`, where known `confidence` and
    `speaker`; an utterance without phones has a row in which all but names is empty), without them an utterance a row
    (`utterance`, `phones`, `speaker`). A tone of the tier is a token of its own behind its phone: "b a ˥". Read with
    the rules that the sequences were read with (tone, silence, unknown), the file gives the same utterances, phones and
    tones.

    Parameters
    ----------
    path : path
        The file, replaced when it is there.
    sequences : PhoneSequences
        What is written.
    times : bool
        Whether times and confidences are written where the sequences have them.

    Raises
    ------
    DataError
        If the file cannot be written.

    Examples
    --------
    >>> from phonxling.core.sequences import from_lists
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "said.tsv"
    >>> save_transcript(file, from_lists(["u1", "u2"], [["b", "a"], []]))
    >>> file.read_text(encoding="utf-8").splitlines()
    ['utterance\tphones', 'u1\tb a', 'u2\t']
    """
    timed = times and sequences.start is not None
    header, rows = _intervals(sequences) if timed else _utterances(sequences)
    lines = ["\t".join(row) for row in (header, *rows)]
    write_bytes(Path(path), ("\n".join(lines) + "\n").encode())


def _utterances(sequences: PhoneSequences) -> tuple[list[str], Iterator[list[str]]]:
    speakers = [] if sequences.speakers is None else [sequences.speakers]
    phones = (" ".join(_symbol(token) for token in tokens) for tokens in _tokens(sequences))
    columns = (sequences.utterances, phones, *speakers)
    return ["utterance", "phones", "speaker"][: len(columns)], map(list, zip(*columns, strict=True))


def _intervals(sequences: PhoneSequences) -> tuple[list[str], Iterator[list[str]]]:
    scored, spoken = sequences.confidence is not None, sequences.speakers is not None
    header = ["utterance", "start", "end", "phone", *["confidence"] * scored, *["speaker"] * spoken]
    return header, _interval_rows(sequences)


def _interval_rows(sequences: PhoneSequences) -> Iterator[list[str]]:
    speakers = sequences.speakers or [None] * len(sequences)
    for utterance, speaker, tokens in zip(sequences.utterances, speakers, _tokens(sequences), strict=True):
        if not tokens:
            width = 4 + (sequences.confidence is not None)
            yield [utterance, *[""] * (width - 1), *([] if speaker is None else [speaker])]
        for side, place in tokens:
            numbers = [None if column is None else repr(float(column[place])) for column in _columns(side)]
            cells = [utterance, *numbers[:2], _symbol((side, place)), numbers[2], speaker]
            yield [cell for cell in cells if cell is not None]


def _columns(side: PhoneSequences) -> tuple[Floats | None, ...]:
    return side.start, side.end, side.confidence


def _symbol(token: _Token) -> str:
    side, place = token
    return side.inventory.phones[int(side.codes[place])]


def _tokens(sequences: PhoneSequences) -> Iterator[list[_Token]]:
    """Yield each utterance's phones and tones, in the order of the file."""
    tones = sequences.tones
    for utterance in range(len(sequences)):
        phones = [(sequences, place) for place in range(*sequences.offsets[utterance : utterance + 2])]
        marks = [] if tones is None else [(tones, place) for place in range(*tones.offsets[utterance : utterance + 2])]
        after = [_stands_after(tone, len(phones)) for tone in marks]
        order = np.argsort([*range(1, len(phones) + 1), *after], kind="stable")
        yield [(phones + marks)[place] for place in order]


def _stands_after(tone: _Token, phones: int) -> int:
    tier, place = tone
    return phones if tier.after is None else int(tier.after[place])
