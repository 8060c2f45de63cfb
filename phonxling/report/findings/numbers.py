"""What sentences are made of: the numbers of a corpus and of its reference, and the cells that are named."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from phonxling.analyses.measures import measure
from phonxling.analyses.verdict import Verdict, verdict
from phonxling.core.estimate import is_descriptive
from phonxling.report.rounding import rounded


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the results with its interval; NaN where there is none."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: float = math.nan
    note: str = ""

    @property
    def defined(self) -> bool:
        """Whether the number is defined."""
        return not math.isnan(self.value)

    @property
    def bounded(self) -> bool:
        """Whether it has an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def verdict(self) -> Verdict:
        """What its interval supports, 0 being chance."""
        return verdict(self.low, self.high, self.note)

    def __str__(self) -> str:
        return rounded(self.value, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Residual:
    """A cell of the residual table: more (or less) often than the reference leads one to expect."""

    gold: str
    predicted: str
    residual: float
    q: float


@dataclass(frozen=True, slots=True)
class Confusion:
    """A cell of the confusion table with its count, and the tokens of its gold phone."""

    gold: str
    predicted: str
    count: float
    tokens: float


@dataclass(frozen=True)
class Numbers:
    """A corpus' numbers, by measure and variant, and the cells that sentences name.

    Parameters
    ----------
    by_name : mapping
        Numbers by measure and variant.
    name, reference : str
        Names of the corpus and of the reference; the reference is "" where there is none.
    """

    by_name: Mapping[tuple[str, str], Number] = field(default_factory=dict)
    name: str = ""
    reference: str = ""
    confusions: tuple[Confusion, ...] = ()
    residuals: tuple[Residual, ...] = ()
    phone_tokens: tuple[float, ...] = ()

    def get(self, name: str, variant: str | None = None) -> Number:
        """Return a number, by default of the variant that stands for the measure; undefined when there is none."""
        chosen = measure(name).variant if variant is None else variant
        return self.by_name.get((name, chosen), Number())

    @cached_property
    def rate_name(self) -> str:
        """The error rate that is told: weighted by features where there is one."""
        return "wper" if self.get("wper").defined else "per"

    @property
    def rate(self) -> Number:
        """That error rate."""
        return self.get(self.rate_name)

    @property
    def skill(self) -> Number:
        """Its skill above the hardest level of chance."""
        return self.get(f"skill_{self.rate_name}")

    @property
    def aligned(self) -> Number:
        """The share of the gold phones that were not deleted."""
        deleted = self.get("deletion_rate")
        return Number(1 - deleted.value, n=deleted.n)

    @property
    def tells(self) -> bool:
        """Whether what was heard tells more of the gold phones than chance does."""
        excess = self.get("mutual_information_excess")
        return excess.low > 0 and not is_descriptive(excess.note)

    @property
    def better(self) -> bool:
        """Whether the rate is clearly better than chance."""
        return self.skill.verdict in {Verdict.BETTER, Verdict.FAR_BETTER}

    @property
    def worse_or_alike(self) -> bool:
        """Whether the rate is hardly better than chance, or not at all; not where nothing can be judged."""
        return self.skill.verdict in {Verdict.WORSE, Verdict.ALIKE, Verdict.HARDLY_BETTER}

    @property
    def deaf(self) -> bool:
        """Whether neither the rate nor the information shows that anything was heard."""
        return self.skill.verdict in {Verdict.WORSE, Verdict.ALIKE} and not self.tells


def figure(value: float) -> str:
    """Return a number in three digits, as prose has it.

    Examples
    --------
    >>> figure(0.2873), figure(-0.02), figure(-0.0001), figure(58512.0), figure(float("inf"))
    ('0.287', '−0.020', '0.000', '58,512', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.0f}" if value == int(value) and abs(value) >= 2 else f"{value:z.3f}"
    return text.replace("-", "−")


def percent(number: Number, *, limits: bool = False) -> str:
    """Return a share in percent, with its interval where that is wanted and there is one.

    Examples
    --------
    >>> percent(Number(0.9)), percent(Number(1.0)), percent(Number(0.0163, 0.0068, 0.0388), limits=True)
    ('90.0 %', '100 %', '1.6 % [0.7, 3.9]')
    """
    interval = f" [{_tenths(number.low)}, {_tenths(number.high)}]" if limits and number.bounded else ""
    return f"{_tenths(number.value)} %{interval}"


def numbers_of(rows: Iterable[Mapping[str, object]]) -> dict[tuple[str, str], Number]:
    """Return rows of summary.tsv and details.tsv by measure and variant."""
    return {(str(row["measure"]), str(row["variant"])): _number(row) for row in rows}


def _number(row: Mapping[str, object]) -> Number:
    value, low, high, n = (float(str(row[name])) for name in ("value", "low", "high", "n"))
    return Number(value, low, high, n, str(row["note"]))


def _tenths(share: float) -> str:
    text = f"{100 * share:z.1f}"
    return text.removesuffix(".0") if math.isclose(share, round(share), abs_tol=1e-9) else text
