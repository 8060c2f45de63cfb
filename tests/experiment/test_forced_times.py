"""Gold phones and logits alone: everything that rests on posteriors, marked as resting on forced times."""

from pathlib import Path

import numpy as np
import pytest
from running import Command, Tables, all_numbers, tables_of
from small_ctc import HEARD, make_ctc_experiment
from small_experiment import make_experiment

from phonxling.core.work import Threads
from phonxling.tables.files import table_digest

RESTS = ("association", "frames", "posteriors", "posterior_utterances", "embedding", "nearest", "sounds_like", "forced")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_ctc_experiment(tmp_path_factory.mktemp("ctc"))


@pytest.fixture(scope="module")
def tables(made: Path) -> Tables:
    return tables_of(made)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_experiment(tmp_path_factory.mktemp("counted"), utterances=12)


def value(tables: Tables, measure: str, variant: str = "", corpus: str = "yoruba") -> float:
    rows = all_numbers(tables)
    (found,) = rows[(rows["corpus"] == corpus) & (rows["measure"] == measure) & (rows["variant"] == variant)]["value"]
    return float(found)


def test_everything_that_rests_on_posteriors_is_there_and_says_so(tables: Tables) -> None:
    for name in RESTS:
        assert set(tables[f"yoruba/{name}.tsv"]["times"]) == {"forced"}, name
    assert 0.8 < value(tables, "forced_certainty") <= 1


def test_information_is_that_of_the_true_times_and_far_above_unrelated_phones(made: Path, tables: Tables) -> None:
    segments = [f"corpora.{name}.segments={{path: {made.parent}/{name}/true.tsv}}" for name in ("english", "yoruba")]
    true = tables_of(made, *segments)
    assert "times" not in true["yoruba/association.tsv"]
    assert "yoruba/sounds_like.tsv" not in true
    forced, given = (value(one, "decision_mutual_information", "ml") for one in (tables, true))
    assert forced == pytest.approx(given, abs=0.25)
    level = value(tables, "decision_mutual_information_unrelated")
    assert level < 0.6 * forced


def test_sounds_are_distributions_over_the_recognisers_phones(tables: Tables) -> None:
    sounds = tables["yoruba/sounds_like.tsv"]
    assert set(sounds["recognised"]) >= set(HEARD)
    np.testing.assert_allclose(sounds.groupby("gold")["probability"].sum(), 1)
    most = tables["yoruba/forced.tsv"].set_index("phone")["sounds_like"]
    assert most.to_dict() == {"b": "b", "t": "t", "ɑ": "a", "i": "i", "ĩ": "i", "s": "s"}


def test_each_frame_may_count_for_the_phone_of_the_best_path(made: Path) -> None:
    best = tables_of(made, "forced.weights=best", "forced.minimum_frames=2")
    assert value(best, "decision_mutual_information", "ml") > 1


@pytest.mark.slow
def test_results_do_not_depend_on_workers(made: Path) -> None:
    several = tables_of(made, "decoding.method=greedy", work=Threads(2))
    for name, table in tables_of(made, "decoding.method=greedy").items():
        assert table_digest(table) == table_digest(several[name]), name


def test_more_phones_than_frames_is_one_error_that_names_every_utterance(made: Path, phonxling: Command) -> None:
    path = made.parent / "yoruba/logits.npz"
    arrays = dict(np.load(path))
    short = {name: arrays[name][:5] for name in ("yoruba_03", "yoruba_11")}
    other = made.parent / "short.npz"
    np.savez_compressed(other, **{**arrays, **short})
    done = phonxling("check", made, "--set", f"corpora.yoruba.posteriors.path={other}")
    assert done.code == 1
    for part in (
        "corpus yoruba",
        "2 utterances have more gold phones than frames can hold",
        "'yoruba_03'",
        "'yoruba_11'",
    ):
        assert part in done.stderr, done.stderr


def test_check_tells_of_forced_times(made: Path, phonxling: Command) -> None:
    done = phonxling("check", made, "--verbose")
    assert done.code == 0
    assert "times forced from the posteriors, mean certainty 0." in done.stdout


def test_a_reference_alone_may_have_forced_times(small: Path) -> None:
    tables = tables_of(small, "corpora.english.times=forced")
    assert set(tables["english/posteriors.tsv"]["times"]) == {"forced"}
    assert "times" not in tables["yoruba/posteriors.tsv"]
    rows = all_numbers(tables)
    level = rows[rows["measure"] == "posterior_mutual_information_unrelated"]
    assert level["corpus"].tolist() == ["english"]
