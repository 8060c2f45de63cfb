"""The first screen: of each corpus a verdict, its rate between floor and chance, its errors and telling confusions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.features import by_features
from phonxling.analyses.measures import measure
from phonxling.core.features import by_chart
from phonxling.core.inventory import GAP
from phonxling.load.features import panphon_features
from phonxling.phones.natural_classes import natural_classes
from phonxling.report.findings import cautions, short_verdict
from phonxling.report.numbers import Number, Numbers, Part, Sentence, address, figure, percent, sentence
from phonxling.report.rounding import probability
from phonxling.report.sections import differs, kinds_of_errors, share_of_errors
from phonxling.tables.files import read_table

_MOST = 3  # kinds of errors, and confusions, that are shown
_LEVELS = {"floor": "floor_", "rate": "", "chance": "chance_"}
_SIZES = (("utterances", "utterances"), ("gold_tokens", "phones"))
_KINDS = {
    "absent": "on phones that the recogniser lacks",
    "expected": "as in {reference}",
    "level": "beyond what {reference} leads one to expect",
    "pattern": "of other kinds than in {reference}",
    "unattested": "on phones that {reference} never says",
    "confused": "confusions with another phone",
    "deleted": "deletions",
    "inserted": "insertions",
}


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A corpus' headline rate between floor and chance."""

    floor: float | None
    chance: float | None
    rate: float
    low: float
    high: float
    whole: float
    name: str
    labels: Mapping[str, Part]
    beside: Sentence
    end: str


@dataclass(frozen=True)
class Segment:
    """A kind of errors: its name in the style, the end of the one before and its own width in percent, and in words."""

    kind: str
    start: float
    width: float
    words: Sentence


@dataclass(frozen=True, kw_only=True)
class Card:
    """What the first screen says of a corpus."""

    title: Part
    about: tuple[str, ...]
    verdict: Sentence
    cautions: Sentence
    bar: Bar | None
    errors: tuple[Segment, ...]
    confusions: tuple[Sentence, ...]


def cards(corpora: Mapping[str, Numbers]) -> list[Card]:
    """Return a card of each corpus, the reference last, their bars on one scale."""
    inner = [numbers for name, numbers in corpora.items() if name != numbers.reference]
    last = [numbers for name, numbers in corpora.items() if name == numbers.reference]
    widest = max((end for numbers in corpora.values() for end in _ends(numbers)), default=1.0)
    return [_card(numbers, 100 / (widest * 1.05)) for numbers in [*inner, *last]]


def _ends(numbers: Numbers) -> Iterator[float]:
    """Yield how far the bar of a corpus reaches, 1 for all of its gold phones."""
    for number in (numbers.get(f"{kind}{numbers.rate_name}") for kind in ("", "chance_", "floor_")):
        if number.defined:
            yield number.high if number.bounded else number.value


def _card(numbers: Numbers, scale: float) -> Card:
    sizes = (f"{figure(numbers.get(name).value)} {what}" for name, what in _SIZES if numbers.get(name).defined)
    return Card(
        title=Part(numbers.title(numbers.name), address(numbers.name)),
        about=("reference" if numbers.name == numbers.reference else "target", *sizes),
        verdict=short_verdict(numbers),
        cautions=cautions(numbers),
        bar=_bar(numbers, scale) if numbers.rate.defined else None,
        errors=() if numbers.deaf else tuple(_segments(numbers)),
        confusions=() if numbers.deaf else tuple(_telling(numbers))[:_MOST],
    )


def _bar(numbers: Numbers, scale: float) -> Bar:
    rate = numbers.rate
    names = {label: f"{kind}{numbers.rate_name}" for label, kind in _LEVELS.items()}
    known = {label: numbers.get(name) for label, name in names.items()}
    place = {label: round(number.value * scale, 2) if number.defined else None for label, number in known.items()}
    return Bar(
        floor=place["floor"],
        chance=place["chance"],
        rate=round(rate.value * scale, 2),
        low=round((rate.low if rate.bounded else rate.value) * scale, 2),
        high=round((rate.high if rate.bounded else rate.value) * scale, 2),
        whole=round(scale, 2),
        name=measure(numbers.rate_name).short,
        end=figure(100 / scale),
        labels=_labels(numbers, numbers.rate_name),
        beside=_plain_rate(numbers),
    )


def _labels(numbers: Numbers, rate: str) -> dict[str, Part]:
    """Return a rate with its interval, its chance level and its floor, those that are defined."""
    names = {label: f"{kind}{rate}" for label, kind in _LEVELS.items()}
    known = {label: numbers.get(name) for label, name in names.items()}
    return {
        label: numbers.words(_with_limits(number) if label == "rate" else figure(number.value), names[label])
        for label, number in known.items()
        if number.defined
    }


