"""Posteriors that do not belong to the phones are refused with what would be right; those that do are left alone."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from made_posteriors import posteriors_of, timed_phones
from running import Command
from small_ctc import make_ctc_experiment

from phonxling.analyses.belonging import check_length, find_likenesses, frame_counts, sample_frames
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences

PHONES = ("a", "b", "d", "i", "k", "m", "s", "u")
LABELS = (*PHONES, "sil")
SHIFT = 0.01
CONFIGURATION = """\
name: belonging
corpora:
  english:
    gold:       {path: gold.tsv}
    predicted:  {path: predicted.tsv}
    posteriors: {path: posteriors.npz, frame_shift: 0.01, labels: labels.txt}
"""


def make(folder: Path, *, noise: float = 0.2, utterances: int = 12, tail: int = 15) -> Path:
    """Write gold and predicted phones with times, posteriors of 10 ms, silence at both ends, and a configuration."""
    generator = np.random.default_rng(7)
    posteriors: dict[str, np.ndarray] = {}
    lines = {side: ["utterance\tstart\tend\tphone"] for side in ("gold", "predicted")}
    for number in range(utterances):
        said_phones = generator.choice(PHONES, int(generator.integers(20, 60)))
        heard = np.where(
            generator.random(len(said_phones)) < noise, generator.choice(PHONES, len(said_phones)), said_phones
        )
        frames = generator.integers(4, 12, len(said_phones))
        ends = 5 + np.cumsum(frames)
        for side, phones in (("gold", said_phones), ("predicted", heard)):
            spans = zip(phones, ends - frames, ends, strict=True)
            lines[side] += [f"u{number}\t{a * SHIFT:.3f}\t{b * SHIFT:.3f}\t{phone}" for phone, a, b in spans]
        codes = [LABELS.index(phone) for phone in heard]
        columns = np.r_[[8] * 5, np.repeat(codes, frames), [8] * (tail + number)]
        posteriors[f"u{number}"] = generator.dirichlet(np.ones(9), len(columns)) * 0.4 + np.eye(9)[columns] * 0.6
    np.savez(folder / "posteriors.npz", **posteriors)
    for side, rows in lines.items():
        (folder / f"{side}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    relabel(folder, LABELS)
    path = folder / "belonging.yaml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    return path


def relabel(folder: Path, labels: Sequence[str]) -> None:
    (folder / "labels.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")


TURNED = ("d", "b", "a", *LABELS[3:])  # a and d are each other
ROTATED = (*LABELS[1:8], "a", "sil")
DECODED = "corpora.english.predicted=null"


@pytest.mark.parametrize(
    ("labels", "settings", "texts"),
    [
        (TURNED, (), ("2 columns behave like another predicted phone than the label says: ", "d like a (", "labels:")),
        (ROTATED, (DECODED,), ("8 columns behave like another gold phone", "check_posteriors: false")),
        (ROTATED, (DECODED, "corpora.english.times=forced"), (" columns behave like another gold phone",)),
        (LABELS, ("corpora.english.posteriors.frame_shift=10",), ("predicted phone", "Set frame_shift: 0.01.")),
        (LABELS, (DECODED, "corpora.english.posteriors.frame_shift=0.0105"), ("gold phone of", "frame_shift: 0.01.")),
    ],
)
def test_labels_and_shifts_that_are_wrong_are_refused(
    labels: Sequence[str], settings: tuple[str, ...], texts: tuple[str, ...], phonxling: Command, tmp_path: Path
) -> None:
    make(tmp_path)
    relabel(tmp_path, labels)
    options = [part for setting in settings for part in ("--set", setting)]
    found = phonxling("check", "belonging.yaml", *options)
    assert found.code == 1
    for text in texts:
        assert found.stderr.count(text) == 1, found.stderr
    if labels is TURNED or "corpora.english.posteriors.frame_shift=10" in settings:
        known = phonxling("check", "belonging.yaml", *options, "--set", "pairing.check_posteriors=false")
        assert known.code == 0


@pytest.mark.parametrize(
    ("noise", "settings"), [(0.0, ()), (0.8, ()), (0.8, (DECODED,)), (0.8, (DECODED, "corpora.english.times=forced"))]
)
def test_what_is_right_is_left_alone(
    noise: float, settings: tuple[str, ...], phonxling: Command, tmp_path: Path
) -> None:
    make(tmp_path, noise=noise, tail=40)
    found = phonxling("check", "belonging.yaml", *(part for setting in settings for part in ("--set", setting)))
    assert found.code == 0, found.stderr
    for word in ("frame_shift", "behave", "posteriors last", "no phone:"):
        assert word not in found.stdout


def test_a_blank_with_hardly_any_mass(phonxling: Command, tmp_path: Path) -> None:
    make_ctc_experiment(tmp_path)
    assert phonxling("check", "ctc.yaml").code == 0
    labels = '["<blk>", "a", "p", "b", "t", "i", "u", "s"]'
    found = phonxling("run", "ctc.yaml", "--set", f"corpora.english.posteriors.labels={labels}")
    assert found.code == 1
    assert " % of the mass is the blank's (<blk>), though a CTC network gives it most of it" in found.stderr


def test_columns_without_a_phone_are_counted_and_named(phonxling: Command, tmp_path: Path) -> None:
    path = make(tmp_path, noise=0.0)
    relabel(tmp_path, ("qqq", *LABELS[1:]))
    best = np.concatenate([rows.argmax(axis=1) for rows in np.load(tmp_path / "posteriors.npz").values()])
    found = phonxling("check", path.name, "--set", DECODED, "--set", "corpora.english.posteriors.unknown=drop")
    assert f"columns without a phone (qqq) win {(best == 0).sum():,} of {len(best):,} frames read (" in found.stdout


def counted_slowly(posteriors: Posteriorgrams, tokens: PhoneSequences, shift: float) -> float:
    """The share of frames whose best column is the phone whose interval holds their centre, frame by frame."""
    right = total = 0
    for place, (name, rows) in enumerate(posteriors):
        run = slice(tokens.offsets[place], tokens.offsets[place + 1])
        spans = list(zip(tokens.start[run], tokens.end[run], tokens.phones_of(place), strict=True))  # type: ignore[index]
        for frame, row in enumerate(posteriors.raw(name)):
            if row[: rows.shape[1]].max() > row[-1]:
                total += 1
                best = posteriors.inventory.phones[int(row[: rows.shape[1]].argmax())]
                time = (frame + 0.5) * shift
                right += any(start <= time < end and phone == best for start, end, phone in spans)
    return right / total


def test_agreement_is_what_counting_frame_by_frame_gives() -> None:
    generator, phones = np.random.default_rng(2), Inventory(("a", "b", "s"))
    frames = [generator.dirichlet(np.full(4, 0.3), number) for number in (30, 1, 50)]
    posteriors = posteriors_of(frames, phones, columns=np.array([0, 1, 2, -1]))
    ends = [0.05, 0.11, 0.2, 0.24]
    rows = [[(generator.choice(("a", "b", "s", "x")), end - 0.04, end) for end in ends] for _ in frames]
    tokens = timed_phones(rows, Inventory(("a", "b", "s", "x")))
    heard = sample_frames(posteriors)
    assert heard is not None
    own = [phones.code(name) if name in phones else -1 for name in tokens.inventory]
    for shift in (0.003, 0.01, 0.025):
        counts = frame_counts(heard, tokens, posteriors, shift)
        right = sum(counts[row, column] for row, column in enumerate(own) if column >= 0)
        frames = sum(int((best >= 0).sum()) for best in heard.phones)
        assert right / frames == pytest.approx(counted_slowly(posteriors, tokens, shift), abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "pairs"),
    [
        ([[50, 5, 5], [5, 50, 5], [5, 5, 50]], []),
        ([[5, 50, 5], [50, 5, 5], [5, 5, 50]], [("a", "b"), ("b", "a")]),
        ([[20, 50, 5], [5, 50, 5], [5, 5, 50]], []),  # a is heard as b, and so is b
        ([[2, 50, 5], [50, 20, 5], [5, 5, 50]], []),  # b is heard as itself, too
        ([[1, 19, 0], [19, 1, 0], [0, 0, 50]], []),  # hardly any frames
        ([[5, 20, 0], [20, 5, 0], [0, 0, 50]], [("a", "b"), ("b", "a")]),  # just enough
        ([[5, 50, 200], [50, 5, 5], [5, 5, 500]], [("a", "b")]),  # a is not mostly b
    ],
)
def test_columns_that_behave_like_others(counts: list[list[int]], pairs: list[tuple[str, str]]) -> None:
    phones = Inventory(("a", "b", "s"))
    found = find_likenesses(np.array(counts, np.float64), phones, phones, np.full(3, 9))
    assert sorted(each[:2] for each in found) == pairs
    assert find_likenesses(np.array(counts, np.float64), phones, phones, np.full(3, 4)) == []
    assert find_likenesses(np.array(counts, np.float64), phones, Inventory(("x", "y", "z")), np.full(3, 9)) == []


@pytest.mark.parametrize(
    ("factor", "silence", "note"),
    [
        (1.0, 0.0, ""),
        (1.0, 0.3, ""),
        (1.05, 0.3, "posteriors last 1.05 times as long"),
        (1.25, 0.0, "posteriors last 1.25 times as long as the gold times: is frame_shift: 0.0125 right? 0.01 would"),
    ],
)
def test_a_factor_between_the_lengths_is_told_from_silence_at_the_end(factor: float, silence: float, note: str) -> None:
    ends = np.linspace(2, 6, 12)
    tokens = timed_phones([[("a", 0, end)] for end in ends], Inventory(("a",)))
    frames = {f"u{n}": np.full((round(length / 0.01), 1), 1.0) for n, length in enumerate(ends + silence)}
    found = check_length(posteriors_of(frames, Inventory(("a",)), frame_shift=0.01 * factor), tokens)
    assert found.startswith(note)
    assert bool(found) is bool(note)
