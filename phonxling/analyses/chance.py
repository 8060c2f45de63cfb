"""Predictions without information: what an aligner scores when the recogniser has heard nothing.

A feature-weighted rate of unrelated sequences is far below 1, so a rate alone misleads. Each model redraws the
predictions, all but one of the same lengths; they are aligned anew, for the alignment itself makes unrelated sequences
look alike.

- `constant`: one phone only; of all phones the one that scores best.
- `uniform`: each phone drawn at random, all phones of the recogniser's inventory alike.
- `unigram`: each phone drawn at random from the predictions' own frequencies.
- `bigram`: the first phone drawn from the predictions' first phones, each other one from what follows its predecessor
  in the predictions; after a phone that nothing ever follows, from the frequencies of all phones.
- `bigram-free`: the same, until what follows is the end of an utterance: of lengths of its own.
- `shuffled`: the predictions of another utterance, with other gold phones and of another speaker where speakers are
  known, from a random place on; those of further such utterances follow, as many as are needed; the last one is cut.

Donors
------
With shared prompts another speaker's utterance of the same text knows the answer, so it is no donor. Donors are drawn
at random, all alike; each draw takes a search among D, whatever the texts and the speakers are.

What a constant costs
---------------------
Predictions of one phone q alone can be aligned with any of the gold phones, in their order. So the least cost of an
utterance is that of gaps alone, Σ deletions + m insertions, less what pairs save: of its gold phones those pair that
save most, substitution − deletion − insertion < 0, m at most. That needs only how often the utterance has each phone.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_in_parts
from phonxling.analyses import kernel
from phonxling.core.arrays import Bools, Codes, Floats, offsets_of
from phonxling.core.confusion import CORRECT, Alignments, ConfusionStack
from phonxling.core.costs import CostTable
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.count.confusions import stack_parts

_AT_ONCE = 1 << 20  # numbers that are drawn at one time


class Donors(NamedTuple):
    """The donors of each of U utterances, among the D utterances with predictions, in the order of their speakers."""

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
    """Return the text of each utterance by number, [U]: equal where all gold phones are, and all tones of a tier."""
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
    own = after = np.zeros(len(text), np.int64)
    if by_speaker:
        own, after = (np.searchsorted(speaker[order], speaker, side) for side in ("left", "right"))
    own, after = (  # less those of the utterance's own text
        end - np.searchsorted(places, text * (size + 1) + end) + first[text] for end in (own, after)
    )
    keys, skipped = places - (np.arange(size) - first[rows]), after - own
    return Donors(order, text, first[:-1], keys, own, skipped, size - np.diff(first)[text] - skipped, by_speaker)


def constant_prediction(predicted: PhoneSequences, code: int) -> PhoneSequences:
    """Return predictions of the same lengths, every phone replaced by one."""
    return _recoded(predicted, np.full(len(predicted.codes), code, dtype=np.int32))


# Each model returns predictions, all but `bigram-free` of the same lengths.


def shuffled_predictions(predicted: PhoneSequences, generator: np.random.Generator, donors: Donors) -> PhoneSequences:
    codes = np.empty_like(predicted.codes)
    filled, ends, lengths = predicted.offsets[:-1].copy(), predicted.offsets[1:], predicted.lengths
    going, place = np.flatnonzero(lengths), None
    while len(going):
        donor = donors.draw(going, generator)
        place = generator.integers(0, lengths[donor]) if place is None else np.zeros(len(donor), np.int64)
        taken = np.minimum(lengths[donor] - place, ends[going] - filled[going])
        steps = np.arange(taken.sum()) - np.repeat(np.cumsum(taken) - taken, taken)
        said = np.repeat(predicted.offsets[donor] + place, taken) + steps
        codes[np.repeat(filled[going], taken) + steps] = predicted.codes[said]
        filled[going] += taken
        going = going[filled[going] < ends[going]]
    return _recoded(predicted, codes)


def uniform_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    drawn = generator.integers(0, len(predicted.inventory), len(predicted.codes), np.int32)
    return _recoded(predicted, drawn.astype(predicted.codes.dtype))


def unigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    counts = np.bincount(predicted.codes, minlength=len(predicted.inventory))
    shares = np.cumsum(counts / counts.sum())
    shares /= shares[-1]
    drawn = np.empty_like(predicted.codes)
    for first in range(0, len(drawn), _AT_ONCE):  # as `Generator.choice` draws, with less memory
        part = drawn[first : first + _AT_ONCE]
        part[:] = shares.searchsorted(generator.random(len(part)), side="right")
    return _recoded(predicted, drawn)


def bigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    codes, phones, following = np.empty_like(predicted.codes), len(predicted.inventory), _followers(predicted)
    following[~following.any(axis=1)] = following.sum(axis=0)  # nothing follows it
    sizes, bounds, ends = _numbered(following)
    order = np.argsort(-predicted.lengths, kind="stable")
    begins, before = predicted.offsets[:-1][order], np.full(len(order), phones)
    longer = np.cumsum(np.bincount(predicted.lengths)[::-1])[::-1][1:]  # utterances that are longer than 0, 1, …
    for place, going in enumerate(longer.tolist()):
        before = before[:going]
        drawn = bounds[before] + generator.integers(0, sizes[before])
        before = np.searchsorted(ends, drawn, "right") - before * phones
        codes[begins[:going] + place] = before
    return _recoded(predicted, codes)


def free_bigram_predictions(predicted: PhoneSequences, generator: np.random.Generator) -> PhoneSequences:
    phones, number = len(predicted.inventory), len(predicted)
    last = predicted.codes[predicted.offsets[1:][predicted.lengths > 0] - 1]
    stops = np.bincount(last, minlength=phones + 1)
    stops[-1] = number - len(last)  # begun utterances that are empty
    sizes, bounds, ends = _numbered(np.column_stack([_followers(predicted), stops]))
    steps = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    before, going = np.full(number, phones), np.arange(number)
    while len(going):
        place = bounds[before] + generator.integers(0, sizes[before])
        after = np.searchsorted(ends, place, "right") - before * (phones + 1)
        going, before = going[after < phones], after[after < phones]
        steps.append((going, before))
    owner, codes = (np.concatenate(part) for part in zip(*steps, strict=True))
    return PhoneSequences(
        utterances=predicted.utterances,
        offsets=offsets_of(np.bincount(owner, minlength=number)),
        codes=codes[np.argsort(owner, kind="stable")].astype(predicted.codes.dtype),
        inventory=predicted.inventory,
    )


def _followers(predicted: PhoneSequences) -> Codes:
    """Return how often each phone follows each one, and in the last row how often it comes first, [P + 1, P]."""
    phones = len(predicted.inventory)
    before = np.append(phones, predicted.codes)[:-1]
    before[predicted.offsets[:-1][predicted.lengths > 0]] = phones
    return np.bincount(before * phones + predicted.codes, minlength=(phones + 1) * phones).reshape(-1, phones)


def _numbered(following: Codes) -> tuple[Codes, Codes, Codes]:
    """Return how many followers each row has, how many the rows before it, and how many there are up to each cell."""
    sizes = following.sum(axis=1)
    return sizes, np.cumsum(sizes) - sizes, np.cumsum(following)


MODELS: dict[str, Callable[[PhoneSequences, np.random.Generator], PhoneSequences]] = {  # and `shuffled`, among donors
    "uniform": uniform_predictions,
    "unigram": unigram_predictions,
    "bigram": bigram_predictions,
    "bigram-free": free_bigram_predictions,
}


def redrawn_errors(predicted: PhoneSequences, generator: np.random.Generator, right: Bools) -> PhoneSequences:
    """Return predictions in which each wrong one, inserted ones included, is drawn from the frequencies of them all."""
    codes, wrong = np.array(predicted.codes), np.flatnonzero(~right)
    codes[wrong] = codes[wrong[generator.integers(0, max(1, len(wrong)), len(wrong))]]
    return _recoded(predicted, codes)


def heard_right(path: Alignments) -> Bools:
    """Return which predicted phones are aligned with the same symbol, [N]."""
    return np.asarray(path.operations[path.predicted < len(path.predicted_inventory)] == CORRECT)


def _recoded(predicted: PhoneSequences, codes: NDArray[np.integer]) -> PhoneSequences:
    codes.flags.writeable = False  # so that nobody needs to copy them
    return PhoneSequences(
        utterances=predicted.utterances, offsets=predicted.offsets, codes=codes, inventory=predicted.inventory
    )


def count_aligned(gold: PhoneSequences, predicted: PhoneSequences, costs: CostTable) -> tuple[Floats, ConfusionStack]:
    """Return each pair's least cost, [U], and the confusions, with the paths of some utterances held at a time."""
    cost, pairs = [np.zeros(0)], len(gold.codes) + len(predicted.codes)

    def parts() -> Iterator[Alignments]:
        for aligned in align_in_parts(gold, predicted, costs):
            cost.append(aligned.cost / aligned.denominator)
            yield aligned

    stack = stack_parts(parts(), (costs.gold, costs.predicted), utterances=gold.utterances, pairs=pairs)
    return np.concatenate(cost), stack


def constant_costs(corpus: Corpus, costs: CostTable, answers: range) -> Floats:
    """Return what each utterance costs at least if every prediction is one phone, [k, U], by the phones' codes."""
    gold, phones = corpus.gold.recode(costs.gold), corpus.predicted.inventory.phones
    codes = np.array([costs.predicted.code(phones[answer]) for answer in answers], np.int64)
    deletion, insertion = costs.deletion.astype(np.int64), costs.insertion[codes].astype(np.int64)
    saved = costs.substitution[:, codes].T - deletion - insertion[:, None]
    order = np.argsort(saved, axis=1, kind="stable")
    paid = np.empty((len(codes), len(gold)), np.int64)
    saved = np.minimum(np.take_along_axis(saved, order, axis=1), 0)
    kernel.pay_constants(gold.codes, gold.offsets, corpus.predicted.lengths, deletion, insertion, order, saved, paid)
    return paid / costs.denominator
