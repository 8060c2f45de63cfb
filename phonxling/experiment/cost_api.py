"""Costs of one's own: learned from a corpus, and kept in a file."""

from pathlib import Path

from phonxling.align.learned import ROUNDS, SMOOTHING, learn
from phonxling.analyses.case.costs import GapSetting, costs_of, gap_of
from phonxling.core.corpus import Corpus
from phonxling.core.cost_entries import cost_text
from phonxling.core.costs import CostTable
from phonxling.core.files import write_bytes
from phonxling.core.learned_costs import LearnedCosts
from phonxling.core.work import Threads


def learn_costs(
    corpus: Corpus,
    start: CostTable | None = None,
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    smoothing: float = SMOOTHING,
    rounds: int = ROUNDS,
    workers: int = 1,
) -> LearnedCosts:
    """Return costs learned from a corpus: pairs of phones aligned more often than chance become cheap.

    A rate of the same utterances under them flatters itself: learn on one part of the corpus (`corpus.select`) and
    score the other. See `phonxling.align.learned` for the method.

    Parameters
    ----------
    corpus : Corpus
        U utterances.
    start : CostTable, optional
        The costs of the first round; by default panphon's. Its tie rule is kept.
    insertion, deletion : float, Fraction, mapping, or path, optional
        Gap costs that stay as they are; by default they are learned, ∅ being a symbol like the others.
    smoothing : float
        The pseudo-count α > 0.
    rounds : int
        Rounds at most; learning ends when a round changes no alignment.
    workers : int
        Threads.

    Returns
    -------
    LearnedCosts
        `costs`, a CostTable in multiples of 1/10,000, in [0, 1], and a record of the rounds.

    Raises
    ------
    ConfigurationError
        If the smoothing is not above 0, there is no round, or a gap cost is negative or not finite.

    Examples
    --------
    A recogniser that says s for a and a for s; panphon aligns "t a" with "t s" only at a price:

    >>> from phonxling.core.sequences import from_lists
    >>> gold, predicted = [["t", "a"], ["s", "a"], ["s", "t"]] * 50, [["t", "s"], ["a", "s"], ["a", "t"]] * 50
    >>> names = [str(number) for number in range(150)]
    >>> learned = learn_costs(Corpus(gold=from_lists(names, gold), predicted=from_lists(names, predicted)))
    >>> learned.converged, float(learned.costs.cost("a", "s")) < 0.01 < float(learned.costs.cost("a", "a"))
    (True, True)
    """
    return learn(
        corpus.gold,
        corpus.predicted,
        start or costs_of("panphon", corpus.gold_inventory, corpus.predicted_inventory),
        insertion=gap_of(insertion),
        deletion=gap_of(deletion),
        smoothing=smoothing,
        rounds=rounds,
        work=Threads(workers),
    )


def save_costs(costs: CostTable, path: str | Path) -> None:
    """Write costs as a TSV (gold, predicted, cost) that `feature_costs(gold, predicted, path)` reads back exactly.

    DataError when the file cannot be written.
    """
    lines = (f"{gold}\t{predicted}\t{cost_text(cost)}\n" for gold, predicted, cost in costs.rows())
    write_bytes(Path(path), "".join(["gold\tpredicted\tcost\n", *lines]).encode())
