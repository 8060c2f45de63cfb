"""Whether posteriors belong to the phones beside them: the order of their columns, their frame shift, their blank.

A bounded sample of utterances is looked at, always the same one. Where phones have times (predicted ones, else gold),
each frame's most probable column is compared with the phone that is said at the centre of the frame:

- agreement(s): of the frames whose most probable column is a phone, the share that is within a token of that phone when
  frames are s seconds apart. At the right shift it has a sharp peak, of whatever height.
- column Y behaves like X, if frames of X are most often Y, frames that are Y most often X's, and neither is its own
  even a quarter as often. Both are phones of either side: what one side alone has is a matter of conventions.

Where gold has no times, the counts are those that forced alignment expects (`phonxling.forced.learning`).
"""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from phonxling.analyses.loaded import LoadedCorpus
from phonxling.core.arrays import Codes, Floats
from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import FRAMES, ROW_TOLERANCE, Posteriorgrams, Rows
from phonxling.core.sequences import PhoneSequences, SymbolAudit
from phonxling.forced.learning import Learned
from phonxling.phones.symbols import BLANKS, MARKERS

_UTTERANCES, _FRAMES = 40, 2000  # that are looked at; frames of each utterance
_SHORTER, _LONGER, _LONGEST = 0.97, 1.03, 5.0  # length of posteriors over that of gold times, where it is doubtful
_ALIKE = 0.01  # spread of lengths around a line, of their mean, where one factor tells them all
_MOST_EACH, _LEAST_EACH = 1.0, 0.02  # seconds of posteriors for each gold phone, on average
_SHIFTS = (0.001, 0.005, 0.00625, 0.008, 0.01, 0.0125, 0.015, 0.016, 0.02, 0.025, 0.03, 0.04, 0.08)
_AGREEING, _BETTER, _CHANCE = 0.25, 1.15, 2.0  # agreement that tells a shift; times as much; over the root of tokens
_OFF = 0.015  # shifts nearer to each other than this are one
_LEAST, _TOKENS, _SHARE, _OFTENER = 20, 5, 0.4, 4.0  # of a phone: frames, tokens, frames of one column, over its own's
_BLANK = 0.1  # of the mass
_WON = 0.01  # of the frames
_ORDER = "Give labels: in the order of the columns (those of a vocab.json by their ids)."
_KNOWN = "If all is right, set pairing: {check_posteriors: false}."


class Sample(NamedTuple):
    """Frames of some utterances: the most probable phone [T] (−1: none) and column, the place of each and its owner."""

    best: Codes
    column: Codes
    place: Codes
    owner: Codes
    names: tuple[str, ...]
    blank: float


