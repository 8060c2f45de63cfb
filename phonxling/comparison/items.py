"""What is compared: every corpus of finished results, read from stored tables alone, and whether it may be compared.

Tables must be those that the manifest names, by their sha256. Alignments are read some rows at a time: their texts are
never held as a whole.

Numbers of two items are defined alike where their signatures agree in all that says what a number means. Parts that say
which data, which random numbers and which version are neutral; a decoder is a part of the recogniser whose data they
are, and so is its inventory.

Rates of the same utterances with other gold phones differ by how finely gold is written, whatever was heard: TIMIT's
test utterances have 48 phones in one folding and 39 in another. The same ids alone do not make the same utterances, for
two languages may both count from 001. They are taken for the same where the gold phones of one id, capitals aside, are
clearly more alike than those of an id and the next one's, or have nearly the same number in utterances of different
lengths, and no two languages are named.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.measures import Measure, compared, headline, measure
from phonxling.analyses.statistics import named
from phonxling.core.arrays import offsets_of, pair_type
from phonxling.core.confusion import Alignments, ConfusionStack
from phonxling.core.errors import ConfigurationError, DataError, join_problems
from phonxling.core.files import digest, open_regular
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.work import Progress
from phonxling.count.confusions import stack_confusions
from phonxling.results.folder import MANIFEST, whole_manifest
from phonxling.tables.files import NUMBERS, read_table, table_of

KIND = "comparison"  # what a comparison's manifest says of itself
READ = ("utterances", "phones", "features", "alignments")  # the tables of a corpus that are read
CONTRASTS = "assimilation"  # and this one, where there is one
_ROWS = 1 << 18  # of alignments that are text at one time


@dataclass(frozen=True, eq=False, kw_only=True)
class Item:
    """One corpus of one folder of results: its name in the comparison and there, its numbers, its tables."""

    name: str
    folder: Path
    corpus: str
    manifest: Mapping[str, Any]
    numbers: pd.DataFrame
    utterances: pd.DataFrame
    phones: pd.DataFrame
    features: pd.DataFrame
    path: Alignments
    contrasts: pd.DataFrame | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        """The resolved configuration of its experiment."""
        settings: Mapping[str, Any] = self.manifest["configuration"]
        return settings

    @property
    def ids(self) -> tuple[str, ...]:
        """Its utterances, sorted."""
        return tuple(self.utterances["utterance"])

    @cached_property
    def gold(self) -> tuple[str, ...]:
        """Each utterance's gold phones, in the order of `ids`."""
        phones = np.array([*self.path.gold_inventory, ""], dtype=object)
        bounds = zip(self.path.offsets[:-1].tolist(), self.path.offsets[1:].tolist(), strict=True)
        return tuple(" ".join(filter(None, phones[self.path.gold[first:last]])) for first, last in bounds)

    @cached_property
    def stack(self) -> ConfusionStack:
        """Its confusion counts by utterance."""
        return stack_confusions(self.path)

    def stored(self, measure: str, variant: str = "") -> Mapping[str, Any] | None:
        """Return its row of a measure, in the summary or the details; None when it has none."""
        return self._stored.get((measure, variant))

    @cached_property
    def _stored(self) -> dict[tuple[str, str], Mapping[str, Any]]:
        rows = [{str(name): value for name, value in row.items()} for row in self.numbers.to_dict("records")]
        return {(row["measure"], row["variant"]): row for row in reversed(rows)}


def read_items(folders: Sequence[Path], progress: Progress) -> list[Item]:
    """Return every corpus with predictions of finished results, in the order given."""
    for place, folder in enumerate(folders):
        if folder.resolve() in [earlier.resolve() for earlier in folders[:place]]:
            raise ConfigurationError(f"{folder}: is given twice; results cannot be compared with themselves")
    corpora: list[tuple[Path, str, dict[str, Any]]] = []
    for folder in folders:
        manifest = whole_manifest(folder)
        if manifest.get("kind") == KIND:
            raise DataError(f"{folder}: is a comparison; give the results that it compares")
        for name in manifest["configuration"]["corpora"]:
            if f"{name}/alignments.tsv" in manifest["outputs"]:
                corpora.append((folder, name, manifest))
            else:
                progress.say(f"{folder}: {name} has no alignments and is left out")
    if not corpora:
        raise ConfigurationError(f"{', '.join(map(str, folders))}: no corpus with predictions")
    folders = [*dict.fromkeys(folder for folder, _, _ in corpora)]
    titles = dict(zip(folders, _distinct_names([folder.resolve() for folder in folders]), strict=True))
    items = []
    for folder, name, manifest in corpora:
        title = titles[folder] if len(folders) == len(corpora) else f"{titles[folder]}:{name}"
        items.append(_read(name if len(folders) == 1 else title, folder, name, manifest, progress))
    return items


