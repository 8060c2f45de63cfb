"""What is compared: every corpus of finished results, read from stored tables alone.

Tables must be those that the manifest names, by their sha256. Alignments are read once a folder, some rows at a time:
their texts are never held as a whole. Utterances that an earlier item calls otherwise have its names, and stand in the
order of these, so that two systems have the same utterances in one order.
"""

import hashlib
from collections.abc import Mapping, Sequence
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
        """The resolved configuration of its experiment."""
        settings: Mapping[str, Any] = self.manifest["configuration"]
        return settings

    @property
    def signature(self) -> str:
        """The line that says how its numbers were made."""
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
        """Its confusion counts by utterance."""
        return stack_confusions(self.path)

    @cached_property
    def above_chance(self) -> bool:
        """Whether its results show that answers depend on what was said."""
        return above_chance(self.estimates)

    @cached_property
    def estimates(self) -> dict[tuple[str, str], Estimate]:
        """Its stored numbers by measure and variant."""
        return stored_estimates(dict[Any, Any](row) for row in self.numbers.to_dict("records"))


def read_items(folders: Sequence[Path], progress: Progress) -> list[Item]:
    """Return every corpus with predictions of finished results, in the order given."""
    for place, folder in enumerate(folders):
        if folder.resolve() in [earlier.resolve() for earlier in folders[:place]]:
            raise ConfigurationError(f"{folder}: is given twice; results cannot be compared with themselves")
    corpora = []
    named: dict[str, tuple[str, ...]] = {}  # the utterances of each item so far, by folder and corpus
    for folder in folders:
        manifest = whole_manifest(folder)
        if manifest.get("kind") == KIND:
            raise DataError(f"{folder}: is a comparison; give the results that it compares")
        if lacking := [
            name for name in manifest["configuration"]["corpora"] if name not in manifest.get("signatures", {})
        ]:
            told = f"{folder / MANIFEST}: does not say how the numbers of {lacking[0]} were made"
            raise DataError(f"{told}; run the experiment again")
        progress.step(f"reading {folder}")
        tables = _whole_tables(folder, manifest)
        known = [*dict.fromkeys(tables["utterances"]["corpus"])]
        for name in manifest["configuration"]["corpora"]:
            if name not in known:
                progress.say(f"{folder}: {name} has no alignments and is left out")
        tables["utterances"] = _with_shared_names(f"{folder}", tables["utterances"], named, progress)
        corpora += [(folder, name, manifest, own) for name, own in _of_corpora(folder, tables, known)]
    if not corpora:
        raise ConfigurationError(f"{', '.join(map(str, folders))}: no corpus with predictions")
    folders = [*dict.fromkeys(folder for folder, *_ in corpora)]
    titles = dict(zip(folders, _distinct_names([folder.resolve() for folder in folders]), strict=True))
    items = []
    for folder, corpus, manifest, own in corpora:
        title = titles[folder] if len(folders) == len(corpora) else f"{titles[folder]}:{corpus}"
        name = corpus if len(folders) == 1 else title
        items.append(Item(name=name, folder=folder, corpus=corpus, manifest=manifest, **own))
    return items


