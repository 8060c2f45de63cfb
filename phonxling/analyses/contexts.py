"""What stands around: contexts.tsv, on request, with the information that contexts add; and insertions.tsv.

Conventions
-----------
Contexts Z are of gold phones: the gold neighbour on the left or the right within the utterance (`#` at its edge), as a
class or as the phone itself, both together, or the position (`initial`, `medial`, `final`, or `alone` in an utterance
of one phone). Insertions have no gold phone, and so no context. Y gold, X predicted; ∅ is left out, unless it is
counted as a symbol of X. Bits.

Measures
--------
H(X|Y,Z) = Σ p(y,z) H(X|Y=y,Z=z), and I(X;Z|Y) = H(X|Y) − H(X|Y,Z): how many bits of what a phone is heard as come from
its context. The plug-in is never negative, and too high: contexts cut the counts into many small cells. The estimators
of entropy correct for a part of that. The null permutes the contexts among the tokens of each gold phone, which keeps
every phone's confusions and every phone's contexts; the excess is the plug-in less the null's mean. It is 0 on average
where context says nothing, and too low where it matters, since the null's cells are more evenly filled and its bias is
larger. With 30 × 8 phones and contexts, 42 answers and a true value of 0.10 bit, in simulations: excess 0.08, Chao–Shen
0.10, Miller–Madow 0.13, plug-in 0.16 from 60,000 tokens; 0.04, 0.19, 0.32, 0.43 from 6,000.

Permuting takes tokens as exchangeable: where speakers differ both in what they say and in how they are misheard, a low
p may come from the speakers. The bootstrap interval of the excess is wider than it need be for few tokens, and is of
the excess itself: it does not hold what the excess misses.

Kinds of insertions
-------------------
Every insertion is of exactly one kind, decided by its own phone, the gold phone before it and the one after it (an
utterance's edge is no phone). The first that holds of:

- `repeated_neighbour`: the same symbol as a gold neighbour. A long phone was heard twice, or its place shifted.
- `empty_gold`: the utterance has no gold phone at all. Noise or another speaker was heard as speech.
- `unclassified`: it, or a neighbour, has no features, or the feature table lacks syl or cons, so that nobody can tell
  vowel from consonant.
- `vowel_between_consonants`: what epenthesis looks like; also where a release or a voiced transition is heard.
- `vowel_at_edge`: a consonant on one side, the edge on the other; what prothesis and paragoge, and noise, look like.
- `vowel_beside_vowel`: a vowel on at least one side. One vowel was heard as two: a glide, a diphthong, a long vowel.
- `consonant_between_vowels`: what filling a hiatus looks like.
- `consonant_at_edge`: one neighbour is the edge. Breath, clicks and noise.
- `consonant_beside_consonant`: a consonant on at least one side and no edge.

A vowel is `+syl -cons`; all else with features is a consonant, syllabic ones and glides included.

References
----------
Miller (1955), Note on the bias of information estimates. Patefield (1981), an efficient method of generating random R ×
C tables with given row and column totals.
"""

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from phonxling.analyses.case import Case, Items
from phonxling.analyses.entropy import conditional_entropy
from phonxling.analyses.measures import Row, row_of
from phonxling.analyses.statistics import NO_PAIRS
from phonxling.analyses.utterances import conditional
from phonxling.core.arrays import Codes, Floats
from phonxling.core.confusion import Alignments, ConfusionMatrix, ConfusionStack
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import GAP, Inventory
from phonxling.count.confusions import EDGE, gold_neighbours, stack_cells
from phonxling.resample.entropies import n_log_n
from phonxling.resample.intervals import estimate, interval_of
from phonxling.resample.p_values import least_p, p_value
from phonxling.resample.replicates import replicate_values
from phonxling.settings.models import Context

