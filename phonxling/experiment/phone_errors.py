"""Phone errors of batches: raw codes (each new symbol is checked once), then phones, when enough wait, then sums.

Of what is aligned three whole numbers an utterance are kept, and the confusions: they merge in any order, bit for bit.
"""

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from math import lcm
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.error_rate import NO_RATE, aligned_error_rate, operations, weighted_phone_error_rate
from phonxling.analyses.fitting import GapSetting
from phonxling.core.arguments import checked_types
from phonxling.core.arrays import Codes, offsets_of, read_only
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable, Ties
from phonxling.core.display import Shown, counted
from phonxling.core.errors import ConfigurationError, DataError, shown
from phonxling.core.estimate import Estimate, joined
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import PhoneSequences, Transcript, numbered_speakers
from phonxling.count.confusions import count_confusions
from phonxling.experiment.aligning import Phones, feature_costs
from phonxling.experiment.inventories import symbol_set
from phonxling.experiment.loading import Symbols
from phonxling.load.features import panphon_features
from phonxling.load.text import check_symbol
from phonxling.phones.maps import SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.rules import SymbolRules
from phonxling.resample.intervals import resampling
from phonxling.resample.p_values import one_thread
from phonxling.settings.models import Uncertainty

_TOGETHER = 1 << 20  # tokens that are aligned together: a call for each pair would take longer than its alignment
_RULES, _UNCERTAINTY = SymbolRules(), Uncertainty()  # for their defaults
Row: TypeAlias = str | Sequence[str]
Batch: TypeAlias = str | Iterable[Row]
_NOTE = 200  # letters of a note that are printed
_NOTHING = "nothing was counted yet: call update(gold, predicted) first"
_BATCH = "A list of texts is a batch, one text an utterance, phones apart by spaces; one utterance as phones is [[…]]"


class _Symbols(dict[str, int]):
    """The code of each raw symbol, in the order in which they come; a new one gets the next code."""

    def __missing__(self, symbol: object) -> int:
        if not isinstance(symbol, str):
            msg = f"phones are texts, not {type(symbol).__name__} such as {shown(str(symbol))}"
            raise DataError(f"{msg}; turn the numbers of a model's output into phones first, as docs/training.md does")
        self[str(symbol)] = code = len(self)
        return code


_Encoded: TypeAlias = tuple[NDArray[np.int32], Codes]  # the raw codes of all tokens [N], tokens of each utterance [U]


