"""Phone errors of batches: phones wait until there are enough to be aligned together, then counts alone are kept.

Of what is aligned three whole numbers an utterance are kept, and the confusions: they merge in any order, bit for bit.
"""

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from phonxling.alignment.confusions import count_confusions
from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.costs import NO_RATE, GapSetting, operations, weighted_phone_error_rate
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import ConfigurationError, DataError, check_arguments, quote, refuse_other
from phonxling.core.estimate import Estimate, ReadableValue, format_count, join_notes
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import one_thread
from phonxling.experiment.corpora import symbol_set
from phonxling.experiment.single import SIDES, Phones, Symbols, feature_costs
from phonxling.load.building import TranscriptBuilder
from phonxling.load.resources import panphon_features
from phonxling.phones.normalise import normalise
from phonxling.phones.symbols import SymbolRules
from phonxling.stats.jackknife import clusters_of

if TYPE_CHECKING:
    import pandas as pd

_BATCH_SIZE = 1 << 20  # tokens that are aligned together: a call for each pair would take longer than its alignment
_RULES = SymbolRules()
Row: TypeAlias = str | Sequence[str]
Batch: TypeAlias = str | Iterable[Row]
_COUNTS = ("correct", "substitutions", "deletions", "insertions", "gold_tokens")
_NOTE = 200  # letters of a note that are printed
_ALL_OR_NONE = "some utterances have speakers and others have none; give all or none"
_BATCH = "A list of texts is a batch, one text per utterance, phones apart by spaces; one utterance as phones is [[…]]"


