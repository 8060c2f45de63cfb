"""Small tables as they are read back from TSV, their figures as the gallery draws them, and what a figure says."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from check_figures import overlaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from phonxling.draw.figure import Drawing, StoredCorpus, StoredTables
from phonxling.draw.gallery import FIGURES
from phonxling.draw.style import FigureOptions, house_style

FIGURE_OF = {one.name: one for one in FIGURES}
OPTIONS = FigureOptions(font="DejaVu Sans", kinds=("all",))
NO_NUMBERS = pd.DataFrame(columns=["corpus", "measure", "variant", "value", "low", "high", "n", "status", "note"])
GOLD = ["a", "k͡p", "ɡ͡b", "i", "ɛ̃", "d͡ʒ"]
PREDICTED = ["p", "a", "b", "i", "ɛ", "d͡ʒ", "z"]
LONG_NAME = "results/a-very-long-name-of-a-system:yoruba"


def maybe_drawn(
    name: str,
    tables: pd.DataFrame | Mapping[str, pd.DataFrame],
    options: FigureOptions = OPTIONS,
    orders: tuple[list[str] | None, list[str] | None] = (None, None),
    title: str = "yoruba",
    **values: float,
) -> Drawing | None:
    """Return a figure of one corpus, of its table or tables, in given orders; values as `measure__variant`."""
    figure = FIGURE_OF[name]
    own = {figure.tables[0]: tables} if isinstance(tables, pd.DataFrame) else tables
    rows = [("c", *key.split("__"), value, "") for key, value in values.items()]
    summary = pd.DataFrame(rows, columns=["corpus", "measure", "variant", "value", "note"]).astype({"value": float})
    source = StoredCorpus("c", StoredTables(tables={"c": own}, options=options, summary=summary, titles={"c": title}))
    source.__dict__["orders"] = orders
    return next(iter(figure.draw(source)), None)


def drawn(*parts: Any, **more: Any) -> Drawing:  # noqa: ANN401 - as above
    drawing = maybe_drawn(*parts, **more)
    assert drawing is not None
    return drawing


def joint(name: str, options: FigureOptions = OPTIONS, **stored: Any) -> Drawing:  # noqa: ANN401 - the fields of Stored
    """Return the first figure of all corpora by this name."""
    return FIGURE_OF[name].draw(StoredCorpus("", StoredTables(options=options, **{"tables": {}, **stored})))[0]


def map_of(
    reference: pd.DataFrame, targets: Mapping[str, pd.DataFrame], options: FigureOptions = OPTIONS, **stored: object
) -> Drawing:
    tables = {name: {"map": table} for name, table in {"home": reference, **targets}.items()}
    about = {"summary": NO_NUMBERS, "vowels": frozenset({"a", "i", "ɛ̃"}), **stored}
    return joint("map", options, tables=tables, reference="home", **about)


def legible(figure: Figure) -> None:
    """Fail where a text is cut by the figure's edge, stands over another, or is smaller than 5 pt."""
    with house_style():
        assert [fault for fault in overlaps(figure) if " over a " not in fault] == []
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    assert min(float(text.get_fontsize()) for text in texts) >= 5


def said(figure: Figure) -> str:
    """Return all that is written outside of the plots, from the top down."""
    return " ".join(text.get_text() for text in sorted(figure.texts, key=lambda text: -text.get_position()[1]))


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for drawn in figure.legends for text in drawn.get_texts()]


def written(figure: Figure, panel: int = 0) -> list[str]:
    return [text.get_text() for text in figure.axes[panel].texts]


def marks(figure: Figure, panel: int, marker: str, *, hollow: bool | None = None) -> list[float]:
    """Return where marks of a kind stand along the axis, from the first drawn."""
    lines = [line for line in figure.axes[panel].lines if line.get_marker() == marker]
    chosen = [line for line in lines if hollow is None or (line.get_markerfacecolor() == "white") == hollow]
    return [float(x) for line in chosen for x in np.atleast_1d(line.get_xdata())]


def row_names(axes: Axes) -> list[str]:
    """Return the names of the rows, in their order on the axis."""
    names = (text.get_text() for text in axes.get_yticklabels())
    return [name for _, name in sorted(zip(axes.get_yticks(), names, strict=True))]


def column_names(axes: Axes) -> list[str]:
    """Return the names of the columns, in their order on the axis."""
    names = (text.get_text() for text in axes.get_xticklabels())
    return [name for _, name in sorted(zip(map(float, axes.get_xticks()), names, strict=True))]


def table_of(names: str, *rows: Sequence[object]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=names.split())


