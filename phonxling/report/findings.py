"""What the numbers of a corpus say, in sentences: each claims what its interval supports, and no more.

A corpus is better (worse) than chance when the whole interval of its skill lies above (below) 0, and far better when it
lies above one half. Where there is no interval, or it holds 0, the sentence says so.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from phonxling.core.estimate import is_descriptive
from phonxling.resample.p_values import SIGNIFICANT

FAR = 0.5  # a skill wholly above this is far above chance
FEW_TOKENS = 20  # tokens of a phone below which nothing is said of it alone, as in phones.tsv
_REASONS = {
    "absent": "are on phones that the recogniser does not have",
    "expected": "are confusions that the reference language has too",
    "specific": "are confusions beyond those of the reference language",
    "unattested": "are on phones that the reference never says",
    "confused": "are confusions of phones that the recogniser has",
    "deleted": "are deletions",
    "inserted": "are insertions",
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the summary with its interval; NaN where there is none."""

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

    def __str__(self) -> str:
        limits = f" [{figure(self.low)}, {figure(self.high)}]" if self.bounded else ""
        return f"{figure(self.value)}{limits}"


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
    """A corpus' summary, by measure and variant, and the cells that sentences name."""

    summary: Mapping[tuple[str, str], Number]
    reference: str = ""
    is_reference: bool = False
    confusions: tuple[Confusion, ...] = ()
    residuals: tuple[Residual, ...] = ()
    phone_tokens: tuple[float, ...] = ()

    def get(self, measure: str, variant: str = "") -> Number:
        """Return a number; an undefined one when the summary has none."""
        return self.summary.get((measure, variant), Number())


def findings(numbers: Numbers) -> list[str]:
    """Return the sentences on one corpus, the most important first."""
    parts = (
        _rate(numbers),
        _information(numbers),
        _confused(numbers),
        _reasons(numbers),
        _expected(numbers),
        _tone(numbers),
    )
    return [*(sentence for part in parts for sentence in part), *_weaknesses(numbers)]