POSITIONS = ("initial", "medial", "final", "alone")
_MEASURES = ("conditional_entropy_given_context", "context_information", "context_information_excess")
_TOO_HIGH = "too high where contexts make small cells: compare the excess over the null"
_TOO_LOW = "a cautious estimate, too low where context matters"
_NO_CLASSES = "the feature table has no classes for these symbols"
Contexts: TypeAlias = tuple[tuple[str, ...], Codes]  # distinct labels, and that of each of N gold tokens, [N]
KINDS = (
    "repeated_neighbour",
    "empty_gold",
    "unclassified",
    "vowel_between_consonants",
    "vowel_at_edge",
    "vowel_beside_vowel",
    "consonant_between_vowels",
    "consonant_at_edge",
    "consonant_beside_consonant",
)
_VOWEL, _CONSONANT, _EDGE, _UNKNOWN = range(4)


def neighbours(aligned: Alignments, side: str, name_of: Callable[[str], str]) -> Contexts:
    """Return the gold neighbour on the `left` or `right` of each gold token, named by `name_of`; `#` at an edge."""
    names = [*map(name_of, aligned.gold_inventory), EDGE]
    labels = tuple(dict.fromkeys(names))
    label_of = np.array([labels.index(name) for name in names], dtype=np.int64)
    neighbour = gold_neighbours(aligned)[0 if side == "left" else 1]
    return labels, label_of[neighbour[aligned.gold < len(aligned.gold_inventory)]]


def positions(aligned: Alignments, words: Codes | None = None) -> Contexts:
    """Return whether each gold token is initial, medial, final or alone in its utterance, or word by number, [N]."""
    edge = len(aligned.gold_inventory)
    first, last = (side[aligned.gold < edge] == edge for side in gold_neighbours(aligned))
    if words is not None:
        changes = np.diff(words) != 0
        first[1:] |= changes
        last[:-1] |= changes
    return POSITIONS, np.select([first & last, first, last], [3, 0, 2], 1).astype(np.int64)


def both_sides(left: Contexts, right: Contexts) -> Contexts:
    """Return both neighbours as one context, such as `vowels _ stops`."""
    labels = tuple(f"{before} _ {behind}" for before in left[0] for behind in right[0])
    return labels, left[1] * len(right[0]) + right[1]


def count_contexts(aligned: Alignments, contexts: Contexts) -> tuple[ConfusionStack, Codes, Codes]:
    """Return the confusions of each utterance by K pairs of gold phone and context, and these of each pair, [K]."""
    labels, codes = contexts
    is_gold = aligned.gold < len(aligned.gold_inventory)
    gold, predicted = aligned.gold[is_gold].astype(np.int64), aligned.predicted[is_gold].astype(np.int64)
    pairs, row = np.unique(gold * len(labels) + codes, return_inverse=True)
    phones, places = np.divmod(pairs, len(labels))
    said = aligned.gold_inventory.phones
    names = tuple(f"{said[phone]} / {labels[place]}" for phone, place in zip(phones, places, strict=True))
    sides = Inventory(names), aligned.predicted_inventory
    cells, owner = row * (len(sides[1]) + 1) + predicted, aligned.pair_utterances()[is_gold]
    return stack_cells(owner, cells, sides, utterances=aligned.utterances), phones, places


def added_information(counts: Floats, phones: Codes) -> float:
    """Return the plug-in I(X;Z|Y) in bits, ≥ 0, of counts [K, X] by phone and context; NaN without tokens."""
    total = counts.sum()
    if not total:
        return float("nan")
    by_phone = np.add.reduceat(counts, _starts(phones), axis=0)
    unknown = [_sum(table.sum(axis=1)) - _sum(table) for table in (by_phone, counts)]  # N · H(X|row)
    return max((unknown[0] - unknown[1]) / float(total), 0.0)