def count_table(gold: list[str], predicted: list[str]) -> pd.DataFrame:
    """Return attested cells of random confusions, with deletions and insertions."""
    rng = np.random.default_rng(1)
    rows, columns = [*gold, "∅"], [*predicted, "∅"]
    counts = rng.integers(0, 40, (len(rows), len(columns))) * rng.integers(0, 2, (len(rows), len(columns)))
    counts[:, 0] += 1
    counts[-1, -1] = 0
    shares = counts / counts.sum(axis=1, keepdims=True)
    cells = [(rows[i], columns[j], float(counts[i, j]), shares[i, j]) for i, j in np.argwhere(counts)]
    return table_of("gold predicted count share_of_gold", *cells)


CONFUSIONS = count_table(GOLD, PREDICTED)
_OF_GOLD = pd.DataFrame(
    {
        "side": "gold",
        "phone": GOLD,
        "tokens": [500.0, 12.0, 80.0, 300.0, 0.0, 40.0],
        "accuracy": [0.8, 0.95, 0.1, 0.7, np.nan, 0.6],
        "accuracy_low": [0.75, np.nan, 0.05, 0.6, np.nan, 0.4],
        "accuracy_high": [0.85, np.nan, 0.2, 0.8, np.nan, 0.8],
        "deletion_rate": [0.1, 0.0, 0.2, 0.0, np.nan, 0.1],
        "confused_with": ["i", "p", "b", "", "", "z"],
        "share": [0.06, 0.05, 0.7, np.nan, np.nan, 0.3],
        "entropy": [1.5, 0.2, 2.0, 1.0, np.nan, 1.0],
        "entropy_low": [1.4, np.nan, 1.8, 0.9, np.nan, 0.7],
        "entropy_high": [1.6, np.nan, 2.2, 1.1, np.nan, 1.3],
    }
)
_OF_PREDICTED = pd.DataFrame({"side": "predicted", "phone": PREDICTED, "confused_with": ""})
PHONES = pd.concat([_OF_GOLD, _OF_PREDICTED], ignore_index=True)
_RESIDUALS = np.zeros((5, 5))
_RESIDUALS[:3, :3] = [[-0.06, 0.05, 0.01], [0.02, -0.04, 0.02], [0.0, 0.01, -0.01]]
_RESIDUALS[3, 4], _RESIDUALS[4, 3] = 1e-4, -1e-4
EXPECTED = table_of(
    "gold predicted observed residual q",
    *(
        (gold, heard, 0.04, _RESIDUALS[i, j], 0.01 if i == j else np.nan)
        for i, gold in enumerate(["a", "i", "d͡ʒ", "b", "z"])
        for j, heard in enumerate(["a", "i", "d͡ʒ", "b", "z"])
    ),
)
ASSOCIATION = pd.DataFrame(
    {
        "gold": np.repeat(["a", "k͡p", "x"], 3),
        "recognised": ["a", "p", "z"] * 3,
        "p_joint": np.repeat([0.1, 0.1, 0.0], 3),
        "npmi": [0.8, -0.3, -1.0, -0.2, 0.5, 0.0, np.nan, np.nan, np.nan],
    }
)
MAP = pd.DataFrame(np.random.default_rng(3).normal(size=(6, 2)), columns=["x", "y"]).assign(
    phone=GOLD, tokens=[90, 19, 20, 50, 3, 70], nearest_reference="i", spread=0.2
)
CALIBRATION = table_of(  # four bins of equal width, one empty and one of few phones
    "bin from to n confidence accuracy accuracy_low accuracy_high",
    (1, 0.0, 0.25, 12.0, 0.2, 0.0, 0.0, 0.3),
    (2, 0.25, 0.5, 0.0, *[np.nan] * 4),
    (3, 0.5, 0.75, 100.0, 0.6, 0.5, 0.4, 0.6),
    (4, 0.75, 1.0, 1288.0, 0.9, 0.8, 0.77, 0.83),
)
FEATURES = table_of(
    "feature changed plus_to_minus minus_to_plus transferred transferred_sequential",
    ("syl", 0.2, 0.15, 0.05, 0.5, 0.4),
    ("hi", 0.5, 0.1, 0.2, 0.3, np.nan),
    ("hitone", 0.0, 0.0, 0.0, np.nan, np.nan),
    ("deletions", *[np.nan] * 5),
)
DIFFERENCES = table_of(
    "item other measure variant value other_value difference low high q unlike",
    ("k͡p-corpus", LONG_NAME, "wper", "", 0.1, 0.3, -0.2, -0.25, -0.15, 0.01, ""),
    ("k͡p-corpus", LONG_NAME, "per", "", 0.3, 0.6, -0.3, np.nan, np.nan, np.nan, ""),
    ("k͡p-corpus", "third", "wper", "", 0.1, 0.12, -0.02, -0.05, 0.01, 0.3, ""),
    ("k͡p-corpus", "third", "per", "", 0.3, 0.35, -0.05, -0.1, 0.0, 0.06, ""),
    ("k͡p-corpus", "third", "conditional_entropy", "", 1.5, 1.2, 0.3, 0.1, 0.5, 0.01, ""),
)


