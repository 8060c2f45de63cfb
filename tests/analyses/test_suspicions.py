"""Notes on data that are suspicious: each speaks where it should, and is silent where all is well."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from support import corpus_of

from phonxling.analyses import belonging, loaded
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, Scale
from phonxling.core.sequences import AuditRow, Corpus, PhoneSequences, from_lists

GOLD = [["a", "b", "s"], ["b", "a"]] * 8
HEARD = [["a", "p", "s"], ["b", "a"]] * 8


def corpus(gold: list[list[str]] = GOLD, predicted: list[list[str]] = HEARD, **more: object) -> Corpus:
    return corpus_of(gold, predicted, **more)


def sure(side: PhoneSequences) -> PhoneSequences:
    return PhoneSequences(**{**side.__dict__, "confidence": np.full(len(side.codes), 0.5)})


def times(number: int, rows: list[list[str]] = HEARD) -> list[list[str]]:
    return [[phone for phone in row for _ in range(number)] for row in rows]


SAME, OWN = corpus(predicted=GOLD), corpus()
HOLES = corpus(predicted=[*HEARD[:5], *([[]] * 11)])
TURNED = replace(OWN, gold=sure(OWN.gold))


@pytest.mark.parametrize(
    ("given", "note"),
    [
        (OWN, ""),
        (replace(OWN, predicted=sure(OWN.predicted)), ""),
        (SAME, "gold and predicted are the same in every utterance"),
        (replace(SAME, predicted=SAME.predicted.recode(Inventory(tuple("ʃabs")))), "gold and predicted are the same"),
        (corpus(predicted=[["a", "b"], ["s", "b", "a"]] * 8), ""),
        (corpus(predicted=times(2)), "80 phones are predicted for 40 gold ones: perhaps one label for"),
        (corpus(times(2), HEARD), "40 phones are predicted for 80 gold ones: are parts"),
        (HOLES, "no phone is predicted in 11 of 16 utterances: u5 u6 u7 u8 u9 … and 6 more"),
        (corpus([*GOLD[:15], []], [*HEARD[:15], []]), ""),  # nothing was said either
        (TURNED, "gold has confidences and predicted has none: were the two swapped?"),
        (replace(TURNED, predicted=sure(TURNED.predicted)), ""),
        (corpus(GOLD[:4], HEARD[:4]), ""),  # of which a check speaks, and the verdict of a run
        (corpus(speakers=("anna",) * 16), "one speaker alone"),
        (corpus(speakers=("anna", "bob", "eve", "dan") * 4), "4 speakers alone"),
    ],
)
def test_what_is_suspicious_of_a_corpus(given: Corpus, note: str) -> None:
    notes = [*loaded.suspect_sides(given)]
    assert len(notes) == bool(note)
    assert "".join(notes).startswith(note)
    assert [*loaded.suspect_sides(HOLES, decoded=True)] == []  # of which another note speaks


@pytest.mark.parametrize(
    ("gold", "predicted", "labels", "note"),
    [
        ("ipa", "timit39", "aa ao sh zh hh", "timit39 reads ao as aa, zh as sh; arpabet keeps them apart"),
        ("ipa", "arpabet", "aa ao sh zh hh", ""),
        ("ipa", "ipa", "b d aa iy", "ipa reads aa, iy as one phone each, but all are arpabet"),
        ("ipa", "ipa", "ʃ tʃ kp ai", ""),
    ],
)
def test_a_set_that_fits_better(gold: str, predicted: str, labels: str, note: str, table: FeatureTable) -> None:
    audit = tuple(AuditRow(raw, raw, "kept", 9 - n, "table") for n, raw in enumerate(Counter(labels.split())))
    said = loaded.better_set("predicted", {"gold": gold, "predicted": predicted}, audit, table)
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


UNTIMED = from_lists(["u0", "u1"], [["a", "b", "a", "b", "a"]] * 2)


@pytest.mark.parametrize(("shift", "fits"), [(0.01, True), (0.02, True), (10.0, False), (0.001, False), (0.2, False)])
def test_frame_shifts_that_do_not_fit_the_number_of_phones(shift: float, fits: bool) -> None:
    assert belonging.check_length(posteriors(50, shift), UNTIMED).startswith("posteriors last") is not fits


def test_probabilities_given_for_logits() -> None:
    assert belonging.not_logits(posteriors(50, 0.01, "logit"))
    assert not belonging.not_logits(posteriors(50, 0.01, "logit", rows=3.0))
    assert not belonging.not_logits(posteriors(50, 0.01))


def test_a_reference_that_is_worse() -> None:
    note = loaded.worse_reference("english", {"english": 0.6, "yoruba": 0.4, "swahili": 0.7})
    assert note.startswith("the reference english has a phone error rate of 0.600, more than yoruba 0.400")
    assert loaded.worse_reference("english", {"english": 0.3, "yoruba": 0.4}) == ""
