"""What splitting a corpus' errors by their reason takes: the recogniser's inventory, and the reference beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.case.features import features_of
from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.analyses.case.reference import recogniser_note, refusal
from phonxling.analyses.case.same_phones import nearest_in, same_phones
from phonxling.analyses.missed.parts import Split, split_of
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import Inventory
from phonxling.settings.models import Experiment


@dataclass(frozen=True, eq=False, kw_only=True)
class Missed:
    """One corpus' errors by their reason.

    Parameters
    ----------
    analysis : AnalysedCorpus
        The corpus.
    reference : AnalysedCorpus, optional
        The reference language, when it can be compared.
    why : str
        Why there is none, "" when there is.
    note : str
        What weakens the comparison.
    inventory : Inventory
        The phones that the recogniser has.
    whole_inventory : bool
        Whether that is all of them, as posteriors tell; else those that it was seen to predict.
    near : mapping of str to tuple
        For each gold phone the nearest phone of the inventory and its distance; empty without features.
    present : frozenset of str
        The gold phones that count as present.
    same : mapping of str to str
        The reference phone that stands for each.
    """

    analysis: AnalysedCorpus
    reference: AnalysedCorpus | None
    why: str
    note: str
    inventory: Inventory
    whole_inventory: bool
    near: dict[str, tuple[str, float]]
    present: frozenset[str]
    same: dict[str, str]

    @property
    def other(self) -> ConfusionMatrix:
        """The reference's counts, or none."""
        return self.reference.matrix if self.reference is not None else ConfusionMatrix.zero()

    @property
    def reference_tokens(self) -> dict[str, float]:
        """How many tokens of its counterpart the reference has, not deleted ones, by gold phone."""
        heard = dict(zip(self.other.gold, self.other.substitutions.sum(axis=1), strict=True))
        return {phone: float(heard.get(other, 0.0)) for phone, other in self.same.items()}

    @property
    def split(self) -> Split:
        """What splits the errors of any replicate."""
        return split_of(self.analysis.matrix, self.other, self.present, self.same)


def missed(
    loaded: LoadedCorpus,
    corpora: Sequence[LoadedCorpus],
    analyses: Mapping[str, AnalysedCorpus],
    experiment: Experiment,
) -> Missed:
    """Return what splitting a corpus' errors takes, by the setting of which phones are the same."""
    reference = next((one for one in corpora if one.role == "reference"), None)
    why = "this is the reference itself" if loaded is reference else refusal(loaded, reference, experiment.expected)
    other = None if why or reference is None else analyses[reference.name]
    matrix, chosen = analyses[loaded.name].matrix, experiment.expected
    heard_by = [one for one in corpora if one is loaded or (one.recogniser and one.recogniser == loaded.recogniser)]
    inventory = _inventory(heard_by)
    near = {} if loaded.raw else nearest_in(matrix.gold, inventory, features_of(experiment))
    same = same_phones(matrix, other.matrix, chosen, features_of(experiment)) if other is not None else {}
    present = {phone for phone in matrix.gold if phone in inventory or same.get(phone) in inventory}
    if chosen.common == "features":
        present |= {phone for phone, (_, distance) in near.items() if distance <= chosen.distance}
    return Missed(
        analysis=analyses[loaded.name],
        reference=other,
        why=why,
        note=recogniser_note(loaded, reference) if other is not None and reference is not None else "",
        inventory=inventory,
        whole_inventory=any(one.posteriorgrams is not None for one in heard_by),
        near=near,
        present=frozenset(present),
        same=same,
    )


def _inventory(corpora: Sequence[LoadedCorpus]) -> Inventory:
    """Return all columns of one recogniser's posteriors, and all phones that it ever predicted."""
    known = [phone for one in corpora if one.corpus is not None for phone in one.corpus.predicted_inventory]
    columns = [phone for one in corpora if one.posteriorgrams is not None for phone in one.posteriorgrams.inventory]
    return Inventory(tuple(dict.fromkeys([*known, *columns])))
