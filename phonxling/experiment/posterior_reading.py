"""The configuration's posteriors, read: the mean posterior of each gold token, or what is wrong with them."""

from collections.abc import Callable, Iterable, Iterator

from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.core.errors import DataError
from phonxling.core.means import TokenPosteriors
from phonxling.core.progress import Progress
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.count.posteriors import token_posteriors
from phonxling.experiment.corpora import raise_problems
from phonxling.settings.models import Experiment


def read_all(
    corpora: Iterable[LoadedCorpus], experiment: Experiment, work: Work, progress: Progress
) -> dict[str, TokenPosteriors]:
    """Return the mean posterior of each gold token of the corpora that have posteriors, by name.

    Raises
    ------
    DataError
        If the posteriors of any corpus cannot be used: all such corpora in one message, each under its name.
    """
    read: dict[str, TokenPosteriors] = {}
    problems: dict[str, DataError] = {}
    for loaded in corpora:
        progress.step(f"reading posteriors of {loaded.name}")
        try:
            tokens = read_tokens(loaded, experiment, work, progress.frames)
        except DataError as error:
            problems[loaded.name] = error
        else:
            read |= {} if tokens is None else {loaded.name: tokens}
    raise_problems(problems)
    return read


def read_tokens(
    loaded: LoadedCorpus, experiment: Experiment, work: Work = SERIAL, heard: Callable[[int], object] | None = None
) -> TokenPosteriors | None:
    """Return the mean posterior of each gold token; None when the corpus has no posteriors.

    Raises
    ------
    DataError
        As for `token_posteriors`.
        If more gold tokens hold no frame than `pairing: {allow_without_frame: …}` allows.
    """
    if loaded.posteriorgrams is None or loaded.segments is None:
        return None
    by_frame = experiment.information.unit == "frame"
    tokens = token_posteriors(loaded.posteriorgrams, loaded.segments, work=work, heard=heard, decide=by_frame)
    lost, number = int(tokens.without_frame.sum()), len(loaded.segments.codes)
    if lost > experiment.pairing.allow_without_frame * number:
        raise DataError(_refusal(tokens, loaded.segments, experiment.pairing.allow_without_frame))
    return tokens


def _refusal(tokens: TokenPosteriors, segments: PhoneSequences, allowed: float) -> str:
    lost = int(tokens.without_frame.sum())
    place = int(segments.token_utterances()[tokens.first_without])
    first = f"first in utterance '{segments.utterances[place]}'"
    if segments.start is not None:
        first += f" at {segments.start[tokens.first_without]:g} s"
    each = " ".join(f"{phone} {number}" for phone, number in _counted(tokens))
    msg = f"{lost} of {len(segments.codes)} gold tokens hold the centre of no frame ({first}): {each}"
    remedy = "Are frame_shift and frame_offset right? If they are, allow more with"
    return f"{segments.source}: {msg}\n{remedy} pairing: {{allow_without_frame: …}}, a share, now {allowed:g}."


def frame_lines(tokens: TokenPosteriors) -> Iterator[str]:
    """Yield what a user should know of how frames and phones meet, a clause each."""
    if tokens.read:
        yield f"{tokens.read} frames, {tokens.outside} of them outside any phone"
    if each := " ".join(f"{phone} {number}" for phone, number in _counted(tokens)):
        yield f"gold tokens that hold the centre of no frame: {each}"


def _counted(tokens: TokenPosteriors) -> Iterator[tuple[str, int]]:
    counts = zip(tokens.phones, tokens.without_frame, strict=True)
    yield from sorted(((phone, int(number)) for phone, number in counts if number), key=lambda pair: -pair[1])