def permuted_added_information(
    counts: Floats, phones: Codes, permutations: int, generator: np.random.Generator
) -> Floats:
    """Return I(X;Z|Y) for so many random permutations of the contexts among the tokens of each phone, in bits."""
    total, of_totals = counts.sum(), 0.0
    of_cells = np.zeros(permutations)
    for table in np.split(counts, _starts(phones)[1:]):
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        of_totals += _sum(table.sum()) - _sum(columns) - _sum(rows)
        rows, columns = rows[rows > 0], columns[columns > 0]
        if len(rows) < 2 or len(columns) < 2:  # there is one such table
            of_cells += _sum(rows if len(columns) == 1 else columns)
            continue
        random = scipy.stats.random_table(rows.astype(np.int64), columns.astype(np.int64))
        drawn = random.rvs(permutations, random_state=generator).astype(np.float64)
        of_cells += np.array([_sum(one) for one in drawn])
    return np.asarray(np.maximum((of_totals + of_cells) / total, 0.0))


def _starts(phones: Codes) -> Codes:
    return np.flatnonzero(np.diff(phones, prepend=-1))


def _sum(counts: Floats) -> float:
    return float(n_log_n(counts).sum())


def contexts(case: Case, settings: Context) -> Items:
    """Yield the information that each kind of context adds, and contexts.tsv; nothing unless a context is asked for."""
    path, names = case.counted.path, dict[str, Callable[[str], str]](phone=str)
    if case.classes.tell:
        names["class"] = case.classes.default_of
    wanted = {"left": settings.left, "right": settings.right}
    chosen = {side: neighbours(path, side, names[kind]) for side, kind in wanted.items() if kind in names}
    if len(chosen) == 2 and settings.left == settings.right == "class":
        chosen["both"] = both_sides(chosen["left"], chosen["right"])
    if settings.position:
        chosen["position"] = positions(path)
        if (words := case.counted.corpus.gold.words) is not None:
            chosen["word"] = positions(path, words)
    tables = []
    for kind, context in chosen.items():
        stack, phones, places = count_contexts(path, context)
        counts = stack.total().counts
        alone = np.zeros((len(path.gold_inventory) + 1, counts.shape[1]))
        np.add.at(alone, phones, counts[:-1])
        yield from _rows(case, kind, stack, phones, ConfusionMatrix(path.gold_inventory, stack.predicted, alone))
        in_context, anywhere = conditional(counts[:-1]), conditional(alone[:-1])[phones]
        rows, columns = np.nonzero(counts[:-1])
        sides = path.gold_inventory.phones, (*stack.predicted, GAP), context[0]
        gold, predicted, labels = (np.array(names, dtype=object) for names in sides)
        table = {
            "kind": kind,
            "context": labels[places[rows]],
            "gold": gold[phones[rows]],
            "predicted": predicted[columns],
            "count": counts[rows, columns].astype(np.int64),
            "share": in_context[rows, columns],
            "share_anywhere": anywhere[rows, columns],
        }
        tables.append(pd.DataFrame(table))
    if not case.classes.tell:
        sides_without = [side for side, kind in wanted.items() if kind == "class"]
        for kind in [*sides_without, *["both"] * (len(sides_without) == 2)]:
            yield from (row_of(measure, math.nan, 0, kind, _NO_CLASSES) for measure in _MEASURES)
    if tables:
        yield "contexts", pd.concat(tables, ignore_index=True)


