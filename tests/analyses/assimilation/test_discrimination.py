"""Measured discrimination beside what is predicted: a made ABX set with known answers, and slow oracles."""

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import finish, invoke
from scipy.stats import rankdata, spearmanr, t
from sklearn.linear_model import LinearRegression

from phonxling.analyses.assimilation import discrimination
from phonxling.analyses.rows import Row
from phonxling.core.errors import DataError
from phonxling.settings.models import Assimilation

VOWELS = ["i", "e", "ɛ", "a", "o", "u", "y", "ø"]
PAIRS = list(combinations(VOWELS, 2))


@pytest.fixture
def contrasts() -> pd.DataFrame:
    """assimilation.tsv in short: divergences and feature distances at random."""
    generator = np.random.default_rng(6)
    js, distance = generator.random((2, len(PAIRS)))
    phone, other = zip(*PAIRS, strict=True)
    return pd.DataFrame({"phone": phone, "other": other, "js": js, "distance": distance.round(1)})


def write(path: Path, rows: list[tuple[object, ...]], header: str) -> Path:
    lines = ["\t".join(map(str, row)) for row in rows]
    path.write_text("\n".join([header.replace(" ", "\t"), *lines, ""]), encoding="utf-8")
    return path


def rows_of(table: pd.DataFrame, answers: Path, covariates: Path | None = None) -> dict[tuple[str, str], Row]:
    settings = Assimilation().model_copy(update={"discrimination": answers, "covariates": covariates})
    made = discrimination(table, settings, 0.95, np.random.default_rng(20))
    return {(row.measure.removeprefix("discrimination_"), row.variant): row for row in made}


def values_of(rows: dict[tuple[str, str], Row]) -> dict[tuple[str, str], float]:
    return {key: row.estimate.value for key, row in rows.items()}


def answers_of(table: pd.DataFrame, path: Path, noise: float = 0.0, listeners: int = 4) -> Path:
    """Accuracies that rise with js; the phones of a contrast stand in either order."""
    generator = np.random.default_rng(1)
    rows = [
        (*(pair if listener % 2 else pair[::-1]), f"l{listener}", 0.5 + js**3 / 2 + noise * generator.normal())
        for listener in range(listeners)
        for pair, js in zip(PAIRS, table["js"], strict=True)
    ]
    return write(path, rows, "phone other listener accuracy")


def test_known_answers(contrasts: pd.DataFrame, tmp_path: Path) -> None:
    """Listeners who tell apart just what is predicted, all alike: ρ and ceiling are 1."""
    rows = rows_of(contrasts, answers_of(contrasts, tmp_path / "abx.tsv"))
    found = values_of(rows)
    assert found["rho", "js"] == found["rho", "listeners"] == pytest.approx(1)
    assert found["rho", "features"] == pytest.approx(spearmanr(contrasts["js"], contrasts["distance"]).statistic)
    assert found["gain", "js"] == pytest.approx(1 - found["rho", "features"])
    assert contrasts["accuracy"].to_numpy() == pytest.approx(0.5 + contrasts["js"].to_numpy() ** 3 / 2)
    assert rows["rho", "js"].n == len(PAIRS)


def test_all_numbers_against_slow_oracles(contrasts: pd.DataFrame, tmp_path: Path) -> None:
    answers = answers_of(contrasts, tmp_path / "abx.tsv", noise=0.2)
    generator = np.random.default_rng(2)
    acoustic = generator.random(len(PAIRS)) + contrasts["js"]
    beside = write(
        tmp_path / "d.tsv", list(zip(*zip(*PAIRS, strict=True), acoustic, strict=True)), "phone other acoustic"
    )
    rows = rows_of(contrasts, answers, beside)
    accuracy = contrasts["accuracy"].to_numpy()
    predictors = np.column_stack([contrasts["js"], contrasts["distance"], acoustic])
    every = np.arange(len(PAIRS))
    for place, name in enumerate(("js", "features", "acoustic")):

        def of(kept: np.ndarray, place: int = place) -> float:
            return float(spearmanr(predictors[kept, place], accuracy[kept]).statistic)

        row = rows["rho", name].estimate
        assert row.value == pytest.approx(of(every))
        centre, reach = math.atanh(of(every)), _reach([math.atanh(of(np.delete(every, one))) for one in every])
        assert (row.low, row.high) == pytest.approx((math.tanh(centre - reach), math.tanh(centre + reach)))
    ranks, fits = rankdata(predictors, axis=0), []
    for one in every:
        kept = np.delete(every, one)
        fit = LinearRegression().fit(ranks[kept], rankdata(accuracy)[kept])
        fits.append(fit.predict(ranks[one][None])[0])
    assert rows["rho", "joint"].estimate.value == pytest.approx(spearmanr(fits, accuracy).statistic)


