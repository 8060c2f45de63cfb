"""What is compared: every corpus of finished results, read from stored tables alone.

Tables must be those that the manifest names, by their sha256. Alignments are read once a folder, some rows at a time:
their texts are never held as a whole. Utterances that an earlier item calls otherwise have its names, and stand in the
order of these, so that two systems have the same utterances in one order.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.alignment.confusions import stack_confusions
from phonxling.analyses.measures import above_chance, stored_estimates
from phonxling.core.arrays import offsets_of, pair_type
from phonxling.core.confusion import Alignments, ConfusionStack
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.estimate import Estimate
from phonxling.core.files import digest
from phonxling.core.ids import same_ids
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.work import Progress
from phonxling.results.folder import MANIFEST, whole_manifest
from phonxling.results.tables import file_of, read_table, table_parts

KIND = "comparison"  # what a comparison's manifest says of itself
READ = ("summary", "utterances", "phones", "alignments")  # the tables that are read
_SIDES = ("gold", "predicted")


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
    path: Alignments

    @property
    def settings(self) -> Mapping[str, Any]:
        settings: Mapping[str, Any] = self.manifest["configuration"]
        return settings

    @property
    def signature(self) -> str:
        return str(self.manifest["signatures"][self.corpus])

    @property
    def ids(self) -> tuple[str, ...]:
        """Its utterances, by the names that the first item with the same ones has for them."""
        return tuple(self.utterances["shared"])

    @cached_property
    def gold(self) -> tuple[str, ...]:
        """Each utterance's gold phones, in the order of `ids`."""
        phones = np.array([*self.path.gold_inventory, ""], dtype=object)
        bounds = zip(self.path.offsets[:-1].tolist(), self.path.offsets[1:].tolist(), strict=True)
        return tuple(" ".join(filter(None, phones[self.path.gold[first:last]])) for first, last in bounds)

    @cached_property
    def contents(self) -> str:
        """What two items share that have the same utterances and gold phones."""
        rows = zip(self.ids, self.gold, strict=True)
        return hashlib.sha256("\n".join("\t".join(row) for row in rows).encode()).hexdigest()

    @cached_property
    def stack(self) -> ConfusionStack:
        return stack_confusions(self.path)

    @cached_property
    def above_chance(self) -> bool:
        """Whether its results show that answers depend on what was said."""
        return above_chance(self.estimates)

    @cached_property
    def estimates(self) -> dict[tuple[str, str], Estimate]:
        return stored_estimates(dict[Any, Any](row) for row in self.numbers.to_dict("records"))


def read_items(folders: Sequence[Path], progress: Progress) -> list[Item]:
    """Return every corpus with predictions of finished results, in the order given."""
    places = [folder.resolve() for folder in folders]
    for number, folder in enumerate(folders):
        if places[number] in places[:number]:
            raise ConfigurationError(f"{folder}: is given twice; results cannot be compared with themselves")
    corpora = []
    named: dict[str, tuple[str, ...]] = {}  # the utterances of each item so far, by folder and corpus
    for folder in folders:
        manifest = whole_manifest(folder)
        if manifest.get("kind") == KIND:
            raise DataError(f"{folder}: is a comparison; give the results that it compares")
        signatures = manifest.get("signatures", {})
        if lacking := [name for name in manifest["configuration"]["corpora"] if name not in signatures]:
            problem = f"does not say how the numbers of {lacking[0]} were made"
            raise DataError(f"{folder / MANIFEST}: {problem}; run the experiment again")
        progress.step(f"reading {folder}")
        corpora += [(folder, *one, manifest) for one in _read_corpora(folder, manifest, named, progress)]
    if not corpora:
        raise ConfigurationError(f"{', '.join(map(str, folders)) or 'no folder'}: no corpus with predictions")
    used = [*dict.fromkeys(folder for folder, *_ in corpora)]
    paths = [folder.resolve().parts for folder in used]
    # The shortest endings of paths that tell them all apart.
    for length in range(1, max(map(len, paths)) + 1):
        titles = dict(zip(used, ("/".join(path[-length:]) for path in paths), strict=True))
        if len({*titles.values()}) == len(used):
            break
    items = []
    for folder, corpus, own, manifest in corpora:
        title = titles[folder] if len(used) == len(corpora) else f"{titles[folder]}:{corpus}"
        name = corpus if len(used) == 1 else title
        items.append(Item(name=name, folder=folder, corpus=corpus, manifest=manifest, **own))
    return items


