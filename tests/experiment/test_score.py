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
from phonxling.experiment.scoring import score_files
from phonxling.report.numbers import Numbers, round_number
from phonxling.report.sections import verdict_sentences

GOLD = {"u1": "p a t", "u2": "b i", "u3": "s u s"}
HAS = "ptkaiun"  # phones of a recogniser
PREDICTED = {"u1": "P AA T", "u2": "P IY IY", "u3": "S UW"}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return str(transcript(tmp_path / "gold.tsv", GOLD)), str(transcript(tmp_path / "predicted.tsv", PREDICTED))


score = partial(printed, "score")


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


def test_of_few_utterances_there_are_rates_and_what_guessing_scores_and_nothing_that_judges(
    files: tuple[str, str],
) -> None:
    text, told = score(*files, "--symbols", "ipa,arpabet"), px.score(*files, symbols=("ipa", "arpabet"))
    for said in (told.verdict, " ".join(text.split())):
        assert said.startswith("wPER is 0.")
        assert ", and PER 0.500, over 8 gold phones. " in said
        assert " is what guessing scores (" in said
        assert "3 utterances: too few for intervals." in said
        assert not any(word in said for word in ("[", "kill", "better", "worse", "Neither", "Intervals"))
    assert str(told).startswith("Nothing is judged. 3 utterances: too few for intervals.\n")


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
    return folder, tables_of(folder / "run.yaml")


@pytest.fixture(scope="module")
def shown(of_speakers: tuple[Path, Tables]) -> str:
    """What is shown of the two files alone."""
    return score(*(str(of_speakers[0] / f"{name}.tsv") for name in ("gold", "predicted")))


def score_of(folder: Path, *options: str) -> str:
    gold, predicted, speakers = (str(folder / f"{name}.tsv") for name in ("gold", "predicted", "speakers"))
    return score(gold, predicted, "--speakers", speakers, "--inventory", " ".join(HAS), *options)


def test_the_json_has_the_limits_of_the_summary_and_the_verdict_of_a_run(
    of_speakers: tuple[Path, Tables],
) -> None:
    folder, tables = of_speakers
    found = json.loads(score_of(folder, "--json"))
    for name in ("per", "wper", "chance_wper", "skill_wper", "conditional_entropy"):
        row = next(row for row in tables["summary"].to_dict("records") if row["measure"] == name)
        assert [found[name], found[f"{name}_low"], found[f"{name}_high"]] == [row["value"], row["low"], row["high"]]
    of_run = Numbers.of_rows(tables["summary"].to_dict("records"), "made")
    said = " ".join(map(str, verdict_sentences(of_run)))
    assert said.startswith(found["verdict"].split(" gold phones. ")[1])
    assert "The recogniser is better than that" in found["verdict"]
    assert {"correct", "substitutions", "deletions", "insertions", "notes", "signature"} <= set(found)


def test_an_inventory_is_a_set_a_file_or_phones_and_without_one_there_is_no_floor(
    of_speakers: tuple[Path, Tables], shown: str
) -> None:
    folder, tables = of_speakers
    sides = [str(folder / f"{name}.tsv") for name in ("gold", "predicted")]
    write(folder / "inventory.txt", "\n".join(HAS) + "\n")
    listed, of_file = (
        json.loads(score(*sides, "--json", "--inventory", given))
        for given in (" ".join(HAS), str(folder / "inventory.txt"))
    )
    assert listed == of_file
    assert listed["floor_per"] == tables["summary"].set_index("measure")["value"]["floor_per"] > 0
    without = json.loads(score(*sides, "--json"))
    assert without["floor_per"] is None
    assert without["skill_wper"] < listed["skill_wper"]
    assert "no errors (its inventory is not declared)" in without["verdict"]
    assert without["per"] == listed["per"]
    assert "could score below" not in without["verdict"]
    assert shown.index("\nskill_wper ") < shown.index("\nskill_per ")
    for given, message in (
        ("arpabet2", "--inventory: must be arpabet, timit61"),
        ("p t k", "^inventory: 4 predicted phones are outside"),
    ):
        with pytest.raises((ConfigurationError, DataError), match=message):
            score(*sides, "--inventory", given)


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
    said = " ".join(lines[:first])
    assert said.startswith("wPER is 0.")
    assert " is what guessing scores (always “i”); no recogniser with these phones could score below 0." in said
    assert ". The recogniser is better than that: " in said
    assert said.endswith(" of the way from guessing to the best that its phones allow.")
    rows, below = lines[first + 1 : second], " ".join(lines[second:])
    assert below.strip().startswith("wPER is the cost of all errors per gold phone")
    wper = tables["summary"].set_index("measure").loc["wper"]
    number = round_number(wper["value"], wper["low"], wper["high"])
    assert rows[0].split() == ["wper", *number.split(), *["Feature-weighted", "error", "rate", "(wPER)"]]
    names = ["wper", "chance_wper", "skill_wper", "per", "chance_per", "skill_per", "conditional_entropy"]
    assert [row.split()[0] for row in rows] == [*names, "deletion_rate", "insertion_rate", "substitution_rate"]
    assert "leaving out one of 8 speakers at a time. More numbers: --json." in below


