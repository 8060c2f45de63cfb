"""Which claims of the findings no longer hold if some of the gold phones were wrong, and from which rate of errors on.

The claims are those that the findings make: what is read off intervals by `verdict`, the most frequent confusions, and
what is beyond the reference. A claim stands at a rate as the same rule has it of the numbers at that rate.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from phonxling.analyses.gold_errors.numbers import CONFUSION, Number
from phonxling.analyses.gold_errors.reference import Beyond
from phonxling.analyses.verdict import Verdict
from phonxling.core.inventory import Inventory
from phonxling.resample.p_values import SIGNIFICANT

NAMED = 3  # confusions that the findings name
_LARGEST = 10  # cells beyond the reference of which a claim is made
_VERDICTS = {
    "skill_per": "the phone error rate is {} chance",
    "skill_wper": "the weighted error rate is {} chance",
    "mutual_information_excess": "what was heard tells of the gold phones: the information is {} chance",
}
_DEAF = {Verdict.WORSE.value, Verdict.ALIKE.value}
_HEARS = {Verdict.BETTER.value, Verdict.FAR_BETTER.value}


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said at each rate of errors, the first without any; "" where nothing can be said."""

    claim: str
    said: tuple[str, ...]
    gold: str = ""
    predicted: str = ""

    def row(self, rates: Sequence[float]) -> dict[str, object]:
        """Return up to which rate the same is said as without errors, from which on another, and what then."""
        known = [(rate, said) for rate, said in zip(rates, self.said, strict=True) if said]
        other = next((place for place, (_, said) in enumerate(known) if said != self.said[0]), None)
        ends, then = (np.nan, "") if other is None else known[other]
        last = known[-1][0] if other is None else known[other - 1][0]
        none = "" if len(known) == len(rates) else f"nothing is said at {', '.join(self._unsaid(rates))}"
        return {
            "claim": self.claim,
            "gold": self.gold,
            "predicted": self.predicted,
            "holds_to": last,
            "ends_at": ends,
            "then": then,
            "note": none,
        }

    def _unsaid(self, rates: Sequence[float]) -> Iterator[str]:
        return (f"{rate:g}" for rate, said in zip(rates, self.said, strict=True) if not said)


def claims(
    numbers: Sequence[Number], beyond: Sequence[Beyond], phones: tuple[Inventory, Inventory] | None
) -> Iterator[Claim]:
    """Yield the claims of the findings; `phones` are those of the cells beyond the reference."""
    verdicts = {name: tuple(one.verdict for one in numbers if one.measure == name) for name in _VERDICTS}
    for name, words in verdicts.items():
        if words:
            yield Claim(
                _VERDICTS[name].format(words[0]), tuple(_VERDICTS[name].format(one) if one else "" for one in words)
            )
    rate = verdicts["skill_wper"] or verdicts["skill_per"]
    tells = verdicts["mutual_information_excess"][:1] == (Verdict.BETTER.value,)
    if rate and (rate[0] not in _DEAF or tells):
        yield from _confused(numbers)
    if rate and rate[0] in _HEARS and beyond and phones:
        yield from _of_reference(beyond, phones)


def _confused(numbers: Sequence[Number]) -> Iterator[Claim]:
    """Yield that a confusion is among the most frequent ones, and that it is one at all."""
    cells = [one for one in numbers if one.measure == CONFUSION]
    for gold, predicted in dict.fromkeys((one.gold, one.predicted) for one in cells):
        own = [one for one in cells if (one.gold, one.predicted) == (gold, predicted)]
        first = f"{gold} heard as {predicted}"
        if own[0].rank <= NAMED:
            among = f"{first} is among the {NAMED} most frequent confusions"
            yield Claim(
                among, tuple(among if one.rank <= NAMED else f"it is number {one.rank}" for one in own), gold, predicted
            )
        if own[0].estimate.low > 0:
            surely = f"{first} is more than errors of the gold would give"
            other = "errors of the gold alone would give as much"
            yield Claim(surely, tuple(surely if one.estimate.low > 0 else other for one in own), gold, predicted)


def _of_reference(beyond: Sequence[Beyond], phones: tuple[Inventory, Inventory]) -> Iterator[Claim]:
    """Yield that confusions differ from those that the reference leads one to expect, and which are more frequent."""
    if not beyond[0].p < SIGNIFICANT:
        return
    differ, alike = "the confusions differ from those of the reference", "they are not told apart from those"
    yield Claim(differ, tuple(differ if one.p < SIGNIFICANT else alike for one in beyond))
    order = np.argsort(-np.where(beyond[0].excess, beyond[0].residual, 0.0), axis=None, kind="stable")[:_LARGEST]
    for row, column in zip(*np.unravel_index(order, beyond[0].excess.shape), strict=True):
        if beyond[0].excess[row, column]:
            gold, predicted = phones[0].phones[row], phones[1].phones[column]
            more = f"{gold} is heard as {predicted} more often than the reference leads one to expect"
            said = tuple(more if one.excess[row, column] else "it is not surely more" for one in beyond)
            yield Claim(more, said, gold, predicted)