def _read_corpora(
    folder: Path, manifest: Mapping[str, Any], named: dict[str, tuple[str, ...]], progress: Progress
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is stored of each corpus; DataError where a table is not the one that the manifest names."""
    for name in READ:
        file = file_of(name)
        if (wanted := manifest["outputs"].get(file)) is None:
            raise DataError(f"{folder / MANIFEST}: names no {file}, which a comparison needs; run the experiment again")
        if digest(folder / file) != wanted:
            problem = "was changed after it was written (its sha256 is not the manifest's)"
            raise DataError(f"{folder / file}: {problem}; run the experiment again")
    tables = {name: read_table(folder, name) for name in READ if name != "alignments"}
    corpora = [*dict.fromkeys(tables["utterances"]["corpus"])]
    for name in manifest["configuration"]["corpora"]:
        if name not in corpora:
            progress.say(f"{folder}: {name} has no alignments and is left out")
    stored = {name: {key: rows[rows["corpus"] == name] for key, rows in tables.items()} for name in corpora}
    for name, own in stored.items():
        item, ids = f"{name} of {folder}", own["utterances"]["utterance"]
        shared = ids.tolist()
        # An earlier item with the same utterances has the names, so that two systems are paired whatever their paths.
        for other, known in named.items():
            if (same := same_ids(known, ids)).names:
                progress.say(same.note(item, other))
                shared = [same.names.get(one, one) for one in shared]
                break
        named[item] = tuple(shared)
        own["utterances"] = own["utterances"].assign(shared=shared).sort_values("shared", kind="stable")
        stored[name] = {key: rows.drop(columns="corpus").reset_index(drop=True) for key, rows in own.items()}
    paths = _stored_paths(folder, stored)
    for name, own in stored.items():
        yield name, {"numbers": own.pop("summary"), **own, "path": paths[name]}


def _stored_paths(folder: Path, stored: Mapping[str, Mapping[str, pd.DataFrame]]) -> dict[str, Alignments]:
    """Return the alignments of each corpus, its utterances in their order; their costs are in the table of these."""
    known: dict[str, dict[str, pd.Index[str]]] = {}
    codes: dict[str, dict[str, list[NDArray[np.integer]]]] = {}
    for corpus, own in stored.items():
        phones = own["phones"]
        labels = {side: [*phones.loc[phones["side"] == side, "phone"], GAP] for side in _SIDES}
        kind = pair_type(*(len(every) - 1 for every in labels.values()))
        known[corpus] = {name: pd.Index(every) for name, every in labels.items()}
        known[corpus]["utterance"] = pd.Index(own["utterances"]["utterance"])
        codes[corpus] = {"utterance": [np.zeros(0, np.int32)], **{side: [np.zeros(0, kind)] for side in _SIDES}}
    for part in table_parts(folder, "alignments", "", ["corpus", "utterance", *_SIDES]):
        for of, rows in part.groupby("corpus", sort=False):
            corpus = str(of)
            if corpus not in known:
                raise DataError(f"{folder}: alignments.tsv has the corpus {corpus}, and utterances.tsv none of it")
            for name, every in known[corpus].items():
                read, places = codes[corpus][name], every.get_indexer(pd.Index(rows[name]))
                if (places < 0).any():
                    lacking = f"{folder / 'alignments.tsv'}: has {name}s that the tables beside it lack"
                    raise DataError(f"{lacking}; run the experiment again")
                read.append(places.astype(read[0].dtype))
    paths = {}
    for name, one in known.items():
        owner, gold, predicted = (np.concatenate(codes[name][column]) for column in ("utterance", *_SIDES))
        order, number = np.argsort(owner, kind="stable"), len(one["utterance"])
        paths[name] = Alignments(
            utterances=tuple(one["utterance"]),
            gold_inventory=Inventory(tuple(one["gold"][:-1])),
            predicted_inventory=Inventory(tuple(one["predicted"][:-1])),
            offsets=offsets_of(np.bincount(owner, minlength=number)),
            gold=gold[order],
            predicted=predicted[order],
            cost=np.zeros(number, np.int64),
            denominator=1,
        )
    return paths