class _Sums(NamedTuple):
    """Counts of all utterances; of each its gold phones, errors, and cost over the denominator, [U, 3]; speakers."""

    matrix: ConfusionMatrix = ConfusionMatrix.zero()
    rows: NDArray[np.int64] = np.zeros((0, 3), np.int64)
    denominator: int = 1
    speakers: tuple[str, ...] | None = None

    def plus(self, other: "_Sums") -> "_Sums":
        # Costs are whole numbers over a denominator: sums are exact, so no order of merging changes a bit.
        denominator = lcm(self.denominator, other.denominator)
        parts = [part for part in (self, other) if len(part.rows)]
        given = [part.speakers for part in parts if part.speakers is not None]
        if given and len(given) < len(parts):
            raise DataError(_ALL_OR_NONE)
        scaled = [part.rows * np.array([1, 1, denominator // part.denominator]) for part in (self, other)]
        speakers = tuple(name for names in given for name in names) if given else None
        return _Sums(self.matrix + other.matrix, np.concatenate(scaled), denominator, speakers)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PhoneErrorRates(ReadableValue):
    """What `PhoneErrors.compute` returns; the names are those of a run's summary.

    Parameters
    ----------
    per, wper : Estimate
        Phone error rate, ≥ 0: least number of edits / gold phones, whatever the costs, as other tools have it; and the
        weighted one: cost of the alignments under the costs / gold phones.
    correct, substitutions, deletions, insertions, gold_tokens, utterances : int
        Phones of these alignments, gold phones, utterances.
    """

    per: Estimate
    wper: Estimate
    correct: int
    substitutions: int
    deletions: int
    insertions: int
    gold_tokens: int
    utterances: int

    def _facts(self) -> Iterator[str]:
        for name, rate in (("PER", self.per), ("wPER", self.wper)):
            yield f"{name} {rate.value:.4g}" + f" [{rate.low:.4g}, {rate.high:.4g}]" * (not math.isnan(rate.low))
        yield f"under the costs {format_count(self.substitutions, 'substitution')}"
        for name in ("deletion", "insertion"):
            yield format_count(getattr(self, f"{name}s"), name)
        yield from (format_count(self.gold_tokens, "gold phone"), format_count(self.utterances, "utterance"))
        yield quote(self.per.note, _NOTE)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row a rate: measure, value, low, high, level, status, note."""
        import pandas as pd

        rates = [rate.to_frame().assign(measure=name) for name, rate in (("per", self.per), ("wper", self.wper))]
        return pd.concat(rates, ignore_index=True)[["measure", "value", "low", "high", "level", "status", "note"]]

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name, for loggers: rates, limits (`per_low`, `per_high`), counts; NaN: undefined."""
        rates = {"per": self.per, "wper": self.wper}
        values = {name: rate.value for name, rate in rates.items()}
        values |= {f"{name}_{side}": getattr(rate, side) for name, rate in rates.items() for side in ("low", "high")}
        return values | {name: float(getattr(self, name)) for name in (*_COUNTS, "utterances")}


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

    @check_arguments
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
        names = symbols if isinstance(symbols, tuple) else (symbols, symbols)
        if len(names) != 2:
            raise ConfigurationError(f"symbols: a pair is of gold and predicted, not {len(names)} sets")
        self._costs: dict[str, Any] = {"name": costs, "insertion": insertion, "deletion": deletion, "ties": ties}
        self._table, self._rules = features or panphon_features(), rules
        self._sets = {side: symbol_set(name) for side, name in zip(SIDES, names, strict=True)}
        self._known: dict[str, set[str]] = {side: set() for side in SIDES}  # symbols that were looked at
        feature_costs((), (), **self._costs)  # what is wrong with the costs is said now, not after an epoch
        chosen = {**self._costs, "features": self._table.digest}
        chosen |= {side: one.name for side, one in self._sets.items()} | {"rules": astuple(rules)}
        self._settings = {name: str(value) for name, value in chosen.items()}
        self._begin(_Sums())

    def update(self, gold: Batch, predicted: Batch, speakers: str | Sequence[str] | None = None) -> None:
        """Count a batch of utterances, or one.

        Parameters
        ----------
        gold, predicted : list of lists of str, list of str, or str
            U utterances each, in the same order: an utterance is a list of phones, or a text with spaces between them.
            One text is one utterance.
        speakers : list of str, or str, optional
            One an utterance, or one for all: intervals are over speakers where there are enough. For all batches or
            for none.

        Raises
        ------
        DataError
            If there are not as many gold as predicted utterances, or a list of single phones may be an utterance or
            several; if symbols are unknown: all of the batch are listed. Nothing of the batch is counted then.
        """
        cut = _cut_batches(gold, predicted, joined=any(one.joined for one in self._sets.values()))
        for side, rows in cut.items():
            symbols = dict.fromkeys(phone for row in rows for phone in row)
            if new := [symbol for symbol in symbols if symbol not in self._known[side]]:
                self._phones(rows, side)  # an error names every unknown symbol and its first place
                self._known[side].update(new)
        self._add_speakers(speakers, len(cut["gold"]))
        for side, rows in cut.items():
            self._waiting[side] += rows
            self._tokens += sum(map(len, rows))
        if self._tokens > _BATCH_SIZE:
            self._counted()

    def merge(self, other: "PhoneErrors") -> None:
        """Count what another one has counted: of another batch, another process, another language.

        ConfigurationError when it has other costs or reads symbols in another way.
        """
        refuse_other(other, PhoneErrors, "other")
        self._same_settings(other._settings)
        self._seen = self._counted().plus(other._counted())

    def compute(self, *, level: float = 0.95) -> PhoneErrorRates:
        """Return the rates of everything counted so far; NaN, and a note that says why, of nothing.

        Intervals leave out speakers, or utterances where there are no speakers or too few.
        """
        seen = self._counted()
        costs, numbers = self._between(seen.matrix.gold, seen.matrix.predicted), operations(seen.matrix)
        nothing = "nothing was counted yet: call update(gold, predicted) first"
        per = wper = Estimate(math.nan, note=nothing, status="undefined")
        if len(seen.rows):
            names = np.array(seen.speakers or ("",) * len(seen.rows), dtype=str)
            # Sums of floats depend on their order; sorted, they are the same whoever saw which utterance first.
            order = np.lexsort((names, *seen.rows.T))
            tokens, errors, cost = (column.astype(np.float64) for column in seen.rows[order].T)
            with one_thread():
                clusters = clusters_of(tokens, None if seen.speakers is None else names[order].tolist(), level=level)
                per, wper = clusters.ratio(errors, tokens), clusters.ratio(cost / seen.denominator, tokens)
            # The same sum as of a matrix, to the last bit.
            value = weighted_phone_error_rate(seen.matrix, costs) if costs.as_rate else math.nan
            wper = wper.changed(value=value, note=join_notes([wper.note, costs.note]))
        if not costs.as_rate:
            wper = Estimate(math.nan, note=costs.name + NO_RATE, status="undefined")
        counts: dict[str, Any] = {name: int(getattr(numbers, name)) for name in _COUNTS}
        return PhoneErrorRates(per=per, wper=wper, utterances=len(seen.rows), **counts)

    @property
    def matrix(self) -> ConfusionMatrix:
        """The confusions of everything counted so far, under the costs."""
        return self._counted().matrix

    def reset(self) -> None:
        """Forget everything counted so far."""
        self._begin(_Sums())

    def state_dict(self) -> dict[str, Any]:
        """Return everything counted so far as plain arrays and texts, to be sent or stored.

        `settings`: mapping of str to str. `gold`, `predicted`: str arrays [G] and [P]. `counts`: int64 array
        [G + 1, P + 1], ∅ last. `utterances`: int64 array [U, 3] of gold phones, errors, and cost over `denominator`.
        `speakers`: str array [U], or None.
        """
        matrix, rows, denominator, speakers = self._counted()
        return {
            "settings": dict(self._settings),
            "gold": np.array(matrix.gold.phones, dtype=str),
            "predicted": np.array(matrix.predicted.phones, dtype=str),
            "counts": matrix.counts.astype(np.int64),
            "utterances": rows.copy(),
            "denominator": denominator,
            "speakers": None if speakers is None else np.array(speakers, dtype=str),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Count what `state_dict` returned, in place of what was counted so far.

        ConfigurationError when it has other costs or reads symbols in another way; ValueError when it is no such state.
        """
        self._same_settings(state["settings"])
        names = state["speakers"]
        matrix = ConfusionMatrix(state["gold"].tolist(), state["predicted"].tolist(), state["counts"])
        rows = np.asarray(state["utterances"], np.int64).reshape(-1, 3)
        self._begin(_Sums(matrix, rows, int(state["denominator"]), None if names is None else tuple(names.tolist())))

    def __len__(self) -> int:
        return len(self._counted().rows)

    def __bool__(self) -> bool:
        return True  # a metric is there before it has counted anything

    def __add__(self, other: object) -> Self:
        if not isinstance(other, PhoneErrors):
            return NotImplemented
        total = self._with(self._counted())
        total.merge(other)
        return total

    def __radd__(self, other: int) -> Self:  # so that `sum` adds them up
        return self._with(self._counted()) if other == 0 else NotImplemented

    def __repr__(self) -> str:
        seen = self._counted()
        size = f"{len(seen.rows):,} utterances, {int(seen.matrix.tokens.sum()):,} gold phones"
        return f"PhoneErrors(costs={str(self._costs['name'])!r}, {size}; compute() gives the rates)"

    def _with(self, seen: _Sums) -> Self:
        other = copy.copy(self)
        other._begin(seen)
        return other

    def _begin(self, seen: _Sums) -> None:
        self._seen, self._tokens = seen, 0
        self._waiting: dict[str, list[Sequence[str]]] = {side: [] for side in SIDES}
        self._speakers: list[str] = []  # of the utterances that wait

    def _add_speakers(self, speakers: str | Sequence[str] | None, utterances: int) -> None:
        names = [speakers] * utterances if isinstance(speakers, str) else list(speakers or ())
        if speakers is not None and len(names) != utterances:
            raise DataError(f"{len(names):,} speakers for {utterances:,} utterances; give one per utterance")
        # An empty batch, as a data loader's last one may be, decides nothing about speakers.
        before = len(self._waiting["gold"]) + len(self._seen.rows)
        known = bool(self._speakers) or self._seen.speakers is not None
        if before and utterances and known != (speakers is not None):
            raise DataError(_ALL_OR_NONE)
        self._speakers += names

    def _counted(self) -> _Sums:
        if self._waiting["gold"]:
            gold, predicted = (self._phones(rows, side) for side, rows in self._waiting.items())
            # The PER is under unit costs whatever the chosen ones are, so phones are aligned twice.
            costs, unit = (self._between(gold.inventory, predicted.inventory, name) for name in (None, "unit"))
            aligned = align_sequences(gold, predicted, costs)
            rows = np.stack([gold.lengths, align_sequences(gold, predicted, unit).cost, aligned.cost], axis=1)
            speakers = tuple(self._speakers) if self._speakers else None
            self._begin(self._seen.plus(_Sums(count_confusions(aligned), rows, costs.denominator, speakers)))
        return self._seen

    def _phones(self, rows: Sequence[Sequence[str]], side: str) -> PhoneSequences:
        """Return utterances as phones; DataError with the unknown symbols and their places in the batch."""
        builder = TranscriptBuilder(side, "utterance")
        for number, row in enumerate(rows, 1):
            builder.add_utterance(str(number), row, f"{number} of the batch")
        return normalise(builder.finish(), self._sets[side], self._table, self._rules, side=side)[0]

    def _between(self, gold: Phones, predicted: Phones, name: str | None = None) -> CostTable:
        chosen: dict[str, Any] = {**self._costs, "features": self._table} if name is None else {"name": name}
        return feature_costs(gold, predicted, **chosen)

    def _same_settings(self, other: Mapping[str, str]) -> None:
        if differ := [name for name, value in self._settings.items() if other.get(name) != value]:
            pairs = "; ".join(f"{name}: {self._settings[name]} and {other.get(name)}" for name in differ)
            raise ConfigurationError(f"only errors that are counted alike can be merged; these differ in {pairs}")


def _cut_batches(gold: Batch, predicted: Batch, *, joined: bool) -> dict[str, list[Sequence[str]]]:
    """Return the phones of each utterance of both sides; DataError for what is no batch, or may be two things."""
    batches: dict[str, list[Row]] = {}
    for side, batch in zip(SIDES, (gold, predicted), strict=True):
        if isinstance(batch, Mapping | bytes) or hasattr(batch, "columns") or not isinstance(batch, Iterable):
            what = f"{side}: a batch is a list of utterances, not {type(batch).__name__}"
            raise DataError(f"{what}; give gold and predicted as two lists in the same order, or use px.load_corpus")
        batches[side] = [batch] if isinstance(batch, str) else list(batch)
    numbers = [len(rows) for rows in batches.values()]
    if numbers[0] != numbers[1]:
        msg = f"{numbers[0]:,} gold and {numbers[1]:,} predicted utterances; a batch has as many of both"
        raise DataError(f"{msg}. {_BATCH}.")
    texts = [row.strip() for rows in batches.values() for row in rows if isinstance(row, str)]
    # ["p", "a"] may be one utterance of two phones or two of one: a guess would change every rate.
    single = any(texts) and not any(len(text.split(maxsplit=1)) > 1 for text in texts)
    if not joined and 2 < sum(numbers) == len(texts) and single:
        msg = f"{quote(str(texts[:3])[:-1])}, …]: are these the phones of one utterance, or utterances of one phone?"
        raise DataError(f"{msg} Write [['p', 'a']] for one utterance of two phones, [['p'], ['a']] for two utterances.")
    return {side: [_cut_row(row, side, n) for n, row in enumerate(rows, 1)] for side, rows in batches.items()}


def _cut_row(row: Row, side: str, number: int) -> Sequence[str]:
    if isinstance(row, str):
        return row.split()
    if isinstance(row, Mapping | bytes) or not isinstance(row, Iterable):
        msg = f"{side}, utterance {number}: {quote(str(row))} is neither a list of phones nor a text, but"
        raise DataError(f"{msg} {type(row).__name__}; an utterance without predicted phones is []")
    phones = list(row)
    for phone in phones:
        if not isinstance(phone, str):
            msg = f"phones are texts, not {type(phone).__name__} such as {quote(str(phone))}"
            raise DataError(f"{msg}; turn the numbers of a model's output into phones first, as docs/training.md does")
    return phones
