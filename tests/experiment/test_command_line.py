"""The command line as people expect it: short options, help that can be read, completion, exit codes, quiet."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from running import Command
from support import transcript

import phonxling as px
from phonxling.cli import app
from phonxling.console import Bar

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
GOLD = {f"u{number:02}": text for number, text in enumerate(["p a t a", "k a n i", "t u m i", "s a k i"] * 4)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    transcript(tmp_path / "gold.tsv", GOLD)
    transcript(tmp_path / "heard.tsv", {name: text.replace("t", "d") for name, text in GOLD.items()})
    transcript(tmp_path / "fewer.tsv", dict([*GOLD.items()][2:]))
    (tmp_path / "e.yaml").write_text("corpora: {c: {gold: gold.tsv, predicted: heard.tsv}}\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_help_is_cut_nowhere_and_has_no_types(width: str, phonxling: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    whole = " ".join(phonxling("-h").stdout.split())
    for name, command in COMMANDS.items():
        assert " ".join([name, *command.help.partition("\n\n")[0].split()]) in whole
        own = phonxling(name, "-h").stdout
        assert own == phonxling(name, "--help").stdout
        assert own.startswith(f"Usage: phonxling {name} [OPTIONS]")
        assert "[[" not in own
        assert not {"<str>", "<path>", "<int", "<float>", "x>=", "{", "default: ("} & {
            part for part in ("<str>", "<path>", "<int", "<float>", "x>=", "{", "default: (") if part in own
        }
        assert max(map(len, own.splitlines())) <= int(width)


def test_every_option_that_takes_something_says_what() -> None:
    for name, command in COMMANDS.items():
        with command.make_context(name, [], resilient_parsing=True) as context:
            options = command.help_records(context, "option")
        flags = {one.opts[0] for one in command.params if getattr(one, "is_flag", False)} | {"--help"}
        for shown, _ in options:
            long = next(part for part in shown.replace(",", " ").split() if part.startswith("--"))
            assert long in flags or shown.rpartition(long)[2].strip(), (name, shown)


@pytest.mark.usefixtures("folder")
def test_short_options(phonxling: Command) -> None:
    assert phonxling("-V").stdout == phonxling("--version").stdout == f"phonxling {px.__version__}\n"
    for name, short in (
        ("run", "-o -q -v -h"),
        ("check", "-q -v -h"),
        ("score", "-o -q -v"),
        ("decode", "-o -q -v"),
        ("init", "-q"),
    ):
        assert {*short.split()} <= {opt for one in COMMANDS[name].params for opt in one.opts} | {"-h"}
    assert phonxling("check", "-v", "e.yaml").stdout.count("gold       ") == 1


def test_quiet_prints_errors_alone(phonxling: Command, folder: Path) -> None:
    text = (folder / "e.yaml").read_text(encoding="utf-8")
    (folder / "e.yaml").write_text(f"# DECIDE: what it is\n{text}", encoding="utf-8")
    assert "to decide" in phonxling("check", "e.yaml").stdout
    for words in (["check", "e.yaml", "-q"], ["init", "-q"], ["score", "gold.tsv", "heard.tsv", "-q", "-o", "out"]):
        done = phonxling(*words)
        assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert phonxling("check", "no.yaml", "-q").stderr.startswith("error: no.yaml")
    assert "per " in phonxling("score", "gold.tsv", "heard.tsv", "-q").stdout


@pytest.mark.parametrize(
    "words",
    [
        "run no.yaml",
        "check no.yaml",
        "score no.tsv gold.tsv",
        "decode no.npz -o x.tsv",
        "report no",
        "verify no",
        "init no",
        "compare no no2",
        "symbols no.tsv",
        "check extends.yaml",
        "check table.yaml",
    ],
)
def test_a_missing_path_is_one_exit_code(words: str, phonxling: Command, folder: Path) -> None:
    (folder / "extends.yaml").write_text("extends: no.yaml\n", encoding="utf-8")
    (folder / "table.yaml").write_text("extends: e.yaml\nalignment: {costs: ./no.tsv}\n", encoding="utf-8")
    done = phonxling(*words.split())
    assert (done.code, done.stderr.startswith("error: ")) == (1, True), done.stderr


def test_score_takes_unpaired_utterances_and_a_seed_and_writes_what_it_prints(phonxling: Command, folder: Path) -> None:
    both = ["score", "gold.tsv", "heard.tsv"]
    assert phonxling("score", "gold.tsv", "fewer.tsv").code == 1
    few = json.loads(
        phonxling("score", "gold.tsv", "fewer.tsv", "--set", "pairing.allow_unpaired=0.2", "--json").stdout
    )
    assert few["notes"][0] == {"corpus": "score", "text": "left out as unpaired, 2 utterances: u00 u01", "kind": "note"}
    told = json.loads(phonxling(*both, "--json", "--set", "seed=3", "-o", "out").stdout)
    assert told["signature"].startswith("seed:3|")
    assert json.loads((folder / "out/score.json").read_text(encoding="utf-8")) == told
    rows = pd.read_csv(folder / "out/summary.tsv", sep="\t").set_index("measure")["value"]
    assert (rows["per"], rows["wper"]) == (told["per"], told["wper"])
    pairs = pd.read_csv(folder / "out/alignments.tsv", sep="\t")
    assert (pairs["gold"] != pairs["predicted"]).sum() == told["per"] * 64 == 8
    assert told != json.loads(phonxling(*both, "--json").stdout)


@pytest.mark.parametrize("scale", ["probability", "log-probability", "logit"])
def test_decode_sees_what_scale_its_numbers_have(scale: str, phonxling: Command, tmp_path: Path) -> None:
    rows = np.random.default_rng(4).dirichlet([0.3, 0.3, 0.3], 40)
    shift = {"probability": rows, "log-probability": np.log(rows), "logit": np.log(rows) + 7}[scale]
    np.savez(tmp_path / "p.npz", u1=shift, phones=np.array(["p", "a", "t"]), frame_shift_s=0.01)
    guessed = phonxling("decode", "p.npz", "-o", "guessed.tsv")
    assert guessed.code == 0, guessed.stderr
    told = "" if scale == "probability" else f"the numbers look like --scale {scale}, and are read so\n"
    assert guessed.stderr == told
    assert phonxling("decode", "p.npz", "-o", "said.tsv", "--scale", scale).stderr == ""
    assert (tmp_path / "guessed.tsv").read_bytes() == (tmp_path / "said.tsv").read_bytes()


@pytest.mark.usefixtures("folder")
def test_a_pipe_gets_whole_messages_and_text_of_80_columns(phonxling: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    with Bar(quiet=False) as bar:
        bar.say("a " * 100)
    done = phonxling("score", "gold.tsv", "heard.tsv")
    assert done.stderr == f"{'a ' * 100}\n"
    assert 40 < max(map(len, done.stdout.splitlines())) <= 80


COMPLETIONS = {  # what each shell's script asks the program, with what has been typed
    "bash": {"COMP_WORDS": "phonxling sc", "COMP_CWORD": "1"},
    "zsh": {"_TYPER_COMPLETE_ARGS": "phonxling sc"},
    "fish": {"_TYPER_COMPLETE_ARGS": "phonxling sc", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}


@pytest.mark.parametrize("shell", COMPLETIONS)
def test_completion_knows_commands_and_is_shell_code(
    shell: str, phonxling: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in COMPLETIONS[shell].items():
        monkeypatch.setenv(name, text)
    monkeypatch.setenv("_PHONXLING_COMPLETE", f"complete_{shell}")
    found = phonxling().stdout
    assert "schema" in found
    assert "score" in found
    assert shell == "bash" or "of two files beside what chance would score" in found
    assert "..." not in found
    assert shell != "fish" or [line.split("\t")[0] for line in found.splitlines()] == ["score", "schema"]
    assert "run" not in found.split()
    monkeypatch.setenv("_PHONXLING_COMPLETE", f"source_{shell}")
    script = phonxling().stdout
    assert "phonxling" in script
    if (path := shutil.which(shell)) is not None:
        read = subprocess.run([path, "-n"], input=script, capture_output=True, text=True, check=False)  # noqa: S603 - ours
        assert (read.returncode, read.stderr) == (0, "")
