"""`phonxling score`: quick rates of two files."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import Tables, command, printed, tables_of
from support import transcript, write

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.report.numbers import round_number

GOLD = {"u1": "p a t", "u2": "b i", "u3": "s u s"}
HAS = "ptkaiun"  # phones of a recogniser
PREDICTED = {"u1": "P AA T", "u2": "P IY IY", "u3": "S UW"}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return str(transcript(tmp_path / "gold.tsv", GOLD)), str(transcript(tmp_path / "predicted.tsv", PREDICTED))


score = partial(printed, "score", "--set", "chance.replicates=2")


def test_json_is_one_flat_object_of_the_measures(files: tuple[str, str]) -> None:
    found = json.loads(score(*files, "--symbols", "ipa,arpabet", "--json"))
    # a→ɑ, b→p, one i inserted, one s deleted; 8 gold phones
    assert [found[name] for name in ("correct", "substitutions", "deletions", "insertions")] == [5, 2, 1, 1]
    rates = [found[name] for name in ("substitution_rate", "deletion_rate", "insertion_rate")]
    assert rates == [2 / 8, 1 / 8, 1 / 8]
    assert (found["gold_tokens"], found["utterances"]) == (8, 3)
    assert found["per"] == 4 / 8
    assert found["per_macro"] == pytest.approx((1 / 3 + 2 / 2 + 1 / 3) / 3)
    costs = px.feature_costs(["a", "b"], ["ɑ", "p"])
    assert found["wper"] == pytest.approx(float(costs.cost("a", "ɑ") + costs.cost("b", "p") + 2) / 8)
    assert found["signature"].startswith(f"sym:ipa,arpabet|v:{px.__version__}|")
    assert (found["wper_low"], found["wper_status"]) == (None, "too-few-clusters")
    assert found["tone_error_rate"] is None
    assert 0 < found["chance_wper"] <= found["chance_wper:bigram"] < 1
    assert all(isinstance(note["text"], str) for note in found["notes"])


def test_the_text_shows_chance_beside_the_rates_and_aligned_lines(files: tuple[str, str]) -> None:
    found = score(*files, "--symbols", "ipa,arpabet", "--show", "2")
    assert "u2\n  gold      b ∅ i\n  predicted p i i\n" in found
    for name in ("\nwper ", "\nchance_wper ", "\nper ", "\nchance_per ", "\nsignature: sym:ipa,arpabet|v:"):
        assert name in found


@pytest.fixture(scope="module")
def of_speakers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tables]:
    """Files of 24 utterances by 8 speakers, whose gold has a phone that is never predicted, and the tables of a run."""
    folder = tmp_path_factory.mktemp("speakers")
    generator = np.random.default_rng(5)
    rows: dict[str, list[list[str]]] = {"gold": [], "predicted": []}
    for _ in range(24):
        gold = generator.choice(list("ptkaiunɲ"), 9)
        heard = [str(generator.choice(list("ptkai"))) if generator.random() < 0.3 else phone for phone in gold]
        rows["gold"].append(gold.tolist())
        rows["predicted"].append(["n" if phone == "ɲ" else phone for phone in heard])
    for name, lines in rows.items():
        transcript(folder / f"{name}.tsv", lines)
    write(folder / "speakers.tsv", "utterance\tspeaker\n" + "".join(f"u{n}\ts{n % 8}\n" for n in range(24)))
    files = ", ".join(f"{name}: {name}.tsv" for name in ("gold", "predicted", "speakers"))
    recogniser = f"recogniser: {{inventory: [{', '.join(HAS)}]}}"
    write(folder / "run.yaml", f"name: run\ncorpora: {{yoruba: {{{files}, {recogniser}}}}}\n")
    return folder, tables_of(folder / "run.yaml", "chance.replicates=2", "information.permutations=20")


def score_of(folder: Path, *options: str) -> str:
    gold, predicted, speakers = (str(folder / f"{name}.tsv") for name in ("gold", "predicted", "speakers"))
    return score(gold, predicted, "--speakers", speakers, "--inventory", " ".join(HAS), *options)


def test_the_json_has_the_limits_of_the_summary_and_the_verdict_of_a_run(of_speakers: tuple[Path, Tables]) -> None:
    folder, tables = of_speakers
    found = json.loads(score_of(folder, "--json"))
    for name in ("per", "wper", "chance_wper", "skill_wper", "conditional_entropy"):
        row = next(row for row in tables["summary"].to_dict("records") if row["measure"] == name)
        assert [found[name], found[f"{name}_low"], found[f"{name}_high"]] == [row["value"], row["low"], row["high"]]
    assert "The recogniser is better than that" in found["verdict"]
    assert {"correct", "substitutions", "deletions", "insertions", "notes", "signature"} <= set(found)


def test_an_inventory_is_a_set_a_file_or_phones_and_without_one_there_is_no_floor(
    of_speakers: tuple[Path, Tables],
) -> None:
    folder, tables = of_speakers
    sides = [str(folder / f"{name}.tsv") for name in ("gold", "predicted")]
    write(folder / "inventory.txt", "\n".join(HAS) + "\n")
    write(folder / "phones.txt", "".join(f"{phone} {place}\n" for place, phone in enumerate(["<eps>", *HAS, "#0"])))
    listed, *of_files = (
        json.loads(score(*sides, "--json", "--inventory", given))
        for given in (" ".join(HAS), str(folder / "inventory.txt"), str(folder / "phones.txt"))
    )
    assert [listed, listed] == of_files
    assert listed["floor_per"] == tables["summary"].set_index("measure")["value"]["floor_per"] > 0
    without = json.loads(score(*sides, "--json"))
    assert without["floor_per"] is None
    assert without["skill_wper"] < listed["skill_wper"]
    assert without["per"] == listed["per"]
    with pytest.raises(ConfigurationError, match="--inventory: must be arpabet, timit61"):
        score(*sides, "--inventory", "arpabet2")
    with pytest.raises(DataError, match=r"^inventory: 4 predicted phones are outside"):
        score(*sides, "--inventory", "p t k")


@pytest.mark.parametrize("keep", [False, True])
def test_silence_that_is_left_out_is_said_once_and_counted(tmp_path: Path, keep: bool) -> None:
    write(tmp_path / "gold.tsv", "utterance\tphones\nu1\th# p a h#\nu2\th# b pau i h#\n")
    write(tmp_path / "predicted.tsv", "utterance\tphones\nu1\tsil p a sil\nu2\tb i\n")
    files = [str(tmp_path / f"{name}.tsv") for name in ("gold", "predicted")]
    options = ["--set", "symbols.silence=keep"] if keep else []
    text, found = " ".join(score(*files, *options).split()), json.loads(score(*files, *options, "--json"))
    line = (
        "note: 5 of 9 gold symbols (h# 4, pau 1) and 2 of 6 predicted symbols (sil) are left out as silence; "
        "--set symbols.silence=keep counts them"
    )
    assert text.count("silence;") == text.count(line) == (0 if keep else 1)
    assert found["gold_tokens"] == (9 if keep else 4)


def test_the_verdict_comes_first_then_ten_rows_with_their_limits(of_speakers: tuple[Path, Tables]) -> None:
    folder, tables = of_speakers
    lines = score_of(folder).splitlines()
    assert max(map(len, lines)) <= 80
    first, second = lines.index(""), lines.index("", lines.index("") + 1)
    assert " ".join(lines[:first]).startswith("wPER is 0.")
    rows = lines[first + 1 : second]
    wper = tables["summary"].set_index("measure").loc["wper"]
    number = round_number(wper["value"], wper["low"], wper["high"])
    assert rows[0].split() == ["wper", *number.split(), *["Feature-weighted", "error", "rate", "(wPER)"]]
    names = ["wper", "chance_wper", "skill_wper", "per", "chance_per", "skill_per", "conditional_entropy"]
    assert [row.split()[0] for row in rows] == [*names, "deletion_rate", "insertion_rate", "substitution_rate"]


def test_what_is_shown_first_does_not_depend_on_what_else_is_computed(of_speakers: tuple[Path, Tables]) -> None:
    gold, predicted = (of_speakers[0] / f"{name}.tsv" for name in ("gold", "predicted"))
    found = px.score(gold, predicted, settings=["chance.replicates=2"])
    rows = {(row["measure"], row["variant"]): row for row in found.summary.to_dict("records")}
    assert len(found.first) < len(rows)
    for row in found.first:
        own = {name: value for name, value in row.items() if name != "corpus"}
        pd.testing.assert_series_equal(pd.Series(own), pd.Series(rows[row["measure"], row["variant"]]))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--costs", "panphn", r"--costs: must be .*, not 'panphn'; did you mean 'panphon'\?$"),
        ("--set", "symbols.tons=tier", r"symbols.tons: unknown key; did you mean 'tone'\?$"),
        ("--symbols", "ipa,ipa,ipa", "give one value, or two"),
        ("--format", "tvs;", r"2 problems:\n  --format \(gold\): .*\n  --format \(predicted\): "),
    ],
)
def test_wrong_choices_are_named_by_their_options(
    files: tuple[str, str], option: str, value: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        score(*files, option, value)


def test_what_has_no_option_is_set_as_in_a_configuration(
    files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths of `--set` count from the current folder, and a later one has its way."""
    monkeypatch.chdir(tmp_path)
    both = (*files, "--symbols", "ipa,arpabet", "--json")
    write(tmp_path / "gaps.tsv", "phone\tcost\n" + "".join(f"{phone}\t2\n" for phone in "patbisu"))
    costly = json.loads(score(*both, "--set", "alignment.deletion=gaps.tsv", "--set", "seed=1", "--set", "seed=3"))
    assert costly["wper"] > json.loads(score(*both))["wper"]
    assert costly["signature"] != json.loads(score(*both, "--set", "alignment.deletion=gaps.tsv"))["signature"]
    second = json.loads(score(*both, "--set", "corpora.score.gold_second=gold.tsv"))
    assert second["people_per"] == 0


