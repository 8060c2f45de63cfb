"""Measures of an item that are compared, with their values and their bootstrap draws."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phonxling.compare.items import Item
from phonxling.compare.profile import Profile
from phonxling.core.errors import DataError
from phonxling.core.phonology.features import FeatureTable
from phonxling.load.resources.features import panphon_features
from phonxling.resample.bootstrap import replicate_values
from phonxling.resample.jackknife import cluster_cells, jackknifed_information
from phonxling.resample.weights import Resampling, resampling

Floats = NDArray[np.float64]
RATES = ("per", "wper", "per_aligned", "accuracy", "substitution_rate", "deletion_rate", "insertion_rate")
SKILLS = ("skill_per", "skill_wper")
OF_CONFUSIONS = ("conditional_entropy", "mutual_information")
CORRECTED = "miller-madow"
JACKKNIFED = "bias-corrected"  # the jackknifed Miller–Madow estimate, around which the summary's intervals stand
_OPERATIONS = {"accuracy": "correct", "substitution_rate": "substitutions", "deletion_rate": "deletions"}
_CHANCE = {"skill_per": "chance_unit_cost", "skill_wper": "chance_cost"}
_SAME = 1e-6  # stored and recomputed rates agree to this
_ROWS = 64  # replicates summed at one time
UNSTORED = "counts averaged over alignments are not stored by utterance"


@dataclass(frozen=True, eq=False)
class Measured:
    """An item with its resampling: values and draws of everything that is compared.

    Parameters
    ----------
    item : Item
        The corpus.
    resampling : Resampling
        Its clusters and weights; items with the same utterances share one.
    group : int
        Items of one group have the same utterances and gold phones, and are compared in pairs.
    """

    item: Item
    resampling: Resampling
    group: int

    @property
    def tokens(self) -> Floats:
        """Gold phones of each utterance, [U]."""
        return self.item.utterances["gold_tokens"].to_numpy(float)

    def errors(self, measure: str) -> Floats:
        """Return the numerator of a rate by utterance, [U]; NaN where the results have none."""
        rows = self.item.utterances
        if measure == "per":
            rate, heard = rows["per"].to_numpy(float), rows["predicted_tokens"].to_numpy(float)
            return np.where(self.tokens > 0, np.rint(np.nan_to_num(rate) * self.tokens), heard)
        if measure == "wper":
            known = rows["wper"].notna().any() or not self.tokens.any()
            return np.asarray(np.where(bool(known), rows["cost"].to_numpy(float), np.nan))
        if measure == "per_aligned":
            return np.asarray(
                rows[["substitutions", "deletions", "insertions"]].to_numpy(float).sum(axis=1), dtype=np.float64
            )
        return rows[_OPERATIONS.get(measure, "insertions")].to_numpy(float)

    def parts(self, measure: str) -> tuple[Floats, Floats]:
        """Return numerator and denominator by utterance of a rate, or of what a skill is 1 less; NaN without."""
        if measure not in _CHANCE:
            return self.errors(measure), self.tokens
        chance = _CHANCE[measure]
        if chance not in self.item.utterances:
            return self.errors(measure[6:]), np.full(len(self.tokens), np.nan)
        return self.errors(measure[6:]), self.item.utterances[chance].to_numpy(float)

    @cached_property
    def rates(self) -> Floats:
        """Value (row 0) and draws of RATES and SKILLS, [1 + R, 9]."""
        parts = [self.parts(measure) for measure in (*RATES, *SKILLS)]
        above, below = (np.stack([part[side] for part in parts], axis=1) for side in (0, 1))
        sums = self._sums(above), self._sums(below)
        found = np.divide(*sums, out=np.full_like(sums[0], np.nan), where=sums[1] > 0)
        found[:, len(RATES) :] = 1 - found[:, len(RATES) :]
        self._check(found[0])
        return found

    @cached_property
    def profile(self) -> Profile:
        """What is asked of the confusions."""
        path = self.item.path
        gaps = self.item.settings["entropy"]["gaps"] == "include"
        return Profile(
            gold=path.gold_inventory, predicted=path.predicted_inventory, features=feature_table(self.item), gaps=gaps
        )

    @cached_property
    def confusions(self) -> Floats:
        """Value (row 0) and draws of the profile's measures, [1 + R, K]; NaN where counts are averages."""
        if self.item.averaged:
            return np.full((1 + self.resampling.replicates, len(self.profile.names)), np.nan)
        stack = self.item.stack
        return np.vstack(
            [self.profile.of(stack.total().counts), *replicate_values(stack, self.resampling, self.profile.of)]
        )

    @cached_property
    def information(self) -> Floats:
        """Jackknifed OF_CONFUSIONS, [2]: free of the bias that depends on the tokens; NaN with one cluster."""
        if self.item.averaged:
            return np.full(len(OF_CONFUSIONS), np.nan)
        found = jackknifed_information(cluster_cells(self.item.stack, self.resampling, gaps=self.profile.gaps))
        return np.array([float(found[name].value) for name in OF_CONFUSIONS])

    def clusters_with(self, phones: Sequence[str]) -> Floats:
        """Return in how many clusters each gold phone has tokens, [len(phones)]."""
        path, owner = self.item.path, self.resampling.clusters
        of_pair = np.repeat(owner, np.diff(path.offsets))
        seen = np.unique(np.stack([path.gold.astype(np.int64), of_pair]), axis=1)[0]
        number = np.bincount(seen, minlength=len(path.gold_inventory) + 1)
        return np.array([number[path.gold_inventory.code(phone)] for phone in phones], dtype=np.float64)

    def _sums(self, values: Floats) -> Floats:
        """Return the sums of columns [U, K] over all utterances and over each replicate, [1 + R, K]."""
        drawn = self.resampling
        by_cluster = np.stack([np.bincount(drawn.clusters, column, drawn.number) for column in values.T], axis=1)
        parts = [part.astype(np.float64) @ by_cluster for part in drawn.parts(_ROWS)]
        return np.vstack([values.sum(axis=0), *parts])

    def _check(self, values: Floats) -> None:
        for measure, value in zip((*RATES, *SKILLS), values.tolist(), strict=True):
            row = self.item.stored(measure, "best" if measure in SKILLS else "")
            if row is not None and not np.isnan(value) and not np.isclose(value, row["value"], rtol=_SAME):
                raise DataError(
                    f"{self.item.folder}: {self.item.corpus}: summary.tsv gives {measure} {row['value']:.6f}, and "
                    f"utterances.tsv {value:.6f}; run the experiment again"
                )