def figure(value: float) -> str:
    """Return a number in three digits, as prose has it.

    Examples
    --------
    >>> figure(0.2873), figure(-0.02), figure(58512.0), figure(float("inf"))
    ('0.287', '−0.020', '58,512', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.0f}" if value == int(value) and abs(value) >= 2 else f"{value:.3f}"
    return text.replace("-", "−")


def _rate(numbers: Numbers) -> Iterator[str]:
    name = "wper" if numbers.get("wper").defined else "per"
    rate, title = numbers.get(name), {"wper": "feature-weighted error rate", "per": "phone error rate"}[name]
    if not rate.defined:
        yield f"There is no error rate: {rate.note or 'no predictions were given'}."
        return
    yield f"The {title} is {rate} over {figure(rate.n)} gold phones."
    chance, skill = numbers.get(f"chance_{name}", "best"), numbers.get(f"skill_{name}", "best")
    if not chance.defined:
        yield f"There is no chance level to hold it against: {chance.note or 'none was computed'}."
        return
    skill_text = f"skill {skill}" if skill.defined else skill.note or "its skill is not defined"
    yield f"{_verdict(skill)} ({_model(chance)} scores {chance}; {skill_text})."


def _verdict(skill: Number) -> str:
    if not skill.defined:
        return "There is no skill over chance to speak of"
    if not skill.bounded:
        return "Whether that differs from chance cannot be said, for the skill has no interval"
    if skill.high < 0:
        return "That is worse than a recogniser that hears nothing"
    if skill.low > FAR:
        return "That is far better than a recogniser that hears nothing"
    if skill.low > 0:
        return "That is better than a recogniser that hears nothing"
    return "That cannot be told apart from a recogniser that hears nothing"


def _model(chance: Number) -> str:
    """Return which chance model is the hardest, by the beginning of its note: `constant: always “e”; …`."""
    model = chance.note.split(";")[0]
    return model.removeprefix("constant: ") or "the chance model"


def _information(numbers: Numbers) -> Iterator[str]:
    information, null = numbers.get("mutual_information", "ml"), numbers.get("mutual_information_null", "best")
    excess = numbers.get("mutual_information_excess", "best")
    if not information.defined or not null.defined:
        return
    known = f"What was heard tells {figure(information.value)} bit about the gold phone"
    level = f"aligned predictions without information give {figure(null.value)} bit"
    if not excess.bounded:
        yield f"{known}; {level}. Without an interval nothing is claimed of the difference."
    elif excess.low > 0:
        yield f"{known}, more than chance: {level} (excess {excess})."
    elif excess.high < 0:
        yield f"{known}, less than chance: {level} (excess {excess})."
    else:
        yield f"{known}, which cannot be told apart from chance: {level} (excess {excess})."


def _confused(numbers: Numbers) -> Iterator[str]:
    wrong = [cell for cell in numbers.confusions if cell.gold != cell.predicted]
    most = sorted(wrong, key=lambda cell: -cell.count)[:3]
    if most:
        pairs = (
            f"{cell.gold} heard as {cell.predicted} ({figure(cell.count)} of {figure(cell.tokens)})" for cell in most
        )
        yield f"The most frequent confusions: {'; '.join(pairs)}."


def _reasons(numbers: Numbers) -> Iterator[str]:
    """Say what kinds of errors there are, largest first, those below a hundredth left out."""
    shares = {name: numbers.get("error_share", name) for name in _REASONS}
    large = sorted((name for name in shares if shares[name].value >= 0.01), key=lambda name: -shares[name].value)
    if large:
        yield f"Of all errors, {'; '.join(f'{shares[name]} {_REASONS[name]}' for name in large)}."


def _expected(numbers: Numbers) -> Iterator[str]:
    if numbers.is_reference:
        return
    if not numbers.reference:
        yield "No reference language was given, so nothing is said of which errors are the recogniser’s own habits."
        return
    js = numbers.get("expected_js")
    if not js.defined:
        if js.note:
            yield f"Nothing can be expected from {numbers.reference}: {js.note}."
        return
    distance = f"The confusions lie {js} bit (Jensen–Shannon, 0 to 1) from those"
    null = numbers.get("expected_js_null")
    by_chance = f"; chance alone, were there no difference, gives {null}" if null.defined else ""
    yield f"{distance} that {numbers.reference} leads one to expect{by_chance}.{_warned(js)}"
    tested = [cell for cell in numbers.residuals if not math.isnan(cell.q)]
    if not tested:
        return
    sure = [cell for cell in tested if cell.q < SIGNIFICANT]
    most = max(sure, key=lambda cell: cell.residual, default=None)
    largest = ""
    if most is not None and most.residual > 0:
        largest = f"; the largest excess is {most.gold} heard as {most.predicted}"
    yield f"{len(sure)} of {len(tested)} cells tested differ from that (q below {SIGNIFICANT}){largest}."


def _warned(js: Number) -> str:
    """Return what the comparison's note warns of: another recogniser."""
    return "".join(f" {part[0].upper()}{part[1:]}." for part in js.note.split("; ") if "another recogniser" in part)


def _tone(numbers: Numbers) -> Iterator[str]:
    tone = numbers.get("tone_error_rate")
    if tone.defined:
        yield f"The tone error rate is {tone}."
    elif tone.note and "no tone" not in tone.note:
        yield f"There is no tone error rate: {tone.note}."


def _weaknesses(numbers: Numbers) -> Iterator[str]:
    rate = numbers.get("wper") if numbers.get("wper").defined else numbers.get("per")
    for part in rate.note.split("; "):
        if is_descriptive(part) or part.startswith("no interval"):
            yield f"{part[0].upper()}{part[1:]}."
    few = sum(1 for tokens in numbers.phone_tokens if tokens < FEW_TOKENS)
    if few:
        total = len(numbers.phone_tokens)
        have, them = ("has", "it") if few == 1 else ("have", "them")
        rare = f"{few} of {total} gold phones {have} fewer than {FEW_TOKENS} tokens"
        yield f"{rare}: what is said of {them} alone is weak."


def numbers_of(rows: Iterable[Mapping[str, object]]) -> dict[tuple[str, str], Number]:
    """Return summary rows by measure and variant."""
    return {(str(row["measure"]), str(row["variant"])): _number(row) for row in rows}


def _number(row: Mapping[str, object]) -> Number:
    value, low, high, n = (float(str(row[name])) for name in ("value", "low", "high", "n"))
    return Number(value, low, high, n, str(row["note"]))
