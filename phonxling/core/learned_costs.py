"""Costs that were learned from data, with the record of how."""

from dataclasses import dataclass

from phonxling.core.costs import CostTable


@dataclass(frozen=True, slots=True)
class LearningRound:
    """One round: what its costs made of the data.

    Parameters
    ----------
    number : int
        1 for the round that aligns with the costs of the start.
    rate : float
        Cost of the round's alignments per gold phone, under the costs that made them; NaN without a gold phone.
    changed : int
        Utterances that are aligned otherwise than in the round before; in the first, all.
    """

    number: int
    rate: float
    changed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedCosts:
    """Learned costs and how they came about.

    Parameters
    ----------
    costs : CostTable
        The costs that the last round's alignments gave.
    rounds : tuple of LearningRound
        What each round did.
    converged : bool
        Whether the last round changed no alignment; otherwise the stated number of rounds was reached.
    start : str
        The name of the costs of the first round.
    smoothing : float
        The pseudo-count α.
    """

    costs: CostTable
    rounds: tuple[LearningRound, ...]
    converged: bool
    start: str
    smoothing: float
