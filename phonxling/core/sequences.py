"""Symbol sequences by utterance, as columns: no Python object a token; a corpus of gold and predicted phones."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import (
    Codes,
    Floats,
    FrozenArrays,
    check_offsets,
    code_type,
    count_codes,
    make_read_only,
    offsets_of,
    places_of,
    sum_by,
)
from phonxling.core.errors import quote, refuse_other
from phonxling.core.estimate import ROWS, ReadableValue, format_count, tidy
from phonxling.core.inventory import Inventory, sorted_inventory

if TYPE_CHECKING:
    from phonxling.core.estimate import DataFrame


_UTTERANCES = 1 << 14  # whose phones are widened at a time


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Columns(ReadableValue, FrozenArrays):
    """What raw and normalised sequences share: N tokens in U utterances, with times and confidences where given."""

    utterances: tuple[str, ...]
    offsets: NDArray[np.int64]
    codes: NDArray[np.integer]
    start: Floats | None = None
    end: Floats | None = None
    confidence: Floats | None = None
    speakers: tuple[str, ...] | None = None
    source: str = ""
    notes: tuple[str, ...] = ()  # what was read otherwise than it stands in the file, for people
    _unit: ClassVar[str] = "phone"

    def __post_init__(self) -> None:
        times = dict.fromkeys(("start", "end", "confidence"), np.float64)
        make_read_only(self, offsets=np.int64, codes=code_type(self.size), **times)
        check_offsets(self.offsets, len(self.codes), len(self.utterances))

    def __len__(self) -> int:
        return len(self.utterances)

    @property
    def size(self) -> int:
        return len(self._labels)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each utterance, int64 [U]."""
        return self.offsets[1:] - self.offsets[:-1]  # np.diff takes five times as long of few utterances

    def places_of(self, utterances: Iterable[str]) -> Codes:
        """Return where utterances stand, int64; −1 for one that is not among them."""
        places = {name: place for place, name in enumerate(self.utterances)}
        return np.array([places.get(name, -1) for name in utterances], np.int64)

    @property
    def _labels(self) -> Sequence[str]:
        raise NotImplementedError

    def _facts(self) -> Iterator[str]:
        yield self.source
        yield format_count(len(self), "utterance")
        yield f"{format_count(len(self.codes), self._unit)} ({self.size} distinct)"
        yield format_count(len(set(self.speakers)), "speaker") if self.speakers is not None else ""
        yield "with times" if self.start is not None else ""
        yield "with confidences" if self.confidence is not None else ""

    def to_frame(self) -> "DataFrame":
        """Return a row a token: utterance, speaker, start and end in seconds, phone (or symbol), confidence."""
        owners = self.token_utterances()
        names = {"utterance": self.utterances, "speaker": self.speakers}
        labels = {name: np.array(of, dtype=object)[owners] for name, of in names.items() if of is not None}
        symbols = np.array(self._labels, dtype=object)[self.codes]
        times = {"start": self.start, "end": self.end}
        return tidy({**labels, **times, self._unit: symbols, "confidence": self.confidence})

    def token_order(self, utterances: NDArray[np.int64]) -> NDArray[np.int64]:
        return places_of(self.offsets[utterances], self.lengths[utterances])

    def token_utterances(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Transcript(Columns):
    """Symbols as a file gives them: `codes` point into `symbols`, the distinct raw ones in order of appearance.

    `places` says where each symbol was first met ("gold.tsv:3").
    """

    symbols: tuple[str, ...]
    places: tuple[str, ...]
    _unit: ClassVar[str] = "symbol"

    @cached_property
    def counts(self) -> Codes:
        return count_codes(self.codes, len(self.symbols))

    @property
    def _labels(self) -> Sequence[str]:
        return self.symbols


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PhoneSequences(Columns):
    """Normalised phones: `codes` point into `inventory`; `tones` holds the tone tier where one was taken off.

    Of a tone tier, `after` says how many phones of its utterance stand before each tone, its own phone among them.
    `words` is the number of each phone's word where a file marks words: neighbours in an utterance share it in a word.
    """

    inventory: Inventory
    tones: "PhoneSequences | None" = None
    after: NDArray[np.int64] | None = None
    words: NDArray[np.int64] | None = None

    @property
    def _labels(self) -> Sequence[str]:
        return self.inventory.phones

    def phones_of(self, utterance: int) -> list[str]:
        """Return the phones of one utterance, by its position, as strings: for looking at, not for counting."""
        run = self.codes[self.offsets[utterance] : self.offsets[utterance + 1]]
        return [self.inventory.phones[code] for code in run]

    def sums(self, of_phone: Floats) -> Floats:
        """Return the sum over each utterance's phones of a number for each phone of the inventory, [U]."""
        total = np.zeros(len(self))
        for first in range(0, len(self), _UTTERANCES):
            bounds = self.offsets[first : first + _UTTERANCES + 1]
            owner = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
            numbers = of_phone[self.codes[bounds[0] : bounds[-1]]]
            total[first : first + _UTTERANCES] = sum_by(owner, numbers, len(bounds) - 1)
        return total

    def runs(self, values: NDArray[np.integer] | None = None) -> list[bytes]:
        """Return the codes of each utterance, or a value of each of its tokens, as bytes."""
        held = self.codes if values is None else values
        text, bounds = held.tobytes(), (self.offsets * held.itemsize).tolist()
        return [text[begin:end] for begin, end in pairwise(bounds)]

    def select(self, utterances: NDArray[np.int64]) -> "PhoneSequences":
        tokens = self.token_order(utterances)
        given = {name: getattr(self, name) for name in ("start", "end", "confidence", "after", "words")}
        own: dict[str, Any] = {name: None if values is None else values[tokens] for name, values in given.items()}
        return replace(
            self,
            utterances=tuple(self.utterances[u] for u in utterances),
            offsets=offsets_of(self.lengths[utterances]),
            codes=self.codes[tokens],
            speakers=None if self.speakers is None else tuple(self.speakers[u] for u in utterances),
            tones=None if self.tones is None else self.tones.select(utterances),
            **own,
        )

    def recode(self, inventory: Inventory) -> "PhoneSequences":
        """Return the same phones coded by another inventory that holds them all; KeyError when one is missing."""
        if inventory == self.inventory:
            return self
        table = np.array([inventory.code(phone) for phone in self.inventory], dtype=code_type(len(inventory)))
        same = np.array_equal(table, np.arange(len(table)))
        codes = self.codes if same else table[self.codes]
        codes.flags.writeable = False  # so that nobody needs to copy them
        return replace(self, codes=codes, inventory=inventory)


def reading_notes(sides: Mapping[str, Columns | None]) -> tuple[str, ...]:
    """Return what readers noted, each sentence once, behind the names of the sides that it is of."""
    by_text: dict[str, list[str]] = {}
    for name, side in sides.items():
        for text in () if side is None else side.notes:
            by_text.setdefault(text, []).append(name)
    return tuple(f"{' and '.join(names)}: {text}" for text, names in by_text.items())


def contents_of(*tiers: PhoneSequences) -> Codes:
    """Return a number an utterance, [U], of its phones in all tiers: what no id, name or other inventory changes."""
    # CRC-32 is the same on every machine and in every run, which Python’s own hash of a text is not.
    by_symbol = [np.array([zlib.crc32(phone.encode()) for phone in tier.inventory], np.uint32) for tier in tiers]
    runs = zip(*(tier.runs(own[tier.codes]) for own, tier in zip(by_symbol, tiers, strict=True)), strict=True)
    return np.fromiter((zlib.crc32(b"\n".join(run)) for run in runs), np.int64, len(tiers[0]))


def numbered_speakers(speakers: Sequence[str], contents: Sequence[Any]) -> Codes:
    """Return the number of each utterance's speaker, [U], in an order that names do not change."""
    spoken: dict[str, list[Any]] = {}
    for name, content in zip(speakers, contents, strict=True):
        spoken.setdefault(name, []).append(content)
    # By what they say, not by name: random groups of speakers are the same when a corpus is made anonymous.
    numbers = {name: number for number, name in enumerate(sorted(spoken, key=lambda name: sorted(spoken[name])))}
    return np.array([numbers[name] for name in speakers], np.int64)


def from_lists(utterances: list[str], phones: list[list[str]], inventory: Inventory | None = None) -> PhoneSequences:
    """Return sequences from lists of phones; the inventory defaults to the sorted phones that occur."""
    known = inventory or sorted_inventory(phone for row in phones for phone in row)
    return PhoneSequences(
        utterances=tuple(utterances),
        offsets=offsets_of([len(row) for row in phones]),
        codes=np.array([known.code(phone) for row in phones for phone in row], dtype=np.int32),
        inventory=known,
    )


Action = Literal["kept", "folded", "mapped", "split", "merged", "silence", "boundary", "dropped", "unknown"]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One raw symbol (or one fate of it): what it became, by which action, and how many tokens."""

    raw: str
    symbol: str
    action: Action
    count: int
    features: Literal["table", "composed", "none"]


SymbolAudit = tuple[AuditRow, ...]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Corpus(ReadableValue):
    """Paired gold and predicted phone sequences.

    Parameters
    ----------
    gold, predicted : PhoneSequences
        The same utterances in the same order.
    gold_audit, predicted_audit : SymbolAudit
        What became of each raw symbol.
    speakers : tuple of str, optional
        One an utterance.
    prompts : tuple of str, optional
        The sentence of each utterance, which several speakers may read.
    unpaired : tuple of str
        Ids that were left out because only one side has them (none unless a share was allowed).
    notes : tuple of str
        What was read otherwise than it stands in the files, a sentence each.

    Raises
    ------
    ValueError
        If the two sides do not hold the same utterances in the same order.
    """

    gold: PhoneSequences
    predicted: PhoneSequences
    gold_audit: SymbolAudit = ()
    predicted_audit: SymbolAudit = ()
    speakers: tuple[str, ...] | None = None
    prompts: tuple[str, ...] | None = None
    unpaired: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *(f"note: {quote(note)}" for note in self.notes)])

    def __post_init__(self) -> None:
        for side, phones in (("gold", self.gold), ("predicted", self.predicted)):
            refuse_other(phones, PhoneSequences, side)
        if self.gold.utterances != self.predicted.utterances:
            raise ValueError("gold and predicted must hold the same utterances in the same order")

    def _facts(self) -> Iterator[str]:
        yield " and ".join(dict.fromkeys(side.source for side in (self.gold, self.predicted) if side.source))
        yield format_count(len(self.utterances), "utterance")
        yield format_count(len(set(self.speakers)), "speaker") if self.speakers is not None else ""
        for name, side in (("gold phone", self.gold), ("predicted phone", self.predicted)):
            yield f"{format_count(len(side.codes), name)} ({len(side.inventory)} distinct)"
        yield f"{format_count(len(self.unpaired), 'utterance')} left out, without a partner" if self.unpaired else ""

    def _head(self) -> "DataFrame":
        return self.select(np.arange(min(ROWS, len(self.utterances)))).to_frame()

    def to_frame(self) -> "DataFrame":
        """Return a row an utterance: utterance, speaker (where known), gold and predicted phones with spaces between.

        `gold_phones` and `predicted_phones` are how many they are. For a row a phone: `corpus.gold.to_frame()`.
        """
        sides = {"gold": self.gold, "predicted": self.predicted}
        utterances = range(len(self.utterances))
        texts = {name: [" ".join(side.phones_of(u)) for u in utterances] for name, side in sides.items()}
        numbers = {f"{name}_phones": side.lengths for name, side in sides.items()}
        return tidy({"utterance": [*self.utterances], "speaker": self.speakers, **texts, **numbers})

    def select(self, utterances: NDArray[np.int64]) -> "Corpus":
        """Return the utterances at these positions, in that order, without audits, which are of the whole."""
        return Corpus(
            gold=self.gold.select(utterances),
            predicted=self.predicted.select(utterances),
            speakers=None if self.speakers is None else tuple(self.speakers[place] for place in utterances),
            prompts=None if self.prompts is None else tuple(self.prompts[place] for place in utterances),
        )

    @cached_property
    def prompt_numbers(self) -> Codes:
        """The number of each utterance's prompt, [U]: by name, or the same where gold phones are the same."""
        names = contents_of(self.gold) if self.prompts is None else np.array(self.prompts)
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def speaker_numbers(self) -> Codes | None:
        """The number of each utterance's speaker, [U], whatever their names are; None where none are known."""
        if self.speakers is None:
            return None
        return numbered_speakers(self.speakers, contents_of(self.gold, self.predicted).tolist())

    @property
    def utterances(self) -> tuple[str, ...]:
        return self.gold.utterances

    @property
    def gold_inventory(self) -> Inventory:
        return self.gold.inventory

    @property
    def predicted_inventory(self) -> Inventory:
        return self.predicted.inventory
