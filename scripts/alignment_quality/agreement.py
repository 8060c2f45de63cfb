"""How often costs align words as experts did: the share of pairs aligned exactly as the gold alignment.

Measures
--------
- `path`: the share of pairs whose one alignment, as `align_sequences` takes it, is the gold one.
- `fractional`: the mean over pairs of 1 / the number of best alignments where the gold is among them, else 0. This is
  the published score for the Benchmark Database for Phonetic Alignments.

Two alignments are the same when they link the same segments: neighbouring gaps of the two words may stand in any order.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from alignment_quality.best_alignments import BestAlignments, Links
from alignment_quality.psa import AlignedWords, GoldAlignments
from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs.named import cost_table
from phonxling.alignment.costs.sound_classes import sound_class
from phonxling.core.alignment import Alignments
from phonxling.core.costs import CostTable
from phonxling.core.inventory import Inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.sequences import PhoneSequences, from_lists
from phonxling.load.resources.features import panphon_features
from phonxling.phones.ipa import read_ipa

MakeCosts = Callable[[Inventory, FeatureTable], CostTable]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many pairs were aligned as the gold; `+` adds files up.

    Examples
    --------
    >>> both = Agreement("a", 2, 1, Fraction(3, 2)) + Agreement("b", 2, 2, Fraction(2))
    >>> both.pairs, both.path_percent, both.fractional_percent
    (4, 75.0, 87.5)
    """

    name: str
    pairs: int
    path: int
    fractional: Fraction

    def __add__(self, other: "Agreement") -> "Agreement":
        return Agreement(
            "overall", self.pairs + other.pairs, self.path + other.path, self.fractional + other.fractional
        )

    @property
    def path_percent(self) -> float:
        """Percent of pairs whose path is the gold alignment."""
        return 100 * self.path / self.pairs

    @property
    def fractional_percent(self) -> float:
        """Percent of pairs, an alignment among n best ones counted as 1/n."""
        return float(100 * self.fractional / self.pairs)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The agreement by file, and the segments without features with their number of tokens, most frequent first."""

    files: tuple[Agreement, ...]
    without_features: dict[str, int]

    @property
    def overall(self) -> Agreement:
        """All files together, each pair counted once."""
        return sum(self.files[1:], Agreement("overall", 0, 0, Fraction(0)) + self.files[0])


def named_costs(name: str, gap: float | None = None) -> MakeCosts:
    """Return a maker of the costs of a name, with gaps of their own or those given; errors as for `cost_table`."""
    return lambda phones, table: cost_table(name, phones, phones, table, insertion=gap, deletion=gap)


def evaluate_alignments(files: Sequence[GoldAlignments], make_costs: MakeCosts) -> Evaluation:
    """Return how often the costs align the files' pairs as their gold alignments do.

    Each segment is one phone: read as IPA where it can be, with its tone if it has one, else kept as it stands.

    Raises
    ------
    ValueError
        If there is no file.
    """
    if not files:
        raise ValueError("there is no file to evaluate")
    table = panphon_features()
    tokens = Counter(segment for file in files for pair in file.pairs for segment in (*pair.first, *pair.second))
    phones = {segment: _phone(segment, table) for segment in tokens}
    costs = make_costs(Inventory(tuple(sorted(set(phones.values())))), table)
    without = {s: n for s, n in tokens.most_common() if _lacks_features(phones[s], table)}
    return Evaluation(tuple(_agreement(file, phones, costs) for file in files), without)


def _phone(segment: str, table: FeatureTable) -> str:
    fate = read_ipa(segment, table, "attach")
    return fate.phones[0] if fate is not None and len(fate.phones) == 1 else segment


def _lacks_features(phone: str, table: FeatureTable) -> bool:
    return sound_class(phone, table) not in ("tone", "boundary") and table.vector(phone)[0] is None


def _agreement(file: GoldAlignments, phones: dict[str, str], costs: CostTable) -> Agreement:
    first, second = (_words(file.pairs, side, phones, costs.gold) for side in ("first", "second"))
    aligned, best = align_sequences(first, second, costs), BestAlignments(costs)
    path, fractional = 0, Fraction(0)
    for place, pair in enumerate(file.pairs):
        path += _links(aligned, place) == pair.links
        codes = [side.codes[side.offsets[place] : side.offsets[place + 1]].tolist() for side in (first, second)]
        fractional += best.share(codes[0], codes[1], pair.links)
    return Agreement(file.name, len(file.pairs), path, fractional)


def _words(pairs: Sequence[AlignedWords], side: str, phones: dict[str, str], inventory: Inventory) -> PhoneSequences:
    names = [str(number) for number in range(len(pairs))]
    return from_lists(names, [[phones[s] for s in getattr(pair, side)] for pair in pairs], inventory)


def _links(aligned: Alignments, utterance: int) -> Links:
    run = slice(aligned.offsets[utterance], aligned.offsets[utterance + 1])
    links, i, j = [], 0, 0
    for gold, predicted in zip(aligned.gold[run].tolist(), aligned.predicted[run].tolist(), strict=True):
        inserted, deleted = gold == len(aligned.gold_inventory), predicted == len(aligned.predicted_inventory)
        if not inserted and not deleted:
            links.append((i, j))
        i, j = i + (not inserted), j + (not deleted)
    return frozenset(links)
