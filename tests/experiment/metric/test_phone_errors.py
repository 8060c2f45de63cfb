"""A metric that accumulates gives what the route over files gives, however it is cut into batches and merged."""

import itertools
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from rapidfuzz.distance import Levenshtein
from support import transcript

import phonxling as px
from phonxling.analyses.costs import operations

PHONES = ["p", "b", "t", "d", "k", "m", "n", "s", "z", "a", "e", "i", "o", "u"]
Side = list[list[str]]


def made(utterances: int, seed: int, phones: list[str] = PHONES) -> tuple[Side, Side]:
    """Return gold, and predictions with some phones replaced and some left out."""
    rng = np.random.default_rng(seed)
    gold = [[phones[code] for code in rng.integers(0, len(phones), rng.integers(1, 12))] for _ in range(utterances)]
    heard = [[phones[rng.integers(len(phones))] if rng.random() < 0.2 else phone for phone in row] for row in gold]
    return gold, [[phone for phone in row if rng.random() > 0.1] for row in heard]


def corpus_of(folder: Path, gold: Side, predicted: Side, symbols: tuple[str, str] = ("ipa", "ipa")) -> px.Corpus:
    for name, side in (("gold", gold), ("predicted", predicted)):
        transcript(folder / f"{name}.tsv", side)
    return px.load_corpus(folder / "gold.tsv", folder / "predicted.tsv", symbols=symbols)


def counted(gold: Side, predicted: Side, size: int = 1000, **options: str) -> px.PhoneErrors:
    errors = px.PhoneErrors(**options)
    for first in range(0, len(gold), size):
        errors.update(gold[first : first + size], predicted[first : first + size])
    return errors


@pytest.mark.parametrize(("costs", "size"), [("panphon", 1), ("unit", 7)])
def test_the_same_bits_as_by_files(tmp_path: Path, costs: str, size: int) -> None:
    gold, predicted = made(60, seed=1)
    corpus = corpus_of(tmp_path, gold, predicted)
    table = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory, costs)
    matrix = px.count_confusions(px.align_corpus(corpus, table))
    errors = counted(gold, predicted, size, costs=costs)
    rates = errors.compute()
    assert errors.matrix == matrix
    assert rates.per.value == px.phone_error_rate(corpus)
    assert rates.wper.value == px.weighted_phone_error_rate(matrix, table)
    found = operations(matrix)
    assert rates.correct == found.correct
    assert (rates.substitutions, rates.deletions) == (found.substitutions, found.deletions)
    assert (rates.insertions, rates.gold_tokens) == (found.insertions, found.gold_tokens)


def test_the_phone_error_rate_is_that_of_another_program() -> None:
    gold, predicted = made(50, seed=2)
    edits = sum(itertools.starmap(Levenshtein.distance, zip(gold, predicted, strict=True)))
    assert counted(gold, predicted).compute().per.value == edits / sum(map(len, gold))


@pytest.mark.parametrize(
    ("symbols", "gold", "predicted"),
    [
        (("timit61", "ipa"), "h# tcl t ah bcl b ix ng h#", "t ʌ b ɨ ŋ"),  # closures join their releases
        (("arpabet", "timit39"), "HH AH0 L OW1", "hh ah l ow"),
        (("raw", "raw"), "A b", "a b"),
    ],
)
def test_symbols_are_read_as_those_of_files(
    tmp_path: Path, symbols: tuple[str, str], gold: str, predicted: str
) -> None:
    corpus = corpus_of(tmp_path, [gold.split()], [predicted.split()], symbols)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory, "unit")
    errors = px.PhoneErrors("unit", symbols)
    errors.update(gold, predicted)
    assert errors.matrix == px.count_confusions(px.align_corpus(corpus, costs))


def test_texts_lists_and_single_utterances_are_read_alike() -> None:
    gold, predicted = made(20, seed=3)
    texts = px.PhoneErrors()
    texts.update([" ".join(row) for row in gold], (tuple(row) for row in predicted))
    single = px.PhoneErrors()
    for one, other in zip(gold, predicted, strict=True):
        single.update(" ".join(one), " ".join(other))
    arrays = px.PhoneErrors()
    arrays.update([np.array(row) for row in gold], [*predicted[:10], *(" ".join(row) for row in predicted[10:])])
    assert texts.compute() == single.compute() == arrays.compute() == counted(gold, predicted).compute()


@pytest.mark.parametrize("costs", ["panphon", "panphon-weighted"])
@pytest.mark.parametrize("speakers", [False, True])
def test_merging_in_any_order_gives_the_same_bits(costs: str, speakers: bool) -> None:
    parts, whole = [], px.PhoneErrors(costs)
    for rank, phones in enumerate((PHONES, ["ɬ", "a", "ŋ"], ["t͡ʃ", "i", "p"])):
        gold, predicted = made(30, seed=rank, phones=phones)
        names = [f"speaker {number % 4}" for number in range(30)] if speakers else None
        parts.append(px.PhoneErrors(costs))
        parts[-1].update(gold, predicted, names)
        whole.update(gold, predicted, names)
    sums = [sum(order) for order in itertools.permutations([*parts, px.PhoneErrors(costs)], 4)][::3]
    merged = [one for one in sums if isinstance(one, px.PhoneErrors)]
    assert len(merged) == 8
    values = [one.compute() for one in merged]
    assert set(values) == {whole.compute()}
    assert all(one.matrix == whole.matrix for one in merged)
    assert [len(part) for part in parts] == [30, 30, 30]  # what was merged is what it was
    assert values[0].per.status == ("these-speakers-alone" if speakers else "no-speakers")


