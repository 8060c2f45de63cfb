"""The phone map: its table, and what is left out of it and why."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from phonxling.analyses.map import PhoneMap, map_phones
from phonxling.configuration.models import Map
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import TokenPosteriors


def spoken(phones: Mapping[str, int], seed: int, columns: int = 5, utterances: int = 20) -> TokenPosteriors:
    """Return so many tokens of each phone, each phone with a mean of its own."""
    generator = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(phones)), list(phones.values()))
    centres = generator.dirichlet(np.full(columns, 0.5), len(phones))
    rows = np.array([generator.dirichlet(8 * centres[code] + 0.05) for code in codes]).reshape(-1, columns)
    return TokenPosteriors(
        phones=Inventory(tuple(phones)),
        columns=Inventory(tuple(f"e{number}" for number in range(columns))),
        codes=codes,
        rows=rows,
        weight=np.ones(len(codes)),
        utterances=generator.integers(0, utterances, len(codes)),
        without_frame=np.zeros(len(phones)),
        silent=np.zeros(len(phones)),
    )


def mapped(
    english: TokenPosteriors, yoruba: TokenPosteriors, recogniser: str = "toy", *, other: bool = False
) -> PhoneMap:
    return map_phones(
        {"yoruba": yoruba, "english": english},
        Map(method="pca"),
        reference="english",
        recognisers={"english": "toy", "yoruba": recogniser},
        allow_other_recogniser=other,
        seed=20,
    )


FIVE = dict.fromkeys("ptkai", 12)


def one_hot(phones: Mapping[str, int]) -> TokenPosteriors:
    """Return tokens heard each as a phone of their own: all axes hold the same."""
    return replace(spoken(phones, 1, len(phones)), rows=np.eye(len(phones))[spoken(phones, 1).codes])


def test_a_map_whose_axes_keep_little_says_so() -> None:
    """Fifteen phones at equal distances: fourteen axes hold a fourteenth of the variance each."""
    many = dict.fromkeys("abcdefghijklmno", 4)
    found = mapped(one_hot(many), one_hot(many))
    assert all("PCA keeps 14 % of the variance" in row.note for row in found.rows["english"])


def test_too_few_reference_phones_leave_no_map() -> None:
    found = mapped(spoken(dict.fromkeys("ptk", 12), 1), spoken(FIVE, 2))
    assert found.tables == {}
    assert "at least 4 reference phones with frames; there are 3" in found.problems[0]
    assert {row.note for rows in found.rows.values() for row in rows} == set(found.problems)


def test_a_target_over_other_columns_is_left_out_and_the_map_stays() -> None:
    found = mapped(spoken(FIVE, 1), spoken(FIVE, 2, columns=6))
    assert set(found.tables) == {"english"}
    (why,) = found.problems
    assert why.startswith("yoruba: not on the phone map: reference and target posteriors must be over the same")
    assert all(np.isnan(row.estimate.value) and row.note in why for row in found.rows["yoruba"])


def test_a_target_of_another_recogniser_is_left_out_unless_allowed_and_marked() -> None:
    mark = "another recogniser: other, reference toy"
    refused = mapped(spoken(FIVE, 1), spoken(FIVE, 2), "other")
    assert set(refused.tables) == {"english"}
    assert mark in refused.problems[0]
    assert "allow_other_recogniser: true" in refused.problems[0]
    allowed = mapped(spoken(FIVE, 1), spoken(FIVE, 2), "other", other=True)
    assert set(allowed.tables) == {"english", "yoruba"}
    assert {row.note for row in allowed.rows["yoruba"]} == {mark}
