"""Posteriors and time-stamped gold to token means, joint distributions and phone means.

Frames and phones
-----------------
Frame t belongs to the gold phone whose interval [start, end) holds the frame's centre, offset + (t + ½)·shift. A token
too short to hold a centre has no frame: it is counted, and adds nothing. Frames outside every interval add nothing.

Silence and blank
-----------------
Their columns are left out by weighting each frame by its other mass: a frame that is 90 % silence counts a tenth.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError, join_problems
from phonxling.core.inventory import Inventory
from phonxling.core.joint import JointDistribution
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences

Floats = NDArray[np.float64]
Unit = Literal["token", "frame"]


def token_posteriors(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> TokenPosteriors:
    """Return the mean posterior of each gold token; the posteriors are read one utterance at a time.

    Raises
    ------
    DataError
        If the segments have no times, or overlap.
        If posteriors and segments are not of the same utterances: all the others are listed.
        If an interval ends more than half a second after the last frame.
    """
    if segments.start is None or segments.end is None:
        raise DataError(f"{segments.source}: the phones have no times, and posteriors cannot be tied to them without")
    _check_pairs(posteriorgrams, segments)
    sums, frames = [], []
    blank, read = 0.0, 0
    for position, utterance in enumerate(segments.utterances):
        run = slice(segments.offsets[position], segments.offsets[position + 1])
        rows, left = posteriorgrams.frames_and_blank(utterance)
        blank, read = blank + left, read + len(rows)
        _check_times(
            f"{segments.source}: utterance '{utterance}'",
            segments.start[run],
            segments.end[run],
            len(rows),
            posteriorgrams,
        )
        total, number = _token_sums(rows, posteriorgrams.centres(len(rows)), segments.start[run], segments.end[run])
        sums.append(total)
        frames.append(number)
    share = math.nan if posteriorgrams.blank is None or not read else blank / read
    mass = np.concatenate(sums) if sums else np.zeros((0, len(posteriorgrams.inventory)))
    counts = np.concatenate(frames) if frames else np.zeros(0, np.int64)
    return replace(_token_means(posteriorgrams, segments, mass, counts), blank_share=share)


def joint_distribution(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, unit: Unit = "token"
) -> JointDistribution:
    """Return the summed mass of gold phone y with recognised phone e, [G, K].

    `token`: Σ_i 1{y_i = y} p(e|x_i), x_i the mean posterior of token i (definition 8), so every token weighs the same.
    `frame`: the same over frames, so longer tokens weigh more. Errors as for `token_posteriors`.
    """
    return joint_of_tokens(token_posteriors(posteriorgrams, segments), unit)


def joint_of_tokens(tokens: TokenPosteriors, unit: Unit = "token") -> JointDistribution:
    """Return the joint distribution of token posteriors, by `token` or by `frame`."""
    values = tokens.rows if unit == "token" else tokens.mass
    mass = np.zeros((len(tokens.phones), len(tokens.columns)))
    np.add.at(mass, tokens.codes, values)
    return JointDistribution(tokens.phones, tokens.columns, mass)


def phone_means(posteriorgrams: Posteriorgrams, segments: PhoneSequences, batches: int = 8) -> PhoneMeans:
    """Return the mean posterior of each gold phone that has tokens with frames, and of batches of its tokens.

    A phone's tokens, in the order of the corpus, are dealt into at most `batches` runs of equal size (at least five
    tokens each where there are that many). Errors as for `token_posteriors`.
    """
    return means_of_tokens(token_posteriors(posteriorgrams, segments), batches)


def means_of_tokens(tokens: TokenPosteriors, batches: int = 8) -> PhoneMeans:
    """Return phone means, and batch means, of token posteriors."""
    present = np.unique(tokens.codes)
    means, sizes, owners, parts = [], [], [], []
    for position, code in enumerate(present):
        rows = tokens.rows[tokens.codes == code]
        means.append(rows.mean(axis=0))
        sizes.append(len(rows))
        for part in np.array_split(rows, max(1, min(batches, len(rows) // 5))):
            owners.append(position)
            parts.append(part.mean(axis=0))
    width = len(tokens.columns)
    return PhoneMeans(
        phones=Inventory(tuple(tokens.phones.phones[code] for code in present)),
        columns=tokens.columns,
        means=np.reshape(means, (-1, width)),
        tokens=np.array(sizes, dtype=np.int64),
        batch_phones=np.array(owners, dtype=np.int32),
        batch_means=np.reshape(parts, (-1, width)),
    )


def _token_sums(frames: Floats, centres: Floats, start: Floats, end: Floats) -> tuple[Floats, NDArray[np.int64]]:
    # half-open intervals: the first frame whose centre is not before the start, up to the first not before the end
    edge = 1e-9  # times with few decimals are no exact binary numbers
    first, last = np.searchsorted(centres, start - edge), np.searchsorted(centres, end - edge)
    last[:-1] = np.minimum(last[:-1], first[1:])  # intervals that overlap by a rounding error share no frame
    bounds = np.stack([first, np.maximum(first, last)], axis=1)
    padded = np.concatenate([frames, np.zeros((1, frames.shape[1]))])
    sums: Floats = np.add.reduceat(padded, bounds.ravel(), axis=0)[::2] if len(bounds) else padded[:0]
    number = bounds[:, 1] - bounds[:, 0]
    return np.where(number[:, None] > 0, sums, 0.0), number.astype(np.int64)


def _token_means(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, mass: Floats, frames: NDArray[np.int64]
) -> TokenPosteriors:
    total = mass.sum(axis=1)
    good, codes = total > 0, segments.codes
    size = len(segments.inventory)
    return TokenPosteriors(
        phones=segments.inventory,
        columns=posteriorgrams.inventory,
        codes=codes[good],
        rows=mass[good] / total[good, None],
        mass=mass[good],
        utterances=segments.token_utterances()[good],
        without_frame=np.bincount(codes[frames == 0], minlength=size),
        silent=np.bincount(codes[(frames > 0) & ~good], minlength=size),
    )


def _check_pairs(posteriorgrams: Posteriorgrams, segments: PhoneSequences) -> None:
    scored, timed = set(posteriorgrams.utterances), set(segments.utterances)
    problems = [
        f"only in {source} ({len(ids)}): {' '.join(sorted(ids))}"
        for source, ids in ((posteriorgrams.source, scored - timed), (segments.source, timed - scored))
        if ids
    ]
    if problems:
        raise DataError(join_problems("posteriors and segments are not of the same utterances:", problems))


def _check_times(where: str, start: Floats, end: Floats, frames: int, posteriorgrams: Posteriorgrams) -> None:
    if len(start) and (np.diff(start) < 0).any():
        raise DataError(f"{where}: intervals are not in the order of time")
    overlap = np.flatnonzero(end[:-1] > start[1:] + 1e-6)
    if len(overlap):
        at = int(overlap[0])
        msg = f"{where}: intervals overlap ({len(overlap)} times, first at {start[at + 1]:g} s)"
        raise DataError(f"{msg}; a frame can belong to one phone only")
    duration = posteriorgrams.frame_offset + frames * posteriorgrams.frame_shift
    if len(end) and end.max() > duration + 0.5:
        msg = f"{where}: intervals run to {end.max():g} s, but its {frames} frames end at {duration:g} s"
        raise DataError(f"{msg}; are frame_shift and frame_offset right?")
