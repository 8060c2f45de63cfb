"""The command line as people expect it: short options, help that can be read, completion, exit codes, quiet."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from running import Command
from support import transcript

from phonxling.cli import app

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
GOLD = {f"u{number:02}": text for number, text in enumerate(["p a t a", "k a n i", "t u m i", "s a k i"] * 4)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    transcript(tmp_path / "gold.tsv", GOLD)
    transcript(tmp_path / "heard.tsv", {name: text.replace("t", "d") for name, text in GOLD.items()})
    transcript(tmp_path / "fewer.tsv", dict([*GOLD.items()][2:]))
    (tmp_path / "e.yaml").write_text("corpora: {c: {gold: gold.tsv, predicted: heard.tsv}}\n", encoding="utf-8")
    return tmp_path


def test_help_is_cut_nowhere_and_has_no_types(phonxling: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    whole = " ".join(phonxling("-h").stdout.split())
    for name, command in COMMANDS.items():
        assert " ".join([name, *command.help.partition("\n\n")[0].split()]) in whole
        own = phonxling(name, "-h").stdout
        assert own == phonxling(name, "--help").stdout
        assert own.startswith(f"Usage: phonxling {name} [OPTIONS]")
        assert "[[" not in own
        assert not [part for part in ("<str>", "<path>", "<int", "<float>", "x>=", "{", "default: (") if part in own]
        assert max(map(len, own.splitlines())) <= 60


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
        *("run no.yaml", "check no.yaml", "score no.tsv gold.tsv", "decode no.npz -o x.tsv", "report no", "verify no"),
        *("init no", "compare no no2", "symbols no.tsv", "check extends.yaml", "check table.yaml"),
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
