"""The bar of a rate: from the floor of the inventory, over the rate itself, to chance, one for each corpus."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from phonxling.analyses.measures import measures_by_name
from phonxling.report.findings.numbers import Number, Numbers, figure

_RATES = ("wper", "per")


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A corpus' bar: places in percent of its width (`low` and `high` those of the rate without interval), its text."""

    corpus: str
    floor: float
    chance: float
    rate: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Bars:
    """The bars of a rate, on one scale."""

    title: str
    bars: tuple[Bar, ...]


def ceiling_bars(numbers: Mapping[str, Numbers]) -> Iterator[Bars]:
    """Yield the bars of each rate, of the corpora that have its floor and its chance level."""
    for rate in _RATES:
        chosen = {corpus: _four(rate, own) for corpus, own in numbers.items()}
        defined = {corpus: four for corpus, four in chosen.items() if all(number.defined for number in four)}
        widest = max((max(end(four[0]), four[2].value) for four in defined.values()), default=0.0)
        if widest:
            bars = tuple(_bar(corpus, four, 100 / (1.05 * widest)) for corpus, four in defined.items())
            yield Bars(measures_by_name()[rate].title, bars)


def end(rate: Number) -> float:
    """Return where a number ends: at the upper limit of its interval, where it has one."""
    return rate.high if rate.bounded else rate.value


def _four(rate: str, numbers: Numbers) -> tuple[Number, Number, Number, Number]:
    """Return the rate, its floor, its lowest chance level and its attainable skill."""
    floor, chance, skill = (numbers.get(f"{name}_{rate}") for name in ("floor", "chance", "attainable_skill"))
    return numbers.get(rate), floor, chance, skill


def _bar(corpus: str, four: tuple[Number, Number, Number, Number], scale: float) -> Bar:
    rate, floor, chance, skill = four
    levels = f"floor {figure(floor.value)}, chance {figure(chance.value)}"
    return Bar(
        corpus=corpus,
        floor=round(floor.value * scale, 2),
        chance=round(chance.value * scale, 2),
        rate=round(rate.value * scale, 2),
        low=round((rate.low if rate.bounded else rate.value) * scale, 2),
        high=round(end(rate) * scale, 2),
        text=f"{rate}; {levels}; attainable skill {skill}",
    )
