"""Posteriors, read: the mean posterior of each gold token, or what is wrong with them; or their phones, as a file."""

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from phonxling.analyses.decoded import decoded_lines
from phonxling.analyses.forced_corpus import ForcedCorpus, force_corpus
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.analyses.notes import length
from phonxling.core.errors import DataError
from phonxling.core.files import write_parts
from phonxling.core.means import TokenPosteriors
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Progress, Work
from phonxling.count.posteriors import token_posteriors
from phonxling.count.tokens import Asked
from phonxling.decoding.decode import decode_labels
from phonxling.decoding.rules import DecodingRules
from phonxling.experiment.corpora import raise_problems
from phonxling.settings.models import Experiment


class Read(NamedTuple):
    """The mean posterior of each gold token, and how its times were found where gold has none."""

    tokens: TokenPosteriors
    forced: ForcedCorpus | None = None


def read_all(
    corpora: Iterable[LoadedCorpus], experiment: Experiment, work: Work, progress: Progress
) -> dict[str, Read]:
    """Return what the posteriors of each corpus that has some say of its gold tokens, by name."""
    read: dict[str, Read] = {}
    problems: dict[str, DataError] = {}
    for loaded in corpora:
        progress.step(f"reading posteriors of {loaded.name}")
        try:
            found = read_tokens(loaded, experiment, work, progress.frames)
        except DataError as error:
            problems[loaded.name] = error
        else:
            read |= {} if found is None else {loaded.name: found}
    raise_problems(problems)
    return read


def read_tokens(
    loaded: LoadedCorpus, experiment: Experiment, work: Work = SERIAL, heard: Callable[[int], object] | None = None
) -> Read | None:
    """Return what posteriors say of each gold token; None when the corpus has no posteriors."""
    if loaded.posteriorgrams is None or loaded.segments is None:
        return None
    if loaded.forced:
        forced = force_corpus(loaded, experiment, work, heard)
        return Read(forced.tokens, forced)
    asked = Asked(decisions=experiment.information.unit == "frame", entropies=True)
    tokens = token_posteriors(loaded.posteriorgrams, loaded.segments, work=work, heard=heard, asked=asked)
    lost, number = int(tokens.without_frame.sum()), len(loaded.segments.codes)
    if lost > experiment.pairing.allow_without_frame * number:
        doubt = length(loaded.posteriorgrams, loaded.segments)
        raise DataError(_refusal(tokens, loaded.segments, experiment.pairing.allow_without_frame, doubt))
    return Read(tokens)


def _refusal(tokens: TokenPosteriors, segments: PhoneSequences, allowed: float, doubt: str) -> str:
    lost = int(tokens.without_frame.sum())
    place = int(segments.token_utterances()[tokens.first_without])
    first = f"first in utterance '{segments.utterances[place]}'"
    if segments.start is not None:
        first += f" at {segments.start[tokens.first_without]:g} s"
    each = " ".join(f"{phone} {number}" for phone, number in _counted(tokens))
    msg = f"{lost} of {len(segments.codes)} gold tokens hold the centre of no frame ({first}): {each}"
    question = f"The {doubt}. If it is" if doubt else "Are frame_shift and frame_offset right? If they are"
    remedy = f"{question}, allow more with"
    return f"{segments.source}: {msg}\n{remedy} pairing: {{allow_without_frame: …}}, a share, now {allowed:g}."


def frame_lines(read: Read) -> Iterator[str]:
    """Yield what a user should know of how frames and phones meet, a clause each."""
    tokens, forced = read
    if forced is not None:
        yield f"times forced from the posteriors, mean certainty {forced.forced.certainty.mean():.3f}"
    if forced is not None and not math.isnan(tokens.blank_share):
        yield f"{tokens.read} frames, {tokens.blank_share:.1%} of their mass blank"
    elif tokens.read:
        yield f"{tokens.read} frames, {tokens.outside} of them outside any phone"
    yield from left_out_lines(read)


def left_out_lines(read: Read) -> Iterator[str]:
    """Yield which gold tokens posteriors say nothing of, a clause for each reason."""
    tokens, forced = read
    if forced is not None and (uncertain := int(forced.uncertain.sum())):
        yield f"gold tokens left out as less certain than {forced.certainty:g}: {uncertain}"
    if each := " ".join(f"{phone} {number}" for phone, number in _counted(tokens)):
        yield f"gold tokens that hold the centre of no frame: {each}"


def _counted(tokens: TokenPosteriors) -> Iterator[tuple[str, int]]:
    counts = zip(tokens.phones, tokens.without_frame, strict=True)
    yield from sorted(((phone, int(number)) for phone, number in counts if number), key=lambda pair: -pair[1])


def decode_file(posteriorgrams: Posteriorgrams, output: Path, rules: DecodingRules, work: Work = SERIAL) -> str:
    """Write the labels that posteriors say as a TSV of intervals, and return what a user should know of them."""
    labels = decode_labels(posteriorgrams, rules, work)
    write_parts(output, (part.encode() for part in decoded_lines(labels).parts()))
    empty = int((labels.lengths == 0).sum())
    how = rules.described(blank=posteriorgrams.blank is not None)
    none = f", {empty} of them without any" if empty else ""
    return f"{output}: {len(labels.codes):,} phones in {len(labels):,} utterances{none} ({how})"
