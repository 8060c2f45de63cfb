"""Small tables as they are read back from TSV, and a check that every text of a figure stands free."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from figure_checks.overlaps import overlaps
from matplotlib.figure import Figure
from matplotlib.text import Text

from phonxling.draw.style import FigureOptions, house_style

GOLD = ["a", "k͡p", "ɡ͡b", "i", "ɛ̃", "d͡ʒ"]
PREDICTED = ["p", "a", "b", "i", "ɛ", "d͡ʒ", "z"]


def count_table(gold: list[str], predicted: list[str], seed: int = 1) -> pd.DataFrame:
    """Attested cells of random confusions, with deletions and insertions."""
    rng = np.random.default_rng(seed)
    rows, columns = [*gold, "∅"], [*predicted, "∅"]
    counts = rng.integers(0, 40, (len(rows), len(columns))) * rng.integers(0, 2, (len(rows), len(columns)))
    counts[:, 0] += 1
    counts[-1, -1] = 0
    tokens = np.where(np.arange(len(columns)) < len(predicted), counts[:, :-1].sum(1)[:, None], counts.sum(1)[:, None])
    return pd.DataFrame(
        [
            (row, column, float(counts[i, j]), counts[i, j] / tokens[i, j])
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
            if counts[i, j]
        ],
        columns=["gold", "predicted", "count", "p_predicted_given_gold"],
    )


@pytest.fixture
def options() -> FigureOptions:
    return FigureOptions(font="DejaVu Sans")


@pytest.fixture
def confusions() -> pd.DataFrame:
    return count_table(GOLD, PREDICTED)


@pytest.fixture
def phones() -> pd.DataFrame:
    gold = pd.DataFrame(
        {
            "side": "gold",
            "phone": GOLD,
            "tokens": [500.0, 12.0, 80.0, 300.0, 0.0, 40.0],
            "entropy": [1.5, 0.2, 2.0, 1.0, np.nan, 1.0],
            "entropy_low": [1.4, np.nan, 1.8, 0.9, np.nan, 0.7],
            "entropy_high": [1.6, np.nan, 2.2, 1.1, np.nan, 1.3],
        }
    )
    return pd.concat([gold, pd.DataFrame({"side": "predicted", "phone": PREDICTED})], ignore_index=True)


@pytest.fixture
def expected() -> pd.DataFrame:
    phones = ["a", "i", "d͡ʒ", "b", "z"]
    residual = np.zeros((5, 5))
    residual[:3, :3] = [[-0.06, 0.05, 0.01], [0.02, -0.04, 0.02], [0.0, 0.01, -0.01]]
    residual[3, 4], residual[4, 3] = 1e-4, -1e-4
    return pd.DataFrame(
        [
            (gold, heard, residual[i, j], 0.01 if i == j else np.nan)
            for i, gold in enumerate(phones)
            for j, heard in enumerate(phones)
        ],
        columns=["gold", "predicted", "residual", "q"],
    )


@pytest.fixture
def association() -> pd.DataFrame:
    npmi = np.array([[0.8, -0.3, -1.0], [-0.2, 0.5, 0.0], [np.nan, np.nan, np.nan]])
    return pd.DataFrame(
        [
            (gold, heard, 0.1 if i < 2 else 0.0, npmi[i, j])
            for i, gold in enumerate(["a", "k͡p", "x"])
            for j, heard in enumerate(["a", "p", "z"])
        ],
        columns=["gold", "recognised", "p_joint", "npmi"],
    )


@pytest.fixture
def embedding() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    places = rng.normal(size=(len(GOLD), 6))
    table = pd.DataFrame(places, columns=["x", "y", "pca_x", "pca_y", "mds_x", "mds_y"])
    return table.assign(phone=GOLD, tokens=[90, 19, 20, 50, 3, 70], spread=0.2, pca_spread=0.1, mds_spread=0.1)


@pytest.fixture
def summary() -> pd.DataFrame:
    rows = []
    for corpus, per, wper in (("english", 0.2, 0.05), ("yoruba", 0.92, 0.287)):
        for measure, rate, low, lowest in (("per", per, np.nan, 0.88), ("wper", wper, wper - 0.01, 0.282)):
            rows += [
                (corpus, measure, "", rate, low, rate + 0.01),
                (corpus, f"chance_{measure}", "constant", lowest, lowest - 0.002, lowest + 0.002),
                (corpus, f"chance_{measure}", "shuffled", lowest + 0.03, np.nan, np.nan),
                (corpus, f"chance_{measure}", "best", lowest, lowest - 0.002, lowest + 0.002),
                (corpus, f"skill_{measure}", "best", 1 - rate / lowest, np.nan, np.nan),
            ]
        rows.append((corpus, "conditional_entropy", "", 1.3, np.nan, np.nan))
        rows.append((corpus, "expected_js", "", 0.3, np.nan, np.nan))
    table = pd.DataFrame(rows, columns=["corpus", "measure", "variant", "value", "low", "high"])
    other = (table["corpus"] == "yoruba") & (table["measure"] == "expected_js")
    return table.assign(note=np.where(other, "another recogniser: a, reference b", ""))


@pytest.fixture
def calibration() -> pd.DataFrame:
    """Four bins of equal width, one of them empty and one of few phones, and two of equal mass, of each source."""
    rows = [
        ("width", 1, 0.0, 0.25, 12.0, 0.2, 0.0, 0.0, 0.3),
        ("width", 2, 0.25, 0.5, 0.0, np.nan, np.nan, np.nan, np.nan),
        ("width", 3, 0.5, 0.75, 100.0, 0.6, 0.5, 0.4, 0.6),
        ("width", 4, 0.75, 1.0, 1288.0, 0.9, 0.8, 0.77, 0.83),
        ("mass", 1, 0.0, 0.8, 700.0, 0.7, 0.65, 0.6, 0.7),
        ("mass", 2, 0.8, 1.0, 700.0, 0.95, 0.85, 0.8, 0.9),
    ]
    names = ["binning", "bin", "from", "to", "tokens", "confidence", "accuracy", "accuracy_low", "accuracy_high"]
    table = pd.DataFrame(rows, columns=names)
    return pd.concat([table.assign(source=source) for source in ("file", "posteriors")], ignore_index=True)


@pytest.fixture
def legible() -> Callable[[Figure], None]:
    """Check that no text is cut by the figure's edge, none smaller than 5 pt, and none stands over another."""

    def check(figure: Figure) -> None:
        with house_style():
            faults = [fault for fault in overlaps(figure) if " over a " not in fault]
        assert faults == []
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        assert min(float(text.get_fontsize()) for text in texts) >= 5

    return check


@pytest.fixture
def make_counts() -> Callable[[list[str], list[str]], pd.DataFrame]:
    return count_table