def _reach(without: list[float]) -> float:
    added = [(len(without) - 1) * (np.mean(without) - value) for value in without]
    shared = [(a, b) for a, one in enumerate(PAIRS) for b, two in enumerate(PAIRS) if {*one} & {*two}]
    both, alone = sum(added[a] * added[b] for a, b in shared), sum(value**2 for value in added)
    phones = len(VOWELS)
    return float(t.ppf(0.975, phones - 1) * math.sqrt(max(both, alone) / len(PAIRS) ** 2 * phones / (phones - 2)))


def test_the_ceiling_is_the_reliability_of_all_listeners(contrasts: pd.DataFrame, tmp_path: Path) -> None:
    """Two listeners have one pair of halves, whose ρ is stepped up."""
    answers = answers_of(contrasts, tmp_path / "abx.tsv", noise=0.2, listeners=2)
    each = pd.read_csv(answers, sep="\t").assign(
        pair=lambda rows: ["".join(sorted(p)) for p in zip(rows.phone, rows.other, strict=True)]
    )
    first, second = (own.set_index("pair")["accuracy"] for _, own in each.groupby("listener"))
    both = spearmanr(first, second.loc[first.index]).statistic
    assert values_of(rows_of(contrasts, answers))["rho", "listeners"] == pytest.approx(2 * both / (1 + both))


def test_what_lacks_a_number_is_said(contrasts: pd.DataFrame, tmp_path: Path) -> None:
    few = write(
        tmp_path / "abx.tsv", [("i", "e", 0.9), ("e", "a", 0.8), ("e", "o", 0.7), ("p", "b", 1)], "phone other accuracy"
    )
    rows = rows_of(contrasts, few)
    assert rows["rho", "js"].n == 3
    assert rows["rho", "js"].note == "1 measured contrasts have no prediction"
    assert "fewer than five phones" in rows["rho", "js"].estimate.note
    assert "has no halves" in rows["rho", "listeners"].note


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("phone\tother\tright\ni\te\t1\n", "has the columns phone, other, maybe listener, and accuracy, not"),
        ("phone\tother\taccuracy\ni\te\tmany\n", "abx.tsv:2: accuracy must be a number, not 'many'"),
        ("phone\tother\taccuracy\ni\ti\t1\n", "abx.tsv:2: a contrast is of two different phones"),
        ("phone\tother\taccuracy\ni\te\n", "abx.tsv:2: 2 cells, but the header has 3"),
        ("phone\tother\taccuracy\n", "has a header but no row"),
    ],
)
def test_bad_tables_are_refused(contrasts: pd.DataFrame, text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "abx.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=why):
        rows_of(contrasts, tmp_path / "abx.tsv")


def test_a_covariate_of_a_taken_name_is_refused(contrasts: pd.DataFrame, tmp_path: Path) -> None:
    beside = write(tmp_path / "d.tsv", [("i", "e", 1)], "phone other js")
    with pytest.raises(DataError, match="a covariate may not be called js"):
        rows_of(contrasts, answers_of(contrasts, tmp_path / "abx.tsv"), beside)


EXPERIMENT = """\
name: {name}
corpora:
  vowels:
    gold: {{path: {name}.tsv, columns: {{utterance: trial, phones: stimulus, speaker: listener}}}}
    predicted: {{path: {name}.tsv, columns: {{utterance: trial, phones: response}}}}
chance: {{models: [constant, unigram], replicates: 2}}
uncertainty: {{resamples: 50}}
assimilation: {{discrimination: abx.tsv}}
"""


def test_contrasts_stand_in_a_comparison(contrasts: pd.DataFrame, tmp_path: Path) -> None:
    answers_of(contrasts, tmp_path / "abx.tsv")
    generator, folders = np.random.default_rng(3), []
    for name, right in (("good", 0.9), ("deaf", 0.5)):
        rows = [
            (f"t{listener}_{vowel}_{time}", vowel, vowel if generator.random() < right else "a", f"l{listener}")
            for listener in range(8)
            for vowel in VOWELS
            for time in range(5)
        ]
        write(tmp_path / f"{name}.tsv", rows, "trial stimulus response listener")
        folders.append(finish(tmp_path, name, EXPERIMENT.format(name=name)))
    details = pd.read_csv(folders[0] / "details.tsv", sep="\t")
    assert {"js", "features", "joint", "listeners"} <= {
        *details.loc[details["measure"] == "discrimination_rho", "variant"]
    }
    done = invoke(*folders, "--output", tmp_path / "compared")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "compared" / "contrasts.tsv", sep="\t")
    own = [pd.read_csv(folder / "vowels" / "assimilation.tsv", sep="\t")["js"] for folder in folders]
    assert len(table) == len(PAIRS)
    assert table["value"].sum() == pytest.approx(own[0].sum())
    assert table["other_value"].sum() == pytest.approx(own[1].sum())
    told = table[(table["q"] < 0.05) & (table["phone"] != "a") & (table["other_phone"] != "a")]
    assert len(told) > 10
    assert (told["difference_low"] > 0).all()