def _rows(case: Case, kind: str, stack: ConfusionStack, phones: Codes, alone: ConfusionMatrix) -> Iterator[Row]:
    """Yield H(X|Y, context) and what the context adds by each estimator, and the plug-in beside its null."""
    entropy, resampling, total = case.experiment.entropy, case.counted.resampling, stack.total()
    width = len(stack.predicted) + (entropy.gaps == "include")
    cells = total.counts[:-1, :width]
    n = float(cells.sum())
    if not n:
        yield from (row_of(measure, math.nan, 0, kind, NO_PAIRS) for measure in _MEASURES)
        return
    for name in dict.fromkeys(entropy.estimators):
        bits, without = (
            conditional_entropy(matrix, name, gaps=entropy.gaps, support=entropy.support) for matrix in (total, alone)
        )
        variant, note = f"{kind}:{name}", case.counted.path_note
        yield row_of("conditional_entropy_given_context", bits, n, variant, note)
        yield row_of("context_information", without - bits, n, variant, note, _TOO_HIGH)
    permutations = case.experiment.information.permutations
    if not permutations:
        return
    value, generator = added_information(cells, phones), case.generator(f"context {kind}")
    null = permuted_added_information(cells, phones, permutations, generator)
    drawn = replicate_values(stack, resampling, lambda counts: added_information(counts[:-1, :width], phones))
    note = f"{len(null)} permutations of the contexts within each gold phone"
    yield row_of("context_information_null", interval_of(null, resampling.level), n, kind, note)
    excess = estimate(value - float(null.mean()), drawn, resampling)
    yield row_of("context_information_excess", excess, n, kind, _TOO_LOW)
    p = p_value(value, null)
    yield row_of("context_information_p", p, n, kind, least_p(len(null)))


def kinds_of(places: tuple[Codes, ...], gold: Inventory, predicted: Inventory, table: FeatureTable) -> NDArray[np.int8]:
    """Return the kind, a position in `KINDS`, of inserting phones x between gold l and r (G is the edge), [N] each."""

    def sorts(phones: Inventory) -> Codes:
        known = [{"syl", "cons"} <= set(table.features) and table.vector(phone)[0] is not None for phone in phones]
        vowels = [has and table.is_vowel(phone) for phone, has in zip(phones, known, strict=True)]
        told = np.where(np.array(vowels, bool), _VOWEL, _CONSONANT)
        return np.where(np.array(known, bool), told, _UNKNOWN).astype(np.int64)

    phone, before, after = places
    around = np.append(sorts(gold), _EDGE)
    own, left, right = sorts(predicted)[phone], around[before], around[after]
    same = gold.codes(predicted)[phone]
    vowel = own == _VOWEL
    rules = [
        (same == before) | (same == after),
        (left == _EDGE) & (right == _EDGE),
        (own == _UNKNOWN) | (left == _UNKNOWN) | (right == _UNKNOWN),
        vowel & (left == _CONSONANT) & (right == _CONSONANT),
        vowel & (left != _VOWEL) & (right != _VOWEL),
        vowel,
        (left == _VOWEL) & (right == _VOWEL),
        (left == _EDGE) | (right == _EDGE),
    ]
    return np.asarray(np.select(rules, range(8), 8), np.int8)


def inserted_between(aligned: Alignments) -> tuple[Codes, ...]:
    """Return each insertion's predicted phone and the gold phones before and after it, by code; G for an edge."""
    inserted = aligned.gold == len(aligned.gold_inventory)
    left, right = gold_neighbours(aligned)
    return tuple(side[inserted].astype(np.int64) for side in (aligned.predicted, left, right))


def insertions(case: Case, _: None) -> Items:
    """Yield insertions.tsv: how often each phone is inserted between gold phones of which classes, as what kind."""
    path, gold, predicted = case.counted.path, case.counted.path.gold_inventory, case.counted.path.predicted_inventory
    places, number = np.unique(np.stack(inserted_between(path)), axis=1, return_counts=True)
    phone, left, right = places
    classes = np.array([*map(case.classes.default_of, gold), EDGE], dtype=object)
    columns = {
        "code": phone,
        "predicted": np.array(predicted.phones, dtype=object)[phone],
        "left": classes[left],
        "right": classes[right],
        "kind": np.array(KINDS, dtype=object)[kinds_of((phone, left, right), gold, predicted, case.features)],
    }
    inserted = pd.DataFrame({**columns, "count": number})
    counted = inserted.groupby(list(columns))["count"].sum().reset_index().drop(columns="code")
    yield "insertions", counted.assign(share=counted["count"] / max(number.sum(), 1))