@pytest.mark.parametrize("predicted", ["predicted", "wrong"])
def test_what_is_shown_first_does_not_depend_on_what_else_is_computed(
    of_speakers: tuple[Path, Tables], predicted: str
) -> None:
    folder, _ = of_speakers
    swapped = str.maketrans("ptkaiun", "aiupktx")
    lines = (folder / "gold.tsv").read_text(encoding="utf-8").splitlines()
    wrong = [
        lines[0],
        *(f"{name}\t{phones.translate(swapped)}" for name, phones in (line.split("\t") for line in lines[1:])),
    ]
    write(folder / "wrong.tsv", "\n".join(wrong) + "\n")
    sides = {"gold": {"path": str(folder / "gold.tsv")}, "predicted": {"path": str(folder / f"{predicted}.tsv")}}
    small = {"chance": {"replicates": 2}}
    found = score_files({"name": "s", "corpora": {"s": sides}, **small})
    assert ("map the symbols" in " ".join(found.cautions)) == (predicted == "wrong")
    rows = {(row["measure"], row["variant"]): row for row in found.summary.to_dict("records")}
    assert len(found.first) < len(rows)
    for row in found.first:
        own = {name: value for name, value in row.items() if name != "corpus"}
        pd.testing.assert_series_equal(pd.Series(own), pd.Series(rows[row["measure"], row["variant"]]))


def test_intervals_over_utterances_say_what_is_wrong_with_them(shown: str) -> None:
    said = " ".join(shown.split())
    assert "leaving out one of 24 utterances at a time. Name the speakers with --speakers FILE." in said
    assert "note: Speakers unknown: intervals are too narrow if one speaker has several utterances." in said


def test_raw_symbols_are_compared_as_they_stand_and_have_no_features(files: tuple[str, str]) -> None:
    found = json.loads(score(files[0], files[0], "--symbols", "raw", "--costs", "unit", "--json"))
    assert found["per"] == 0
    with pytest.raises(ConfigurationError, match="raw symbols have no phonological features; set alignment"):
        score(files[0], files[0], "--symbols", "raw")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--costs", "panphn", r"^score: 1 problem:\n  --costs: must be .*, not 'panphn'; did you mean 'panphon'\?$"),
        ("--set", "symbols.tons=tier", r"\n  symbols.tons: unknown key; did you mean 'tone'\?$"),
        ("--set", "corpora.score.gold.tier=[a]", r"\n  --tier \(gold\): must be a text, not a list$"),
        ("--symbols", "ipa,ipa,ipa", "'ipa,ipa,ipa': give one value, or two"),
        (
            "--format",
            "tvs;",
            r"^score: 2 problems:\n  --format \(gold\): must be .*\n  --format \(predicted\): must be ",
        ),
        ("--columns", "id=sample;", r"^score: 1 problem:\n  --columns \(gold\): must be utterance, .*, not 'id'$"),
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