def test_the_interval_is_that_of_each_speaker_left_out() -> None:
    """By hand, of six speakers who said as much each: on the log scale, by Student's t."""
    wrong, errors, said = [0, 1, 2, 1, 3, 1], px.PhoneErrors(), PHONES[:10]
    for speaker, number in enumerate(wrong):
        errors.update([said], [["u"] * number + said[number:]], f"{speaker}")
    left_out = np.log([(8 - number) / 50 for number in wrong])
    reach = scipy.stats.t.ppf(0.95, 5) * math.sqrt(5 / 6 * ((left_out - left_out.mean()) ** 2).sum())
    per = errors.compute(level=0.9).per
    assert (per.low, per.high) == pytest.approx((8 / 60 * math.exp(-reach), 8 / 60 * math.exp(reach)))
    assert per.status == ""


def test_a_state_is_plain_arrays_and_comes_back_the_same(tmp_path: Path) -> None:
    gold, predicted = made(25, seed=5)
    errors = px.PhoneErrors()
    errors.update(gold, predicted, "ann")
    errors.update(gold[:5], predicted[:5], "bob")
    state = errors.state_dict()
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    np.savez(tmp_path / "state.npz", **arrays)
    with np.load(tmp_path / "state.npz", allow_pickle=False) as stored:
        other = px.PhoneErrors()
        other.update("p a", "p a", "eve")  # which the state replaces
        other.load_state_dict({**state, **{name: stored[name] for name in arrays}})
    sent = pickle.loads(pickle.dumps(errors))  # noqa: S301 - as a process group sends it
    assert other.compute() == errors.compute() == sent.compute()
    other.update("ŋ a", "n a", "ann")
    assert len(other) == 31
    other.reset()
    assert len(other) == 0
    assert np.isnan(other.compute().per.value)


def test_of_nothing_there_is_no_rate_and_the_note_says_why() -> None:
    rates = px.PhoneErrors().compute()
    assert np.isnan([rates.per, rates.wper]).all()
    assert "nothing was counted yet" in rates.per.note
    errors = px.PhoneErrors()
    errors.update([[]], [["a"]])
    rates = errors.compute()
    assert np.isnan(rates.per.value)
    assert (rates.insertions, rates.gold_tokens, rates.utterances) == (1, 0, 1)
    assert "the denominator is 0" in rates.wper.note


def test_costs_that_make_no_rate_have_none() -> None:
    errors = px.PhoneErrors("sclite")
    errors.update("p a", "p i")
    rates = errors.compute()
    assert (rates.per.value, rates.per.status) == (0.5, "too-few-clusters")
    assert math.isnan(rates.per.low)
    assert np.isnan(rates.wper.value)
    assert "they are not phonetic distances" in rates.wper.note


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [(["p a", "t ʬʬ"], ["p a", "t a"]), (["p", "a"], ["p", "a"]), ([["p"], ["a"]], [["p"]]), ([[3, 4]], [["p"]])],
)
def test_what_cannot_be_counted_is_refused_and_leaves_nothing(gold: object, predicted: object) -> None:
    errors = px.PhoneErrors()
    errors.update("p a", "b a")
    before = errors.compute()
    with pytest.raises(px.DataError):
        errors.update(gold, predicted)  # type: ignore[arg-type]  # as users do
    errors.update([], [])
    assert errors.compute() == before


def test_only_alike_errors_merge_and_speakers_are_given_for_all_or_for_none() -> None:
    errors, other = px.PhoneErrors(), px.PhoneErrors()
    errors.update("p a", "p a", "ann")
    other.update("p a", "p a")
    for call in (lambda: errors.update("p a", "p a"), lambda: errors + other):
        with pytest.raises(px.DataError, match="give all or none"):
            call()
    with pytest.raises(px.DataError, match="2 speakers for 1 utterances"):
        errors.update("p a", "p a", ["ann", "bob"])
    with pytest.raises(px.ConfigurationError, match="these differ in name: panphon and unit"):
        _ = errors + px.PhoneErrors("unit")
    with pytest.raises(px.ConfigurationError, match="these differ in gold: ipa and timit61"):
        errors.load_state_dict(px.PhoneErrors(symbols=("timit61", "ipa")).state_dict())


def test_many_tokens_are_aligned_in_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, predicted = made(200, seed=6)
    whole = counted(gold, predicted).compute()
    monkeypatch.setattr("phonxling.experiment.phone_errors._BATCH_SIZE", 100)
    assert counted(gold, predicted, size=3).compute() == whole
