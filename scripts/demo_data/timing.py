"""The synthesiser's events → phones with start and end.

An event says where espeak began to write a phone's samples. That is the phone's start but for four habits of espeak,
seen in spectrograms of its output, which are put right here:

1. The closure of a word's first stop is written before the stop's event, as a pause that starts at the word's event.
   A word's first phone therefore starts at the word's event.
2. A nasal that ends a word before a vowel is written after the word's event: there the vowel starts at its own event.
3. A liquid after a vowel in the same syllable is drawn as the last half of the vowel, and its event, at the end of the
   vowel, has no samples: it gets the vowel's second half.
4. An unnamed event inside a word, between two vowels, is a joint and not a pause: it belongs to the phone before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .espeak import Event, Rendering

SILENCE = "sil"
_NASALS = frozenset("mnɲŋ")
_LIQUIDS = frozenset("lr")


@dataclass(frozen=True)
class Interval:
    """One phone, or `SILENCE`, with its start and end in seconds."""

    start: float
    end: float
    phone: str


def time_phones(rendering: Rendering) -> list[Interval]:
    """Return the phones and silences of a rendering; they follow each other without gap from 0 to its end."""
    seconds = [(name, sample / rendering.rate) for name, sample in _starts(rendering.events)]
    ends = [start for _, start in seconds[1:]] + [len(rendering.samples) / rendering.rate]
    intervals = [
        Interval(start, end, name or SILENCE)
        for (name, start), end in zip(seconds, ends, strict=True)
        if name or end > start
    ]
    timed = _merge_silences(_split_coda_liquids(intervals))
    if empty := [interval for interval in timed if interval.end <= interval.start]:
        raise ValueError(f"espeak gave {len(empty)} phones no duration, the first {empty[0]}: see {__name__}")
    return timed


def _starts(events: Sequence[Event]) -> list[tuple[str, int]]:
    """Name and first sample of each phone and pause (habits 1, 2 and 4)."""
    starts: list[tuple[str, int]] = []
    word: int | None = None
    for event, following in zip(events, [*events[1:], None], strict=True):
        if event.phone is None:
            word = event.sample
        elif event.phone:
            after_nasal = bool(starts) and starts[-1][0] in _NASALS and starts[-1][1] == word
            starts.append((event.phone, event.sample if word is None or after_nasal else word))
            word = None
        elif not _is_joint(event, following, word):
            starts.append(("", event.sample))
    return starts


def _is_joint(event: Event, following: Event | None, word: int | None) -> bool:
    """Whether an unnamed event stands inside a word: neither before the word's first phone nor after its last."""
    return word is None and following is not None and bool(following.phone) and following.sample > event.sample


def _split_coda_liquids(intervals: Sequence[Interval]) -> list[Interval]:
    """Give each liquid without samples the second half of the vowel before it (habit 3)."""
    split: list[Interval] = []
    for interval in intervals:
        if interval.end <= interval.start and interval.phone in _LIQUIDS and split:
            vowel = split.pop()
            middle = (vowel.start + vowel.end) / 2
            split.append(replace(vowel, end=middle))
            interval = replace(interval, start=middle)
        split.append(interval)
    return split


def _merge_silences(intervals: Sequence[Interval]) -> list[Interval]:
    merged: list[Interval] = []
    for interval in intervals:
        if merged and interval.phone == SILENCE == merged[-1].phone:
            merged[-1] = replace(merged[-1], end=interval.end)
        else:
            merged.append(interval)
    return merged
