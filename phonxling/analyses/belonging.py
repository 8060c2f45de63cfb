"""Whether posteriors belong to the phones beside them: the order of their columns, their frame shift, their blank.

Of a bounded sample, always the same, each frame's most probable phone is compared with the phone that is said at the
centre of the frame. The share that agree has a sharp peak at the right frame shift, of whatever height. A column Y
behaves like X, if frames of X are most often Y, frames that are Y most often X's, and neither is its own even a quarter
as often; what one side alone has is a matter of conventions. Without times, forced alignment counts what it expects.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from phonxling.analyses.loaded import LoadedCorpus
from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import FRAMES, Posteriorgrams, scale_of
from phonxling.core.sequences import PhoneSequences
from phonxling.phones.pairing import shorten
from phonxling.phones.symbols import BLANKS, MARKERS
from phonxling.posteriors.forced_learning import LearnedModel

# Utterances that are looked at, and frames of each: some minutes of speech, read in a moment.
_UTTERANCES, _FRAMES = 40, 2000
# Length of posteriors over that of gold times, where it is doubtful: silence may follow gold's last phone, so that
# posteriors that are longer are doubted much later than those that are shorter.
_SHORTER, _LONGER, _LONGEST = 0.97, 1.03, 5.0
# Spread of lengths around a line, of their mean, where one factor explains them all.
_ALIKE_MARGIN = 0.01
# Seconds of posteriors for each gold phone, on average, pauses among them.
_MOST_EACH, _LEAST_EACH = 1.0, 0.02
# What networks and feature extraction use.
_SHIFTS = (0.001, 0.005, 0.00625, 0.008, 0.01, 0.0125, 0.015, 0.016, 0.02, 0.025, 0.03, 0.04, 0.08)
# Agreement from which a shift is told; and, where it is another than the one given, how many times that of the one
# given, and how far above it in units of 1/√tokens, about two standard errors of a share.
_AGREEING, _BETTER, _CHANCE = 0.25, 1.15, 2.0
# Shifts nearer to each other than this are one: 0.016 and 0.01625 would be, 0.015 and 0.016 are not.
_OFF = 0.015
# Of a phone: frames and tokens, below which nothing is said of it; the share of its frames that are of one column, and
# how many times the column's own, from which it behaves like another.
_LEAST, _TOKENS, _SHARE, _OFTENER = 20, 5, 0.4, 4.0
# Of the mass: a CTC network gives its blank most of it.
_BLANK = 0.1
# Of the frames, that columns without a phone win, before it is said.
_WON = 0.01
_ORDER = "Give labels: in the order of the columns (those of a vocab.json by their ids)."
_REMEDY = "If all is right, set pairing: {check_posteriors: false}."

Likeness: TypeAlias = tuple[str, str, int, int]  # a column, the phone that it behaves like, its frames, the phone's


class Sample(NamedTuple):
    """Of some utterances: each frame's most probable phone (−1: none) and column, and the blank's mean mass."""

    names: tuple[str, ...]
    phones: tuple[Codes, ...]
    columns: Codes
    blank: float


def sample_frames(posteriors: Posteriorgrams) -> Sample | None:
    """Return the frames that are looked at; None where some cannot be read, which reading them refuses anyway."""
    names, phones, columns, blank = _choose_utterances(posteriors), [], [np.zeros(0, np.int64)], 0.0
    try:
        for name in names:
            rows = np.asarray(posteriors.raw(name)[:_FRAMES])
            mass, of_blank = posteriors.by_phone(rows, posteriors.where(name), rest=True)
            best = mass.argmax(axis=1)
            phones.append(np.where(best < len(posteriors.inventory), best, -1))
            columns.append(rows.argmax(axis=1))
            blank += of_blank
    except DataError:
        return None
    every = np.concatenate(columns)
    return Sample(names, tuple(phones), every, blank / max(len(every), 1))


def _choose_utterances(posteriors: Posteriorgrams) -> tuple[str, ...]:
    return posteriors.utterances[:: max(1, len(posteriors) // _UTTERANCES)][:_UTTERANCES]


def frame_counts(sample: Sample, tokens: PhoneSequences, posteriors: Posteriorgrams, shift: float) -> Floats:
    """Return how many frames within each phone are most probably each column's [G, E], at a frame shift."""
    table = np.zeros((len(tokens.inventory), len(posteriors.inventory)))
    if tokens.start is None or tokens.end is None:
        return table
    for place, best in zip(tokens.places_of(sample.names).tolist(), sample.phones, strict=True):
        run = slice(*tokens.offsets[place : place + 2]) if place >= 0 else slice(0)
        frames = np.flatnonzero(best >= 0)
        # A frame is where its centre is.
        time = posteriors.frame_offset + (frames + 0.5) * shift
        token = np.searchsorted(tokens.start[run], time, side="right") - 1
        held = (token >= 0) & (time < np.append(tokens.end[run], 0.0)[token])
        np.add.at(table, (tokens.codes[run][token[held]], best[frames[held]]), 1)
    return table


