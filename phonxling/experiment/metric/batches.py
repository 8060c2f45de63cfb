"""Batches of utterances, as a training loop has them, to one side's raw codes and then to its phones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, offsets_of
from phonxling.core.errors import DataError, shown
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.load.text import check_symbol
from phonxling.phones.maps import SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules

Row: TypeAlias = str | Sequence[str]
Batch: TypeAlias = str | Iterable[Row]
_TOGETHER = 1_000  # utterances: their phones as Python has them fit the processor's cache, and are soon free again
_BATCH = "A list of texts is a batch, one text an utterance, phones apart by spaces; one utterance as phones is [[…]]"


class _Symbols(dict[str, int]):
    """The code of each raw symbol, in the order in which they come; a new one gets the next code."""

    def __missing__(self, symbol: object) -> int:
        if not isinstance(symbol, str):
            msg = f"phones are texts, not {type(symbol).__name__} such as {shown(str(symbol))}"
            raise DataError(f"{msg}; turn the numbers of a model's output into phones first, as docs/training.md does")
        self[str(symbol)] = code = len(self)
        return code


@dataclass(frozen=True, eq=False)
class Encoded:
    """Utterances of one side: the raw codes of all tokens [N], and how many tokens each utterance has [U]."""

    codes: NDArray[np.int32]
    lengths: Codes


@dataclass(eq=False)
class Side:
    """One side, gold or predicted: how its symbols are read, and what has been encoded and not yet normalised."""

    name: str
    symbols: SymbolSet
    table: FeatureTable
    rules: SymbolRules
    _codes: _Symbols = field(default_factory=_Symbols)
    _waiting: list[Encoded] = field(default_factory=list)
    utterances: int = 0  # that wait

    def encode(self, rows: Sequence[Row]) -> Encoded:
        """Return utterances as codes; DataError when a symbol is unknown, and nothing is changed then."""
        known = len(self._codes)
        try:
            parts = [self._encoded(rows[first : first + _TOGETHER], first) for first in range(0, len(rows), _TOGETHER)]
            encoded = _joined(parts)
            if len(self._codes) > known:
                self._check(encoded, known)
        except Exception:
            self._forget(known)
            raise
        return encoded

    def empty(self) -> "Side":
        """Return the same side with nothing that waits."""
        return Side(self.name, self.symbols, self.table, self.rules)

    def add(self, encoded: Encoded) -> None:
        """Keep encoded utterances until `take`."""
        self._waiting.append(encoded)
        self.utterances += len(encoded.lengths)

    def take(self) -> PhoneSequences:
        """Return the phones of all utterances that wait, which then wait no more."""
        phones, _ = self._normalised(_joined(self._waiting), ("",) * len(self._codes))
        self.clear()
        return phones

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
        self.utterances = 0
        self._forget(0)

    def _forget(self, known: int) -> None:
        """Forget all symbols but the first ones."""
        while len(self._codes) > known:
            self._codes.popitem()

    def _encoded(self, rows: Sequence[Row], before: int) -> Encoded:
        """Return some utterances as codes, without a look at their symbols."""
        phones = _cut(rows, f"{self.name}, utterance", before + 1)
        lengths = np.fromiter(map(len, phones), np.int64, len(phones))
        tokens = map(self._codes.__getitem__, chain.from_iterable(phones))
        return Encoded(np.fromiter(tokens, np.int32, int(lengths.sum())), lengths)

    def _check(self, encoded: Encoded, known: int) -> None:
        """Raise DataError for what new symbols cannot be: each is looked at once, and all tokens for the message."""
        new = np.arange(known, len(self._codes), dtype=np.int32)
        places = ("",) * len(self._codes)
        try:
            for symbol in [*self._codes][known:]:
                check_symbol(symbol, self.name)
            self._normalised(Encoded(new, np.ones(len(new), np.int64)), places)
        except DataError:
            self._normalised(encoded, self._places(encoded))
            raise

    def _places(self, encoded: Encoded) -> tuple[str, ...]:
        """Return where each symbol is first met in a batch."""
        first = np.full(len(self._codes), -1)
        symbols, tokens = np.unique(encoded.codes, return_index=True)
        first[symbols] = np.searchsorted(np.cumsum(encoded.lengths), tokens, side="right")
        return tuple(f"{self.name}, utterance {number + 1} of the batch" for number in first.tolist())

    def _normalised(self, encoded: Encoded, places: tuple[str, ...]) -> tuple[PhoneSequences, object]:
        transcript = Transcript(
            utterances=tuple(map(str, range(len(encoded.lengths)))),
            offsets=offsets_of(encoded.lengths),
            codes=encoded.codes,
            source=self.name,
            symbols=tuple(self._codes),
            places=places,
        )
        return normalise(transcript, self.symbols, self.table, self.rules, side=self.name)


def rows_of(gold: Batch, predicted: Batch, *, joined: bool) -> tuple[list[Row], list[Row]]:
    """Return the utterances of a batch, gold and predicted.

    DataError when the two sides do not have as many, or one cannot tell utterances from phones, which one can where
    phones are `joined`: then a text without a space is a word.
    """
    sides = _rows(gold, "gold"), _rows(predicted, "predicted")
    if len(sides[0]) != len(sides[1]):
        msg = f"{len(sides[0]):,} gold and {len(sides[1]):,} predicted utterances; a batch has as many of both"
        raise DataError(f"{msg}. {_BATCH}.")
    if not joined:
        _refuse_single_phones([*sides[0], *sides[1]])
    return sides


def _refuse_single_phones(rows: list[Row]) -> None:
    texts = [row.strip() for row in rows if isinstance(row, str)]
    if 2 < len(rows) == len(texts) and any(texts) and not any(len(text.split(maxsplit=1)) > 1 for text in texts):
        msg = f"{shown(str(texts[:3])[:-1])}, …]: are these the phones of one utterance, or utterances of one phone?"
        raise DataError(f"{msg} Write [['p', 'a']] for one utterance of two phones, [['p'], ['a']] for two utterances.")


def _rows(batch: Batch, side: str) -> list[Row]:
    if isinstance(batch, str):
        return [batch]
    if isinstance(batch, Mapping | bytes) or hasattr(batch, "columns") or not isinstance(batch, Iterable):
        what = f"{side}: a batch is a list of utterances, not {type(batch).__name__}"
        raise DataError(f"{what}; give gold and predicted as two lists in the same order, or use px.load_corpus")
    return list(batch)


def _cut(rows: Sequence[Row], where: str, first: int) -> Sequence[Sequence[str]]:
    kinds = set(map(type, rows))
    if kinds == {str}:
        return list(map(str.split, rows))  # type: ignore[arg-type]  # all are texts
    if kinds <= {list, tuple}:
        return rows
    return [_phones(row, f"{where} {number}") for number, row in enumerate(rows, start=first)]


def _phones(row: Row, where: str) -> Sequence[str]:
    if isinstance(row, str):
        return row.split()
    if isinstance(row, Mapping | bytes) or not isinstance(row, Iterable):
        msg = f"{where}: {shown(str(row))} is neither a list of phones nor a text, but {type(row).__name__}"
        raise DataError(f"{msg}; an utterance in which nothing was heard is []")
    return list(row)


def _joined(parts: Sequence[Encoded]) -> Encoded:
    codes, lengths = [part.codes for part in parts], [part.lengths for part in parts]
    return Encoded(np.concatenate([*codes, np.zeros(0, np.int32)]), np.concatenate([*lengths, np.zeros(0, np.int64)]))
