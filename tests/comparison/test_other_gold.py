"""The same utterances with other gold phones: told from other utterances of the same ids, refused, or marked."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from compared_results import ALONE, finish, invoke, printed, refusal, row, table, write

from phonxling.comparison.alike import same_utterances, settings_apart

COARSE = str.maketrans({"b": "p", "d": "t", "u": "i"})
IDS = [f"{number:03d}" for number in range(40)]


def lines_of(phones: str, seed: int, number: int = 40) -> list[list[str]]:
    """Return made utterances of 4 to 12 phones; early ones are more frequent, as in languages."""
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(phones) + 1)
    return [
        [str(one) for one in generator.choice(list(phones), generator.integers(4, 13), p=weights / weights.sum())]
        for _ in range(number)
    ]


def folded(lines: list[list[str]]) -> list[list[str]]:
    return [[phone.translate(COARSE) for phone in line] for line in lines]


def pairs(first: list[list[str]], second: list[list[str]]) -> list[tuple[str, str]]:
    return [(" ".join(one), " ".join(two)) for one, two in zip(first, second, strict=True)]


@pytest.mark.parametrize("number", [5, 12, 40])
def test_the_same_utterances_are_told_from_others_with_the_same_ids(number: int) -> None:
    wrong = 0
    for seed in range(40):
        gold, other = lines_of("aieoupbtdks", seed, number), lines_of("aieoupbtdks", seed + 1000, number)
        wrong += not same_utterances(pairs(gold, folded(gold)))
        wrong += same_utterances(pairs(gold, other))
    assert wrong <= 2  # of 80


def test_phones_without_a_letter_in_common_are_known_by_their_number() -> None:
    gold = lines_of("aieoupbtdks", 1)
    letters = [[str("aieoupbtdks".index(phone)) for phone in line] for line in gold]
    assert same_utterances(pairs(gold, letters))
    assert not same_utterances(pairs(gold, [line[::-1] for line in reversed(letters)]))


def results(folder: Path, name: str, lines: tuple[list[list[str]], list[list[str]]], *settings: str) -> Path:
    for side, phones in zip(("gold", "heard"), lines, strict=True):
        write(folder / f"{name}-{side}.tsv", IDS, phones)
    text = ALONE.format(name=name, gold=f"{name}-gold.tsv", predicted=f"{name}-heard.tsv").replace(
        ", speakers: one/speakers.tsv", ""
    )
    return finish(folder, name, text, *settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of one recogniser whose phones are written finely and coarsely, and of another language's same ids."""
    made = tmp_path_factory.mktemp("gold")
    gold, heard = lines_of("aieoupbtdks", 1), lines_of("aieoupbtdks", 1)
    for number, line in enumerate(heard):
        line[number % len(line)] = "b"
        line[-1] = "u"
    results(made, "fine", (gold, heard))
    (made / "coarse.map").write_text("symbol\tipa\n" + "".join(f"{one}\t{one}\n" for one in "aieoptks"), "utf-8")
    results(made, "coarse", (folded(gold), folded(heard)), f"corpora.one.gold.symbols={made / 'coarse.map'}")
    other = lines_of("aieoupbtdks", 2)
    results(made, "other", (other, lines_of("aieoupbtdks", 3)))
    return made / "results"


def test_other_gold_phones_of_the_same_utterances_are_refused_with_the_remedy(folder: Path, tmp_path: Path) -> None:
    for order in (("fine", "coarse"), ("coarse", "fine")):
        said = refusal(*(folder / name for name in order), "--output", tmp_path / "x")
        assert said.startswith("2: these results are not alike:\n  same 40 utterances, different gold phones (in ")
        assert "one gold file and one symbol set (symbols: coarse.map, on both sides); or say --allow" in said
    assert not (tmp_path / "x").exists()


def test_other_gold_phones_are_marked_where_they_are_allowed(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "marked"
    found = invoke(folder / "fine", folder / "coarse", "--output", out, "--allow-different")
    assert "NOT ALIKE: what is marked ≠" in printed(found)
    for name in ("differences", "phones"):
        assert table(out / f"{name}.tsv")["unlike"].str.startswith("same 40 utterances, different gold phones").all()


def test_other_utterances_of_the_same_ids_are_compared(folder: Path, tmp_path: Path) -> None:
    found = invoke(folder / "fine", folder / "other", "--output", tmp_path / "x")
    assert found.exit_code == 0, found.output
    assert row(tmp_path / "x", "per", "fine", "other")["unlike"] == ""


@pytest.mark.slow
def test_languages_that_are_named_are_compared_however_alike(tmp_path: Path) -> None:
    gold = lines_of("aieoupbtdks", 1)
    named = [
        results(tmp_path, name, (lines, gold), f"corpora.one.language={name}")
        for name, lines in (("spa", gold), ("por", folded(gold)))
    ]
    assert invoke(*named, "--output", tmp_path / "x").exit_code == 0


def test_a_target_has_the_inventory_that_its_recogniser_has_in_the_reference() -> None:
    recognisers = {"eng": {"name": "mlp", "inventory": "arpabet"}, "yor": {"name": "mlp", "inventory": None}}
    settings = {"seed": 20, "corpora": {name: {"recogniser": one} for name, one in recognisers.items()}}
    items: list[Any] = [
        SimpleNamespace(name=name, corpus=name, settings=settings, manifest={"phonxling": "1"}) for name in recognisers
    ]
    assert settings_apart(items) == {}
    settings["corpora"]["yor"]["recogniser"]["name"] = "other"  # type: ignore[index]
    assert {*settings_apart(items)} == {"recogniser.name", "recogniser.inventory"}