@pytest.mark.parametrize("beside", [False, True])
def test_canonical_phones_are_read_as_gold_is_and_of_the_same_file_from_their_own_column(
    tmp_path: Path, beside: bool
) -> None:
    """The speaker says b for p, and the recogniser p: the columns are gold's, but of one file for the phones."""
    head = "id\tsaid" + "\tcanonical" * (not beside)
    rows = {"u1": ("p a", "p a"), "u2": ("b a", "p a")}
    lines = ["\t".join([name, *(row[:1] if beside else row)]) for name, row in rows.items()]
    gold = write(tmp_path / "gold.tsv", "\n".join([head, *lines]) + "\n")
    asked = "".join(f"{name}\tb b\t{row[1]}\n" for name, row in rows.items())
    apart = write(tmp_path / "asked.tsv", f"id\tphones\tsaid\n{asked}")  # whose column phones is not the one
    predicted = transcript(tmp_path / "predicted.tsv", {name: row[1] for name, row in rows.items()})
    columns = "utterance=id,phones=said;utterance=utterance"
    found = json.loads(score(gold, predicted, "--columns", columns, "--canonical", apart if beside else gold, "--json"))
    assert (found["per"], found["mdd_recall"]) == (1 / 4, 0)


@pytest.mark.parametrize("name", ["report", "verify"])
def test_the_tables_of_a_score_are_no_results_of_a_run(files: tuple[str, str], name: str, tmp_path: Path) -> None:
    score(*files, "--symbols", "ipa,arpabet", "-o", str(tmp_path / "out"), "-q")
    code, said = command(name, tmp_path / "out")
    assert (code, "holds the tables of one score; this needs the results of phonxling run" in said) == (1, True)
