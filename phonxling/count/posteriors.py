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

from phonxling.core.inventory import Inventory
from phonxling.core.joint import JointDistribution
from phonxling.core.means import PhoneMeans, TokenPosteriors
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.count.kernel import add_rows
from phonxling.count.tokens import token_sums

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
    found = list(token_sums(posteriorgrams, segments))
    blank, read = sum(part.blank for part in found), sum(part.read for part in found)
    share = math.nan if posteriorgrams.blank is None or not read else blank / read
    mass = np.concatenate([part.mass for part in found]) if found else np.zeros((0, len(posteriorgrams.inventory)))
    frames = np.concatenate([part.frames for part in found]) if found else np.zeros(0, np.int64)
    return replace(_token_means(posteriorgrams, segments, mass, frames), blank_share=share)


def joint_distribution(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, unit: Unit = "token"
) -> JointDistribution:
    """Return the summed mass of gold phone y with recognised phone e, [G, K].

    `token`: Σ_i 1{y_i = y} p(e|x_i), x_i the mean posterior of token i (definition 8), so every token weighs the same.
    `frame`: the same over frames, so longer tokens weigh more. Errors as for `token_posteriors`.
    """
    mass = np.zeros((len(segments.inventory), len(posteriorgrams.inventory)))
    for part in token_sums(posteriorgrams, segments):
        add_rows(part.mass if unit == "frame" else _means(part.mass), part.codes, mass)
    return JointDistribution(segments.inventory, posteriorgrams.inventory, mass)


def joint_of_tokens(tokens: TokenPosteriors, unit: Unit = "token") -> JointDistribution:
    """Return the joint distribution of token posteriors, by `token` or by `frame`."""
    values = tokens.rows if unit == "token" else tokens.mass
    mass = np.zeros((len(tokens.phones), len(tokens.columns)))
    add_rows(values, tokens.codes, mass)
    return JointDistribution(tokens.phones, tokens.columns, mass)


def phone_means(posteriorgrams: Posteriorgrams, segments: PhoneSequences, batches: int = 8) -> PhoneMeans:
    """Return the mean posterior of each gold phone that has tokens with frames, and of batches of its tokens.

    A phone's tokens, in the order of the corpus, are dealt into at most `batches` runs of equal size (at least five
    tokens each where there are that many). Errors as for `token_posteriors`.

    Examples
    --------
    Two frames of 0.1 s, one in each [a]:

    >>> from phonxling.core.sequences import from_lists
    >>> gold = from_lists(["u"], [["a", "a"]])
    >>> timed = replace(gold, start=np.array([0, 0.1]), end=np.array([0.1, 0.2]))
    >>> heard = Posteriorgrams(
    ...     source="u.npy", utterances=("u",), inventory=Inventory(("a", "e")), columns=[0, 1], frame_shift=0.1,
    ...     read=lambda utterance: np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> found = phone_means(heard, timed)
    >>> found.phones.phones, found.means.tolist(), found.tokens.tolist()
    (('a',), [[0.75, 0.25]], [2])
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


def _means(mass: Floats) -> Floats:
    """Return rows divided by their sums; a row without mass stays 0."""
    total = mass.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(mass, total, out=np.zeros_like(mass), where=total > 0))


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