def languages(*skills: float, letters: str = "abcdefghi") -> dict[str, dict[str, pd.DataFrame]]:
    """Return the tables of languages of these skills, the best first, whose PER is not tested."""
    columns = "measure value low high rank letters family status"
    return {
        f"l{place}": {
            "languages": table_of(
                columns,
                ("skill_wper", skill, skill - 0.1, skill + 0.1, place + 1, letters[place], "Niger-Congo", ""),
                ("skill_per", skill, np.nan, np.nan, place + 1, "", "Niger-Congo", "no-speakers"),
            )
        }
        for place, skill in enumerate(skills)
    }


def _summary() -> pd.DataFrame:
    rows: list[tuple[object, ...]] = []
    for corpus, per, wper in (("english", 0.2, 0.05), ("yoruba", 0.92, 0.287)):
        for measure, rate, low, lowest in (("per", per, np.nan, 0.88), ("wper", wper, wper - 0.01, 0.282)):
            rows += [
                (corpus, measure, "", rate, low, rate + 0.01),
                (corpus, f"chance_{measure}", "constant", lowest, lowest - 0.002, lowest + 0.002),
                (corpus, f"chance_{measure}", "shuffled", lowest + 0.03, np.nan, np.nan),
                (corpus, f"chance_{measure}", "best", lowest, lowest - 0.002, lowest + 0.002),
                (corpus, f"skill_{measure}", "best", 1 - rate / lowest, np.nan, np.nan),
            ]
        rows.append((corpus, "expected_js", "", 0.3, np.nan, np.nan))
    table = table_of("corpus measure variant value low high", *rows)
    other = (table["corpus"] == "yoruba") & (table["measure"] == "expected_js")
    return table.assign(n=100.0, note=np.where(other, "another recogniser: a, reference b", ""))


SUMMARY = _summary()
_FLOORS = ("english", "floor_per", "", 0.0), ("yoruba", "floor_per", "", 0.25)
FLOORED = pd.concat([SUMMARY, table_of("corpus measure variant value", *_FLOORS)])

_ONE = FLOORED[FLOORED["corpus"] == "yoruba"]
MANY = pd.concat([_ONE.assign(corpus=f"l{one:02}", value=_ONE["value"] + one % 7 / 100) for one in range(50)])


def error_shares() -> pd.DataFrame:
    """Return the reference, a target, a corpus without errors, and one that is not above chance."""
    target = {"inserted": 0.1, "absent": 0.5, "level": 0.3, "expected": 0.04, "unexplained": 0.06}
    reference = {"absent": 0.0, "unexplained": 0.6, "deleted": 0.4}
    rows = [
        (corpus, "error_share", reason, share, share - spread, share + spread, n)
        for corpus, of, spread, n in (("eng", reference, np.nan, 20.0), ("yor", target, 0.02, 1500.0))
        for reason, share in of.items()
    ]
    rows += [(name, "error_share", "absent", np.nan, np.nan, np.nan, n) for name, n in (("none", 0.0), ("bad", 9.0))]
    return table_of("corpus measure variant value low high n", *rows)


def spoken(seconds: float, seed: int = 1, shortest: float = 0.03) -> dict[str, pd.DataFrame]:
    """Return the tables of utterances, with the aligned pairs of one of so many seconds."""
    phones = ["k͡p", "a", "d͡ʒ", "i", "ɛ̃ː", "t", "ŋ", "o", "s", "ʷ", "u", "m̩", "l"]
    generator = np.random.default_rng(seed)
    borders = np.cumsum(generator.uniform(shortest, 0.12, int(seconds / 0.075))).round(4)
    gold = generator.choice(phones, len(borders) - 1)
    answers = np.where(generator.random(len(gold)) < 0.5, gold, generator.choice(phones, len(gold)))
    answers[::7] = "∅"
    kinds = np.where(answers == "∅", "deletion", np.where(answers == gold, "correct", "substitution"))
    times = {"gold_start": borders[:-1], "gold_end": borders[1:]}
    times |= {f"predicted_{end}": np.where(answers == "∅", np.nan, times[f"gold_{end}"]) for end in ("start", "end")}
    rates = np.append(np.random.default_rng(2).gamma(4, 0.07, 400), [np.nan, 5.0])
    names = ["u", *(f"u{place}" for place in range(1, len(rates)))]
    per = np.where(np.arange(len(rates)) == 0, np.nanmedian(rates), np.nan_to_num(rates))
    every = {"utterance": names, "per": np.sort(per), "wper": rates, "chance_cost": rates * 11, "gold_tokens": 10.0}
    return {
        "utterances": pd.DataFrame(every),
        "alignments": pd.DataFrame({"utterance": "u", "gold": gold, "predicted": answers, "operation": kinds, **times}),
    }