def _shared_phones(first: Inventory, second: Inventory) -> tuple[Codes, Codes]:
    """Return the codes in both inventories of the phones that both have."""
    codes = second.codes(first)
    return np.flatnonzero(codes >= 0), codes[codes >= 0]


def best_shift(sample: Sample, tokens: PhoneSequences, posteriors: Posteriorgrams) -> tuple[float, float, float]:
    """Return the agreement at the shift as given; the shift of highest agreement, 0 where none is told, and that."""
    shift, shared = posteriors.frame_shift, _shared_phones(tokens.inventory, posteriors.inventory)
    frames = max(sum(int((best >= 0).sum()) for best in sample.phones), 1)

    @cache
    def agreement(tried: float) -> float:
        return float(frame_counts(sample, tokens, posteriors, tried)[shared].sum()) / frames

    given = agreement(shift)
    # A maximum at the shift as given: the search below need not be paid for.
    if given >= max(_AGREEING, agreement(shift * (1 - 2 * _OFF)), agreement(shift * (1 + 2 * _OFF))):
        return given, shift, given
    best = max([*(shift * np.exp(np.arange(-250, 251) / 100)).tolist(), *_SHIFTS], key=agreement)
    # Of steps of 1 % over e^±2.5 first, then of 0.1 %: the peak is sharp.
    best = max((best * (1 + np.arange(-10, 11) / 1000)).tolist(), key=agreement)
    highest = agreement(best)
    # A usual shift explains as much as an odd one beside it, and is more likely.
    best = max((each for each in _SHIFTS if abs(each / best - 1) < _OFF), key=agreement, default=best)
    number = int(tokens.lengths[tokens.places_of(sample.names)].sum())
    least = max(_AGREEING, _BETTER * given, given + _CHANCE / np.sqrt(max(number, 1)))
    same = abs(best / shift - 1) < _OFF
    return given, (best if highest >= (_AGREEING if same else least) else 0.0), highest


def find_likenesses(counts: Floats, phones: Inventory, columns: Inventory, tokens: Codes) -> list[Likeness]:
    """Return which columns behave like other phones, by counts [G, E] and the number of tokens of each phone [G]."""
    rows, places = _shared_phones(phones, columns)
    table, likenesses = counts[np.ix_(rows, places)], list[Likeness]()
    for row, code in enumerate(rows):
        column, frames = int(table[row].argmax()), counts[code].sum()
        won, own = table[row, column], max(table[row, row], table[column, column])
        # Both ways: the phone's most frequent column, and the column's most frequent phone; a recogniser that answers
        # two phones with one is right of one of them.
        mutual = column != row and int(table[:, column].argmax()) == row
        enough = won >= max(_LEAST, _SHARE * frames) and tokens[code] >= _TOKENS
        if mutual and enough and won >= _OFTENER * own:
            likenesses.append((phones.phones[rows[column]], phones.phones[code], round(won), round(frames)))
    return sorted(likenesses, key=lambda each: -each[2])