def _distinct_names(folders: Sequence[Path]) -> list[str]:
    """Return the shortest endings of paths that tell them all apart."""
    longest = max(len(folder.parts) for folder in folders)
    for length in range(1, longest + 1):
        names = ["/".join(folder.parts[-length:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return names


def _whole_tables(folder: Path, manifest: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables of a folder that are read whole; DataError where one is not the one that the manifest names."""
    for name in READ:
        file = file_of(name)
        if (wanted := manifest["outputs"].get(file)) is None:
            raise DataError(f"{folder / MANIFEST}: names no {file}, which a comparison needs; run the experiment again")
        if digest(folder / file) != wanted:
            told = f"{folder / file}: was changed after it was written (its sha256 is not the manifest's)"
            raise DataError(f"{told}; run the experiment again")
    return {name: read_table(folder, name) for name in READ if name != "alignments"}


def _with_shared_names(
    folder: str, utterances: pd.DataFrame, named: dict[str, tuple[str, ...]], progress: Progress
) -> pd.DataFrame:
    """Return the table with what an earlier item calls each utterance, where all ids are the same but for paths."""
    shared = utterances["utterance"].copy()
    for corpus, own in utterances.groupby("corpus", sort=False)["utterance"]:
        item = f"{corpus} of {folder}"
        for other, known in named.items():
            if (same := same_ids(known, own)).names:
                progress.say(same.note(item, other))
                shared[own.index] = own.map(lambda name, names=same.names: names.get(name, name))
                break
        named[item] = tuple(shared[own.index])
    return utterances.assign(shared=shared)


def _of_corpora(
    folder: Path, tables: Mapping[str, pd.DataFrame], corpora: Sequence[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Return what is stored of each corpus."""
    own = {corpus: {name: _rows_of(table, corpus) for name, table in tables.items()} for corpus in corpora}
    paths = _stored_paths(folder, own)
    return [(corpus, {"numbers": one.pop("summary"), **one, "path": paths[corpus]}) for corpus, one in own.items()]


def _rows_of(table: pd.DataFrame, corpus: str) -> pd.DataFrame:
    """Return a corpus' rows of a table, those of utterances in the order of their ids."""
    rows = table[table["corpus"] == corpus].drop(columns="corpus")
    if "shared" in rows:
        rows = rows.sort_values("shared", kind="stable")
    return rows.reset_index(drop=True)


def _stored_paths(folder: Path, own: Mapping[str, Mapping[str, pd.DataFrame]]) -> dict[str, Alignments]:
    """Return the alignments of each corpus, its utterances in their order; their costs are in the table of these."""
    known = {corpus: _Codes(one["utterances"], one["phones"]) for corpus, one in own.items()}
    for part in table_parts(folder, "alignments", "", ["corpus", "utterance", *_SIDES]):
        for corpus, rows in part.groupby("corpus", sort=False):
            if str(corpus) not in known:
                raise DataError(f"{folder}: alignments.tsv has the corpus {corpus}, and utterances.tsv none of it")
            known[str(corpus)].add(rows, folder)
    return {corpus: codes.alignments() for corpus, codes in known.items()}


class _Codes:
    """The aligned pairs of a corpus as they are read, as codes of its utterances and phones."""

    def __init__(self, utterances: pd.DataFrame, phones: pd.DataFrame) -> None:
        self._ids = pd.Index(utterances["utterance"])
        self._sides = {side: Inventory(tuple(phones.loc[phones["side"] == side, "phone"])) for side in _SIDES}
        self._index = {"utterance": self._ids, **{side: pd.Index([*own, GAP]) for side, own in self._sides.items()}}
        kinds = dict.fromkeys(_SIDES, pair_type(*map(len, self._sides.values())))
        self._kinds = {"utterance": np.int32, **kinds}
        self._codes: dict[str, list[NDArray[np.integer]]] = {
            name: [np.zeros(0, kind)] for name, kind in self._kinds.items()
        }

    def add(self, rows: pd.DataFrame, folder: Path) -> None:
        for name, known in self._index.items():
            codes = known.get_indexer(pd.Index(rows[name])).astype(self._kinds[name])
            if (codes < 0).any():
                told = f"{folder / 'alignments.tsv'}: has {name}s that the tables beside it lack"
                raise DataError(f"{told}; run the experiment again")
            self._codes[name].append(codes)

    def alignments(self) -> Alignments:
        owner, gold, predicted = (np.concatenate(self._codes[name]) for name in self._index)
        order = np.argsort(owner, kind="stable")
        return Alignments(
            utterances=tuple(self._ids),
            gold_inventory=self._sides["gold"],
            predicted_inventory=self._sides["predicted"],
            offsets=offsets_of(np.bincount(owner, minlength=len(self._ids))),
            gold=gold[order],
            predicted=predicted[order],
            cost=np.zeros(len(self._ids), np.int64),
            denominator=1,
        )
