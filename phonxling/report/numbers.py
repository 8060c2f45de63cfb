"""What sentences are made of: words that lead to what they name, a corpus' numbers, and the cells that are named."""

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib.resources import files
from string import Formatter
from typing import Any
from urllib.parse import urlencode

from phonxling.analyses.measures import above_chance, headline, measure, stored_estimates
from phonxling.core.estimate import SIGNIFICANT, Estimate, Verdict

UNDEFINED = Estimate(math.nan)
BETTER = frozenset({Verdict.BETTER, Verdict.FAR_BETTER})
_MOST_PLACES = 6  # decimals
_LEAST_P = 0.001
_MANY = 0.5  # deletions or insertions a gold phone, above which they decide the rate


@dataclass(frozen=True, slots=True)
class Part:
    """Words of a sentence, and the address on the page that they lead to; "" for words that lead nowhere."""

    text: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Parts, whose texts together are the sentence."""

    parts: tuple[Part, ...] = ()

    def __str__(self) -> str:
        return "".join(part.text for part in self.parts)


Words = str | Part | Sentence


def sentence(*words: Words) -> Sentence:
    """Return a sentence of texts, parts, and the parts of other sentences."""
    parts = (one.parts if isinstance(one, Sentence) else (Part(one) if isinstance(one, str) else one,) for one in words)
    return Sentence(tuple(part for own in parts for part in own if part.text))


def join_sentences(between: str, sentences: Sequence[Sentence]) -> Sentence:
    return sentence(*[one for each in sentences for one in (between, each)][1:])


def named_together(texts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return texts, each once, behind the names of all that have it."""
    names: dict[str, list[str]] = {}
    for name, text in texts:
        names.setdefault(text, []).append(name)
    return [(", ".join(own), text) for text, own in names.items()]


@cache
def templates() -> Mapping[str, str]:
    """Return what is said of results, by part and name: `rate.headline`."""
    stored = files("phonxling.report").joinpath("assets", "sentences.toml").read_text(encoding="utf-8")
    return {f"{part}.{name}": text for part, own in tomllib.loads(stored).items() for name, text in own.items()}


def fill_template(template: str, /, **given: object) -> str:
    return templates()[template].format(**given)


def address(corpus: str, **state: str) -> str:
    """Return the address of a state of the page, as its `scripts/address.js` reads it."""
    return f"#{urlencode({'corpus': corpus, **state})}"


def definition_address(name: str) -> str:
    """Return where a measure is defined on the page; KeyError for one that is not declared."""
    return f"#def-{measure(name).name}"


# A number has three significant digits wherever it stands, and so has the larger of its limits. Whole numbers stand as
# they are where they have no interval. The numbers of one row or column of a table have the same decimals. What a
# program must know of a number is its status; its note is quoted whole, or not at all.
def round_number(value: float, low: float = math.nan, high: float = math.nan, places: int | None = None) -> str:
    """Return a number in three digits, with its limits in brackets where it has some; "" when it is missing.

    A value is rounded by itself, never by its interval, which may be a thousand times as wide.
    """
    if math.isnan(value):
        return ""
    if math.isnan(low) or math.isnan(high):  # whole numbers, such as counts, stand as they are
        own = 0 if not math.isfinite(value) or value == int(value) else decimals(abs(value))
        return _fixed_places(value, own if places is None else places)
    around = decimals(max((abs(one) for one in (low, high) if math.isfinite(one)), default=0.0))
    least, most = (_fixed_places(one, (around if one else 0) if places is None else places) for one in (low, high))
    return f"{_fixed_places(value, decimals(abs(value)) if places is None else places)} [{least}, {most}]"


def round_estimate(number: Estimate) -> str:
    return round_number(number.value, number.low, number.high)