def doubt_posteriors(loaded: LoadedCorpus, *, check: bool) -> Iterator[str]:
    """Yield notes on posteriors; DataError where they do not belong to the phones, unless the user knows better."""
    posteriors, segments = loaded.posteriorgrams, loaded.segments
    sample = None if posteriors is None or segments is None else sample_frames(posteriors)
    if posteriors is None or segments is None or sample is None:
        return
    yield from _find_frames_without_phone(sample, posteriors, loaded)
    if not (check and _check_belonging(loaded, posteriors, segments, sample)):
        yield check_length(posteriors, segments)
    if not_logits(posteriors):
        yield "scale: logit is given, but the numbers are probabilities already: say scale: probability"
    if sample.names and np.ndim(posteriors.read(sample.names[0])) == 3:
        batch = f"[1, frames, {len(posteriors.columns)}]"
        yield f"the arrays of posteriors are {batch}; their leading axis of 1 is taken away"


def not_logits(posteriors: Posteriorgrams) -> bool:
    """Return whether what is given as logits are probabilities: a softmax of them would be nearly flat."""
    rows = [posteriors.raw(name)[:_FRAMES] for name in _choose_utterances(posteriors) if posteriors.scale == "logit"]
    return any(map(len, rows)) and scale_of(np.concatenate(rows)) == "probability"


def _check_belonging(
    loaded: LoadedCorpus, posteriors: Posteriorgrams, segments: PhoneSequences, sample: Sample
) -> bool:
    """Return whether agreement shows that the frame shift is right; DataError where posteriors are others'."""
    if posteriors.blank is not None and len(sample.columns) and sample.blank < _BLANK:
        labels = () if posteriors.spelling is None else posteriors.spelling.labels
        name = f" ({labels[posteriors.blank]})" if labels else ""
        share = _format_percent(sample.blank)
        msg = f"{share} of the mass is the blank's{name}, though a CTC network gives it most of it"
        most = np.bincount(sample.columns).argmax()
        called = labels and labels[most].lower() in BLANKS
        remedy = f"Set blank: {json.dumps(labels[most])}." if called else f"Are the labels in another order? {_ORDER}"
        raise DataError(f"{posteriors.source}: {msg}.\n{remedy} {_REMEDY}")
    side, tokens = "gold", segments
    if loaded.corpus is not None and loaded.decoded is None and loaded.corpus.predicted.start is not None:
        side, tokens = "predicted", loaded.corpus.predicted
    if tokens.start is None:
        return False
    given, best, highest = best_shift(sample, tokens, posteriors)
    if best and abs(best / posteriors.frame_shift - 1) >= _OFF:
        msg = f"{_format_percent(given)} of the frames agree with the {side} phone of their time, because frame_shift: "
        msg += f"{posteriors.frame_shift:g} is likely wrong ({_format_percent(highest)} agree with {best:.3g})"
        raise DataError(f"{posteriors.source}: {msg}.\nSet frame_shift: {best:.3g}. {_REMEDY}")
    chosen = tokens.select(tokens.places_of(sample.names))
    numbers = np.bincount(chosen.codes, minlength=len(tokens.inventory))
    counts = frame_counts(sample, tokens, posteriors, posteriors.frame_shift)
    _refuse_unlike(find_likenesses(counts, tokens.inventory, posteriors.inventory, numbers), posteriors.source, side)
    return bool(best)


def refuse_learned(learned: LearnedModel, segments: PhoneSequences, source: str) -> None:
    """Raise DataError where what gold phones sound like, as forced alignment learned it, are other columns."""
    model, gold = learned.model, segments.recode(learned.model.gold)
    numbers = np.bincount(gold.codes, minlength=len(model.gold))
    _refuse_unlike(find_likenesses(learned.counts, model.gold, model.recogniser, numbers), source, "gold")


