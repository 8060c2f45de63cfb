"""What a user meets who installed phonxling alone: all commands work, and a missing extra is named with its command.

Run by scripts/check_package.sh with the user's Python, in an empty folder; needs phonxling and the standard library.
"""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import phonxling as px

GOLD = {"u1": "p a t a", "u2": "b a d i", "u3": "k u t i", "u4": "m a n u", "u5": "s i k a", "u6": "t u b a"}
PREDICTED = {"u1": "p a d a", "u2": "b a t i", "u3": "k u t", "u4": "m a m u", "u5": "s i k a", "u6": "t u p a"}
CONFIGURATION = "corpora:\n  yoruba:\n    gold: {path: gold.tsv}\n    predicted: {path: predicted.tsv}\n"
OF_EXTRAS = ("pyarrow", "h5py", "kaldi_native_io", "safetensors", "distributed")
SCORE = ("score", "gold.tsv", "predicted.tsv")
NEEDING_EXTRAS = {  # a command, and the extra that it needs
    ("score", "gold.parquet", "predicted.tsv"): "formats",
    ("decode", "posteriors.h5", "--output", "decoded.tsv"): "formats",
    ("decode", "posteriors.ark", "--output", "decoded.tsv"): "formats",
    ("decode", "posteriors.safetensors", "--output", "decoded.tsv"): "formats",
    ("run", "experiment.yaml", "--fresh", "--scheduler", "tcp://127.0.0.1:9"): "distributed",
}


def phonxling(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command."""
    command = [str(Path(sys.executable).with_name("phonxling")), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8", timeout=600)  # noqa: S603 - our own


def must(condition: bool, what: str) -> None:
    """End with exit code 1 and a sentence when something does not hold."""
    if not condition:
        sys.exit(what)


def write_inputs() -> None:
    """Write gold and predicted phones, a configuration, and files of formats that need an extra."""
    for name, phones in (("gold", GOLD), ("predicted", PREDICTED)):
        rows = "".join(f"{utterance}\t{text}\n" for utterance, text in phones.items())
        Path(f"{name}.tsv").write_text(f"utterance\tphones\n{rows}", encoding="utf-8")
    Path("experiment.yaml").write_text(CONFIGURATION, encoding="utf-8")
    np.savez(
        "posteriors.npz",
        phones=np.array(["a", "p"]),
        frame_shift_s=0.01,
        u1=np.array([[0.9, 0.1], [0.2, 0.8]], np.float32),
    )
    for name in ("gold.parquet", "posteriors.h5", "posteriors.ark", "posteriors.safetensors"):
        Path(name).write_bytes(b"u1 \0BFM \4\1\0\0\0\4\1\0\0\0\0\0\x80?")  # Kaldi's form of the matrix [[1.0]]


def check_commands() -> None:
    """Run each command that needs no extra."""
    for words in (
        SCORE,
        ("check", "experiment.yaml"),
        ("run", "experiment.yaml", "--output", "results"),
        ("verify", "results"),
        ("decode", "posteriors.npz", "--output", "decoded.tsv"),
        ("schema",),
    ):
        done = phonxling(*words)
        must(done.returncode == 0, f"phonxling {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    shutil.copytree("results", "others")
    must(phonxling("compare", "results", "others", "--output", "compared").returncode == 0, "compare fails")
    must(Path("results/figures/rates.pdf").stat().st_size > 5_000, "a figure is empty")


def check_extras() -> None:
    """See that each missing extra is named with the command that installs it."""
    for name in OF_EXTRAS:
        must(importlib.util.find_spec(name) is None, f"{name} is installed: this is no minimal environment")
    for words, extra in NEEDING_EXTRAS.items():
        done = phonxling(*words)
        remedy = f'pip install "phonxling[{extra}]"'
        must(
            done.returncode in {1, 2} and remedy in done.stderr,
            f"{' '.join(words)} does not say {remedy}: {done.stderr}",
        )


if __name__ == "__main__":
    write_inputs()
    for name in px.__all__:
        getattr(px, name)
    check_commands()
    check_extras()
    print(f"minimal install: {len(px.__all__)} public names, all commands, {len(NEEDING_EXTRAS)} messages on extras")
