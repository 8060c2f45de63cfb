"""Whether the numbers of two items are defined alike, and whether both are of one text, written down in another way.

Numbers are defined alike where their signatures agree in all that says what a number means. Parts that say which data,
which random numbers and which version are neutral; a decoder is a part of the recogniser whose data they are, and so
is its inventory.

Rates of the same utterances with other gold phones differ by how finely gold is written, whatever was heard: TIMIT's
test utterances have 48 phones in one folding and 39 in another. The same ids alone do not make the same utterances, for
two languages may both count from 001. They are taken for the same where the gold phones of one id, capitals aside, are
clearly more alike than those of an id and the next one's, or have nearly the same number in utterances of different
lengths, and no two languages are named.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from statistics import fmean
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure, compared, headline, measure
from phonxling.analyses.statistics import named
from phonxling.comparison.items import Item
from phonxling.core.errors import ConfigurationError, join_problems
from phonxling.tables.files import table_of

_NEUTRAL = frozenset({"sym", "tone_levels", "predicted", "inventory", "seed", "boot", "cluster", "v"})
_OF_ENTROPIES = frozenset({"gaps", "support"})
_MOST_NAMED = 12  # differences that a message names
_LEFT_OUT = ("corpora", "name", "seed", "figures", "report", "embedding")  # stand apart, or move no number
_MOST = 200  # ids that are looked at, from the first
_FEWEST = 10  # ids below which numbers of phones say nothing
_CLEAR = 0.15  # of how alike two sequences are, from 0 to 1
_NEARLY = 0.25  # of the difference in length of two utterances taken at random
_LISTED = 8  # phones


def signature_of(item: Item, name: str, variant: str = "") -> str:
    """Return the signature that the results give a measure; of rates of operations, that of their counts."""
    one = measure(name)
    rows = ((name, variant), (name, one.variant), (one.of or name, ""), ("per_aligned", ""))
    row = next(filter(None, (item.stored(*key) for key in rows)), None)
    return str(row["signature"]) if row is not None else ""


def definition(item: Item, name: str, variant: str = "") -> dict[str, str]:
    """Return what defines a measure's number: its signature without what is neutral, level, learned costs, chance."""
    parts = dict(part.partition(":")[::2] for part in signature_of(item, name, variant).split("|") if part)
    statistic = named(name)
    left_out = _NEUTRAL | (frozenset() if statistic and statistic.entropic else _OF_ENTROPIES)
    defined = {key: value for key, value in parts.items() if key not in left_out}
    if "learn" in parts:
        defined["learned on"] = f"{item.corpus} of {item.folder.name}"
    if measure(name).kind in ("skill", "attainable"):
        defined["chance"] = " ".join(sorted(item.settings["chance"]["models"]))  # the best of others is another chance
    return {**defined, "level": f"{item.settings['uncertainty']['level']:g}"}


def symbol_sets(item: Item) -> list[str]:
    """Return the symbol sets of an item's gold and predicted phones, as its signature has them."""
    parts = dict(part.partition(":")[::2] for part in signature_of(item, "per").split("|"))
    return parts.get("sym", ",").split(",")


def unlike(first: Item, second: Item, name: str, variant: str = "") -> str:
    """Return how two numbers' definitions differ, "" when they are alike."""
    one, two = definition(first, name, variant), definition(second, name, variant)
    keys = [key for key in dict.fromkeys([*one, *two]) if one.get(key) != two.get(key)]
    return "; ".join(f"{key}: {one.get(key, 'none')} against {two.get(key, 'none')}" for key in keys)


def refuse_unlike(items: Sequence[Item], *, golds: Sequence[str], symbols: str) -> None:
    """Raise ConfigurationError when a measure is not defined alike in all items; all that differs is named."""
    apart: dict[str, list[str]] = {}
    for one in compared():
        definitions = [(item.name, definition(item, one.name, one.variant)) for item in items]
        for key in dict.fromkeys(key for _, own in definitions for key in own):
            values = held((name, own.get(key, "none")) for name, own in definitions)
            if len(values) > 1:
                apart.setdefault(key, values)
    problems = [*golds, *(f"{key}: {'; '.join(values)}" for key, values in apart.items())]
    if problems:
        alike = ["the same settings"] * bool(apart) + ["one gold file and one symbol set"] * bool(golds)
        such = f" (symbols: {symbols}, for gold and predicted)" * bool(symbols)
        remedy = (
            f"Run them with {' and '.join(alike)}{such}; or say --allow-different (allow_different=True in Python): "
            "every row that compares unlike numbers is marked then."
        )
        raise ConfigurationError(join_problems("these results are not alike:", problems, remedy, limit=_MOST_NAMED))


