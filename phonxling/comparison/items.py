"""What is compared: every corpus of finished results, read from its stored tables alone."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phonxling.core.alignment import Alignments
from phonxling.core.arrays import offsets_of, pair_type
from phonxling.core.confusion import ConfusionStack
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.files import digest, open_regular
from phonxling.core.inventory import GAP, Inventory
from phonxling.core.work import Progress
from phonxling.count.confusions import stack_confusions
from phonxling.settings.checks import did_you_mean
from phonxling.store.folder import MANIFEST, whole_manifest
from phonxling.tables.files import NUMBERS, header_of, read_table

# The alignments of finished results, read some rows at a time: their texts are never held as a whole.

_ROWS = 1 << 18  # that are text at one time


def stored_path(file: Path, tables: Mapping[str, pd.DataFrame]) -> Alignments:
    """Return the alignments of a file as those of the utterances in their order; their costs are in that table."""
    ids, phones = pd.Index(tables["utterances"]["utterance"]), tables["phones"]
    sides = {side: Inventory(tuple(phones.loc[phones["side"] == side, "phone"])) for side in ("gold", "predicted")}
    index = {"utterance": ids, **{side: pd.Index([*inventory, GAP]) for side, inventory in sides.items()}}
    kinds = {"utterance": np.int32, **dict.fromkeys(sides, pair_type(*map(len, sides.values())))}
    codes: dict[str, list[NDArray[np.integer]]] = {name: [np.zeros(0, kind)] for name, kind in kinds.items()}
    options: dict[str, Any] = {"sep": "\t", "dtype": str, "na_filter": False, "quoting": 3, "usecols": list(index)}
    with open_regular(file) as lines, pd.read_csv(lines, chunksize=_ROWS, **options) as parts:
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


def gold_times(file: Path, utterances: Collection[str]) -> pd.DataFrame:
    """Return utterance, position (from 1), gold_start and gold_end of the gold phones of utterances."""
    columns = ["utterance", "gold", "gold_start", "gold_end"]
    if not set(columns) <= set(header_of(file)):
        return pd.DataFrame(columns=columns)
    options: dict[str, Any] = {"sep": "\t", "na_filter": False, "quoting": 3, "usecols": columns, "dtype": str}
    with open_regular(file) as lines, pd.read_csv(lines, chunksize=_ROWS, **options) as parts:
        rows = pd.concat([part[part["utterance"].isin(utterances) & (part["gold"] != GAP)] for part in parts])
    rows["position"] = rows.groupby("utterance").cumcount() + 1
    times = rows[columns[2:]].apply(pd.to_numeric)
    return rows[["utterance", "position"]].join(times)


KIND = "comparison"  # what a comparison's manifest says of itself
READ = ("utterances", "alignments", "phones", "features")  # the tables of a corpus that are read


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

    @property
    def averaged(self) -> bool:
        """Whether its counts are averages over alignments, of which the results keep no matrix by utterance."""
        return bool(self.settings["alignment"]["method"] == "expected")

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


def read_items(folders: Sequence[Path], progress: Progress, corpus: str | None = None) -> list[Item]:
    """Return every corpus with predictions of finished results, or those of one name, in the order given."""
    _refuse_twice(folders)
    corpora: list[tuple[Path, str, dict[str, Any]]] = []
    for folder in folders:
        manifest = _manifest_of_results(folder)
        for name in manifest["configuration"]["corpora"]:
            if f"{name}/alignments.tsv" in manifest["outputs"]:
                corpora.append((folder, name, manifest))
            else:
                progress.say(f"{folder}: {name} has no alignments and is left out")
    known = [name for _, name, _ in corpora]
    corpora = [one for one in corpora if corpus in (None, one[1])]
    if not corpora:
        called = "" if corpus is None else f" is called {corpus!r}{did_you_mean(corpus, known)}"
        raise ConfigurationError(f"{', '.join(map(str, folders))}: no corpus with predictions{called}")
    names = _names([(folder, corpus) for folder, corpus, _ in corpora])
    return [_read(name, *one, progress) for name, one in zip(names, corpora, strict=True)]


def _read(name: str, folder: Path, corpus: str, manifest: dict[str, Any], progress: Progress) -> Item:
    progress.step(f"reading {name}")
    read = [table for table in READ if table != "alignments"]
    tables = {table: _checked_table(folder, f"{corpus}/{table}.tsv", manifest) for table in read}
    tables["utterances"] = tables["utterances"].sort_values("utterance", kind="stable", ignore_index=True)
    path = stored_path(_checked(folder, f"{corpus}/alignments.tsv", manifest), tables)
    numbers = pd.concat([_checked_table(folder, file, manifest) for file in NUMBERS], ignore_index=True)
    numbers = numbers[numbers["corpus"] == corpus]
    return Item(name=name, folder=folder, corpus=corpus, manifest=manifest, numbers=numbers, path=path, **tables)


def _checked_table(folder: Path, name: str, manifest: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table of results; DataError if the manifest names none, or another content."""
    _checked(folder, name, manifest)
    return read_table(folder, name)


def _checked(folder: Path, name: str, manifest: Mapping[str, Any]) -> Path:
    """Return the file of a table of results; DataError if the manifest names none, or another content."""
    wanted = manifest["outputs"].get(name)
    if wanted is None:
        raise DataError(f"{folder / MANIFEST}: names no {name}, which a comparison needs; run the experiment again")
    if digest(folder / name) != wanted:
        raise DataError(
            f"{folder / name}: was changed after it was written (its sha256 is not the manifest's); "
            "run the experiment again"
        )
    return folder / name


def _manifest_of_results(folder: Path) -> dict[str, Any]:
    manifest = whole_manifest(folder)
    if manifest.get("kind") == KIND:
        raise DataError(f"{folder}: is a comparison; give the results that it compares")
    return manifest


def _refuse_twice(folders: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for folder in folders:
        if folder.resolve() in seen:
            raise ConfigurationError(f"{folder}: is given twice; results cannot be compared with themselves")
        seen.add(folder.resolve())


def _names(corpora: Sequence[tuple[Path, str]]) -> Iterator[str]:
    """Yield names: of one folder the corpora's, of folders of one corpus each the folders', else folder:corpus."""
    folders = dict.fromkeys(folder for folder, _ in corpora)
    titles = dict(zip(folders, distinct_names([folder.resolve() for folder in folders]), strict=True))
    for folder, corpus in corpora:
        if len(folders) == 1:
            yield corpus
        else:
            yield titles[folder] if len(folders) == len(corpora) else f"{titles[folder]}:{corpus}"


def distinct_names(folders: Sequence[Path]) -> list[str]:
    """Return the shortest endings of paths that tell them all apart."""
    longest = max(len(folder.parts) for folder in folders)
    for length in range(1, longest + 1):
        names = ["/".join(folder.parts[-length:]) for folder in folders]
        if len(set(names)) == len(names):
            break
    return names