def _with_limits(number: Number) -> str:
    value = figure(number.value)
    return f"{value} [{figure(number.low)}, {figure(number.high)}]" if number.bounded else value


def _plain_rate(numbers: Numbers) -> Sentence:
    """Return PER and what it is read beside, where another rate is the headline."""
    labels = _labels(numbers, "per")
    if numbers.rate_name == "per" or "rate" not in labels:
        return sentence()
    levels = [part for name in ("floor", "chance") if name in labels for part in (Part(f", {name} "), labels[name])]
    return sentence("PER ", labels["rate"], *levels)


def _segments(numbers: Numbers) -> Iterator[Segment]:
    """Yield the largest kinds of errors, and what is left as one."""
    start = 0.0
    kinds = kinds_of_errors(numbers)
    for kind in list(kinds)[:_MOST]:
        name = _KINDS[kind].replace("{reference}", numbers.title(numbers.reference))
        words = sentence(share_of_errors(numbers, kind, kinds[kind]), f" {name}")
        width = 100 * kinds[kind].value
        yield Segment(kind, round(start, 2), round(width, 2), words)
        start += width
    if kinds and start < 99.5:
        left = sentence(f"{percent(Number(1 - start / 100))} others")
        yield Segment("others", round(start, 2), round(100 - start, 2), left)


def _telling(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the confusions beyond the reference, largest excess first, then the most frequent of the others."""
    cells = {(cell.gold, cell.predicted): cell for cell in numbers.most_frequent}
    beyond = {(cell.gold, cell.predicted): cell.q for cell in numbers.beyond_reference} if differs(numbers) else {}
    for gold, heard in dict.fromkeys([*(pair for pair in beyond if pair in cells), *cells]):
        q = f", q {probability(beyond[gold, heard])}" if (gold, heard) in beyond else ""
        cell = cells[gold, heard]
        yield sentence(numbers.pair(gold, heard), f" {figure(cell.count)} of {figure(cell.tokens)}{q}")


# The orders of phones that the page offers: by the IPA chart, by features; and their natural classes.

_WITH_PHONES = {"confusions": ("gold", "predicted"), "association": ("recognised",), "sounds_like": ("recognised",)}


def stored_orders(folders: Mapping[str, Path]) -> dict[str, object]:
    """Return the orders of all phones of corpora (the folder of each by name), and which have these classes."""
    orders = phone_orders(phone for folder in folders.values() for phone in _phones(folder))
    natural: Mapping[str, Sequence[str]] = orders["natural"]
    return {**orders, "classed": [name for name, folder in folders.items() if _classed(folder, natural)]}


def _phones(folder: Path) -> Iterator[str]:
    for name, columns in _WITH_PHONES.items():
        if (folder / f"{name}.tsv").exists():
            table = read_table(folder.parent, f"{folder.name}/{name}.tsv")
            for column in columns:
                yield from dict.fromkeys(table[column])


def _classed(folder: Path, natural: Mapping[str, Sequence[str]]) -> bool:
    files = [f"{folder.name}/{name}.tsv" for name in ("confusions", "class_confusions")]
    if not all((folder.parent / file).exists() for file in files):
        return False
    confusions, class_confusions = (read_table(folder.parent, file) for file in files)
    return classes_hold(confusions, class_confusions, natural)


def phone_orders(phones: Iterable[str]) -> dict[str, Any]:
    """Return the phones, ∅ left out, in the order of the chart and in that of features, and by natural class."""
    listed, table = [phone for phone in dict.fromkeys(phones) if phone != GAP], panphon_features()
    natural = natural_classes(listed, table)
    classes = {phone: natural.default_of(phone) for phone in listed}
    vectors = {phone: vector.astype(np.float64) for phone in listed if (vector := table.vector(phone)[0]) is not None}
    chart = by_chart(listed, classes, natural.names)
    members = {name: [phone for phone in chart if classes[phone] == name] for name in natural.names}
    return {
        "inventory": chart,
        "features": by_features(listed, vectors),
        "natural": {name: own for name, own in members.items() if own},
    }


def classes_hold(
    confusions: pd.DataFrame, class_confusions: pd.DataFrame, natural: Mapping[str, Sequence[str]]
) -> bool:
    """Return whether sums of confusions over these classes are those of class_confusions.tsv."""
    if not len(class_confusions):
        return False
    of = {phone: name for name, own in natural.items() for phone in own} | {GAP: GAP}
    sums = confusions.groupby([confusions[side].map(of) for side in ("gold", "predicted")])["count"].sum()
    stored = class_confusions.set_index(["gold", "predicted"])["count"]
    return bool(sums.equals(stored[stored > 0].reindex(sums.index)) and sums.sum() == stored.sum())
