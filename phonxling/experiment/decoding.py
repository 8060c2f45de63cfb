"""Posteriors to a file of predictions, on the command line."""

from pathlib import Path

from phonxling.analyses.decoded import decoded_lines
from phonxling.core.files import write_parts
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.work import SERIAL, Work
from phonxling.decoding.decode import decode_labels
from phonxling.decoding.rules import DecodingRules


def decode_file(posteriorgrams: Posteriorgrams, output: Path, rules: DecodingRules, work: Work = SERIAL) -> str:
    """Write the labels that posteriors say as a TSV of intervals, and return what a user should know of them.

    Raises
    ------
    DataError
        If the posteriors cannot be decoded, see `decode`, or the file cannot be written.
    ConfigurationError
        If the rules do not fit the posteriors.
    """
    labels = decode_labels(posteriorgrams, rules, work)
    write_parts(output, (part.encode() for part in decoded_lines(labels).parts()))
    empty = int((labels.lengths == 0).sum())
    how = rules.described(blank=posteriorgrams.blank is not None)
    none = f", {empty} of them without any" if empty else ""
    return f"{output}: {len(labels.codes):,} phones in {len(labels):,} utterances{none} ({how})"
