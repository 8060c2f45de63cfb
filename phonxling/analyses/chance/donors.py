"""Whose predictions may stand for whose: those of another text and, where speakers are known, of another speaker.

With shared prompts another speaker's utterance of the same text knows the answer, so it is no donor. Donors are drawn
at random, all alike; each draw takes a search among D, whatever the texts and the speakers are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, offsets_of
from phonxling.core.corpus import Corpus
from phonxling.core.sequences import PhoneSequences
from phonxling.resample.kernel import copy_runs


@dataclass(frozen=True, eq=False, kw_only=True)
class Donors:
    """The donors of each of U utterances, among the D utterances with predictions.

    Parameters
    ----------
    order : int64 array [D]
        Utterances with predictions, those of a speaker side by side.
    text : int64 array [U]
        The text of each utterance, by number.
    first : int64 array [T]
        How many in `order` have an earlier text than each.
    keys : int64 array [D]
        By text and place: (D + 1) · text + how many of other texts stand before each utterance of the text.
    own, skipped : int64 array [U]
        Of the utterances of other texts, in their order: where those of the same speaker begin, and how many they are.
    number : int64 array [U]
        How many donors there are.
    by_speaker : bool
        Whether donors are of another speaker.
    """

    order: Codes
    text: Codes
    first: Codes
    keys: Codes
    own: Codes
    skipped: Codes
    number: Codes
    by_speaker: bool

    def draw(self, utterances: Codes, generator: np.random.Generator) -> Codes:
        """Return a donor for each utterance, all of its donors being equally likely."""
        place = generator.integers(0, self.number[utterances])  # among those of another text and another speaker
        place += np.where(place >= self.own[utterances], self.skipped[utterances], 0)
        text = self.text[utterances]
        before = np.searchsorted(self.keys, text * (len(self.order) + 1) + place, "right") - self.first[text]
        return np.asarray(self.order[place + before])

    def missing(self, predicted: PhoneSequences) -> str:
        """Return why predictions cannot be shuffled, "" where every one of them has a donor."""
        needed = predicted.lengths > 0
        without = int((self.number[needed] == 0).sum())
        if not without:
            return ""
        if needed.sum() < 2:
            return "predictions cannot be shuffled: there is one utterance only"
        speaker = " of another speaker" * self.by_speaker
        reason = f"no utterance{speaker} has predictions and other gold phones"
        return f"predictions cannot be shuffled: {without} of {needed.sum()} utterances have no donor, since {reason}"


def texts_of(gold: PhoneSequences) -> Codes:
    """Return the text of each utterance by number, [U]: equal where all gold phones are, and all tones of a tier.

    Examples
    --------
    >>> from phonxling.core.sequences import from_lists
    >>> texts_of(from_lists(["u", "v", "w"], [["a", "b"], ["a"], ["a", "b"]])).tolist()
    [0, 1, 0]
    """
    numbers: dict[tuple[bytes, ...], int] = {}
    tiers = [gold] if gold.tones is None else [gold, gold.tones]
    runs = zip(*(tier.runs() for tier in tiers), strict=True)
    return np.array([numbers.setdefault(run, len(numbers)) for run in runs], np.int64)


def donors_of(corpus: Corpus, text: Codes) -> Donors:
    """Return the donors of each utterance of a corpus; `text` [U] is that of each, by number."""
    speaker = np.zeros(len(text), np.int64) if corpus.speaker_numbers is None else corpus.speaker_numbers
    by_speaker = bool(speaker.any())
    pool = np.flatnonzero(corpus.predicted.lengths)
    order = pool[np.argsort(speaker[pool], kind="stable")]
    by_text = np.argsort(text[order], kind="stable")  # places in `order`, text by text
    first = offsets_of(np.bincount(text[order], minlength=int(text.max(initial=-1)) + 1))
    rows, size = text[order][by_text], len(order)
    places = rows * (size + 1) + by_text

    def others_before(place: Codes) -> Codes:
        """Return how many of another text than the utterance's stand before a place in `order`."""
        return np.asarray(place - np.searchsorted(places, text * (size + 1) + place) + first[text])

    ends = (
        [np.searchsorted(speaker[order], speaker, side) for side in ("left", "right")] if by_speaker else [text * 0] * 2
    )
    own, after = (others_before(np.asarray(end, np.int64)) for end in ends)
    others = size - np.diff(first)[text]
    return Donors(
        order=order,
        text=text,
        first=first[:-1],
        keys=places - (np.arange(size) - first[rows]),
        own=own,
        skipped=after - own,
        number=others - (after - own),
        by_speaker=by_speaker,
    )


def joined_predictions(
    predicted: PhoneSequences, donors: Donors, generator: np.random.Generator
) -> NDArray[np.integer]:
    """Return codes [N] of the same lengths: a donor's predictions from a random place on, then those of further donors.

    The last one is cut. A random place, since the same few sentences, always laid side by side from their beginnings,
    would be aligned alike for all speakers, and seem to tell something.
    """
    codes = np.empty_like(predicted.codes)
    filled, ends, lengths = predicted.offsets[:-1].copy(), predicted.offsets[1:], predicted.lengths
    going, place = np.flatnonzero(lengths), None
    while len(going):
        donor = donors.draw(going, generator)
        place = generator.integers(0, lengths[donor]) if place is None else np.zeros(len(donor), np.int64)
        taken = np.minimum(lengths[donor] - place, ends[going] - filled[going])
        copy_runs(predicted.codes, predicted.offsets[donor] + place, filled[going], taken, codes)
        filled[going] += taken
        going = going[filled[going] < ends[going]]
    return codes