@dataclass(eq=False)
class Side:
    """One side, gold or predicted: how its symbols are read, and what has been encoded and not yet normalised."""

    name: str
    symbols: SymbolSet
    table: FeatureTable
    rules: SymbolRules
    _codes: _Symbols = field(default_factory=_Symbols)
    _waiting: list[_Encoded] = field(default_factory=list)
    utterances: int = 0  # that wait

    def encode(self, rows: Sequence[Row]) -> _Encoded:
        """Return utterances as codes; DataError when a symbol is unknown, and nothing is changed then."""
        known = len(self._codes)
        phones = [_cut(row, f"{self.name}, utterance {number}") for number, row in enumerate(rows, 1)]
        try:
            lengths = np.array([len(row) for row in phones], np.int64)
            codes = np.array([self._codes[phone] for row in phones for phone in row], np.int32)
            if len(self._codes) > known:
                self._check((codes, lengths), known)
        except Exception:
            while len(self._codes) > known:
                self._codes.popitem()
            raise
        return codes, lengths

    def empty(self) -> "Side":
        return Side(self.name, self.symbols, self.table, self.rules)

    def add(self, encoded: _Encoded) -> None:
        self._waiting.append(encoded)
        self.utterances += len(encoded[1])

    def take(self) -> PhoneSequences:
        codes, lengths = (np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        phones = self._normalised((codes, lengths), ("",) * len(self._codes))
        self.clear()
        return phones

    def clear(self) -> None:
        self._waiting.clear()
        self._codes.clear()
        self.utterances = 0

    def _check(self, encoded: _Encoded, known: int) -> None:
        """Raise DataError for what new symbols cannot be: each is looked at once, and all tokens for the message."""
        new = np.arange(known, len(self._codes), dtype=np.int32)
        try:
            for symbol in [*self._codes][known:]:
                check_symbol(symbol, self.name)
            self._normalised((new, np.ones(len(new), np.int64)), ("",) * len(self._codes))
        except DataError:
            first = np.full(len(self._codes), -1)  # the utterance in which each symbol is first met
            symbols, tokens = np.unique(encoded[0], return_index=True)
            first[symbols] = np.searchsorted(np.cumsum(encoded[1]), tokens, side="right")
            places = [f"{self.name}, utterance {number + 1} of the batch" for number in first.tolist()]
            self._normalised(encoded, tuple(places))
            raise

    def _normalised(self, encoded: _Encoded, places: tuple[str, ...]) -> PhoneSequences:
        codes, lengths = encoded
        transcript = Transcript(
            utterances=tuple(map(str, range(len(lengths)))),
            offsets=offsets_of(lengths),
            codes=codes,
            source=self.name,
            symbols=tuple(self._codes),
            places=places,
        )
        return normalise(transcript, self.symbols, self.table, self.rules, side=self.name)[0]


def rows_of(gold: Batch, predicted: Batch, *, joined: bool) -> tuple[list[Row], list[Row]]:
    sides = _rows(gold, "gold"), _rows(predicted, "predicted")
    if len(sides[0]) != len(sides[1]):
        msg = f"{len(sides[0]):,} gold and {len(sides[1]):,} predicted utterances; a batch has as many of both"
        raise DataError(f"{msg}. {_BATCH}.")
    rows = [*sides[0], *sides[1]]
    texts = [row.strip() for row in rows if isinstance(row, str)]
    single = any(texts) and not any(len(text.split(maxsplit=1)) > 1 for text in texts)
    if not joined and 2 < len(rows) == len(texts) and single:
        msg = f"{shown(str(texts[:3])[:-1])}, …]: are these the phones of one utterance, or utterances of one phone?"
        raise DataError(f"{msg} Write [['p', 'a']] for one utterance of two phones, [['p'], ['a']] for two utterances.")
    return sides


def _rows(batch: Batch, side: str) -> list[Row]:
    if isinstance(batch, str):
        return [batch]
    if isinstance(batch, Mapping | bytes) or hasattr(batch, "columns") or not isinstance(batch, Iterable):
        what = f"{side}: a batch is a list of utterances, not {type(batch).__name__}"
        raise DataError(f"{what}; give gold and predicted as two lists in the same order, or use px.load_corpus")
    return list(batch)


def _cut(row: Row, where: str) -> Sequence[str]:
    if isinstance(row, str):
        return row.split()
    if isinstance(row, Mapping | bytes) or not isinstance(row, Iterable):
        msg = f"{where}: {shown(str(row))} is neither a list of phones nor a text, but {type(row).__name__}"
        raise DataError(f"{msg}; an utterance in which nothing was heard is []")
    return list(row)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums:
    """Counts of all utterances together; of each its gold phones, errors, and cost over the denominator, [U, 3].

    They merge in any order, with the same bits.
    """

    matrix: ConfusionMatrix
    rows: NDArray[np.int64]
    denominator: int = 1
    speakers: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", read_only(self.rows, np.int64))

    @classmethod
    def zero(cls) -> "Sums":
        return cls(matrix=ConfusionMatrix.zero(), rows=np.zeros((0, 3), np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: "Sums") -> "Sums":
        denominator = lcm(self.denominator, other.denominator)
        return Sums(
            matrix=self.matrix + other.matrix,
            rows=np.concatenate([self._over(denominator), other._over(denominator)]),
            denominator=denominator,
            speakers=self._all_speakers(other),
        )

    def _all_speakers(self, other: "Sums") -> tuple[str, ...] | None:
        parts = [part for part in (self, other) if len(part)]
        given = [part.speakers for part in parts if part.speakers is not None]
        if given and len(given) < len(parts):
            raise DataError("some utterances have speakers and others have none; give all or none")
        return tuple(name for names in given for name in names) if given else None

    def _over(self, denominator: int) -> NDArray[np.int64]:
        return np.asarray(self.rows * np.array([1, 1, denominator // self.denominator]), dtype=np.int64)

    def in_one_order(self) -> "Sums":
        """Return the same, the utterances in an order that does not depend on who saw which first."""
        names = self.speakers or ("",) * len(self)
        order = np.lexsort((np.unique(np.array(names, dtype=str), return_inverse=True)[1], *self.rows.T))
        speakers = None if self.speakers is None else tuple(self.speakers[place] for place in order)
        return Sums(matrix=self.matrix, rows=self.rows[order], denominator=self.denominator, speakers=speakers)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PhoneErrorRates(Shown):
    """What `PhoneErrors.compute` returns; the names are those of a run's summary.

    Parameters
    ----------
    per : Estimate
        Phone error rate, ≥ 0: least number of edits / gold phones. That of other tools, whatever the costs.
    wper : Estimate
        Weighted phone error rate, ≥ 0: cost of the alignments under the costs / gold phones.
    per_aligned : float
        Errors of these alignments / gold phones: at least `per`, and the same under unit costs.
    correct, substitutions, deletions, insertions : int
        Phones of these alignments.
    gold_tokens : int
        Gold phones.
    utterances : int
        Utterances.
    """

    per: Estimate
    wper: Estimate
    per_aligned: float
    correct: int
    substitutions: int
    deletions: int
    insertions: int
    gold_tokens: int
    utterances: int

    def _facts(self) -> Iterator[str]:
        for name, rate in (("PER", self.per), ("wPER", self.wper)):
            yield f"{name} {rate.value:.4g}" + f" [{rate.low:.4g}, {rate.high:.4g}]" * (not math.isnan(rate.low))
        yield f"under the costs {counted(self.substitutions, 'substitution')}"
        yield from (counted(self.deletions, "deletion"), counted(self.insertions, "insertion"))
        yield counted(self.gold_tokens, "gold phone")
        yield counted(self.utterances, "utterance")
        yield shown(self.per.note, _NOTE)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a rate: measure, value, low, high, level, note."""
        rates = [rate.to_frame().assign(measure=name) for name, rate in (("per", self.per), ("wper", self.wper))]
        return pd.concat(rates, ignore_index=True)[["measure", "value", "low", "high", "level", "note"]]

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name, for loggers: rates, limits (`per_low`, `per_high`), counts; NaN: undefined."""
        rates = {"per": self.per, "wper": self.wper}
        values = {name: rate.value for name, rate in rates.items()}
        values |= {f"{name}_{side}": getattr(rate, side) for name, rate in rates.items() for side in ("low", "high")}
        names = ("per_aligned", "correct", "substitutions", "deletions", "insertions", "gold_tokens", "utterances")
        return values | {name: float(getattr(self, name)) for name in names}


class PhoneErrors:
    """Phone errors that accumulate over batches and merge over processes: a metric for a training loop.

    It holds counts, not utterances. Merging in any order gives the same result, bit for bit; so does any cutting into
    batches. Chance levels, which a rate means little without, need the whole corpus: `px.run`.

    Parameters
    ----------
    costs : str or path
        Those of `wper`, the alignments and the matrix, as for `feature_costs`; `per` is under unit costs.
    symbols : str, list of str, or pair of them
        Symbol set of both sides, or of gold and of predicted, as for `load_corpus`.
    insertion, deletion, ties, features
        As for `feature_costs`.
    rules : SymbolRules, optional
        How symbols are treated. Tones are not counted; `SymbolRules(tone="attach")` reads tone accents in three levels
        unless it says five, since nobody has seen all tones at the first batch.

    Raises
    ------
    ConfigurationError
        If there are no such costs or no such symbol set, or `symbols` is a tuple, but no pair.

    Examples
    --------
    One substitution and one deletion in four gold phones, then four phones without an error:

    >>> errors = PhoneErrors()
    >>> errors.update(["p a t a", "k a"], [["b", "a", "t"], ["k", "a"]])
    >>> errors.update("t a", "t a")
    >>> rates = errors.compute()
    >>> rates.per.value, rates.substitutions, rates.deletions, rates.gold_tokens
    (0.25, 1, 1, 8)
    """

    @checked_types
    def __init__(
        self,
        costs: str | Path = "panphon",
        symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
        *,
        insertion: GapSetting = None,
        deletion: GapSetting = None,
        ties: Ties | None = None,
        rules: SymbolRules = _RULES,
        features: FeatureTable | None = None,
    ) -> None:
        table, names = features or panphon_features(), symbols if isinstance(symbols, tuple) else (symbols, symbols)
        if len(names) != 2:
            raise ConfigurationError(f"symbols: a pair is of gold and predicted, not {len(names)} sets")
        self._costs: dict[str, Any] = {"name": costs, "insertion": insertion, "deletion": deletion, "ties": ties}
        self._table, self._seen = table, Sums.zero()
        sets = symbol_set(names[0]), symbol_set(names[1])
        self._sides = Side("gold", sets[0], table, rules), Side("predicted", sets[1], table, rules)
        self._waiting = 0  # tokens that are encoded and not yet aligned
        self._speakers: list[str] = []  # of the utterances that wait
        feature_costs((), (), **self._costs)  # what is wrong with the costs is said now, not after an epoch
        chosen = {**self._costs, "features": table.digest, "gold": sets[0].name, "predicted": sets[1].name}
        self._settings = {name: str(value) for name, value in (chosen | {"rules": astuple(rules)}).items()}

    def update(self, gold: Batch, predicted: Batch, speakers: str | Sequence[str] | None = None) -> None:
        """Count a batch of utterances, or one.

        Parameters
        ----------
        gold, predicted : list of lists of str, list of str, or str
            U utterances each, in the same order: an utterance is a list of phones, or a text with spaces between them.
            One text is one utterance.
        speakers : list of str, or str, optional
            One an utterance, or one for all: the interval is then over speakers. For all batches or for none.

        Raises
        ------
        DataError
            If there are not as many gold as predicted utterances, or a list of single phones may be an utterance or
            several; if symbols are unknown: all of the batch are listed. Nothing of the batch is counted then.
        """
        joined = any(side.symbols.joined for side in self._sides)
        rows = rows_of(gold, predicted, joined=joined)
        encoded = [side.encode(utterances) for side, utterances in zip(self._sides, rows, strict=True)]
        self._add_speakers(speakers, len(rows[0]))
        for side, utterances in zip(self._sides, encoded, strict=True):
            side.add(utterances)
            self._waiting += len(utterances[0])
        if self._waiting > _TOGETHER:
            self._counted()

    def merge(self, other: "PhoneErrors") -> None:
        """Count what another one has counted: of another batch, another process, another language.

        ConfigurationError when it has other costs or reads symbols in another way.
        """
        self._same_settings(other._settings)
        self._seen = self._counted() + other._counted()

    def compute(
        self, *, replicates: int = _UNCERTAINTY.resamples, level: float = _UNCERTAINTY.level, seed: int = 20
    ) -> PhoneErrorRates:
        """Return the rates of everything counted so far, with intervals; NaN, and a note that says why, of nothing.

        `replicates`: bootstrap draws of speakers, or of utterances where none are known; 0: no intervals.
        """
        seen = self._counted()
        costs = self._between(seen.matrix.gold, seen.matrix.predicted)
        return rates_of(seen, costs, replicates=replicates, level=level, seed=seed)

    @property
    def matrix(self) -> ConfusionMatrix:
        """The confusions of everything counted so far, under the costs."""
        return self._counted().matrix

    def reset(self) -> None:
        """Forget everything counted so far."""
        for waiting in (*self._sides, self._speakers):
            waiting.clear()
        self._waiting, self._seen = 0, Sums.zero()

    def state_dict(self) -> dict[str, Any]:
        """Return everything counted so far as plain arrays and texts, to be sent or stored.

        `settings`: mapping of str to str. `gold`, `predicted`: str arrays [G] and [P]. `counts`: int64 array
        [G + 1, P + 1], ∅ last. `utterances`: int64 array [U, 3] of gold phones, errors, and cost over `denominator`.
        `speakers`: str array [U], or None.
        """
        seen = self._counted()
        return {
            "settings": dict(self._settings),
            "gold": np.array(seen.matrix.gold.phones, dtype=str),
            "predicted": np.array(seen.matrix.predicted.phones, dtype=str),
            "counts": seen.matrix.counts.astype(np.int64),
            "utterances": seen.rows.copy(),
            "denominator": seen.denominator,
            "speakers": None if seen.speakers is None else np.array(seen.speakers, dtype=str),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Count what `state_dict` returned, in place of what was counted so far.

        ConfigurationError when it has other costs or reads symbols in another way; ValueError when it is no such state.
        """
        self._same_settings(state["settings"])
        names = state["speakers"]
        matrix = ConfusionMatrix(state["gold"].tolist(), state["predicted"].tolist(), state["counts"])
        self.reset()
        self._seen = Sums(
            matrix=matrix,
            rows=np.asarray(state["utterances"]).reshape(-1, 3),
            denominator=int(state["denominator"]),
            speakers=None if names is None else tuple(names.tolist()),
        )

    def __len__(self) -> int:
        return len(self._counted())

    def __bool__(self) -> bool:
        return True  # a metric is there before it has counted anything

    def __add__(self, other: object) -> Self:
        if not isinstance(other, PhoneErrors):
            return NotImplemented
        total = self._with(self._counted())
        total.merge(other)
        return total

    def __radd__(self, other: int) -> Self:
        return self._with(self._counted()) if other == 0 else NotImplemented  # so that `sum` adds them up

    def __repr__(self) -> str:
        seen = self._counted()
        size = f"{len(seen):,} utterances, {int(seen.matrix.tokens.sum()):,} gold phones"
        return f"PhoneErrors(costs={str(self._costs['name'])!r}, {size}; compute() gives the rates)"

    def _with(self, seen: Sums) -> Self:
        other = copy.copy(self)
        other._sides, other._speakers = (self._sides[0].empty(), self._sides[1].empty()), []
        other._waiting, other._seen = 0, seen
        return other

    def _add_speakers(self, speakers: str | Sequence[str] | None, utterances: int) -> None:
        names = [speakers] * utterances if isinstance(speakers, str) else list(speakers or ())
        if speakers is not None and len(names) != utterances:
            raise DataError(f"{len(names):,} speakers for {utterances:,} utterances; give one an utterance")
        before = self._sides[0].utterances + len(self._seen)
        known = bool(self._speakers) or self._seen.speakers is not None
        if before and utterances and known != (speakers is not None):
            raise DataError("some utterances have speakers and others have none; give all or none")
        self._speakers += names

    def _counted(self) -> Sums:
        if self._sides[0].utterances:
            speakers = tuple(self._speakers) if self._speakers else None
            gold, predicted = (side.take() for side in self._sides)
            costs = self._between(gold.inventory, predicted.inventory)
            aligned = align_sequences(gold, predicted, costs)
            unit = feature_costs(gold.inventory, predicted.inventory, "unit")
            errors = align_sequences(gold, predicted, unit).cost
            rows = np.stack([gold.lengths, errors, aligned.cost], axis=1)
            matrix, denominator = count_confusions(aligned), costs.denominator
            self._seen += Sums(matrix=matrix, rows=rows, denominator=denominator, speakers=speakers)
            self._speakers.clear()
            self._waiting = 0
        return self._seen

    def _between(self, gold: Phones, predicted: Phones) -> CostTable:
        return feature_costs(gold, predicted, **self._costs, features=self._table)

    def _same_settings(self, other: Mapping[str, str]) -> None:
        differ = [name for name, value in self._settings.items() if other.get(name) != value]
        if differ:
            pairs = "; ".join(f"{name}: {self._settings[name]} and {other.get(name)}" for name in differ)
            raise ConfigurationError(f"only errors that are counted alike can be merged; these differ in {pairs}")


def rates_of(sums: Sums, costs: CostTable, *, replicates: int, level: float, seed: int) -> PhoneErrorRates:
    with one_thread():
        per, wper = _estimates(sums.in_one_order(), replicates, level, seed)
    if not costs.as_rate:
        wper = Estimate(math.nan, note=costs.name + NO_RATE)
    elif len(sums):  # the same sum as of a matrix, to the last bit
        value = weighted_phone_error_rate(sums.matrix, costs)
        wper = replace(wper, value=value, note=joined([wper.note, costs.note]))
    numbers = operations(sums.matrix)
    names = ("correct", "substitutions", "deletions", "insertions", "gold_tokens")
    return PhoneErrorRates(
        per=per,
        wper=wper,
        per_aligned=aligned_error_rate(sums.matrix),
        utterances=len(sums),
        **{name: int(getattr(numbers, name)) for name in names},
    )


def _estimates(sums: Sums, replicates: int, level: float, seed: int) -> tuple[Estimate, Estimate]:
    if not len(sums):
        return Estimate(math.nan, note=_NOTHING), Estimate(math.nan, note=_NOTHING)
    speakers = None
    if sums.speakers is not None:
        speakers = numbered_speakers(sums.speakers, list(map(tuple, sums.rows.tolist())))
    drawn = resampling(len(sums), speakers, resamples=replicates, level=level, seed=seed)
    tokens, errors, cost = (column.astype(np.float64) for column in sums.rows.T)
    return drawn.ratio(errors, tokens, "rate"), drawn.ratio(cost / sums.denominator, tokens, "rate")
