"""A second transcriber against known disagreements, and Cohen's κ against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from support import transcript

import phonxling as px
from phonxling.analyses.rates import kappa

PHONES = ["p", "t", "k", "m", "s", "a", "i", "u", "o"]
Said = dict[str, list[str]]


@pytest.fixture(scope="module")
def made() -> dict[str, Said]:
    """Every second u is an o for both others, in half of the utterances one of them leaves the last phone out."""
    generator = np.random.default_rng(4)
    gold = {f"u{number}": list(generator.choice(PHONES, 10)) for number in range(30)}
    seen = 0
    theirs: Said = {}
    for utterance, phones in gold.items():
        theirs[utterance] = []
        for phone in phones:
            seen += phone == "u"
            theirs[utterance].append("o" if phone == "u" and seen % 2 else phone)
    heard = {name: ["k" if phone == "t" else phone for phone in phones] for name, phones in theirs.items()}
    second = {name: phones[:-1] if int(name[1:]) % 2 else phones for name, phones in list(theirs.items())[:20]}
    return {"gold": gold, "second": second, "heard": heard}


@pytest.fixture(scope="module")
def scored(made: dict[str, Said], tmp_path_factory: pytest.TempPathFactory) -> px.Score:
    second = transcript(tmp_path_factory.mktemp("people") / "second.tsv", made["second"])
    return px.score(made["gold"], made["heard"], settings=[f"corpora.score.gold_second={second}"])


def pairs(one: Said, other: Said) -> tuple[list[str], list[str]]:
    """Aligned phones of utterances whose differences are substitutions, and at most a last phone left out."""
    cells = [
        (phone, other[name][place] if place < len(other[name]) else "∅")
        for name in other
        for place, phone in enumerate(one[name])
    ]
    first, second = zip(*cells, strict=True)
    return list(first), list(second)


def test_rates_are_those_of_the_known_disagreements(made: dict[str, Said], scored: px.Score) -> None:
    gold, second = pairs(made["gold"], made["second"])
    changed, left_out = sum(a != b != "∅" for a, b in zip(gold, second, strict=True)), second.count("∅")
    assert (changed > 5, left_out) == (True, 10)
    cost = float(px.feature_costs(["u"], ["o"]).cost("u", "o"))
    assert scored.people_per == pytest.approx((changed + left_out) / 200, rel=1e-12)
    assert scored.people_wper == pytest.approx((changed * cost + left_out) / 200, rel=1e-12)
    assert scored.people_wper.low < scored.people_wper < scored.people_wper.high
    note = scored.summary.set_index("measure").loc["people_wper", "note"]
    costs = px.feature_costs(PHONES, PHONES)
    both = pairs(made["gold"], {name: made["heard"][name] for name in made["second"]})
    rate = float(sum(costs.cost(*cell) for cell in zip(*both, strict=True))) / 200
    assert note.startswith(f"on 20 of 30 utterances; the recogniser’s there is {rate:.4f}")


def test_kappa_is_scikit_learns(made: dict[str, Said], scored: px.Score) -> None:
    found = scored.summary.query("measure == 'kappa'").set_index("variant")
    heard = {name: made["heard"][name] for name in made["second"]}
    for variant, other in (("people", made["second"]), ("recogniser", heard)):
        assert found.loc[variant, "value"] == pytest.approx(cohen_kappa_score(*pairs(made["gold"], other)), rel=1e-12)
        assert found.loc[variant, "low"] < found.loc[variant, "value"] < found.loc[variant, "high"]


def test_kappa_of_tables_drawn_at_random() -> None:
    generator = np.random.default_rng(1)
    counts = generator.integers(0, 5, (4, 4, 3)).astype(float)
    for table, found in zip(np.moveaxis(counts, -1, 0).astype(int), kappa(counts), strict=True):
        rows, columns = np.indices(table.shape)
        assert found == pytest.approx(
            cohen_kappa_score(np.repeat(rows, table.ravel()), np.repeat(columns, table.ravel()))
        )
