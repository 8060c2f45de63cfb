"""What is compared: every corpus of finished results, read from stored tables alone.

Tables must be those that the manifest names, by their sha256. Alignments are read some rows at a time: their texts are
never held as a whole. Utterances stand in the order of their ids without folder, ending and case, so that two systems
which call them otherwise have them in one order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.analyses.orders import stored_above_chance
from phonxling.core.arrays import offsets_of, pair_type
from phonxling.core.confusion import Alignments, ConfusionStack
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.files import digest, open_regular
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.work import Progress
from phonxling.count.confusions import stack_confusions
from phonxling.phones.pairing import like_id
from phonxling.results.folder import MANIFEST, whole_manifest
from phonxling.tables.files import NUMBERS, read_table

KIND = "comparison"  # what a comparison's manifest says of itself
READ = ("utterances", "phones", "alignments")  # the tables of a corpus that are read
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
    path: Alignments
    contrasts: pd.DataFrame | None = None

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

    @cached_property
    def above_chance(self) -> bool:
        """Whether its results show that answers depend on what was said."""
        return stored_above_chance(self._stored.values())

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
    if corpus not in manifest.get("signatures", {}):
        raise DataError(
            f"{folder / MANIFEST}: says of {corpus} not how its numbers were made; run the experiment again"
        )
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
    rows = tables["utterances"]
    order = sorted(range(len(rows)), key=lambda place: (like_id(rows["utterance"][place]), rows["utterance"][place]))
    tables["utterances"] = rows.iloc[order].reset_index(drop=True)
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