def _refuse_unlike(likenesses: Sequence[Likeness], source: str, side: str) -> None:
    number = len(likenesses)
    # A recogniser may well answer one gold phone with another; its own decisions are the columns themselves.
    if number < (1 if side == "predicted" else 2):
        return
    named = [f"{column} like {phone} ({won:,} of {frames:,} frames)" for column, phone, won, frames in likenesses[:3]]
    more = f", and {number - 3} more" * (number > 3)
    columns = "1 column behaves" if number == 1 else f"{number} columns behave"
    msg = f"{columns} like another {side} phone than the label says: {', '.join(named)}{more}"
    raise DataError(f"{source}: {msg}.\n{_ORDER} {_REMEDY}")


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def _find_frames_without_phone(sample: Sample, posteriors: Posteriorgrams, loaded: LoadedCorpus) -> Iterator[str]:
    """Yield which columns have no phone though they are neither silence nor markers, and how many frames they win."""
    audit = loaded.audits["posteriors"]
    unknown = {row.raw for row in audit if row.action == "unknown" and not row.symbol}
    dropped = {row.raw for row in audit if row.action == "dropped" and row.raw.lower() not in MARKERS}
    if posteriors.spelling is None or not unknown | dropped:
        return
    labels = posteriors.spelling.labels
    won = np.bincount(sample.columns, minlength=len(labels)).tolist()
    frames = sum(won) - (0 if posteriors.blank is None else won[posteriors.blank])
    lost = {label: number for label, number in zip(labels, won, strict=True) if label in unknown | dropped}
    total = sum(lost.values())
    if not unknown and total < _WON * frames:
        return
    names = shorten(sorted(lost, key=lambda label: -lost[label]), 3)
    share = f"{_format_percent(total / max(frames, 1))}{', blanks aside' * (posteriors.blank is not None)}"
    leaves = "decoding leaves them out, so gold phones count as deleted" if loaded.decoded else "their mass is left out"
    yield f"columns without a phone ({names}) win {total:,} of {frames:,} frames read ({share}); {leaves}"


def check_length(posteriors: Posteriorgrams, segments: PhoneSequences) -> str:
    """Return a note where posteriors last much longer than gold, or less; without times, than so many phones may."""
    places, shift = segments.places_of(_choose_utterances(posteriors)), posteriors.frame_shift
    spoken = segments.select(places[segments.lengths[places] > 0])
    seconds = np.array([len(posteriors.raw(name)) for name in spoken.utterances]) * shift
    if not seconds.sum() or (shift == FRAMES and spoken.end is None):
        return ""
    if spoken.end is None:
        each = seconds.sum() / len(spoken.codes)
        note = f"posteriors last {each:.2g} s for each gold phone: is frame_shift: {shift:g} right?"
        return "" if _LEAST_EACH <= each <= _MOST_EACH else note
    ends, seconds = np.maximum.reduceat(spoken.end, spoken.offsets[:-1]), seconds + posteriors.frame_offset
    if not ends.sum():
        return ""
    ratio, slope = float(seconds.sum() / ends.sum()), 1.0
    if len(ends) >= _TOKENS and np.ptp(ends) >= ends.mean() / 2:
        # A line through utterances of different lengths parts a wrong factor from silence after each of them.
        factor, silence = np.polyfit(ends, seconds, 1)
        alike = np.std(seconds - factor * ends - silence) < _ALIKE_MARGIN * seconds.mean()
        slope = float(factor) if alike else 1.0
    short = seconds.sum() + 2 * shift * len(ends) < _SHORTER * ends.sum()  # networks may lack a frame or two
    if not short and ratio <= _LONGEST and _SHORTER <= slope <= _LONGER:
        return ""
    times = ratio if ratio > _LONGEST or slope == 1 else slope
    more = " or more" * (ratio < 1 and slope == 1)  # how much silence follows is not known
    share = f"{f'{times:.3g}' if times < 10 else f'{times:,.0f}'} times as long as the gold times"
    return f"posteriors last {share}: is frame_shift: {shift:g} right? {shift / times:.2g}{more} would fit"
