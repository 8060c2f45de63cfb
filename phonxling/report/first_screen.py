"""The first screen: of each corpus a verdict, its rate between floor and chance, its errors and telling confusions.

The bars of all corpora stand on one scale, from 0 to a little beyond the widest number, in percent of their width.
The orders of phones that the page offers go with it: by the IPA chart, by features; and their natural classes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from phonxling.analyses.features import by_features
from phonxling.analyses.measures import measure
from phonxling.core.inventory import GAP, chart_key
from phonxling.load.resources import panphon_features
from phonxling.phones.natural_classes import natural_classes
from phonxling.report.findings import cautions, short_verdict
from phonxling.report.numbers import Number, Numbers, Part, Sentence, address, figure, percent, sentence
from phonxling.report.rounding import probability
from phonxling.report.sections import differs, kinds_of_errors, share_of_errors
from phonxling.tables.files import read_table

_MOST = 3  # kinds of errors, and confusions, that are shown
_LEVELS = {"floor": "floor_", "people": "people_", "rate": "", "chance": "chance_"}
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
_WITH_PHONES = {"confusions": ("gold", "predicted"), "association": ("recognised",), "sounds_like": ("recognised",)}


def cards(corpora: Mapping[str, Numbers]) -> list[dict[str, Any]]:
    """Return what the first screen says of each corpus, the reference last."""
    levels = [level for numbers in corpora.values() for level in _levels(numbers, numbers.rate_name).values()]
    widest = max((level.high if level.bounded else level.value for level in levels), default=1.0)
    ordered = sorted(corpora, key=lambda name: name == corpora[name].reference)
    return [_card(corpora[name], 100 / (widest * 1.05)) for name in ordered]


def _card(numbers: Numbers, scale: float) -> dict[str, Any]:
    sizes = [f"{figure(numbers.get(name).value)} {what}" for name, what in _SIZES if numbers.get(name).defined]
    return {
        "title": Part(numbers.title(numbers.name), address(numbers.name)),
        "about": ["reference" if numbers.name == numbers.reference else "target", *sizes],
        "verdict": short_verdict(numbers),
        "cautions": cautions(numbers),
        "bar": _bar(numbers, scale) if numbers.rate.defined else None,
        "errors": [] if numbers.deaf else list(_segments(numbers)),
        "confusions": [] if numbers.deaf else list(_telling(numbers))[:_MOST],
    }


def _levels(numbers: Numbers, rate: str) -> dict[str, Number]:
    """Return the floor, what people score, the value and the chance level of a rate, those that are defined."""
    levels = {label: numbers.get(f"{kind}{rate}") for label, kind in _LEVELS.items()}
    return {label: level for label, level in levels.items() if level.defined}


def _bar(numbers: Numbers, scale: float) -> dict[str, Any]:
    """Return the headline rate between floor and chance, and PER where another rate is the headline."""
    rate, labels = numbers.rate, _labels(numbers, numbers.rate_name)
    plain = _labels(numbers, "per") if numbers.rate_name != "per" else {}
    beside = [part for name in ("floor", "people", "chance") if name in plain for part in (f", {name} ", plain[name])]
    places = {label: level.value for label, level in _levels(numbers, numbers.rate_name).items()}
    places |= {"low": rate.low, "high": rate.high} if rate.bounded else {"low": rate.value, "high": rate.value}
    return {
        "floor": None,
        "people": None,
        "chance": None,
        **{label: round(place * scale, 2) for label, place in places.items()},
        "whole": round(scale, 2),
        "name": measure(numbers.rate_name).short,
        "end": figure(100 / scale),
        "labels": labels,
        "beside": sentence("PER ", plain["rate"], *beside) if "rate" in plain else sentence(),
    }


def _labels(numbers: Numbers, rate: str) -> dict[str, Part]:
    """Return a rate with its interval, and its levels in words, those that are defined."""
    labels = {}
    for label, level in _levels(numbers, rate).items():
        limits = f" [{figure(level.low)}, {figure(level.high)}]" if label == "rate" and level.bounded else ""
        labels[label] = numbers.words(f"{figure(level.value)}{limits}", f"{_LEVELS[label]}{rate}")
    return labels


def _segments(numbers: Numbers) -> Iterator[dict[str, Any]]:
    """Yield the largest kinds of errors, each with its begin and width in percent, and what is left as one."""
    start, kinds = 0.0, kinds_of_errors(numbers)
    for kind in list(kinds)[:_MOST]:
        name = _KINDS[kind].replace("{reference}", numbers.title(numbers.reference))
        words = sentence(share_of_errors(numbers, kind, kinds[kind]), f" {name}")
        width = 100 * kinds[kind].value
        yield {"kind": kind, "start": round(start, 2), "width": round(width, 2), "words": words}
        start += width
    if kinds and start < 99.5:
        left = sentence(f"{percent(Number(1 - start / 100))} others")
        yield {"kind": "others", "start": round(start, 2), "width": round(100 - start, 2), "words": left}


def _telling(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the confusions beyond the reference, largest excess first, then the most frequent of the others."""
    cells = {(cell.gold, cell.predicted): cell for cell in numbers.most_frequent}
    beyond = {(cell.gold, cell.predicted): cell.q for cell in numbers.beyond_reference} if differs(numbers) else {}
    for gold, heard in dict.fromkeys([*(pair for pair in beyond if pair in cells), *cells]):
        q = f", q {probability(beyond[gold, heard])}" if (gold, heard) in beyond else ""
        cell = cells[gold, heard]
        yield sentence(numbers.pair(gold, heard), f" {figure(cell.count)} of {figure(cell.tokens)}{q}")


def stored_orders(folders: Mapping[str, Path]) -> dict[str, Any]:
    """Return the orders of all phones of corpora (the folder of each by name), and which have these classes."""
    phones: dict[str, None] = {}
    for folder in folders.values():
        for name, columns in _WITH_PHONES.items():
            if (folder / f"{name}.tsv").exists():
                table = read_table(folder.parent, f"{folder.name}/{name}.tsv")
                phones |= dict.fromkeys(phone for column in columns for phone in table[column])
    orders = phone_orders(phones)
    classed = []
    for corpus, folder in folders.items():
        files = [f"{folder.name}/{name}.tsv" for name in ("confusions", "class_confusions")]
        if all((folder.parent / file).exists() for file in files):
            confusions, class_confusions = (read_table(folder.parent, file) for file in files)
            classed += [corpus] * classes_hold(confusions, class_confusions, orders["natural"])
    return {**orders, "classed": classed}


def phone_orders(phones: Iterable[str]) -> dict[str, Any]:
    """Return the phones, ∅ left out, in the order of the chart and in that of features, and by natural class."""
    listed, table = [phone for phone in dict.fromkeys(phones) if phone != GAP], panphon_features()
    natural = natural_classes(listed, table)
    classes = {phone: natural.default_of(phone) for phone in listed}
    vectors = {phone: vector.astype(np.float64) for phone in listed if (vector := table.vector(phone)[0]) is not None}
    chart = sorted(listed, key=chart_key)
    members = {name: [phone for phone in chart if classes[phone] == name] for name in natural.names}
    return {
        "chart": chart,
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
