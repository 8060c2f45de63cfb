"""Whether two items are of the same utterances with other gold phones: what was said, written down in another way.

Rates of such items differ by how finely gold is written, whatever was heard: TIMIT's test utterances have 48 phones in
one folding and 39 in another. The same ids alone do not make the same utterances, for two languages may both count from
001. They are taken for the same where the gold phones of one id, capitals aside, are clearly more alike than those of
an id and the next one's, or have nearly the same number in utterances of different lengths, and no two languages are
named.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from statistics import fmean

from phonxling.comparison.definitions import symbol_sets
from phonxling.comparison.items import Item

_MOST = 200  # ids that are looked at, from the first
_FEWEST = 10  # ids below which numbers of phones say nothing
_CLEAR = 0.15  # of how alike two sequences are, from 0 to 1
_NEARLY = 0.25  # of the difference in length of two utterances taken at random
_LISTED = 8  # phones
_Pairs = Sequence[tuple[str, str]]


def other_gold(first: Item, second: Item) -> str:
    """Return in how many of the same utterances two items have other gold phones, and how; "" for none."""
    golds = dict(zip(second.ids, second.gold, strict=True))
    both = [(gold, golds[name]) for name, gold in zip(first.ids, first.gold, strict=True) if name in golds]
    other = sum(one != two for one, two in both)
    if not other or _languages_differ(first, second) or not same_utterances(both):
        return ""
    sets = [f"{item.name} in {symbol_sets(item)[0]}" for item in (first, second)]
    pairs = zip((first, second), _lone(first, second), strict=True)
    lone = [f"only {item.name} has {_some(phones)}" for item, phones in pairs if phones]
    return f"same {len(both)} utterances, other gold phones (in {other}): {', '.join([*sets, *lone])}"


def coarser(first: Item, second: Item) -> str:
    """Return the symbol set of the item whose gold phones are all among those of the other; "" for neither, or one set.

    Both can often be written in it.
    """
    sets, lone = [symbol_sets(item)[0] for item in (first, second)], _lone(first, second)
    if sets[0] == sets[1] or bool(lone[0]) == bool(lone[1]):
        return ""
    return sets[1] if lone[0] else sets[0]


def same_utterances(golds: _Pairs) -> bool:
    """Return whether the gold phones of the same ids, spaced, are of the same utterances; see above.

    Examples
    --------
    >>> coarse = [("ə n ɛ s t", "ʌ n ɛ s t"), ("h ɪ ʒ", "h ɪ ʃ"), ("j u", "j u")]
    >>> same_utterances(coarse), same_utterances([("ə n ɛ s t", "k a z a"), ("h ɪ ʒ", "t i"), ("j u", "u k u")])
    (True, False)
    """
    chosen = [(one.lower().split(), two.lower().split()) for one, two in golds[:_MOST]]
    own, other = chosen, [(one, two) for (one, _), (_, two) in zip(chosen, chosen[1:] + chosen[:1], strict=True)]
    likeness, by_chance = (
        fmean(SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in pairs) for pairs in (own, other)
    )
    apart, as_a_rule = (fmean(abs(len(one) - len(two)) for one, two in pairs) for pairs in (own, other))
    return likeness > by_chance + _CLEAR or (len(chosen) >= _FEWEST and apart < _NEARLY * as_a_rule)


def _languages_differ(first: Item, second: Item) -> bool:
    one, two = (item.settings["corpora"][item.corpus].get("language") for item in (first, second))
    return bool(one and two and one != two)


def _lone(first: Item, second: Item) -> list[list[str]]:
    """Return the gold phones that each item has alone."""
    one, two = (item.path.gold_inventory for item in (first, second))
    return [[phone for phone in one if phone not in two], [phone for phone in two if phone not in one]]


def _some(phones: Sequence[str]) -> str:
    return " ".join(phones[:_LISTED]) + " …" * (len(phones) > _LISTED)
