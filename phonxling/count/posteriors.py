"""Posteriors and time-stamped gold to token means, joint distributions and phone means.

Frames and phones
-----------------
Frame t belongs to the gold phone whose interval [start, end) holds the frame's centre, offset + (t + ½)·shift. A token
too short to hold a centre has no frame: it is counted, and adds nothing. A centre that stands on a border (to 1 ns) is
of the interval that begins there. Frames outside every interval are counted, and add nothing.

Silence and blank
-----------------
Their columns are left out by weighting each frame by its other mass: a frame that is 90 % silence counts a tenth.

Decisions
---------
Of a token: the phone of highest mean posterior over its frames. Of a frame: its own phone of highest posterior, which
takes the frame's mass. Of equal ones the first in the recogniser's inventory; silence and blank are none of them.

Memory
------
Sums are added in the order of the corpus, joint sums those of one shard after the other; so they are the same, bit for
bit, whoever reads them. Joint sums take what a few tables take. Token means take 8 K bytes a token, which permutations,
embedding and calibration need; frames' decisions as much again.
"""

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from phonxling.core.arrays import Codes, Floats
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import (
    FrameEntropy,
    JointDistribution,
    PhoneMeans,
    Posteriorgrams,
    Rows,
    TokenPosteriors,
)
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Threads, Work, joined
from phonxling.count.confusions import OneHot, Room, parts_of
from phonxling.count.kernel import add_rows, add_tokens
from phonxling.count.tokens import (
    NOTHING,
    Asked,
    Heard,
    ShardSums,
    Timed,
    TokenSums,
    shards,
    sum_shard,
    tell,
    token_sums,
    without_names,
)

Unit = Literal["token", "frame"]


def token_posteriors(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    *,
    work: Work = SERIAL,
    heard: Heard | None = None,
    asked: Asked = NOTHING,
) -> TokenPosteriors:
    """Return the mean posterior of each gold token; the posteriors are read one shard at a time."""
    parts = token_sums(posteriorgrams, segments, work, heard, asked=asked)
    return tokens_of_sums(posteriorgrams, segments, parts, asked=asked)


def tokens_of_sums(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, parts: Iterable[TokenSums], *, asked: Asked
) -> TokenPosteriors:
    """Return the mean posterior of each gold token, of the sums of one shard of utterances after the other."""
    number, size, width = len(segments.codes), len(segments.inventory), len(posteriorgrams.inventory)
    rows, decided, weight = Room(number, width), Room(number * asked.decisions, width), np.empty(number)
    entropies = np.zeros((2, number * asked.entropies))
    frames, good = np.zeros(number, np.int32), np.zeros(number, dtype=bool)
    at, filled, blank, read = 0, 0, 0.0, 0
    for part in parts:
        total = part.mass.sum(axis=1)
        fine = total > 0
        part_tokens, until = slice(at, at + len(fine)), filled + int(np.count_nonzero(fine))
        rows.add(part.mass[fine] / total[fine, None])
        weight[filled:until] = total[fine]
        if asked.decisions:
            decided.add(part.decided[fine])
        if asked.entropies:
            entropies[:, part_tokens] = part.bits, total
        good[part_tokens], frames[part_tokens] = fine, part.frames
        at, filled, read = part_tokens.stop, until, read + int(part.read.sum())
        blank = float(np.cumsum([blank, *part.blank])[-1])  # one after the other
    weight.flags.writeable = entropies.flags.writeable = False  # so that nobody needs to copy them
    codes = segments.codes
    return TokenPosteriors(
        phones=segments.inventory,
        columns=posteriorgrams.inventory,
        codes=codes[good].astype(np.int32),
        rows=rows.filled(),
        weight=weight[:filled],
        utterances=segments.token_utterances()[good],
        without_frame=np.bincount(codes[frames == 0], minlength=size),
        silent=np.bincount(codes[(frames > 0) & ~good], minlength=size),
        blank_share=math.nan if posteriorgrams.blank is None or not read else blank / read,
        frames=np.bincount(codes, weights=frames, minlength=size).astype(np.int64),
        read=read,
        first_without=int((frames == 0).argmax()) if (frames == 0).any() else -1,
        decided=decided.filled() if asked.decisions else None,
        places=np.flatnonzero(good),
        entropy=FrameEntropy(*entropies) if asked.entropies else None,
    )


