"""What each corpus shows: how often each of its speakers' gold phones was right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.analyses.case.case import Case
from phonxling.analyses.differences import same_utterances
from phonxling.core.arrays import Bools, Codes, Floats, sum_by


@dataclass(frozen=True, eq=False, kw_only=True)
class Heard:
    """The gold tokens of a corpus by speaker and phone.

    Parameters
    ----------
    corpus, language, recogniser : str
        The corpus; its language, which another corpus may have, too; and who heard it.
    speakers : list of (str, str)
        C speakers, or utterances where speakers are not used: the corpus that they are of, and their names.
    phones : list of str
        K gold phones with tokens.
    tokens, right : float64 array [C, K]
        Tokens, and those that were aligned with the same phone: those deleted are wrong.
    absent : float
        Tokens that were left out since the recogniser lacks their phone.
    """

    corpus: str
    language: str
    recogniser: str
    speakers: Sequence[tuple[str, str]]
    phones: Sequence[str]
    tokens: Floats
    right: Floats
    absent: float

    @property
    def varies(self) -> bool:
        """Whether some tokens are right and some are wrong."""
        return bool(0 < self.right.sum() < self.tokens.sum())


def speakers_used(cases: Sequence[Case]) -> bool:
    """Return whether all corpora name their speakers, and one has several: else utterances take their place."""
    speakers = [case.counted.corpus.speakers for case in cases]
    return None not in speakers and any(len(set(names or ())) > 1 for names in speakers)


def all_heard(cases: Sequence[Case], *, include_absent: bool) -> Iterator[Heard]:
    """Yield what each corpus shows.

    Corpora of the same utterances are one language, which several recognisers heard; so are corpora that name the same
    language. A recogniser that heard the same utterances twice is taken as two, each named for its corpus.
    """
    by_speaker, seen = speakers_used(cases), set[tuple[str, str]]()
    for number, case in enumerate(cases):
        gold = next(one for one in cases[: number + 1] if one is case or same_utterances(one, case))
        recogniser = case.loaded.recogniser or ""
        recogniser = case.name if (gold.name, recogniser) in seen else recogniser
        seen.add((gold.name, recogniser))
        corpus = case.counted.corpus
        names = corpus.speakers if by_speaker and corpus.speakers else corpus.utterances
        speakers, owner = np.unique(np.array(names, dtype=object), return_inverse=True)
        tokens, right = _cells(case, owner, len(speakers))
        chosen = tokens.any(axis=0)
        able = chosen & (_in_inventory(case) | include_absent)
        yield Heard(
            corpus=case.name,
            language=case.experiment.corpora[gold.name].language or gold.name,
            recogniser=recogniser,
            speakers=[(gold.name, str(name)) for name in speakers],
            phones=[phone for phone, kept in zip(case.counted.stack.gold, able, strict=True) if kept],
            tokens=tokens[:, able],
            right=right[:, able],
            absent=float(tokens[:, chosen & ~able].sum()),
        )


def _cells(case: Case, owner: Codes, speakers: int) -> tuple[Floats, Floats]:
    """Return tokens and right ones of each speaker (the `owner` of each utterance) and gold phone, [C, G]."""
    stack = case.counted.stack
    rows, columns = len(stack.gold), len(stack.predicted) + 1
    same = np.pad(case.counted.matrix.same_symbol(), ((0, 1), (0, 1))).ravel()[stack.cells]
    place = np.repeat(owner, np.diff(stack.offsets)) * (rows + 1) + stack.cells // columns
    size = speakers * (rows + 1)
    every, right = sum_by(place, stack.counts, size), sum_by(place[same], stack.counts[same], size)
    return every.reshape(speakers, -1)[:, :rows], right.reshape(speakers, -1)[:, :rows]


def _in_inventory(case: Case) -> Bools:
    phones = set(case.recogniser_inventory.phones)
    return np.array([phone in phones for phone in case.counted.stack.gold], dtype=bool)
