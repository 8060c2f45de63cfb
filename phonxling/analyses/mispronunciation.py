"""Mispronunciation detection: which wrong phones of a learner the recogniser rejects, and which right ones it accepts.

Question
--------
Three sequences an utterance: canonical c (what should be said), gold g (what was said, as annotated) and predicted o
(what the recogniser answered). Gold and predicted are each aligned with canonical at unit cost, ties as NIST's sclite.

Items
-----
Items are the canonical phones, and what gold inserts between them. An item is

- *correct* where g equals c there; else *mispronounced*, and so is every phone that gold inserts;
- *accepted* where o equals c there (of an inserted one: where o inserts nothing); else *rejected*.

               accepted               rejected
correct        true acceptance TA     false rejection FR
mispronounced  false acceptance FA    true rejection TR; diagnosed correctly (CD) where o equals g

    precision TR/(TR + FR)      recall TR/(TR + FA)        F1 2 TR/(2 TR + FR + FA)
    false rejection FR/(TA + FR)   false acceptance FA/(FA + TR)   diagnostic error (TR − CD)/TR

References
----------
Qian, Meng & Soong (2010), Leung, Liu & Meng (2019): the hierarchy of the counts. Zhao et al. (2018), L2-ARCTIC.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.measures import row_of
from phonxling.core.arrays import Bools, Codes, Floats, offsets_of
from phonxling.core.confusion import Alignments
from phonxling.core.costs import cost_table
from phonxling.core.estimate import join_notes
from phonxling.core.inventory import GAP, Inventory, merge
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.core.work import SERIAL, Work

if TYPE_CHECKING:
    from phonxling.analyses.context import AnalysisOutput, CorpusContext

NO_PHONE = -1
OTHER_PHONE = "err"  # what L2-ARCTIC's annotators write for a sound that is no phone


@dataclass(frozen=True, eq=False)
class Detection:
    """Items of U utterances: canonical phones and gold's insertions, with what gold and the recogniser have there.

    `canonical`, `gold` and `predicted` [I] are codes of `phones`, NO_PHONE where there is none. `utterance` [I] is
    whose item it is, `beside` [U] how many phones the recogniser alone inserts.
    """

    phones: tuple[str, ...]
    utterance: Codes
    canonical: Codes
    gold: Codes
    predicted: Codes
    beside: Codes

    @cached_property
    def kinds(self) -> Mapping[str, Bools]:
        """Which items are of each kind, bool [I], by its usual letters; `TRD` are those with a diagnosis."""
        wrong, rejected = (np.not_equal(side, self.canonical) for side in (self.gold, self.predicted))
        # An annotator's `err` is something else than any phone: no diagnosis of it can be right.
        nameless = [code for code, phone in enumerate(self.phones) if phone.casefold() == OTHER_PHONE]
        kinds = {"TA": ~wrong & ~rejected, "FR": ~wrong & rejected, "FA": wrong & ~rejected, "TR": wrong & rejected}
        kinds["TRD"] = kinds["TR"] & ~np.isin(self.gold, nameless)
        return kinds | {"CD": kinds["TRD"] & (self.predicted == self.gold)}

    @cached_property
    def counts(self) -> Mapping[str, Codes]:
        """The counts of each utterance, int64 [U], by kind."""
        size = len(self.beside)
        return {name: np.bincount(self.utterance[items], minlength=size) for name, items in self.kinds.items()}

    def ratios(self) -> dict[str, tuple[Floats, Floats]]:
        """Return what each measure is the ratio of, by utterance, [U] each."""
        n = {name: count.astype(np.float64) for name, count in self.counts.items()}
        return {
            "mdd_precision": (n["TR"], n["TR"] + n["FR"]),
            "mdd_recall": (n["TR"], n["TR"] + n["FA"]),
            # halved above and below: an interval takes what is below for a number of items
            "mdd_f1": (n["TR"], n["TR"] + (n["FR"] + n["FA"]) / 2),
            "mdd_false_acceptance": (n["FA"], n["TR"] + n["FA"]),
            "mdd_false_rejection": (n["FR"], n["TA"] + n["FR"]),
            "mdd_diagnostic_error": (n["TRD"] - n["CD"], n["TRD"]),
        }

    def error_rows(self) -> Iterator[tuple[str, str, float]]:
        """Yield rows of the table `errors`: what is wrongly accepted or rejected, by canonical phone, most first."""
        names = (*self.phones, GAP)  # the last of which NO_PHONE finds
        for reason, kind in (("false_acceptance", "FA"), ("false_rejection", "FR")):
            codes, counts = np.unique(self.canonical[self.kinds[kind]], return_counts=True)
            for place in np.argsort(-counts, kind="stable"):
                yield names[codes[place]], reason, float(counts[place])


def detect(
    canonical: PhoneSequences, gold: PhoneSequences, predicted: PhoneSequences, work: Work = SERIAL
) -> Detection:
    """Return the items of the same utterances, in the same order, on the three sides.

    Examples
    --------
    The learner replaces l by r, as predicted; leaves out t, which is predicted all the same; and adds ə, which is not:

    >>> from phonxling.core.sequences import from_lists
    >>> sides = [["l", "a", "s", "t"]], [["r", "a", "s", "ə"]], [["r", "a", "s", "t"]]
    >>> found = detect(*(from_lists(["u1"], rows) for rows in sides))
    >>> {name: int(count[0]) for name, count in found.counts.items()}
    {'TA': 2, 'FR': 0, 'FA': 1, 'TR': 1, 'TRD': 1, 'CD': 1}
    """
    phones = merge(merge(canonical.inventory, gold.inventory), predicted.inventory)
    first, *others = [side.recode(phones) for side in (canonical, gold, predicted)]
    costs, gap = cost_table("unit", phones, phones, None), len(phones)
    spoken, answered = (align_sequences(first, side, costs, work) for side in others)
    added, guessed = _place_insertions(spoken), _place_insertions(answered)
    # Gold's insertions and the recogniser's of the same slot are aligned with each other: one that has a partner is
    # rejected. What the recogniser alone inserts is no item, for a rate of it could exceed 1; it is counted.
    slots = np.unique(added.slot)
    both = align_sequences(added.as_sequences(slots, phones), guessed.as_sequences(slots, phones), costs, work)
    is_item = both.gold < gap
    owner = added.utterance[np.searchsorted(added.slot, slots)][both.pair_utterances()]
    partners = owner[is_item & (both.predicted < gap)]
    codes = (
        [first.codes, np.full(int(is_item.sum()), NO_PHONE)],
        [spoken.predicted[spoken.gold < gap], both.gold[is_item]],
        [answered.predicted[answered.gold < gap], both.predicted[is_item]],
    )
    sides = [np.concatenate([part.astype(np.int64) for part in parts]) for parts in codes]
    asked, spoken_codes, answers = (np.where(side == gap, NO_PHONE, side) for side in sides)
    beside = np.bincount(guessed.utterance, minlength=len(first)) - np.bincount(partners, minlength=len(first))
    utterance = np.concatenate([first.token_utterances(), owner[is_item]])
    return Detection(phones.phones, utterance, asked, spoken_codes, answers, beside)


def detect_in(corpus: Corpus, canonical: PhoneSequences, work: Work = SERIAL) -> Detection:
    """Return the items of a corpus, whose utterances without canonical phones have none."""
    places = canonical.places_of(corpus.utterances)
    known = np.flatnonzero(places >= 0)
    found = detect(canonical.select(places[known]), corpus.gold.select(known), corpus.predicted.select(known), work)
    beside = np.zeros(len(places), np.int64)
    beside[known] = found.beside
    return replace(found, utterance=known[found.utterance], beside=beside)


class _Insertions(NamedTuple):
    """What a side adds to the canonical phones: codes, whose they are, and between which canonical phones (slots)."""

    code: Codes
    utterance: Codes
    slot: Codes

    def as_sequences(self, slots: Codes, phones: Inventory) -> PhoneSequences:
        """Return what stands in each of these slots, as an utterance each."""
        inside = np.isin(self.slot, slots)
        lengths = np.bincount(np.searchsorted(slots, self.slot[inside]), minlength=len(slots))
        codes, names = self.code[inside].astype(np.int32), tuple(map(str, slots.tolist()))
        return PhoneSequences(utterances=names, offsets=offsets_of(lengths), codes=codes, inventory=phones)


def _place_insertions(aligned: Alignments) -> _Insertions:
    here, owner = aligned.gold == len(aligned.gold_inventory), aligned.pair_utterances()
    before = np.cumsum(~here) + owner  # an utterance of n phones has n + 1 slots
    return _Insertions(aligned.predicted[here].astype(np.int64), owner[here], before[here])


def mispronunciations(case: "CorpusContext", _: None) -> "AnalysisOutput":
    """Yield the measures of mispronunciation detection of a corpus that has canonical phones."""
    canonical, found = case.loaded.canonical, case.detection
    if canonical is None or found is None:
        return
    utterances, beside = case.corpus.utterances, int(found.beside.sum())
    known = int((canonical.places_of(utterances) >= 0).sum())
    about = f"on {known:,} of {len(utterances):,} utterances" * (known < len(utterances))
    about = join_notes([about, f"phones that the recogniser alone inserts, in no rate: {beside:,}" * bool(beside)])
    counts = {name: int(count.sum()) for name, count in found.counts.items()}
    without = counts["TR"] - counts["TRD"]
    other = f"annotated as {OTHER_PHONE}, so without a diagnosis: {without:,}" * bool(without)
    for name, (above, below) in found.ratios().items():
        n = below.sum() if name != "mdd_f1" else counts["TR"] + counts["FR"] + counts["FA"]
        number = case.clusters.ratio(above, below, "share")
        yield row_of(name, number, n, "", about, other * (name == "mdd_diagnostic_error"))