def joint_distribution(
    posteriorgrams: Posteriorgrams,
    segments: PhoneSequences,
    unit: Unit = "token",
    *,
    hard: bool = False,
    workers: int = 1,
    heard: Heard | None = None,
) -> JointDistribution:
    """Return the summed mass of gold phone y with recognised phone e, [G, K].

    Parameters
    ----------
    posteriorgrams, segments, heard
        As for `token_posteriors`, errors too.
    unit : {"token", "frame"}
        `token`: Σ_i 1{y_i = y} p(e|x_i), x_i the mean posterior of token i (definition 8), so every token weighs the
        same. `frame`: the same over frames, so longer tokens weigh more.
    hard : bool
        Count decisions: a token's most probable phone by its mean posterior; with `frame` each frame's own most
        probable phone, with the frame's mass. Of equal ones the first.
    workers : int
        Threads that read.
    """
    rule = _Rule(len(segments.inventory), unit == "frame", hard)
    tasks = shards(posteriorgrams, segments, Asked(decisions=rule.by_frame and hard))
    mass = np.zeros((len(segments.inventory), len(posteriorgrams.inventory)))
    for record in Threads(workers).map(_joint_shard, (without_names(posteriorgrams), rule), tasks):
        mass += record["mass"]
        tell(heard, record)
    return JointDistribution(segments.inventory, posteriorgrams.inventory, mass)


class _Rule(NamedTuple):
    """How many gold phones there are, and how tokens are added to them."""

    phones: int
    by_frame: bool
    hard: bool


def _joint_shard(common: tuple[Posteriorgrams, _Rule], task: Timed) -> Record:
    """Return the joint `mass` [G, P] of a shard, and the frames `read` of each utterance; errors as for `sum_shard`."""
    (posteriorgrams, (phones, by_frame, hard)), codes = common, task.segments.codes.astype(np.int64)
    mass = np.zeros((phones, len(posteriorgrams.inventory)))
    if not hard:
        joint = ShardSums(
            posteriorgrams=posteriorgrams, segments=task.segments, mass=mass, rows=codes, mean=not by_frame
        )
        if joint.add_clear():
            return {"mass": mass, "read": joint.read}
        mass[:] = 0
    sums = sum_shard(posteriorgrams, task)
    decisions = hard and by_frame
    add_tokens(sums["decided" if decisions else "mass"], codes, by_frame, hard and not by_frame, mass)
    return {"mass": mass, "read": sums["read"]}


def joint_of_tokens(tokens: TokenPosteriors, unit: Unit = "token", *, hard: bool = False) -> JointDistribution:
    """Return the joint distribution of token posteriors, by `token` or by `frame`; `hard` as `joint_distribution`."""
    mass = np.zeros((len(tokens.phones), len(tokens.columns)))
    rows, weights = decided_rows(tokens, unit) if hard else (tokens.rows, token_weights(tokens, unit))
    for part in parts_of(rows):
        add_rows(rows[part].astype(np.float64, copy=False), weights[part], tokens.codes[part], mass)
    return JointDistribution(tokens.phones, tokens.columns, mass)


def decided_rows(tokens: TokenPosteriors, unit: Unit) -> tuple[Rows, Floats]:
    """Return what each token gives to each phone by decisions, [N, K], and how often it counts, [N]."""
    once = np.ones(len(tokens))
    if unit == "token":
        return OneHot(tokens.hard, len(tokens.columns)), once
    if tokens.decided is None:
        raise ValueError(
            "the frames' own decisions were not counted: token_posteriors(..., asked=Asked(decisions=True)) does"
        )
    return tokens.decided, once


def token_weights(tokens: TokenPosteriors, unit: Unit) -> Floats:
    """Return what each token counts, [N]: 1, or the mass of its frames."""
    return tokens.weight if unit == "frame" else np.ones(len(tokens))


