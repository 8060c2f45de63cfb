"""Whether items may be compared: how numbers were made, and whether other gold stands for the same utterances."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from statistics import fmean
from typing import Any

from phonxling.analyses.measures import Measure, compared_measures
from phonxling.analyses.statistics import statistic_named
from phonxling.comparison.items import Item
from phonxling.core.errors import ConfigurationError, join_problems
from phonxling.core.estimate import list_phones

_OF_COSTS = frozenset({"costs", "feat", "tonew", "ins", "del", "rounded", "ties"})
_OF_SYMBOLS = frozenset({"unknown", "tone", "silence", "closures", "diphthongs", "affricates", "length", "diacritics"})
_OF_SYMBOLS |= {"case", "position_marks"}
_AT_UNIT_COST = frozenset({"per", "skill_per"})  # aligned for it, whatever the costs are
_MOST_NAMED = 12  # differences that a message names
_LEFT_OUT = ("corpora", "name", "seed", "figures", "report", "map")  # stand apart, or move no number
_OF_CORPUS = ("role", "title", "language")  # settings that say what a corpus is
_DIGEST = 8  # letters of a sha256 that tell tables apart
# Ids that are looked at, from the first: matching sequences takes the square of their length.
_MOST_PAIRS = 200
# Ids below which numbers of phones say nothing: a few utterances may be equally long by chance.
_FEWEST = 10
# Of how alike two sequences are, from 0 to 1, above that of unrelated utterances of the two.
_CLEAR = 0.15
# Of the difference in length of two utterances taken at random: transcribers of one utterance differ by less.
_NEARLY = 0.25
_LISTED_PHONES = 8


def _split_signature(item: Item) -> dict[str, str]:
    return dict(part.split(":", 1) for part in item.signature.split("|") if ":" in part)


# Numbers of two items are defined alike where their signatures agree in what moves the measure: costs and ties where it
# rests on the alignment in use, gaps where it is an entropy, the models of chance where it is a skill, and the rules
# for symbols everywhere. What a signature does not name is as usual. Which data, which random numbers, and which
# version, are neutral; a decoder is a part of the recogniser whose data they are, and so is its inventory.
def definition(item: Item, one: Measure) -> dict[str, str]:
    """Return what defines a measure's number, of what differs from the defaults, and its level."""
    statistic, parts = statistic_named(one.name), _split_signature(item)
    keys = {*_OF_SYMBOLS, *(() if one.name in _AT_UNIT_COST else _OF_COSTS)}
    keys |= {"gaps"} if statistic and statistic.corrected else set()
    level, models = f"{item.settings['uncertainty']['level']:g}", sorted(item.settings["chance"]["models"])
    # Skill is against the best of the models: the best of others is another chance.
    chance = {"chance": " ".join(models)} if one.kind == "skill" else {}
    return {key: value for key, value in parts.items() if key in keys} | chance | {"level": level}


def symbol_sets(item: Item) -> list[str]:
    return _split_signature(item).get("sym", "ipa,ipa").split(",")


def refuse_unlike(items: Sequence[Item], *, golds: Sequence[str], symbols: str) -> None:
    """Raise ConfigurationError when a measure is not defined alike in all items; all that differs is named."""
    apart: dict[str, list[str]] = {}
    for one in compared_measures():
        definitions = [(item.name, definition(item, one)) for item in items]
        for key in dict.fromkeys(key for _, own in definitions for key in own):
            values = items_by_value((name, own.get(key, "default")) for name, own in definitions)
            if len(values) > 1:
                apart.setdefault(key, values)
    problems = [*golds, *(f"{key}: {'; '.join(values)}" for key, values in apart.items())]
    if problems:
        alike = ["the same settings"] * bool(apart) + ["one gold file and one symbol set"] * bool(golds)
        such = f" (symbols: {symbols}, on both sides)" * bool(symbols)
        remedy = (
            f"Run them with {' and '.join(alike)}{such}; or say --allow-different (allow_different=True in Python): "
            "every row that compares unlike numbers is marked then."
        )
        raise ConfigurationError(join_problems("these results are not alike:", problems, remedy, limit=_MOST_NAMED))


