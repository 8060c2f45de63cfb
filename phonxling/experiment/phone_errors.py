"""Phone errors of batches, for training loops and evaluations over many machines."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, Self

import numpy as np

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.costs import GapSetting
from phonxling.core.arguments import checked_types
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.count.confusions import count_confusions
from phonxling.experiment.aligning import Phones, feature_costs
from phonxling.experiment.inventories import symbol_set
from phonxling.experiment.loading import Symbols
from phonxling.experiment.metric import Batch, PhoneErrorRates, Side, Sums, rates_of, rows_of
from phonxling.load.features import panphon_features
from phonxling.phones.rules import SymbolRules
from phonxling.settings.sections import Uncertainty

_TOGETHER = 1 << 20  # tokens that are aligned together: a call for each pair would take longer than its alignment
_SIDES = ("gold", "predicted")
_RULES, _UNCERTAINTY = SymbolRules(), Uncertainty()  # for their defaults


class PhoneErrors:
    """Phone errors that accumulate over batches and merge over processes: a metric for a training loop.

    It holds counts, not utterances: the confusions, and three whole numbers an utterance for the interval. Merging in
    any order gives the same result, bit for bit; so does any cutting into batches. Chance levels, which a rate means
    little without, need the whole corpus: `px.run`.

    Parameters
    ----------
    costs : str or path
        Those of `wper`, of the alignments and of the matrix, as for `feature_costs`; `per` is under unit costs
        whatever they are.
    symbols : str, list of str, or pair of them
        Symbol set of gold and of predicted, as for `load_corpus`; one stands for both.
    insertion, deletion, ties, features
        As for `feature_costs`.
    rules : SymbolRules, optional
        How symbols are treated. Tones are on a tier of their own, and not counted; `SymbolRules(tone="attach")` reads
        tone accents in three levels unless it says five, since nobody has seen all tones at the first batch.

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
        if len(names) != len(_SIDES):
            raise ConfigurationError(f"symbols: a pair is of gold and predicted, not {len(names)} sets")
        self._costs: dict[str, Any] = {"name": costs, "insertion": insertion, "deletion": deletion, "ties": ties}
        self._table, self._seen = table, Sums.zero()
        sets = symbol_set(names[0]), symbol_set(names[1])
        self._sides = Side(_SIDES[0], sets[0], table, rules), Side(_SIDES[1], sets[1], table, rules)
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

        Parameters
        ----------
        replicates : int
            Bootstrap draws of speakers, or of utterances where none are known; 0: no intervals, which takes no time.
        level : float
            Of the intervals.
        seed : int
            Of the draws.
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
        """Return a metric of its own that counts in the same way, and has counted this."""
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
        """Return the sums of everything so far, for which what waits is aligned."""
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
