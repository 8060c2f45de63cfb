"""Confusions in context token by token."""

from collections import Counter

from hypothesis import given
from made_alignments import ROWS, Pair, alignments_of

from phonxling.analyses.phones import context_table, neighbours, positions
from phonxling.core.inventory import GAP

SORT = {"a": "vowel", "i": "vowel", "n": "nasal", "p": "stop", "ʘ": "other"}
WHERE = {(True, True): "alone", (True, False): "initial", (False, True): "final"}


def tokens_of(rows: list[list[Pair]]) -> list[tuple[str, str, str, str, str]]:
    """Return gold, predicted, the classes on the left and on the right, and the position of each gold token."""
    found = []
    for row in rows:
        said = [pair for pair in row if pair[0] != GAP]
        for place, (gold, predicted) in enumerate(said):
            first, last = place == 0, place + 1 == len(said)
            left, right = "#" if first else SORT[said[place - 1][0]], "#" if last else SORT[said[place + 1][0]]
            found.append((gold, predicted, left, right, WHERE.get((first, last), "medial")))
    return found


@given(ROWS)
def test_contexts_are_those_of_each_gold_token(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    left, right = (neighbours(aligned, side, SORT.__getitem__) for side in ("left", "right"))
    named = [[labels[code] for code in codes] for labels, codes in (left, right, positions(aligned))]
    assert list(zip(*named, strict=True)) == [token[2:] for token in tokens_of(rows)]


@given(ROWS)
def test_counts_by_context_are_those_of_the_tokens_deleted_ones_too(rows: list[list[Pair]]) -> None:
    aligned = alignments_of(rows)
    contexts = neighbours(aligned, "left", SORT.__getitem__)
    table = context_table(aligned, contexts)
    cells = table[["gold", "context", "predicted"]].itertuples(index=False)
    found = dict(zip(map(tuple, cells), table["count"], strict=True))
    assert found == Counter((gold, left, answer) for gold, answer, left, *_ in tokens_of(rows))
