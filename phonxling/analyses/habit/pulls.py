"""How far wrong phones follow the phonotactic habit of another language, and not their sound alone.

The model
---------
Of the tokens of a gold phone y that are heard wrong, a share 1 − π is heard by sound: as x with a probability a(x|y)
that is the same wherever y stands; a share π is pulled: drawn from q(x) ∝ P(x|l) P(r|x), x ≠ y, the habit between the
phones that were heard before and after it. a is left open: a confusion that occurs everywhere says nothing of π.

The estimate
------------
Tokens are compared within strata: of one gold phone, between gold neighbours of the same classes, since how a phone
sounds depends on its neighbours. Only tokens count whose neighbours were heard as usual: as the nearest phone that the
recogniser has, or as the most frequent answer. Elsewhere the alignment may be off by a phone, and phones of a sequence
of the target then look as if they were drawn after each other. Phones equal to a neighbour are no answers, since many
decoders cannot say a phone twice. With q_i the habit in the place of token i, q̄ its mean over the stratum, x_i what was
heard, p the shares of what was heard in the stratum, sums and means over possible answers,

    excess_i = Σ_x ([x_i = x] − p(x)) (q_i − q̄)(x),   room_i = Σ_x (q_i − q̄)(x)²,   π̂ = Σ excess_i / Σ room_i,

the slope of the regression of [x_i = x] on q_i(x) within strata. Given the places, E Σ excess_i = π Σ room_i whatever a
is and however few tokens a stratum has: a token alone adds 0 to both. π̂ may be below 0 and above 1.

Chance
------
Where nothing is pulled, what was heard is drawn from the shares of the stratum, whatever the place. Σ excess then has
the mean 0 and the variance Σ_i n/(n − 1) Σ_x p(x) ((q_i − q̄)(x) − Σ_z p(z) (q_i − q̄)(z))², n the stratum's tokens:
without impossible answers, that of dealing what was heard anew to the places of each stratum (Hoeffding 1951).

References
----------
Hoeffding (1951), A combinatorial central limit theorem.
"""

from dataclasses import dataclass

import numpy as np

from phonxling.analyses.habit.bigram import Bigram
from phonxling.analyses.habit.tokens import WrongTokens, strata_of
from phonxling.core.arrays import Bools, Floats, divided


@dataclass(frozen=True, eq=False)
class Pulls:
    """Of each token, float64 [N]: `excess`, `room`, and what it adds to the `variance` of Σ excess by chance."""

    excess: Floats
    room: Floats
    variance: Floats

    def of(self, chosen: Bools) -> "Pulls":
        """Return those of some tokens, bool [N]."""
        return Pulls(self.excess[chosen], self.room[chosen], self.variance[chosen])


def pulls(tokens: WrongTokens, habit: Bigram) -> Pulls:
    """Return how far each of some tokens, all heard as phones that the habit knows, follows it."""
    excess, room, variance = np.zeros((3, len(tokens)))
    for run, own in tokens.by_gold():
        strata, possible = strata_of(own), possible_answers(own, habit)
        expected, answers = _expected(own, habit, possible), heard(own, len(habit.known))
        apart = possible * (expected - strata.mean(expected, possible))
        shares = possible * strata.mean(answers, possible)
        shares = divided(shares, shares.sum(axis=1, keepdims=True), undefined=0.0)
        excess[run] = ((answers - shares) * apart).sum(axis=1)
        room[run] = (apart**2).sum(axis=1)
        dealt = apart - (shares * apart).sum(axis=1, keepdims=True)
        variance[run] = strata.unbiased * (shares * dealt**2).sum(axis=1)
    return Pulls(excess, room, variance)


def possible_answers(tokens: WrongTokens, habit: Bigram) -> Floats:
    """Return 1 for the phones that a token may be heard as, else 0, [N, K]: known, not its own, and no neighbour."""
    phones = np.arange(len(habit.known))
    taken = [side[:, None] == phones for side in (tokens.same, tokens.left, tokens.right)]
    return np.asarray(habit.known & ~np.any(taken, axis=0), np.float64)


def heard(tokens: WrongTokens, phones: int) -> Floats:
    """Return 1 where a token was heard as a phone, else 0, [N, K]."""
    return np.asarray(tokens.heard[:, None] == np.arange(phones), np.float64)


def _expected(tokens: WrongTokens, habit: Bigram, possible: Floats) -> Floats:
    """Return q, what the habit would say in each place, [N, K]."""
    between = possible * habit.between(tokens.left, tokens.right)
    return divided(between, between.sum(axis=1, keepdims=True), undefined=0.0)