def sample(posteriorgrams: Posteriorgrams) -> Sample | None:
    """Return the frames that are looked at; None where some cannot be read, of which their reader tells."""
    names = posteriorgrams.utterances[:: max(1, len(posteriorgrams) // _UTTERANCES)][:_UTTERANCES]
    best, columns, blank = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0.0
    try:
        for name in names:
            rows = np.asarray(posteriorgrams.raw(name)[:_FRAMES])
            mass, of_blank = posteriorgrams.by_phone(rows, posteriorgrams.where(name), rest=True)
            best.append(mass.argmax(axis=1))
            columns.append(rows.argmax(axis=1))
            blank += of_blank
    except DataError:
        return None
    lengths = [len(each) for each in best[1:]]
    joined, place = np.concatenate(best), np.concatenate([best[0], *map(np.arange, lengths)])
    joined[joined == len(posteriorgrams.inventory)] = -1
    owner, frames = np.repeat(np.arange(len(names)), lengths), max(len(joined), 1)
    return Sample(joined, np.concatenate(columns), place, owner, names, blank / frames)


class Said(NamedTuple):
    """The tokens of a sample's utterances, one utterance after the other on one line of time, so many seconds apart."""

    start: Floats
    end: Floats
    codes: Codes
    apart: float
    phones: Inventory

    def counts(self, heard: Sample, posteriorgrams: Posteriorgrams, shift: float) -> Floats:
        """Return how many frames within each phone are most probably each column's [G, E], at a frame shift."""
        phones = heard.best >= 0
        inside = posteriorgrams.frame_offset + (heard.place[phones] + 0.5) * shift
        time = heard.owner[phones] * self.apart + np.minimum(inside, self.apart / 2)
        token = np.searchsorted(self.start, time, side="right") - 1
        held = (token >= 0) & (time < self.end[token])
        table = np.zeros((len(self.phones), len(posteriorgrams.inventory)))
        np.add.at(table, (self.codes[token[held]], heard.best[phones][held]), 1)
        return table


def said(heard: Sample, tokens: PhoneSequences) -> Said | None:
    """Return the tokens of a sample; None where they have no times, or not in their order."""
    if tokens.start is None or tokens.end is None:
        return None
    places = enumerate(tokens.places_of(heard.names).tolist())
    runs = [(owner, slice(*tokens.offsets[place : place + 2])) for owner, place in places if place >= 0]
    apart = 4 * max((float(tokens.end[run].max(initial=1.0)) for _, run in runs), default=1.0)
    parts = [np.zeros((3, 0))]
    for owner, run in runs:
        times = tokens.start[run] + owner * apart, tokens.end[run] + owner * apart
        parts.append(np.stack([*times, tokens.codes[run]]))
    start, end, codes = np.concatenate(parts, axis=1)
    if not len(start) or (np.diff(start) < 0).any():
        return None
    return Said(start, end, codes.astype(np.int64), apart, tokens.inventory)


def agreements(heard: Sample, tokens: Said, posteriorgrams: Posteriorgrams, shifts: Floats) -> Floats:
    """Return agreement(s) for each shift."""
    rows, columns = _shared(tokens.phones, posteriorgrams.inventory)
    frames = max(int((heard.best >= 0).sum()), 1)
    counts = (tokens.counts(heard, posteriorgrams, shift) for shift in shifts.tolist())
    return np.array([table[rows, columns].sum() / frames for table in counts])


def _shared(first: Inventory, second: Inventory) -> tuple[list[int], list[int]]:
    names = [name for name in first if name in second]
    return [first.code(name) for name in names], [second.code(name) for name in names]


def best_shift(heard: Sample, tokens: Said, posteriorgrams: Posteriorgrams) -> tuple[float, float, float]:
    """Return the agreement at the shift as given; the shift of highest agreement, 0 where none is told, and that."""
    shift = posteriorgrams.frame_shift

    def at(shifts: Floats) -> Floats:
        return agreements(heard, tokens, posteriorgrams, shifts)

    below, given, above = at(shift * np.array([1 - 2 * _OFF, 1, 1 + 2 * _OFF])).tolist()
    if given >= _AGREEING and given >= max(below, above):
        return given, shift, given
    best, highest = shift, given
    for ratios, more in ((np.exp(np.arange(-250, 251) / 100), _SHIFTS), (1 + np.arange(-10, 11) / 1000, ())):
        shares = at(tried := np.r_[best * ratios, more])
        best, highest = float(tried[shares.argmax()]), float(shares.max())
    round_ones = np.array([each for each in _SHIFTS if abs(each / best - 1) < _OFF])
    if len(round_ones):
        best = float(round_ones[at(round_ones).argmax()])
    least = max(_AGREEING, _BETTER * given, given + _CHANCE / np.sqrt(len(tokens.codes)))
    same = abs(best / shift - 1) < _OFF
    return given, (best if highest >= (_AGREEING if same else least) else 0.0), highest


Likeness: TypeAlias = tuple[str, str, int, int]  # a column, the phone that it behaves like, its frames, the phone's


def likenesses(counts: Floats, phones: Inventory, columns: Inventory, tokens: Codes) -> list[Likeness]:
    """Return which columns behave like other phones, by counts [G, E] and the number of tokens of each phone [G]."""
    rows, places = _shared(phones, columns)
    table = counts[np.ix_(rows, places)]
    found = []
    for row, code in enumerate(rows):
        column = int(table[row].argmax())
        won, own = table[row, column], max(table[row, row], table[column, column])
        mutual = column != row and int(table[:, column].argmax()) == row
        enough = won >= max(_LEAST, _SHARE * counts[code].sum()) and tokens[code] >= _TOKENS
        if mutual and enough and won >= _OFTENER * own:
            found.append((phones.phones[rows[column]], phones.phones[code], round(won), round(counts[code].sum())))
    return sorted(found, key=lambda each: -each[2])


def doubts(loaded: LoadedCorpus, *, check: bool) -> Iterator[str]:
    """Yield notes on posteriors; DataError where they do not belong to the phones, unless the user knows better."""
    posteriors = loaded.posteriorgrams
    if posteriors is None or loaded.segments is None:
        return
    heard = sample(posteriors)
    if heard is not None:
        yield from _without_phone(heard, posteriors, loaded.audits["posteriors"], decoded=loaded.decoded is not None)
    told = heard is not None and check and _belongs(loaded, posteriors, loaded.segments, heard)
    lasting = "" if told else length(posteriors, loaded.segments)
    yield from filter(None, [lasting, not_logits(posteriors), of_batches(posteriors)])


def _belongs(loaded: LoadedCorpus, posteriors: Posteriorgrams, segments: PhoneSequences, heard: Sample) -> bool:
    """Return whether agreement tells that the frame shift is right; DataError where posteriors are others'."""
    if posteriors.blank is not None and len(heard.best) and heard.blank < _BLANK:
        labels = () if posteriors.spelling is None else posteriors.spelling.labels
        name = f" ({labels[posteriors.blank]})" if labels else ""
        msg = f"{_percent(heard.blank)} of the mass is the blank's{name}, though a CTC network gives it most of it"
        most = np.bincount(heard.column).argmax()
        called = labels and labels[most].lower() in BLANKS
        remedy = f"Set blank: {json.dumps(labels[most])}." if called else f"Are the labels in another order? {_ORDER}"
        raise DataError(f"{posteriors.source}: {msg}.\n{remedy} {_KNOWN}")
    heard_as = None if loaded.corpus is None or loaded.decoded is not None else loaded.corpus.predicted
    predicted = heard_as is not None and heard_as.start is not None
    tokens = said(heard, heard_as if predicted and heard_as is not None else segments)
    if tokens is None:
        return False
    side = "predicted" if predicted else "gold"
    given, best, highest = best_shift(heard, tokens, posteriors)
    if best and abs(best / posteriors.frame_shift - 1) >= _OFF:
        msg = f"{_percent(given)} of the frames agree with the {side} phone of their time, because frame_shift: "
        msg += f"{posteriors.frame_shift:g} is likely wrong ({_percent(highest)} agree with {best:.3g})"
        raise DataError(f"{posteriors.source}: {msg}.\nSet frame_shift: {best:.3g}. {_KNOWN}")
    numbers = np.bincount(tokens.codes, minlength=len(tokens.phones))
    counts = tokens.counts(heard, posteriors, posteriors.frame_shift)
    found = likenesses(counts, tokens.phones, posteriors.inventory, numbers)
    refuse_likenesses(found, posteriors.source, side)
    return bool(best)


def refuse_likenesses(found: Sequence[Likeness], source: str, side: str) -> None:
    """Raise DataError where columns behave like other phones: one predicted so, or two of gold."""
    if len(found) < (1 if side == "predicted" else 2):
        return
    named = [f"{column} like {phone} ({won:,} of {frames:,} frames)" for column, phone, won, frames in found[:3]]
    more = f", and {len(found) - 3} more" if len(found) > 3 else ""
    columns = "1 column behaves" if len(found) == 1 else f"{len(found)} columns behave"
    msg = f"{columns} like another {side} phone than the label says: {', '.join(named)}{more}"
    raise DataError(f"{source}: {msg}.\n{_ORDER} {_KNOWN}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def refuse_learned(learned: Learned, segments: PhoneSequences, source: str) -> None:
    """Raise DataError where what gold phones sound like, as forced alignment learned it, are other columns."""
    model, gold = learned.model, segments.recode(learned.model.gold)
    numbers = np.bincount(gold.codes, minlength=len(model.gold))
    refuse_likenesses(likenesses(learned.counts, model.gold, model.recogniser, numbers), source, "gold")


def _without_phone(heard: Sample, posteriors: Posteriorgrams, audit: SymbolAudit, *, decoded: bool) -> Iterator[str]:
    """Yield which columns have no phone though they are neither silence nor markers, and how many frames they win."""
    unknown = {row.raw for row in audit if row.action == "unknown" and not row.symbol}
    dropped = {row.raw for row in audit if row.action == "dropped" and row.raw.lower() not in MARKERS}
    spelling = posteriors.spelling
    if spelling is None or not unknown | dropped:
        return
    won = np.bincount(heard.column, minlength=len(spelling.labels))
    frames = len(heard.column) - (0 if posteriors.blank is None else int(won[posteriors.blank]))
    lost = {label: int(won[place]) for place, label in enumerate(spelling.labels) if label in unknown | dropped}
    total, share = sum(lost.values()), sum(lost.values()) / max(frames, 1)
    if not unknown and share < _WON:
        return
    names = sorted(lost, key=lambda label: -lost[label])
    named = " and ".join(names) if len(names) < 3 else f"{', '.join(names[:2])} and {len(names) - 2} more columns"
    verb, won_by = ("has", "it wins") if len(names) == 1 else ("have", "they win")
    aside = ", blanks aside" if posteriors.blank is not None else ""
    leaves = "; decoding leaves these out, so gold phones count as deleted" if decoded else "; this mass is left out"
    of = f"{total:,} of {frames:,} frames read ({_percent(share)}{aside})"
    yield f"{named} {verb} no phone: {won_by} {of}{leaves if total else ''}"


def length(posteriors: Posteriorgrams, segments: PhoneSequences) -> str:
    """Tell when posteriors last much longer than the gold times, or less; without times, than so many phones may."""
    spoken = segments.lengths[segments.places_of(posteriors.utterances)] > 0
    names = [name for name, has in zip(posteriors.utterances, spoken, strict=True) if has][:_UTTERANCES]
    places = segments.places_of(names)
    lengths, shift = np.array([len(rows) for rows in _rows(posteriors, names)]), posteriors.frame_shift
    frames = int(lengths.sum())
    if not frames or (shift == FRAMES and segments.end is None):
        return ""
    if segments.end is None:
        each = frames * shift / int(segments.lengths[places].sum())
        told = f"posteriors last {each:.2g} s for each gold phone: is frame_shift: {shift:g} right?"
        return "" if _LEAST_EACH <= each <= _MOST_EACH else told
    runs = [slice(*segments.offsets[place : place + 2]) for place in places]
    ends = np.array([float(segments.end[run].max()) for run in runs])
    seconds = lengths * shift + posteriors.frame_offset
    ratio = float(seconds.sum() / ends.sum()) if ends.sum() > 0 else 1.0
    slope, room = _slope(ends, seconds), 2 * shift * len(names)  # networks may lack a frame or two
    if seconds.sum() + room >= _SHORTER * ends.sum() and ratio <= _LONGEST and _SHORTER <= slope <= _LONGER:
        return ""
    times = ratio if ratio > _LONGEST or slope == 1 else slope
    likely = min(_SHIFTS, key=lambda each: abs(np.log(each * times / shift)))
    fitting = f"{shift / times if likely == shift else likely:.3g}"
    if ratio < 1 and slope == 1:  # how much silence follows is not known
        fitting = f"{shift / ratio:.2g} or more"
    share = f"{f'{times:.3g}' if times < 10 else f'{times:,.0f}'} times as long as the gold times"
    return f"posteriors last {share}: is frame_shift: {shift:g} right? {fitting} would fit"


def _slope(ends: Floats, seconds: Floats) -> float:
    """Return the factor by which all utterances outlast gold; 1 where none does, since silence may follow."""
    if len(ends) < _TOKENS or np.ptp(ends) < ends.mean() / 2:
        return 1.0
    factor, constant = np.polyfit(ends, seconds, 1)
    return float(factor) if np.std(seconds - factor * ends - constant) < _ALIKE * seconds.mean() else 1.0


def of_batches(posteriors: Posteriorgrams) -> str:
    """Tell when arrays have a leading axis of 1, as a model gives them for one recording."""
    try:
        shape = () if not posteriors.utterances else np.shape(posteriors.read(posteriors.utterances[0]))
    except DataError:
        return ""
    batch = f"[1, frames, {len(posteriors.columns)}]"
    return f"the arrays of posteriors are {batch}; their leading axis of 1 is taken away" if len(shape) == 3 else ""


def not_logits(posteriors: Posteriorgrams) -> str:
    """Tell when what is given as logits are probabilities: a softmax of them would be nearly flat."""
    rows = _rows(posteriors, posteriors.utterances[:_UTTERANCES]) if posteriors.scale == "logit" else []
    numbers = [np.asarray(each, np.float64) for each in rows]
    alike = (each.min(initial=0) >= 0 and (abs(each.sum(axis=1) - 1) <= ROW_TOLERANCE).all() for each in numbers)
    if not sum(map(len, rows)) or not all(alike):
        return ""
    return "scale: logit is given, but the numbers are probabilities already: say scale: probability"


def _rows(posteriors: Posteriorgrams, names: Sequence[str]) -> list[Rows]:
    """Return the matrices of some utterances; none when one is no such matrix, of which its reader tells."""
    try:
        return [posteriors.raw(name) for name in names]
    except DataError:
        return []