def items_by_value(values: Iterable[tuple[str, str]]) -> list[str]:
    """Return each value of pairs of an item and a value, and after it the items that have it."""
    items: dict[str, list[str]] = {}
    for name, value in values:
        items.setdefault(value, []).append(name)
    more = {value: f" and {len(names) - 3} more" * (len(names) > 3) for value, names in items.items()}
    return [f"{value} ({', '.join(names[:3])}{more[value]})" for value, names in items.items()]


def settings_apart(items: Sequence[Item]) -> dict[str, list[str]]:
    """Return the settings in which items differ, each value with the items that have it."""
    by_item = {}
    for item in items:
        manifest, settings = item.manifest, item.settings
        # An item's recogniser, whose inventory may be declared by another corpus of its results.
        every = {corpus: one.get("recogniser") or {} for corpus, one in settings["corpora"].items()}
        stated = every[item.corpus]
        alike = [stated, *(one for one in every.values() if stated.get("name") and one.get("name") == stated["name"])]
        recogniser = {**stated, "inventory": next(filter(None, (one.get("inventory") for one in alike)), None)}
        table = str(manifest.get("feature_table", {}).get("sha256", ""))[:_DIGEST]
        head = {"phonxling": str(manifest["phonxling"]), "feature_table": table, "seed": str(settings["seed"])}
        shared = _flatten("", {key: value for key, value in settings.items() if key not in _LEFT_OUT})
        own = _flatten("", {**settings["corpora"][item.corpus], "recogniser": recogniser})
        # Other files are what is compared, and what a corpus is, its name says.
        kept = [pair for pair in own if not pair[0].endswith((".path", ".labels")) and pair[0] not in _OF_CORPUS]
        by_item[item.name] = head | dict(shared) | dict(kept)
    keys = dict.fromkeys(key for settings in by_item.values() for key in settings)
    values = {key: [(name, own.get(key, "none")) for name, own in by_item.items()] for key in keys}
    return {key: items_by_value(own) for key, own in values.items() if len({value for _, value in own}) > 1}


def _flatten(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten(f"{prefix}{key}.", value)
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
    alone = zip((first, second), _phones_alone(first, second), strict=True)
    parts = [f"{item.name} in {symbol_sets(item)[0]}" for item in (first, second)]
    parts += [f"only {item.name} has {list_phones(phones, _LISTED_PHONES)}" for item, phones in alone if phones]
    return f"same {len(both)} utterances, different gold phones (in {other}): {', '.join(parts)}"


def coarser_set(first: Item, second: Item) -> str:
    """Return the symbol set of the item whose gold phones are all among those of the other; "" for neither."""
    sets, lone = [symbol_sets(item)[0] for item in (first, second)], _phones_alone(first, second)
    if sets[0] == sets[1] or bool(lone[0]) == bool(lone[1]):
        return ""
    return sets[1] if lone[0] else sets[0]


def _phones_alone(first: Item, second: Item) -> list[list[str]]:
    one, two = (item.path.gold_inventory for item in (first, second))
    return [[phone for phone in one if phone not in two], [phone for phone in two if phone not in one]]


# Rates of the same utterances with other gold phones differ by how finely gold is written, whatever was predicted:
# TIMIT has 48 phones in one folding and 39 in another. The same ids alone do not make the same utterances, for two
# languages may both count from 001. They are taken for the same where the gold phones of one id, capitals aside, are
# clearly more alike than those of an id and the next one's, or have nearly the same number in utterances of different
# lengths.
def same_utterances(golds: Sequence[tuple[str, str]]) -> bool:
    """Return whether the gold phones of the same ids, spaced, are of the same utterances; see above."""
    own = [(one.lower().split(), two.lower().split()) for one, two in golds[:_MOST_PAIRS]]
    # The next utterance of the other side: how alike utterances of the two languages are anyway.
    other = [(one, two) for (one, _), (_, two) in zip(own, own[1:] + own[:1], strict=True)]
    likeness, by_chance = (
        fmean(SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in pairs) for pairs in (own, other)
    )
    apart, as_a_rule = (fmean(abs(len(one) - len(two)) for one, two in pairs) for pairs in (own, other))
    return likeness > by_chance + _CLEAR or (len(own) >= _FEWEST and apart < _NEARLY * as_a_rule)
