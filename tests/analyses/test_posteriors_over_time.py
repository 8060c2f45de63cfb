"""posteriorgrams.tsv: a slow reading of the same frames, which utterances it has, and how large it gets."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from running import tables_of
from small_ctc import make_ctc_experiment
from small_experiment import make_experiment

from phonxling.analyses import posteriors as over_time
from phonxling.analyses.posteriors import evenly_ranked, table_over_time
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, Spelling
from phonxling.core.work import SERIAL, Threads
from phonxling.decoding import decode as frame_blocks
from phonxling.tables.files import table_bytes

FEW = ("chance.models=[unigram]", "chance.replicates=1", "information.permutations=0")
LABELS = ("A", "sil", "B", "A2", "<blk>")
PHONES = ("a", "b")
COLUMNS = (0, -1, 1, 0, -1)  # A and A2 are one phone


def posteriorgrams(matrices: dict[str, np.ndarray], shift: float = 0.01, offset: float = 0.0) -> Posteriorgrams:
    spelling = Spelling(
        labels=LABELS,
        classes=np.arange(5),
        spoken=np.array(COLUMNS) >= 0,
        suspected=np.zeros(0, np.int64),
        read=lambda _: pytest.fail("nothing is decoded"),
    )
    return Posteriorgrams(
        source="here",
        utterances=tuple(matrices),
        inventory=Inventory(PHONES),
        columns=np.array(COLUMNS),
        read=matrices.__getitem__,
        frame_shift=shift,
        frame_offset=offset,
        blank=4,
        spelling=spelling,
    )


def slowly(frames: np.ndarray, size: int) -> list[tuple[int, int, dict[str, float]]]:
    """Return the steps of an utterance, frame by frame: first and last frame, and what each label has."""
    names = {0: "a", 1: "sil", 2: "b", 3: "a", 4: "<blk>"}
    steps: list[tuple[int, int, dict[str, float]]] = []
    for first in range(0, len(frames), size):
        rows = frames[first : first + size]
        means = dict.fromkeys(("a", "b", "sil", "<blk>"), 0.0)
        for row in rows:
            for column, share in enumerate(row):
                means[names[column]] += share / len(rows)
        shown = {name: share for name, share in means.items() if share >= 0.045}
        steps.append((first, first + len(rows), shown))
    return steps


@st.composite
def shares(draw: st.DrawFn) -> np.ndarray:
    """Return frames of shares in 64ths, whose means are exact, none of which is a tie of rounding."""
    number = draw(st.integers(0, 12))
    cuts = st.lists(st.integers(0, 64), min_size=4, max_size=4).map(sorted)
    rows = [np.diff([0, *draw(cuts), 64]) for _ in range(number)]
    return np.array(rows, dtype=np.float64).reshape(-1, 5) / 64


@given(shares(), st.sampled_from([1, 2, 3]), st.integers(1, 5))
def test_each_moment_has_what_a_slow_reading_of_its_frames_gives(frames: np.ndarray, size: int, block: int) -> None:
    shift = 0.03 / size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame_blocks, "_BLOCK", block)
        table = table_over_time(posteriorgrams({"u": frames}, shift, offset=0.5), ["u"], SERIAL)
    for first, last, shown in slowly(frames, size):
        middle = 0.5 + (first + last) / 2 * shift
        rows = table[(table["start"] <= middle) & (middle < table["end"])]
        ranked = rows["probability"].tolist()
        assert ranked == sorted(ranked, reverse=True)
        found = dict(zip(rows["phone"], ranked, strict=True))
        assert found == pytest.approx(shown, abs=0.00501)
        assert (rows["start"] <= 0.5 + first * shift + 0.00006).all()
        assert (rows["end"] >= 0.5 + last * shift - 0.00006).all()
    assert table["end"].max() <= 0.5 + len(frames) * shift + 0.00006 if len(table) else not slowly(frames, size)


def test_neighbouring_steps_of_which_the_same_is_said_are_one() -> None:
    silent, spoken = [0, 1, 0, 0, 0], [0.5, 0, 0.25, 0.25, 0]
    rows = table_over_time(posteriorgrams({"u": np.array([silent] * 30 + [spoken] * 4)}), ["u"], SERIAL)
    assert rows.to_numpy().tolist() == [
        ["u", 0.0, 0.3, "sil", 1.0],
        ["u", 0.3, 0.34, "a", 0.75],
        ["u", 0.3, 0.34, "b", 0.25],
    ]


def test_a_table_beyond_the_budget_has_longer_steps_of_all_utterances(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    given = posteriorgrams({name: generator.dirichlet(np.ones(5), 90) for name in ("u", "v")})
    whole = table_over_time(given, ["u", "v"], SERIAL)
    assert whole["end"].sub(whole["start"]).round(4).unique().tolist() == [0.03]
    monkeypatch.setattr(over_time, "BUDGET", len(table_bytes(whole)) // 3)
    short = table_over_time(given, ["u", "v"], SERIAL)
    assert len(table_bytes(short)) <= over_time.BUDGET
    longer = short["end"].sub(short["start"]).round(4)
    assert longer.median() >= 0.06
    assert set(short.groupby("utterance")["end"].max()) == {0.9}
    monkeypatch.setattr(over_time, "BUDGET", 1)
    assert set(table_over_time(given, ["u", "v"], SERIAL)["end"]) == {0.9}


@given(st.lists(st.integers(0, 6), max_size=30), st.integers(0, 12))
def test_utterances_are_evenly_spaced_in_the_order_of_the_rate(rates: list[int], number: int) -> None:
    chosen = evenly_ranked(np.array(rates, dtype=float), number).tolist()
    assert len(set(chosen)) == len(chosen) == min(number, len(rates))
    own, every = sorted(rates[place] for place in chosen), sorted(rates)
    if number >= 2 and rates:
        assert (own[0], own[-1]) == (every[0], every[-1])
    if number % 2 and len(rates) % 2:
        assert own[len(own) // 2] == every[len(every) // 2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_experiment(tmp_path_factory.mktemp("over_time"), utterances=9)


@pytest.mark.slow
def test_a_run_keeps_the_best_the_median_and_the_worst_whatever_the_workers(made: Path) -> None:
    tables = tables_of(made, *FEW, "posteriorgrams.utterances=3")
    shown, rates = tables["yoruba/posteriorgrams.tsv"], tables["yoruba/utterances.tsv"].set_index("utterance")["per"]
    own = rates[shown["utterance"].unique()]
    assert sorted(own) == sorted([rates.min(), rates.median(), rates.max()])
    assert shown["utterance"].map(list(rates.index).index).is_monotonic_increasing
    assert "SIL" in set(shown["phone"])
    assert shown["probability"].between(0.05, 1).all()
    sums = shown.groupby(["utterance", "start"])["probability"].sum()
    assert sums.between(0.5, 1.021).all()
    two = tables_of(made, *FEW, "posteriorgrams.utterances=3", work=Threads(2))
    assert table_bytes(two["yoruba/posteriorgrams.tsv"]) == table_bytes(shown)


@pytest.mark.slow
def test_where_nothing_is_asked_for_or_nothing_was_read_there_is_no_table(made: Path) -> None:
    assert "yoruba/posteriorgrams.tsv" not in tables_of(made, *FEW, "posteriorgrams.utterances=0")
    without = tables_of(made, *FEW, "corpora.yoruba.posteriors=null")
    assert "yoruba/posteriorgrams.tsv" not in without
    assert "english/posteriorgrams.tsv" in without


@pytest.mark.slow
def test_a_blank_has_the_name_of_its_column(tmp_path: Path) -> None:
    tables = tables_of(make_ctc_experiment(tmp_path, utterances=6), *FEW, "decoding.method=greedy")
    shown = tables["yoruba/posteriorgrams.tsv"]
    assert shown["phone"].mode().tolist() == ["<blk>"]
    assert "times" not in shown
    assert "times" in tables["yoruba/frames.tsv"]