def _distinct_names(folders: Sequence[Path]) -> list[str]:
    """Return the shortest endings of paths that tell them all apart."""
    longest = max(len(folder.parts) for folder in folders)
    for length in range(1, longest + 1):
        names = ["/".join(folder.parts[-length:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return names


def _read(name: str, folder: Path, corpus: str, manifest: dict[str, Any], progress: Progress) -> Item:
    progress.step(f"reading {name}")
    tables = {}
    extra = [CONTRASTS] if f"{corpus}/{CONTRASTS}.tsv" in manifest["outputs"] else []
    for table in (*READ, *NUMBERS, *extra):
        file = table if table in NUMBERS else f"{corpus}/{table}.tsv"
        if (wanted := manifest["outputs"].get(file)) is None:
            raise DataError(f"{folder / MANIFEST}: names no {file}, which a comparison needs; run the experiment again")
        if digest(folder / file) != wanted:
            raise DataError(
                f"{folder / file}: was changed after it was written (its sha256 is not the manifest's); "
                "run the experiment again"
            )
        if table != "alignments":
            tables[table] = read_table(folder, file)
    numbers = pd.concat([tables.pop(file) for file in NUMBERS], ignore_index=True)
    numbers = numbers[numbers["corpus"] == corpus]
    tables["utterances"] = tables["utterances"].sort_values("utterance", kind="stable", ignore_index=True)
    listed = tables.pop(CONTRASTS, None)
    path = _stored_path(folder / corpus / "alignments.tsv", tables["utterances"], tables["phones"])
    about: dict[str, Any] = {"manifest": manifest, "numbers": numbers, "contrasts": listed, **tables}
    return Item(name=name, folder=folder, corpus=corpus, path=path, **about)


def _stored_path(file: Path, utterances: pd.DataFrame, phones: pd.DataFrame) -> Alignments:
    """Return the alignments of a file as those of the utterances in their order; their costs are in that table."""
    ids = pd.Index(utterances["utterance"])
    sides = {side: Inventory(tuple(phones.loc[phones["side"] == side, "phone"])) for side in ("gold", "predicted")}
    index = {"utterance": ids, **{side: pd.Index([*inventory, GAP]) for side, inventory in sides.items()}}
    kinds = {"utterance": np.int32, **dict.fromkeys(sides, pair_type(*map(len, sides.values())))}
    codes: dict[str, list[NDArray[np.integer]]] = {name: [np.zeros(0, kind)] for name, kind in kinds.items()}
    with open_regular(file) as lines:
        parts = pd.read_csv(lines, chunksize=_ROWS, sep="\t", dtype=str, na_filter=False, quoting=3, usecols=[*index])
        for part in parts:
            for name, known in index.items():
                codes[name].append(known.get_indexer(pd.Index(part[name])).astype(kinds[name]))
                if (codes[name][-1] < 0).any():
                    raise DataError(f"{file}: has {name}s that the tables beside it lack; run the experiment again")
    owner, gold, predicted = (np.concatenate(codes[name]) for name in index)
    order = np.argsort(owner, kind="stable")
    return Alignments(
        utterances=tuple(ids),
        gold_inventory=sides["gold"],
        predicted_inventory=sides["predicted"],
        offsets=offsets_of(np.bincount(owner, minlength=len(ids))),
        gold=gold[order],
        predicted=predicted[order],
        cost=np.zeros(len(ids), np.int64),
        denominator=1,
    )


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
    """Return what defines a measure's number: its signature without what is neutral, level, chance."""
    parts = dict(part.partition(":")[::2] for part in signature_of(item, name, variant).split("|") if part)
    statistic = named(name)
    left_out = _NEUTRAL | (frozenset() if statistic and statistic.entropic else _OF_ENTROPIES)
    defined = {key: value for key, value in parts.items() if key not in left_out}
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
        such = f" (symbols: {symbols}, on both sides)" * bool(symbols)
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
