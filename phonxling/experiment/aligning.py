"""Costs and alignment for users of the library, with the defaults of the configuration."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from phonxling.alignment.corpus import align_sequences, expect_sequences
from phonxling.alignment.costs import LEARNED, learn
from phonxling.analyses.fitting import GapSetting, costs_of, gap_of
from phonxling.core.arguments import checked_types
from phonxling.core.confusion import Alignments, ExpectedAlignments
from phonxling.core.costs import CostTable, LearnedCosts, Ties, cost_text
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.core.files import write_bytes
from phonxling.core.inventory import Inventory, as_inventory
from phonxling.core.sequences import Corpus, from_lists
from phonxling.core.work import Threads
from phonxling.load.resources import panphon_features
from phonxling.phones.pairing import some
from phonxling.settings.checks import is_cost_path
from phonxling.settings.models import Alignment, Learning

Phones = Inventory | Iterable[str]
_ALIGNMENT, _LEARNING = Alignment(), Learning()  # for their defaults


@checked_types
def feature_costs(
    gold: Phones,
    predicted: Phones,
    name: str | Path = "panphon",
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    ties: Ties | None = None,
    features: FeatureTable | None = None,
    tone_weight: float | Fraction = _ALIGNMENT.tone_weight,
    unknown: Literal["error", "keep"] = "error",
) -> CostTable:
    """Return a cost table between two inventories, by default panphon's mean feature difference with gaps of 1.

    Parameters
    ----------
    gold, predicted : Inventory or list of str
    name : str or path
        `panphon`, `panphon-weighted`, `panphon-weighted-0.22.2`, `panphon-edit`, `panphon-hamming`, `panphon-nonzero`,
        `unit` or `sclite` (see `phonxling.alignment.costs`), or the path of a TSV (gold, predicted, cost).
    insertion, deletion : float, Fraction, mapping, or path, optional
        Gap costs: one, or by phone, in a mapping or a TSV (phone, cost); exact decimals. By default those of the costs:
        1, 3 for `sclite`, ½ and ¾ for `panphon-nonzero`, a table's own rows with ∅.
    ties : {"identical", "nist"}, optional
        The tie rule; by default that of the costs.
    features : FeatureTable, optional; by default panphon's
    tone_weight : float or Fraction
        Weight of each tone feature in `panphon-weighted`, where phones have tone attached.
    unknown : {"error", "keep"}
        Whether a label without features is an error, or kept: 0 to itself, the highest cost to all others.

    ConfigurationError if no costs have that name, or a gap cost is negative or not finite; DataError if a table is
    missing or malformed, or lacks a pair or a phone, or if labels have no features.

    Examples
    --------
    p and b differ in voice alone, from −1 to +1, one of 24 features:

    >>> feature_costs(["p"], ["b"]).cost("p", "b")
    Fraction(1, 24)
    """
    chosen = Path(name) if not isinstance(name, str) or is_cost_path(name) else name
    if chosen == "table":
        raise ConfigurationError("give the path of the table instead of the word 'table', such as ./costs.tsv")
    if chosen == LEARNED:
        raise ConfigurationError("learned costs come from data: use learn_costs(corpus)")
    phones, table = (as_inventory(gold), as_inventory(predicted)), features or panphon_features()
    if unknown == "error" and str(chosen).startswith("panphon"):
        labels = dict.fromkeys(label for side in phones for label in side)
        if bare := [label for label, known in zip(labels, table.vectors(labels)[1], strict=True) if not known]:
            fault = f"{len(bare)} of {len(labels)} labels have no features, so they have no costs: {some(bare)}"
            remedy = 'map them to IPA first (load_corpus with symbols), or give unknown="keep"'
            raise DataError(f"feature_costs: {fault}; {remedy}")
    gaps: dict[str, Any] = {"insertion": insertion, "deletion": deletion, "ties": ties}
    return costs_of(chosen, *phones, **gaps, tone_weight=tone_weight, features=table)


@checked_types
def align_corpus(corpus: Corpus, costs: CostTable, *, workers: int = 1) -> Alignments:
    """Return one optimal alignment of each utterance's gold with its predicted phones, as columns.

    Least cost first; then, with `ties="identical"`, most identical symbols; then, traced from the end, a pair before an
    insertion before a deletion. The same on every machine and for any number of workers (threads). DataError if the
    costs lack one of the corpus' phones, or an utterance is too long: its band needs 2 GB, or its costs overflow.
    """
    costs.check_phones(corpus.gold_inventory, corpus.predicted_inventory)
    return align_sequences(corpus.gold, corpus.predicted, costs, Threads(workers))


@checked_types
def align_expected(
    corpus: Corpus, costs: CostTable, temperature: float = 0.0, *, workers: int = 1
) -> ExpectedAlignments:
    """Return each utterance's expected counts over its alignments, P(A) ∝ exp(−cost(A)/τ), and their ambiguity.

    An alignment is a set of aligned pairs, so that the order of neighbouring insertions and deletions makes no other
    one; the tie rule of the costs has no part. `px.count_confusions` makes a matrix of it.

    `temperature` is τ ≥ 0 in units of cost; 0: all optimal alignments alike, found by counting them exactly. The other
    parameters are those of `align_corpus`. ConfigurationError if τ is negative or not finite; DataError as for
    `align_corpus`, and an utterance is too long beyond 4 GB: about 12,000 phones.

    Examples
    --------
    One predicted a for two gold ones may be either of them: two optimal alignments, 1 bit.

    >>> from phonxling.core.sequences import from_lists
    >>> pair = Corpus(gold=from_lists(["u"], [["a", "b", "a"]]), predicted=from_lists(["u"], [["a"]]))
    >>> expected = align_expected(pair, feature_costs(["a", "b"], ["a"]))
    >>> expected.counts.total().counts.tolist(), expected.ambiguity.tolist()
    ([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]], [1.0])
    """
    costs.check_phones(corpus.gold_inventory, corpus.predicted_inventory)
    return expect_sequences(corpus.gold, corpus.predicted, costs, temperature, Threads(workers))


@checked_types
def align(gold: Sequence[str], predicted: Sequence[str], costs: CostTable) -> list[tuple[str, str]]:
    """Return the aligned pairs of two sequences of phones, ∅ for none. DataError for a phone that the costs lack.

    >>> align(["a", "b", "a"], ["a", "p"], feature_costs(["a", "b"], ["a", "p"]))
    [('a', 'a'), ('b', 'p'), ('a', '∅')]
    """
    costs.check_phones(gold, predicted)
    rows = from_lists(["pair"], [list(gold)], costs.gold)
    columns = from_lists(["pair"], [list(predicted)], costs.predicted)
    return align_sequences(rows, columns, costs).pairs_of(0)


@checked_types
def learn_costs(
    corpus: Corpus,
    start: CostTable | None = None,
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    smoothing: float = _LEARNING.smoothing,
    rounds: int = _LEARNING.rounds,
    workers: int = 1,
) -> LearnedCosts:
    """Return costs learned from a corpus: pairs of phones aligned more often than chance become cheap.

    A rate of the same utterances under them flatters itself: learn on one part of the corpus (`corpus.select`) and
    score the other. See `phonxling.alignment.costs` for the method.

    The `costs` of the result are multiples of 1/10,000, in [0, 1].

    Parameters
    ----------
    start : CostTable, optional
        The costs of the first round; by default panphon's. Its tie rule is kept.
    insertion, deletion : float, Fraction, mapping, or path, optional
        Gap costs that stay as they are; by default they are learned, ∅ being a symbol like the others.
    smoothing : float
        The pseudo-count α > 0.
    rounds : int
        Rounds at most; learning ends when a round changes no alignment.

    ConfigurationError if the smoothing is not above 0, there is no round, or a gap cost is negative or not finite;
    DataError if the costs of the start lack one of the corpus' phones.

    Examples
    --------
    A recogniser that says s for a and a for s:

    >>> from phonxling.core.sequences import from_lists
    >>> gold, predicted = [["t", "a"], ["s", "a"], ["s", "t"]] * 50, [["t", "s"], ["a", "s"], ["a", "t"]] * 50
    >>> names = [str(number) for number in range(150)]
    >>> learned = learn_costs(Corpus(gold=from_lists(names, gold), predicted=from_lists(names, predicted)))
    >>> learned.converged, float(learned.costs.cost("a", "s")) < 0.01 < float(learned.costs.cost("a", "a"))
    (True, True)
    """
    first = start or costs_of("panphon", corpus.gold_inventory, corpus.predicted_inventory)
    first.check_phones(corpus.gold_inventory, corpus.predicted_inventory)
    gaps: dict[str, Any] = {"insertion": gap_of(insertion), "deletion": gap_of(deletion)}
    sides = corpus.gold, corpus.predicted
    return learn(*sides, first, **gaps, smoothing=smoothing, rounds=rounds, work=Threads(workers))


@checked_types
def save_costs(costs: CostTable, path: str | Path) -> None:
    """Write costs as a TSV (gold, predicted, cost) that `feature_costs` reads back exactly; DataError if it cannot."""
    lines = (f"{gold}\t{predicted}\t{cost_text(cost)}\n" for gold, predicted, cost in costs.rows())
    write_bytes(Path(path), "".join(["gold\tpredicted\tcost\n", *lines]).encode())
