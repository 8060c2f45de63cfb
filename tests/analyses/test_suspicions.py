"""Notes on data that are suspicious: each speaks where it should, and is silent where all is well."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from phonxling.analyses import notes as suspicions
from phonxling.core.corpus import AuditRow, Corpus
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, Scale
from phonxling.core.sequences import PhoneSequences, from_lists

GOLD = [["a", "b", "s"], ["b", "a"]] * 8
HEARD = [["a", "p", "s"], ["b", "a"]] * 8


def corpus(gold: list[list[str]] = GOLD, predicted: list[list[str]] = HEARD, **more: object) -> Corpus:
    names = [f"u{number}" for number in range(len(gold))]
    return Corpus(gold=from_lists(names, gold), predicted=from_lists(names, predicted), **more)


def with_confidence(side: PhoneSequences) -> PhoneSequences:
    return PhoneSequences(**{**side.__dict__, "confidence": np.full(len(side.codes), 0.5)})


def test_nothing_is_said_of_ordinary_data() -> None:
    ordinary = corpus()
    for name in ("identical", "much_longer", "swapped", "few", "empty"):
        function = getattr(suspicions, name)
        assert function(ordinary) == ""
        assert function(replace(ordinary, predicted=with_confidence(ordinary.predicted))) == ""


def test_identical_sides_whatever_their_inventories() -> None:
    same = corpus(predicted=GOLD)
    wider = replace(same, predicted=same.predicted.recode(Inventory(("ʃ", *same.predicted.inventory))))
    for one in (same, wider):
        assert suspicions.identical(one).startswith("gold and predicted are the same in every utterance")
    assert suspicions.identical(corpus(predicted=[["a", "b"], ["s", "b", "a"]] * 8)) == ""


@pytest.mark.parametrize(("times", "speaks"), [(1, False), (2, True), (3, True)])
def test_predictions_much_longer_than_gold(times: int, speaks: bool) -> None:
    repeated = [[phone for phone in row for _ in range(times)] for row in HEARD]
    assert bool(suspicions.much_longer(corpus(predicted=repeated))) is speaks
    assert bool(suspicions.much_longer(corpus(repeated, HEARD))) is speaks


def test_utterances_without_predictions_are_not_taken_for_short_ones() -> None:
    holes = corpus(predicted=[*HEARD[:5], *([[]] * 11)])
    assert suspicions.much_longer(holes) == ""
    assert suspicions.empty(holes) == "no phone is predicted in 11 of 16 utterances: u5 u6 u7 u8 u9 … and 6 more"
    assert suspicions.empty(corpus([*GOLD[:15], []], [*HEARD[:15], []])) == ""  # nothing was said either


def test_confidences_of_gold() -> None:
    turned = replace(corpus(), gold=with_confidence(corpus().gold))
    assert "were the two swapped?" in suspicions.swapped(turned)
    assert suspicions.swapped(replace(turned, predicted=with_confidence(turned.predicted))) == ""


def test_few_utterances_or_speakers() -> None:
    assert suspicions.few(corpus(GOLD[:9], HEARD[:9])).startswith("9 utterances alone")
    assert suspicions.few(corpus(speakers=("anna",) * 16)).startswith("one speaker alone")
    assert suspicions.few(corpus(speakers=("anna", "bob") * 8)).startswith("2 speakers alone")
    assert suspicions.few(corpus(speakers=("anna", "bob", "eve", "dan") * 4)) == ""


@pytest.mark.parametrize(
    ("gold", "predicted", "labels", "note"),
    [
        ("ipa", "timit39", "aa ao sh zh hh", "timit39 reads ao as aa, zh as sh; arpabet keeps them apart"),
        ("timit39", "timit39", "aa ao sh zh hh", ""),
        ("timit48", "timit39", "aa ao sh zh hh", ""),
        ("ipa", "arpabet", "aa ao sh zh hh", ""),
        ("ipa", "timit39", "aa sh hh", ""),
        ("ipa", "ipa", "b d aa iy", "ipa reads aa, iy as one phone each, but all are arpabet"),
        ("ipa", "ipa", "p t k a i u", ""),
        ("ipa", "ipa", "ʃ tʃ kp ai", ""),
        ("ipa", "xsampa", "S t_S @", ""),
    ],
)
def test_a_set_that_fits_better(gold: str, predicted: str, labels: str, note: str, table: FeatureTable) -> None:
    audit = tuple(AuditRow(raw, raw, "kept", 9 - n, "table") for n, raw in enumerate(Counter(labels.split())))
    said = suspicions.better_set("predicted", {"gold": gold, "predicted": predicted}, audit, table)
    assert (note in said) if note else said == ""


def posteriors(frames: int, shift: float, scale: Scale = "probability", rows: float = 0.5) -> Posteriorgrams:
    return Posteriorgrams(
        source="p.npz",
        utterances=("u0", "u1"),
        inventory=Inventory(("a", "b")),
        columns=np.array([0, 1]),
        read=lambda _: np.full((frames, 2), rows),
        frame_shift=shift,
        scale=scale,
    )


def segments(*, times: bool) -> PhoneSequences:
    made = from_lists(["u0", "u1"], [["a", "b", "a", "b", "a"]] * 2)
    if not times:
        return made
    start = np.tile(np.arange(5) * 0.1, 2)
    return PhoneSequences(**{**made.__dict__, "start": start, "end": start + 0.1})


@pytest.mark.parametrize(
    ("shift", "note"),
    [
        (0.01, ""),
        (10.0, "posteriors last 1,000 times as long as the gold times: is frame_shift: 10 right? 0.01 would fit"),
        (0.1, "posteriors last 10 times as long as"),
        (0.001, "posteriors last 0.1 times as long as"),
        (0.005, "posteriors last 0.5 times as long as"),
    ],
)
def test_frame_shifts_that_do_not_fit_the_times(shift: float, note: str) -> None:
    said = suspicions.length(posteriors(50, shift), segments(times=True))
    assert said.startswith(note)
    assert bool(said) is bool(note)


@pytest.mark.parametrize(("shift", "speaks"), [(0.01, False), (0.02, False), (10.0, True), (0.001, True), (0.2, True)])
def test_frame_shifts_that_do_not_fit_the_number_of_phones(shift: float, speaks: bool) -> None:
    assert bool(suspicions.length(posteriors(50, shift), segments(times=False))) is speaks


def test_matrices_that_are_none_are_left_to_their_reader() -> None:
    broken = replace(posteriors(50, 0.01), read=lambda _: np.zeros(3))
    assert suspicions.length(broken, segments(times=True)) == ""
    assert suspicions.not_logits(replace(broken, scale="logit")) == ""


def test_probabilities_given_for_logits() -> None:
    assert "say scale: probability" in suspicions.not_logits(posteriors(50, 0.01, "logit"))
    assert suspicions.not_logits(posteriors(50, 0.01, "logit", rows=3.0)) == ""
    assert suspicions.not_logits(posteriors(50, 0.01)) == ""


def test_a_reference_that_is_worse() -> None:
    note = suspicions.worse_reference("english", {"english": 0.6, "yoruba": 0.4, "swahili": 0.7})
    assert note.startswith("the reference english has a phone error rate of 0.600, more than yoruba 0.400")
    assert suspicions.worse_reference("english", {"english": 0.3, "yoruba": 0.4}) == ""