def phone_means(posteriorgrams: Posteriorgrams, segments: PhoneSequences, batches: int = 8) -> PhoneMeans:
    """Return the mean posterior of each gold phone that has tokens with frames, and of batches of its tokens.

    A phone's tokens, in the order of the corpus, are dealt into at most `batches` runs of equal size (at least five
    tokens each where there are that many). Errors as for `token_posteriors`.

    Examples
    --------
    Two frames of 0.1 s, one in each [a]:

    >>> from phonxling.core.sequences import from_lists
    >>> from dataclasses import replace
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
    present, place, sizes = np.unique(tokens.codes, return_inverse=True, return_counts=True)
    number = np.maximum(1, np.minimum(batches, sizes // 5))  # of each phone's batches, the first ones one token larger
    owner = np.repeat(np.arange(len(present)), number)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(number) - number, number)
    batch_sizes = sizes[owner] // number[owner] + (within < sizes[owner] % number[owner])
    batch = np.empty(len(place), np.int64)
    batch[np.argsort(place, kind="stable")] = np.repeat(np.arange(len(owner)), batch_sizes)
    width, one = len(tokens.columns), np.ones(len(place))
    means, parts = np.zeros((len(present), width)), np.zeros((len(owner), width))
    for part in parts_of(tokens.rows):
        rows = tokens.rows[part].astype(np.float64, copy=False)
        add_rows(rows, one[part], place[part], means)
        add_rows(rows, one[part], batch[part], parts)
    return PhoneMeans(
        phones=Inventory(tuple(tokens.phones.phones[code] for code in present)),
        columns=tokens.columns,
        means=means / sizes[:, None],
        tokens=sizes,
        batch_phones=owner.astype(np.int32),
        batch_means=parts / batch_sizes[:, None],
    )


# How sharp or flat the posteriors of single frames are, summed over the frames of each gold token.

_ASKED = Asked(entropies=True)


def frame_entropy(posteriorgrams: Posteriorgrams, segments: PhoneSequences, work: Work = SERIAL) -> FrameEntropy:
    """Return the entropies of the frames of each gold token; memory and errors as for `token_sums`."""
    parts = [(part.bits, part.mass.sum(axis=1)) for part in token_sums(posteriorgrams, segments, work, asked=_ASKED)]
    bits, mass = (np.concatenate([np.zeros(0), *each]) for each in zip(*parts, strict=True)) if parts else ([], [])
    return FrameEntropy(np.array(bits), np.array(mass))


# Confidence from posteriors: what they give the predicted phone over the frames of its predicted interval.


def posterior_confidence(posteriorgrams: Posteriorgrams, predicted: PhoneSequences) -> Floats:
    """Return the mean posterior of each predicted phone over the frames of its own interval, float64 [M], in 0 … 1.

    Frames belong to an interval by their centres, and weigh by their mass outside silence and blank, as those of gold
    tokens do: a(i) = Σ_t p(x_i|t) / Σ_t Σ_e p(e|t), e over the phones.

    Parameters
    ----------
    posteriorgrams : Posteriorgrams
        Of the same utterances.
    predicted : PhoneSequences
        M predicted phones with times.

    Returns
    -------
    float64 array [M]
        NaN for a phone that is no column of the posteriors, for an interval too short to hold the centre of a frame,
        and for one whose frames are all silence.

    Raises
    ------
    DataError
        As for `token_posteriors`.

    Examples
    --------
    Two frames of 10 ms are heard as one a:

    >>> from phonxling.core.inventory import Inventory
    >>> phones = Inventory(("a", "b"))
    >>> frames = Posteriorgrams(source="here", utterances=("u",), inventory=phones, columns=[0, 1],
    ...                         read={"u": np.array([[0.5, 0.5], [1.0, 0.0]])}.__getitem__, frame_shift=0.01)
    >>> spoken = PhoneSequences(utterances=("u",), offsets=[0, 1], codes=[0], start=[0.0], end=[0.02], inventory=phones)
    >>> posterior_confidence(frames, spoken).tolist()
    [0.75]
    """
    return interval_confidence(posteriorgrams, predicted, SERIAL)


def interval_confidence(posteriorgrams: Posteriorgrams, predicted: PhoneSequences, work: Work) -> Floats:
    """Return the same; whoever works keeps the confidences alone."""
    columns = {phone: code for code, phone in enumerate(posteriorgrams.inventory)}
    column = np.array([columns.get(phone, -1) for phone in predicted.inventory], dtype=np.int64)  # −1: none
    tasks = shards(posteriorgrams, predicted)
    records = work.map(confidence_shard, (without_names(posteriorgrams), column), tasks)
    return joined(records, {"confidence": (len(predicted.codes), np.float64)})["confidence"]


def confidence_shard(common: tuple[Posteriorgrams, Codes], task: Timed) -> Record:
    """Return the `confidence` of each token of a shard, NaN for none; `common` has the column of each phone, or −1."""
    posteriorgrams, column = common
    mass, own_column = sum_shard(posteriorgrams, task)["mass"], column[task.segments.codes]
    total, own = mass.sum(axis=1), mass[np.arange(len(mass)), own_column]
    defined = (total > 0) & (own_column >= 0)
    shares = np.divide(own, total, out=np.full(len(own), np.nan), where=defined)
    return {"confidence": np.minimum(shares, 1.0)}