def held(values: Iterable[tuple[str, str]]) -> list[str]:
    """Return each value of pairs of an item and a value, and after it the items that have it."""
    items: dict[str, list[str]] = {}
    for name, value in values:
        items.setdefault(value, []).append(name)
    more = {value: f" and {len(names) - 3} more" * (len(names) > 3) for value, names in items.items()}
    return [f"{value} ({', '.join(names[:3])}{more[value]})" for value, names in items.items()]


def ranked() -> list[Measure]:
    """Return the measures by which items are ranked: of those that stand first, rates and entropy, attainable skill."""
    return [one for one in headline() if one.compared and (one.direction == "lower" or one.kind == "attainable")]


def settings_table(items: Sequence[Item]) -> pd.DataFrame:
    """Return settings.tsv: every setting in which items differ, with each item's value."""
    by_item = {item.name: dict(_settings(item)) for item in items}
    keys = dict.fromkeys(key for settings in by_item.values() for key in settings)
    differ = [key for key in keys if len({settings.get(key, "") for settings in by_item.values()}) > 1]
    rows = [(key, name, settings.get(key, "")) for key in differ for name, settings in by_item.items()]
    return table_of("comparison/settings", rows)


def _settings(item: Item) -> Iterator[tuple[str, str]]:
    yield "phonxling", str(item.manifest["phonxling"])
    yield "feature_table", str(item.manifest.get("feature_table", {}).get("sha256", ""))
    yield "seed", str(item.settings["seed"])
    yield from _flat("", {key: value for key, value in item.settings.items() if key not in _LEFT_OUT})
    own = _flat("corpus.", item.settings["corpora"][item.corpus])
    yield from ((key, value) for key, value in own if not key.endswith((".path", ".labels")))
    for one in sorted(ranked(), key=compared().index):
        row = item.stored(one.name, one.variant)
        if row is not None:
            yield f"signature of {one.name}", str(row["signature"])


def _flat(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{key}.", value)
        elif value is not None:
            yield f"{prefix}{key}", ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def other_gold(first: Item, second: Item) -> str:
    """Return in how many of the same utterances two items have other gold phones, and how; "" for none."""
    golds = dict(zip(second.ids, second.gold, strict=True))
    both = [(gold, golds[name]) for name, gold in zip(first.ids, first.gold, strict=True) if name in golds]
    other = sum(one != two for one, two in both)
    one, two = (item.settings["corpora"][item.corpus].get("language") for item in (first, second))
    if not other or (one and two and one != two) or not same_utterances(both):
        return ""
    parts = [f"{item.name} in {symbol_sets(item)[0]}" for item in (first, second)]
    for item, phones in zip((first, second), _lone(first, second), strict=True):
        if phones:
            parts.append(f"only {item.name} has {' '.join(phones[:_LISTED])}{' …' * (len(phones) > _LISTED)}")
    return f"same {len(both)} utterances, other gold phones (in {other}): {', '.join(parts)}"


def coarser(first: Item, second: Item) -> str:
    """Return the symbol set of the item whose gold phones are all among those of the other; "" for neither."""
    sets, lone = [symbol_sets(item)[0] for item in (first, second)], _lone(first, second)
    if sets[0] == sets[1] or bool(lone[0]) == bool(lone[1]):
        return ""
    return sets[1] if lone[0] else sets[0]


def _lone(first: Item, second: Item) -> list[list[str]]:
    """Return the gold phones that each item has alone."""
    one, two = (item.path.gold_inventory for item in (first, second))
    return [[phone for phone in one if phone not in two], [phone for phone in two if phone not in one]]


def same_utterances(golds: Sequence[tuple[str, str]]) -> bool:
    """Return whether the gold phones of the same ids, spaced, are of the same utterances; see above."""
    own = [(one.lower().split(), two.lower().split()) for one, two in golds[:_MOST]]
    other = [(one, two) for (one, _), (_, two) in zip(own, own[1:] + own[:1], strict=True)]
    likeness, by_chance = (
        fmean(SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in pairs) for pairs in (own, other)
    )
    apart, as_a_rule = (fmean(abs(len(one) - len(two)) for one, two in pairs) for pairs in (own, other))
    return likeness > by_chance + _CLEAR or (len(own) >= _FEWEST and apart < _NEARLY * as_a_rule)
