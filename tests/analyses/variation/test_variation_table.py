"""variation.tsv: what is counted of which tokens, which components there are, and what notes say."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pytest

from phonxling.analyses.analysis import analyse_together
from phonxling.analyses.case.case import Case
from phonxling.analyses.registry import JOINT
from phonxling.analyses.variation.analysis import variation
from phonxling.analyses.variation.components import design
from phonxling.analyses.variation.heard import Heard, all_heard
from phonxling.analyses.variation.shares import shares
from phonxling.core.progress import Silent
from phonxling.core.work import SERIAL
from phonxling.experiment.computing import compute
from phonxling.experiment.configuration.reading import load_configuration
from phonxling.settings.variation import Variation

PHONES = ("p", "b", "a", "i", "ŋ")  # ŋ is in no prediction
CONFIGURATION = """\
name: several
corpora:
  one: {{gold: one.tsv, predicted: one-heard.tsv, {speakers}recogniser: r}}
  two: {{gold: two.tsv, predicted: two-heard.tsv, {speakers}recogniser: r}}
  again: {{gold: one.tsv, predicted: one-again.tsv, {speakers}recogniser: q}}
  right: {{gold: two.tsv, predicted: two.tsv, {speakers}recogniser: s}}
chance: {{models: [constant], replicates: 1}}
uncertainty: {{resamples: 2}}
"""


def write(path: Path, lines: Sequence[Sequence[str]]) -> None:
    rows = [f"u{number}\t{' '.join(line)}" for number, line in enumerate(lines)]
    path.write_text("\n".join(["utterance\tphones", *rows]) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, generator = tmp_path_factory.mktemp("several"), np.random.default_rng(4)
    for name, heard, wrong in (("one", ("one-heard", "one-again"), 0.2), ("two", ("two-heard",), 0.5)):
        gold = [generator.choice(PHONES, 12).tolist() for _ in range(20)]
        write(folder / f"{name}.tsv", gold)
        for file in heard:
            said = [
                [one if generator.random() > wrong else str(generator.choice(PHONES)) for one in line] for line in gold
            ]
            write(
                folder / f"{file}.tsv",
                [[one for one in line if one != "ŋ" and generator.random() < 0.9] for line in said],
            )
    speakers = [f"u{number}\ts{number % 4}" for number in range(20)]
    (folder / "speakers.tsv").write_text("\n".join(["utterance\tspeaker", *speakers]) + "\n", encoding="utf-8")
    return folder


def cases(data: Path, *, speakers: str = "speakers: speakers.tsv, ") -> list[Case]:
    (data / "several.yaml").write_text(CONFIGURATION.format(speakers=speakers), encoding="utf-8")
    experiment = load_configuration(data / "several.yaml", [])
    return compute(experiment, SERIAL, Silent()).cases(experiment, SERIAL)


def table(corpora: Sequence[Case], absent: Literal["exclude", "include"] = "exclude") -> pd.DataFrame:
    ((_, rows),) = variation(corpora, Variation(absent=absent))
    return rows.set_index("component")


@pytest.fixture(scope="module")
def corpora(data: Path) -> list[Case]:
    return cases(data)


def test_components_are_those_that_can_be_told_apart(corpora: list[Case]) -> None:
    rows = table(corpora)
    assert rows["levels"].dropna().to_dict() == {
        "language": 2,
        "recogniser": 2,
        "phone": 4,
        "phone × language": 8,
        "phone × recogniser": 8,
        "speaker": 8,
    }
    assert rows["share"].sum() == pytest.approx(1)
    assert rows["low"].isna().to_list() == [True, True, False, False, False, False, False]
    estimated = rows.dropna(subset="low")
    assert (estimated["low"] <= estimated["share"]).all()
    assert (estimated["share"] <= estimated["high"]).all()


def test_tokens_are_the_gold_phones_that_the_recogniser_has(corpora: list[Case]) -> None:
    counts = [case.counted.matrix.to_frame().query("gold != '∅'") for case in corpora[:3]]
    counted = pd.concat(counts).assign(lacking=lambda rows: rows["gold"] == "ŋ")
    row = table(corpora).loc["phone"]
    every, lacking = counted["count"].sum(), counted.query("lacking")["count"].sum()
    left_out = f"without {lacking} of {every} tokens, of phones that the recogniser lacks"
    assert row["n"] == every - lacking
    assert row["note"] == f"descriptive: the interval rests on 4 phones only; {left_out}"
    own = all_heard(corpora[:1], include_absent=True)
    tokens = {phone: one for heard in own for phone, one in zip(heard.phones, heard.right.sum(axis=0), strict=True)}
    right = counts[0].query("gold == predicted").set_index("gold")["count"].to_dict()
    assert tokens == {**right, "ŋ": 0}


def test_a_phone_that_is_never_right_makes_the_share_of_phones_uncertain(corpora: list[Case]) -> None:
    row = table(corpora[:1], "include").loc["phone"]
    assert (row["levels"], row["note"]) == (5, "")
    assert row["high"] > 0.9


def test_notes_say_what_is_left_out_or_not_known(data: Path, corpora: list[Case]) -> None:
    notes = table(corpora)["note"]
    assert notes["residual"] == "left out, since all tokens are right or all are wrong: right"
    assert notes["language"] == "these 2 languages alone: too few to tell of others, so no interval"
    without = table(cases(data, speakers=""))
    assert without["note"]["utterance"] == "speakers are not known: differences between them are in this row"
    assert without["levels"]["utterance"] == 40


def test_the_table_is_made_where_the_configuration_has_the_section(data: Path, corpora: list[Case]) -> None:
    assert set(analyse_together(corpora, JOINT)) == {"differences"}
    wanted = load_configuration(data / "several.yaml", ["variation={}"])
    chosen = [replace(case, experiment=wanted) for case in corpora]
    assert set(analyse_together(chosen, JOINT)) == {"differences", "variation"}


def heard(language: str, recogniser: str, shares_right: Sequence[float]) -> Heard:
    tokens = np.full((3, len(shares_right)), 40.0)
    return Heard(
        corpus=f"{language} {recogniser}",
        language=language,
        recogniser=recogniser,
        speakers=[(language, name) for name in "abc"],
        phones=[f"p{number}" for number in range(len(shares_right))],
        tokens=tokens,
        right=np.round(tokens * np.array(shares_right) + np.array([[-3], [0], [2]])),
        absent=0.0,
    )


def test_recognisers_that_differ_with_languages_are_not_told_apart_from_them() -> None:
    names = [row.component for row in shares(design([heard("l", "r", [0.5, 0.7, 0.3])]), unit="speaker", level=0.95)]
    assert names == ["phone", "speaker", "residual"]
    apart = [heard("l", "r", [0.5, 0.7, 0.3]), heard("m", "q", [0.4, 0.6, 0.2])]
    rows = list(shares(design(apart), unit="speaker", level=0.95))
    assert [row.component for row in rows] == ["language", "phone", "phone × language", "speaker", "residual"]
    assert rows[1].note == "descriptive: the interval rests on 3 phones only"
    assert rows[0].note.endswith("not told apart from recognisers, which differ with languages")


def test_few_languages_are_described_by_their_spread_less_that_of_chance() -> None:
    logits = {"l": 0.0, "m": 1.0, "n": 2.0}
    tokens = np.full((10, 1), 100_000.0)
    corpora = [
        Heard(
            corpus=name,
            language=name,
            recogniser="",
            speakers=[(name, str(one)) for one in range(10)],
            phones=["a"],
            tokens=tokens,
            right=np.round(tokens / (1 + np.exp(-logit - np.tile([[-0.8], [0.8]], (5, 1))))),
            absent=0.0,
        )
        for name, logit in logits.items()
    ]
    language, speaker, _ = shares(design(corpora), unit="speaker", level=0.95)
    assert speaker.variance == pytest.approx(0.64 * 10 / 9, abs=0.01)
    assert language.variance == pytest.approx(1 - 0.64 / 9, abs=0.01)
    assert (language.right_below, language.right_above) == pytest.approx((0.5, 0.88), abs=0.01)
