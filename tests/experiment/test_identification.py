"""Listeners' answers: a table with a row a trial becomes a corpus, or several, of which error rates are not written."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import Command, Tables, tables_of
from support import write

from phonxling.experiment.configuration import json_schema, load_configuration, resolved, restored

TABLE = "path: answers.csv, listener: who, stimulus: played, response: said, rating: fit, split: [tongue]"
FEW = "uncertainty.resamples=50"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame, Tables]:
    folder, generator = tmp_path_factory.mktemp("listeners"), np.random.default_rng(1)
    rows = [
        {
            "who": f"{tongue} {listener}",
            "tongue": tongue,
            "played": vowel,
            "said": "" if trial == 9 and vowel == "æ" else generator.choice(["i", "e", "a"], p=shares),
            "fit": int(generator.integers(2, 8)),
        }
        for tongue in ("north-west", "south east")
        for listener in range(6)
        for trial in range(10)
        for vowel, shares in {"i": [0.9, 0.1, 0], "ɪ": [0.6, 0.4, 0], "æ": [0, 0.3, 0.7]}.items()
    ]
    table = pd.DataFrame(rows).sample(frac=1, random_state=1)
    table.to_csv(folder / "answers.csv", index=False)
    path = write(folder / "listeners.yaml", f"corpora:\n  vowels:\n    identification: {{{TABLE}}}\n")
    return path, table, tables_of(path, FEW)


def test_each_group_is_a_corpus_whose_shares_are_those_of_the_table(
    answers: tuple[Path, pd.DataFrame, Tables],
) -> None:
    _, table, results = answers
    assert set(results["summary.tsv"]["corpus"]) == {"vowels-north-west", "vowels-south-east"}
    for tongue, own in table.groupby("tongue"):
        cells = results[f"vowels-{tongue.replace(' ', '-')}/confusions.tsv"]
        found = cells.set_index(["gold", "predicted"])["count"].to_dict()
        assert found == own.assign(said=own["said"].replace("", "∅")).groupby(["played", "said"]).size().to_dict()
        goodness = (own["fit"] - table["fit"].min()) / (table["fit"].max() - table["fit"].min())
        lines = "".join(results[f"vowels-{tongue.replace(' ', '-')}/alignments.tsv"].parts())
        pairs = pd.read_csv(io.StringIO(lines), sep="\t")
        assert sorted(pairs["confidence"].dropna()) == pytest.approx(sorted(goodness[own["said"] != ""]))


def test_only_what_means_something_is_written(answers: tuple[Path, pd.DataFrame, Tables]) -> None:
    _, _, results = answers
    assert set(results["summary.tsv"]["measure"]) == {"conditional_entropy", "mutual_information"}
    assert "vowels-north-west/assimilation.tsv" in results
    assert not {"orders.tsv", "vowels-north-west/gap_costs.tsv", "vowels-north-west/inserted.tsv"} & results.keys()
    assert results["vowels-north-west/utterances.tsv"][["per", "wper"]].isna().all(axis=None)


def test_the_stored_configuration_loads_again_and_editors_know_the_section(
    answers: tuple[Path, pd.DataFrame, Tables],
) -> None:
    path, _, _ = answers
    experiment = load_configuration(path)
    assert restored(json.loads(json.dumps(resolved(experiment))), path.parent).corpora == experiment.corpora
    needed = json_schema()["then"]["properties"]["corpora"]["additionalProperties"]["anyOf"]
    assert {"required": ["identification"]} in needed


FAULTS = [
    ("path: answers.csv, stimulus: vowel", 1, "answers.csv:1: no column vowel, listener; the file has: who,"),
    (
        "path: answers.csv, listner: who",
        2,
        "corpora.v.identification.listner: unknown key; did you mean 'listener'",
    ),
    (TABLE.replace("fit", "tongue"), 1, "answers.csv:2: the rating is no number: "),
    (TABLE.replace("[tongue]", "[mouth]"), 1, "answers.csv:1: no column mouth; the file has: who,"),
    (TABLE.replace("played", "said"), 1, ": no said, which says what was played"),
    ("path: none.csv, split: [tongue]", 1, "none.csv: cannot be read: no such file"),
    (
        TABLE + "}\n    gold: {path: answers.csv",
        2,
        ": corpora.v.identification: takes the place of gold; keep one of the two",
    ),
]


@pytest.mark.parametrize(("table", "code", "said"), FAULTS)
def test_what_is_wrong_is_said(
    answers: tuple[Path, pd.DataFrame, Tables], phonxling: Command, table: str, code: int, said: str
) -> None:
    path = write(answers[0].with_name("wrong.yaml"), f"corpora:\n  v:\n    identification: {{{table}}}\n")
    outcome = phonxling("check", path)
    assert (outcome.code, said in outcome.stderr) == (code, True), outcome.stderr