def feature_table(item: Item) -> FeatureTable | None:
    """Return the feature table of a result where this package has it: panphon's; None for a user's own."""
    table = panphon_features()
    return table if item.manifest["feature_table"]["sha256"] == table.digest else None


def measured(items: Sequence[Item], *, paired: bool, resamples: int, seed: int, level: float) -> list[Measured]:
    """Return items with their resampling: one set of weights for items with the same utterances, if they are paired.

    Other items draw from seeds of their own, or independent samples would be resampled alike.
    """
    keys = [_key(item, "" if paired else item.name) for item in items]
    drawn = {key: _resampling([i for i, k in zip(items, keys, strict=True) if k == key], key, resamples, seed, level)
             for key in dict.fromkeys(keys)}  # fmt: skip
    numbers = {key: number for number, key in enumerate(drawn)}
    return [Measured(item, drawn[key], numbers[key]) for item, key in zip(items, keys, strict=True)]


def _resampling(items: Sequence[Item], key: str, resamples: int, seed: int, level: float) -> Resampling:
    """Return the weights of items with the same utterances: over speakers where any of them knows them, the fewest."""
    named = sorted((item.utterances["speaker"].tolist() for item in items if _by_speaker(item)), key=_distinct)
    own = int.from_bytes(hashlib.sha256(f"{seed}\n{key}".encode()).digest()[:8])
    return resampling(len(items[0].ids), named[0] if named else None, resamples=resamples, level=level, seed=own)


def _distinct(names: Sequence[str]) -> int:
    return len(set(names))


def _by_speaker(item: Item) -> bool:
    return bool(item.settings["uncertainty"]["cluster"] == "speaker" and (item.utterances["speaker"] != "").any())


def _key(item: Item, salt: str) -> str:
    rows = zip(item.ids, item.gold, strict=True)
    text = "\n".join([salt, *(f"{utterance}\t{gold}" for utterance, gold in rows)])
    return hashlib.sha256(text.encode()).hexdigest()
