"""Phone sequences written as a TSV transcript that reads back as the same phones and tones."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from phonxling.core.errors import ConfigurationError, check_arguments
from phonxling.core.files import write_bytes
from phonxling.core.sequences import PhoneSequences
from phonxling.load.formats import known_endings


@check_arguments
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
    ConfigurationError
        If the file's name ends as another format's does.
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
    ending = Path(path).suffix.lower()
    if ending in {*known_endings()} - {".tsv", ".txt"}:
        msg = f"{path}: a TSV is written, and {ending} is the ending of another format: call it .tsv"
        raise ConfigurationError(f"{msg}; results become TextGrid or EAF by `phonxling export`")
    timed, spoken = times and sequences.start is not None, sequences.speakers is not None
    scored = timed and sequences.confidence is not None
    columns = ["start", "end", "phone", *["confidence"] * scored] if timed else ["phones"]
    rows: list[list[str | None]] = [["utterance", *columns, *["speaker"] * spoken]]
    speakers = sequences.speakers or [None] * len(sequences)
    for utterance, speaker, tokens in zip(sequences.utterances, speakers, _tokens(sequences), strict=True):
        symbols = [side.inventory.phones[int(side.codes[place])] for side, place in tokens]
        if not timed:
            rows.append([utterance, " ".join(symbols), speaker])
        elif not tokens:
            rows.append([utterance, *[""] * len(columns), speaker])
        for (side, place), symbol in zip(tokens if timed else (), symbols if timed else (), strict=True):
            start, end, confidence = (
                None if column is None else repr(float(column[place]))
                for column in (side.start, side.end, side.confidence)
            )
            rows.append([utterance, start, end, symbol, confidence, speaker])
    lines = ["\t".join(cell for cell in row if cell is not None) for row in rows]
    write_bytes(Path(path), ("\n".join(lines) + "\n").encode())


def _tokens(sequences: PhoneSequences) -> Iterator[list[tuple[PhoneSequences, int]]]:
    """Yield each utterance's phones and tones, each with where it stands on its side, in the order of the file."""
    tones = sequences.tones
    for utterance in range(len(sequences)):
        tokens = [(sequences, place) for place in range(*sequences.offsets[utterance : utterance + 2])]
        number = len(tokens)
        after = list(range(1, number + 1))
        if tones is not None:
            marks = range(*tones.offsets[utterance : utterance + 2])
            tokens += [(tones, place) for place in marks]
            after += [number if tones.after is None else int(tones.after[place]) for place in marks]
        yield [tokens[place] for place in np.argsort(after, kind="stable")]