def round_alike(numbers: Sequence[Sequence[float]], most: int = _MOST_PLACES) -> list[str]:
    """Return numbers (value, low, high), rounded to the same decimals: the lower median of what each value has."""
    # The lower median: one tiny number does not give all others six decimals. Counts say nothing of decimals.
    values = [value for value, *_ in numbers]
    own = sorted(decimals(abs(value)) for value in values if math.isfinite(value) and value != int(value))
    shared = min(most, own[(len(own) - 1) // 2]) if own else None
    whole = [(*one, math.nan, math.nan) for one in numbers]
    return [round_number(value, low, high, places=shared) for value, low, high, *_ in whole]


def decimals(size: float) -> int:
    """Return the decimals at which a size shows three digits, 0 to 6."""
    return min(_MOST_PLACES, max(0, 2 - math.floor(math.log10(float(f"{size:.2e}"))))) if size > 0 else 0


def probability(p: float) -> str:
    """Return a p-value in two digits, three where two would say .05; below a thousandth as such; "" when missing."""
    if math.isnan(p):
        return ""
    # 0.0497 is below the threshold, and 0.0503 is not: both would read 0.05.
    shown = f"{p:.3g}" if f"{p:.2g}" == "0.05" else f"{p:.2g}"
    return shown if p >= _LEAST_P else f"< {_LEAST_P:g}"


def equals(p: float) -> str:
    """Return a p-value as it stands behind its letter: `= 0.02`, `< 0.001`."""
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _fixed_places(value: float, places: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:z,.{places}f}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class Cell:
    """A pair of phones: its count, the gold phone's tokens, deleted ones too, and its share of them.

    Of one beside a reference: how much more often it is than is expected, with q, and the share that is expected.
    """

    gold: str
    predicted: str
    count: float = math.nan
    tokens: float = math.nan
    share: float = math.nan
    residual: float = math.nan
    q: float = math.nan
    expected: float = math.nan


@dataclass(frozen=True, slots=True)
class Phone:
    """A gold phone: its tokens, the share of them that are right, and its most frequent other answer with its share.

    The other answer is ∅ where more of its tokens are deleted than are any one other phone, "" where none is wrong.
    One that is absent has no label of the recogniser, so that it cannot be right.
    """

    phone: str
    tokens: float
    accuracy: Estimate = UNDEFINED
    other: str = ""
    share: float = math.nan
    absent: bool = False


@dataclass(frozen=True)
class Numbers:
    """A corpus' numbers, by measure and variant, and the cells, phones and groups of speakers that are named."""

    by_name: Mapping[tuple[str, str], Estimate] = field(default_factory=dict)
    name: str = ""
    tokens: Mapping[tuple[str, str], float] = field(default_factory=dict)
    reference: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    confusions: tuple[Cell, ...] = ()
    residuals: tuple[Cell, ...] = ()
    phones: tuple[Phone, ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], name: str) -> "Numbers":
        return cls(stored_estimates(rows), name, {(row["measure"], row["variant"]): row["n"] for row in rows})

    def get(self, name: str, variant: str | None = None) -> Estimate:
        """Return a number, by default of the variant that stands for the measure; undefined when there is none."""
        chosen = measure(name).variant if variant is None else variant
        return self.by_name.get((name, chosen), UNDEFINED)

    def tokens_of(self, name: str) -> float:
        """Return how many tokens a number rests on; NaN when there is none."""
        return self.tokens.get((name, measure(name).variant), math.nan)

    def title(self, name: str) -> str:
        return self.titles.get(name, name)

    def words(self, text: str, name: str, variant: str | None = None) -> Part:
        """Return a text that leads to a number: beside those of other corpora, or else where it is defined."""
        key = name, measure(name).variant if variant is None else variant
        if any(key == (one.name, one.variant) for one in headline()):
            return Part(text, address(self.name, measure=" ".join(key).strip()))
        return Part(text, definition_address(name))

    def fill(self, template: str, /, **given: Words) -> Sentence:
        """Return the sentence of a name, each {name:form} in it as given, or else the measure's number, with a link."""
        words: list[Words] = []
        for text, name, form, _ in Formatter().parse(templates()[template]):
            words.append(text)
            if name in given:
                words.append(given[name])
            elif name is not None:
                measured = name.replace("HEADLINE", self.rate_name)
                words.append(self.words(_FORMS[form or ""](self.get(measured)), measured))
        return sentence(*words)

    def pair(self, gold: str, predicted: str) -> Part:
        """Return a pair of phones, as words that lead to its cell of the matrix and the utterances behind it."""
        return Part(f"{gold} → {predicted}", address(self.name, gold=gold, predicted=predicted))

    def table(self, text: str, name: str) -> Part:
        return Part(text, address(self.name, table=f"{self.name}/{name}"))

    @cached_property
    def rate_name(self) -> str:
        """The error rate that is told: weighted by features where there is one."""
        return "wper" if self.get("wper").defined else "per"

    @property
    def rate(self) -> Estimate:
        return self.get(self.rate_name)

    @property
    def skill(self) -> Estimate:
        return self.get(f"skill_{self.rate_name}")

    @property
    def aligned(self) -> Estimate:  # the gold phones that were not deleted
        return Estimate(1 - self.get("deletion_rate"))

    @property
    def few(self) -> bool:
        """Whether utterances or speakers are too few for any interval, so that nothing is judged."""
        return self.rate.status == "too-few-clusters"

    @property
    def has_information(self) -> bool:
        return self.get("mutual_information_excess").low > 0

    @property
    def better(self) -> bool:
        return self.skill.verdict in BETTER

    @property
    def worse_or_alike(self) -> bool:
        """Whether the rate is hardly better than chance, or not at all; not where nothing can be judged."""
        return self.skill.verdict in {Verdict.WORSE, Verdict.ALIKE, Verdict.HARDLY_BETTER}

    @property
    def mostly_deleted(self) -> bool:
        return self.get("deletion_rate").value > _MANY

    @property
    def mostly_inserted(self) -> bool:
        return self.get("insertion_rate").value > _MANY

    @property
    def beyond_reference(self) -> list[Cell]:
        """The confusions that are surely more frequent than the reference leads one to expect, largest excess first."""
        sure = [cell for cell in self.residuals if cell.q < SIGNIFICANT and cell.residual > 0]
        return sorted((cell for cell in sure if cell.gold != cell.predicted), key=lambda cell: -cell.residual)

    @property
    def is_above_chance(self) -> bool:
        """Whether the rate or the information shows that answers depend on what was said; True without a skill."""
        return above_chance(self.by_name)

    @property
    def a_map_helps(self) -> bool:
        """Whether the rate is below chance, the information above, and other names right more often than by chance."""
        below = self.skill.verdict in {Verdict.WORSE, Verdict.ALIKE} and self.skill.value < 0
        renamed = self.get("one_to_one_accuracy_excess").low > 0
        return below and self.has_information and renamed and not (self.mostly_deleted or self.mostly_inserted)


def whole_percent(share: float) -> str:
    """Return a share in percent, in whole ones from 1 on, as chips and verdicts have it."""
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else f"{100 * share:.1g} %"


def percent(number: Estimate, *, limits: bool = False) -> str:
    """Return a share in percent, with its interval where that is wanted and there is one."""
    if limits and number.bounded:
        value, interval = round_number(100 * number.value, 100 * number.low, 100 * number.high).split(" ", 1)
        return f"{value} % {interval}"
    # z: no −0.0
    text = f"{100 * number.value:z.1f}"
    whole = math.isclose(number.value, round(number.value), abs_tol=1e-9)
    return f"{text.removesuffix('.0') if whole else text} %"


_FORMS: dict[str, Callable[[Estimate], str]] = {
    "": round_estimate,
    "%": percent,
    "%%": partial(percent, limits=True),
    "0": lambda number: whole_percent(number.value),
    "3": lambda number: round_number(number.value),
}
