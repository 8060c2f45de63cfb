"""Gold phones and logits alone: everything that rests on posteriors, marked as resting on forced times."""

from pathlib import Path

import numpy as np
import pytest
from running import Command, Tables, tables_of
from small_ctc import make_ctc_experiment

RESTS = ("association", "map", "sounds")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_ctc_experiment(tmp_path_factory.mktemp("ctc"))


@pytest.fixture(scope="module")
def tables(made: Path) -> Tables:
    return tables_of(made)


def value(tables: Tables, measure: str, variant: str = "", corpus: str = "yoruba") -> float:
    rows = tables["summary"]
    (found,) = rows[(rows["corpus"] == corpus) & (rows["measure"] == measure) & (rows["variant"] == variant)]["value"]
    return float(found)


def test_everything_that_rests_on_posteriors_is_there_and_says_so(tables: Tables) -> None:
    for name in RESTS:
        assert len(tables[f"yoruba/{name}"]) > 0, name
    rows = tables["summary"].query("measure in ['decision_mutual_information', 'posterior_mutual_information']")
    assert len(rows) == 4
    assert rows["note"].str.contains("times were found from these posteriors").all()
    assert 0.8 < value(tables, "times_certainty") <= 1


def test_information_is_that_of_the_true_times_and_far_above_chance(made: Path, tables: Tables) -> None:
    segments = [f"corpora.{name}.segments={{path: {made.parent}/{name}/true.tsv}}" for name in ("english", "yoruba")]
    true = tables_of(made, *segments)
    assert "sounds" not in true
    forced, given = (value(one, "decision_mutual_information") for one in (tables, true))
    assert forced == pytest.approx(given, abs=0.25)
    assert value(tables, "posterior_mutual_information_excess") > 0.4 * value(tables, "posterior_mutual_information")


def test_more_phones_than_frames_is_one_error_that_names_every_utterance(made: Path, phonxling: Command) -> None:
    path = made.parent / "yoruba/logits.npz"
    arrays = dict(np.load(path))
    short = {name: arrays[name][:5] for name in ("yoruba_03", "yoruba_11")}
    other = made.parent / "short.npz"
    np.savez_compressed(other, **{**arrays, **short})
    done = phonxling("check", made, "--set", f"corpora.yoruba.posteriors.path={other}")
    assert done.code == 1
    for part in ("2 utterances have more gold phones than frames can hold", "'yoruba_03'", "'yoruba_11'"):
        assert part in done.stderr, done.stderr
