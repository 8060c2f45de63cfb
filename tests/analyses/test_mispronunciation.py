"""Mispronunciation detection: counts by hand, a plain oracle, recognisers whose values are known, and a run."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from documentation import blocks
from hypothesis import given, strategies as st
from running import printed, tables_of
from support import corpus_of, write

from phonxling.analyses.mispronunciation import Detection, detect, detect_in
from phonxling.core.sequences import from_lists

PAGE = Path(__file__).resolve().parents[2] / "docs" / "measures" / "mispronunciation.md"
TEN = next(block.text for block in blocks(PAGE) if block.file == "learners.tsv")
LINES = [line.split("\t") for line in TEN.splitlines()[1:]]
SIDES = [[row[place].split() for row in LINES] for place in (1, 2, 3)]
COUNTS = {  # of each utterance, by hand; with what the recogniser alone inserts
    "right": {"TA": 3, "beside": 1},
    "diagnosed": {"TA": 2, "TR": 1, "TRD": 1, "CD": 1},
    "detected": {"TA": 2, "TR": 1, "TRD": 1},
    "accepted": {"TA": 2, "FA": 2},
    "rejected": {"TA": 2, "FR": 2},
    "left_out": {"TA": 3, "TR": 1, "TRD": 1, "CD": 1},
    "both": {"TA": 3, "TR": 2, "TRD": 2},
    "added": {"TA": 3, "FA": 1},
    "added_more": {"TA": 3, "TR": 2, "TRD": 2, "CD": 1},
    "unclear": {"TA": 2, "FA": 1, "TR": 2, "TRD": 1, "CD": 1},
}
VALUES = {
    "mdd_precision": 9 / 11,
    "mdd_recall": 9 / 13,
    "mdd_f1": 18 / 24,
    "mdd_false_acceptance": 4 / 13,
    "mdd_false_rejection": 2 / 27,
    "mdd_diagnostic_error": 4 / 8,
}
Rows = list[list[str]]
Pair = tuple[str | None, str | None]


def detection(canonical: Rows, gold: Rows, predicted: Rows) -> Detection:
    names = [f"u{number}" for number in range(len(canonical))]
    return detect(*(from_lists(names, rows) for rows in (canonical, gold, predicted)))


def counted(found: Detection, utterance: int) -> dict[str, int]:
    counts = {name: int(count[utterance]) for name, count in found.counts.items()}
    return {name: count for name, count in (counts | {"beside": int(found.beside[utterance])}).items() if count}


def values(found: Detection) -> dict[str, float]:
    """Return each measure; those without denominator are left out."""
    sums = {name: (above.sum(), below.sum()) for name, (above, below) in found.ratios().items()}
    return {name: float(above / below) for name, (above, below) in sums.items() if below}


def aligned(first: Sequence[str], other: Sequence[str]) -> list[Pair]:
    """Align at unit cost; from the end, a pair goes before an insertion, and that before a deletion."""
    costs = np.add.outer(np.arange(len(first) + 1), np.arange(len(other) + 1))
    for i, one in enumerate(first):
        for j, two in enumerate(other):
            costs[i + 1, j + 1] = min(costs[i, j] + (one != two), costs[i + 1, j] + 1, costs[i, j + 1] + 1)
    pairs = list[Pair]()
    i, j = len(first), len(other)
    while i or j:
        if i and j and costs[i, j] == costs[i - 1, j - 1] + (first[i - 1] != other[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((first[i], other[j]))
        elif j and costs[i, j] == costs[i, j - 1] + 1:
            j -= 1
            pairs.append((None, other[j]))
        else:
            i -= 1
            pairs.append((first[i], None))
    return pairs[::-1]


def slots(canonical: list[str], other: list[str]) -> tuple[list[str | None], Rows]:
    """Return what stands beside each canonical phone, and what before, between and behind them."""
    answers, between = list[str | None](), [list[str]()]
    for asked, given_ in aligned(canonical, other):
        if asked is None:
            between[-1].append(str(given_))
        else:
            answers.append(given_)
            between.append([])
    return answers, between


def items(canonical: list[str], gold: list[str], predicted: list[str]) -> Iterator[tuple[str | None, ...]]:
    """Yield canonical, gold and predicted phone of each item; three times None of what the recogniser alone inserts."""
    (said, added), (answered, guessed) = slots(canonical, gold), slots(canonical, predicted)
    yield from zip(canonical, said, answered, strict=True)
    for one, other in zip(added, guessed, strict=True):
        yield from (
            (None, None, None) if mine is None else (None, mine, theirs) for mine, theirs in aligned(one, other)
        )


def by_brute_force(canonical: list[str], gold: list[str], predicted: list[str]) -> dict[str, int]:
    found = list[str]()
    for asked, said, answered in items(canonical, gold, predicted):
        if asked is said is answered is None:
            found.append("beside")
        elif asked == said:
            found.append("TA" if asked == answered else "FR")
        elif asked == answered:
            found.append("FA")
        else:
            found += ["TR", *["TRD"] * (said != "err"), *["CD"] * (said != "err" and said == answered)]
    return {name: found.count(name) for name in found}


phones = st.lists(st.sampled_from("abc"), max_size=6)
said = st.lists(st.sampled_from(["a", "b", "c", "err"]), max_size=6)


def test_ten_utterances_by_hand() -> None:
    found = detection(*SIDES)
    assert [name for name, *_ in LINES] == [*COUNTS]
    assert {name: counted(found, place) for place, name in enumerate(COUNTS)} == COUNTS
    assert values(found) == pytest.approx(VALUES)


@given(st.lists(st.tuples(phones, said, phones), min_size=1, max_size=5))
def test_random_utterances_are_counted_as_by_brute_force(rows: list[tuple[list[str], list[str], list[str]]]) -> None:
    found = detection(*([list(side) for side in zip(*rows, strict=True)]))  # type: ignore[arg-type]
    assert [counted(found, place) for place in range(len(rows))] == [by_brute_force(*row) for row in rows]


def test_utterances_without_canonical_phones_have_no_items() -> None:
    corpus = corpus_of([["a"], ["b"], ["c"]], [["a"], ["c"], ["c", "a"]])
    found = detect_in(corpus, from_lists(["u2", "u1"], [["c"], ["c"]]))
    assert [counted(found, place) for place in range(3)] == [{}, {"FA": 1}, {"TA": 1, "beside": 1}]


def test_what_is_wrongly_accepted_and_rejected_by_phone() -> None:
    assert [*detection(*SIDES).error_rows()] == [
        ("∅", "false_acceptance", 2.0),
        *((phone, "false_acceptance", 1.0) for phone in "tl"),
        *((phone, "false_rejection", 1.0) for phone in "am"),
    ]


@pytest.fixture
def learners(tmp_path: Path) -> Path:
    """The ten utterances of 12 speakers of two first languages; of the second, what is predicted is canonical."""
    rows, who = ["utterance\tcanonical\tgold\tpredicted"], ["utterance\tspeaker\tl1"]
    for speaker in range(12):
        for name, canonical, gold, predicted in LINES:
            own = {"rejected": canonical, "detected": gold} if speaker == 0 else {}  # so that speakers differ
            answer = canonical if speaker % 2 else own.get(name, predicted)
            rows.append(f"s{speaker}-{name}\t{canonical}\t{gold.replace('err', 'w')}\t{answer}")
            who.append(f"s{speaker}-{name}\tspeaker {speaker}\t{('spa', 'yor')[speaker % 2]}")
    write(tmp_path / "all.tsv", "\n".join(rows) + "\n")
    write(tmp_path / "who.tsv", "\n".join(who) + "\n")
    return tmp_path


def test_a_run_has_measures_with_intervals_groups_and_phones(learners: Path) -> None:
    sides = ", ".join(f"{side}: all.tsv" for side in ("gold", "predicted", "canonical"))
    text = f"corpora: {{made: {{{sides}, speakers: {{path: who.tsv, groups: [l1]}}}}}}\n"
    tables = tables_of(write(learners / "made.yaml", text), "chance.models=[constant]")
    summary = tables["summary"].set_index("measure")
    for name, above, below in (("recall", 54, 156), ("false_rejection", 10, 324), ("diagnostic_error", 23, 54)):
        assert summary.loc[f"mdd_{name}", ["value", "n"]].tolist() == pytest.approx([above / below, below])
    for name in VALUES:
        value, low, high, note = summary.loc[name, ["value", "low", "high", "note"]]
        assert 0 <= low < value < high <= 1, name
        assert note == "phones that the recogniser alone inserts, in no rate: 6"
    groups = tables["made/groups"].set_index(["group", "measure"])
    assert groups.loc[("spa", "mdd_recall"), "value"] == pytest.approx(9 / 13)
    assert groups.loc[[("yor", "mdd_recall"), ("yor", "mdd_f1")], "value"].tolist() == [0, 0]
    assert groups.loc[("yor", "mdd_precision"), "status"] == "undefined"  # nothing is rejected
    errors = tables["made/errors"].set_index(["gold", "reason"])["count"]
    assert errors[("a", "false_rejection")] == 5


def test_score_reads_canonical_phones_as_it_reads_gold(learners: Path) -> None:
    file, asked = str(learners / "all.tsv"), "utterance=utterance,phones=gold;phones=predicted"
    whole = ["score", file, file, "--canonical", file, "--json"]
    found = json.loads(printed(*whole, "--symbols", "ipa-panphon,ipa"))
    assert found["mdd_recall"] == pytest.approx(54 / 156)
    assert json.loads(printed(*whole, "--columns", asked))["mdd_recall"] == found["mdd_recall"]
    assert "mdd" not in printed("score", file, file, "--json")
