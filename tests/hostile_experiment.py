"""Experiments with hostile names: those that a spreadsheet, a page, LaTeX or a shell would obey, and very long ones."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np

MARK = "zqx"  # in every name that would run something, so that a test can look for it in whatever is run
PHONES = (
    *(f"=cmd|'/C,{MARK}'!A0", f"<script>{MARK}(1)</script>", f"{{{{{MARK}*7}}}}", f"\\input{{/{MARK}}}", "%s", "%n"),
    *("@", "=", "-", "+", "-1+2", '"', '""', "'", "$x$", "a|b", "&amp;", "#", "{", "\\", "~", "[bold]"),
    *("nan", "NA", "inf", "None", "∞", "−", "a\u2028b", "a\u202eb", "a\ufffeb", "\u0300", "e\u0301", "é", "x" * 200),
)
UTTERANCES = (
    *(f"../../{MARK}", f"=cmd|' /C {MARK}'!A0", f"</script><img src=x onerror={MARK}(2)>", f"{{{{{MARK}}}}}"),
    *("/etc/passwd", "@SUM(A1)", "-1", '"q"', "nan", "u\u2028v", f"$({MARK})", "x" * 1000),
)
CONFIGURATION = """\
name: {name}
corpora:
  {first}:
    role: reference
    recogniser: "{recogniser}"
    gold:       {{path: gold.tsv, symbols: raw}}
    predicted:  {{path: predicted.tsv, symbols: raw}}
    posteriors: {{path: posteriors.npz, symbols: raw}}
  {second}:
    recogniser: "{recogniser}"
    gold:       {{path: gold.tsv, symbols: raw}}
    predicted:  {{path: predicted.tsv, symbols: raw}}
alignment:   {{costs: unit}}
classes:     {{"{natural_class}": +syl}}
pairing:     {{check_posteriors: false}}
chance:      {{models: [unigram], replicates: 2}}
information: {{permutations: 5}}
map:         {{method: pca}}
figures:     {figures}
"""


LONG = (  # 3,000 letters each: without spaces, with them, from right to left, with marks on each letter
    *("x" * 3000, "of the north " * 230 + "coast 1234", "עברית" * 600, "a\u0301\u0323" * 1000, "x" * 2999 + "y"),
)


def composed(phone: str) -> str:
    """Return a phone as labels are written, in Unicode's NFC."""
    return unicodedata.normalize("NFC", phone)


def make_hostile_experiment(folder: Path) -> Path:
    """Write the data and the configuration, and return the configuration's path."""
    configuration = CONFIGURATION.format(
        name="hostile",
        first="first",
        second="second",
        recogniser=f"<b>{{{{{MARK}}}}}",
        natural_class=f"=</script><script>{MARK}(3)</script>",
        figures="{formats: [svg], kinds: [all]}",
    )
    return _make(folder, configuration, PHONES, UTTERANCES)


def make_long_experiment(folder: Path) -> Path:
    """Write the same with names of 3,000 letters, and of phones, "a" and "b" beside these."""
    configuration = CONFIGURATION.format(
        name="n" * 100,
        first="y" * 100,
        second="ש" * 50,
        recogniser=LONG[1],
        natural_class="c" * 100,
        figures="{formats: [png]}",
    )
    utterances = [f"{name}{at}" for at in range(3) for name in LONG]
    return _make(folder, configuration, (*LONG, "a", "b"), utterances)


def _make(folder: Path, configuration: str, phones: Sequence[str], utterances: Sequence[str]) -> Path:
    generator = np.random.default_rng(7)
    gold = ["utterance\tspeaker\tstart\tend\tphone"]
    heard = ["utterance\tstart\tend\tphone\tconfidence"]
    posteriors = {"phones": np.array(phones), "frame_shift_s": np.array(0.01)}
    for place, utterance in enumerate(utterances):
        said = generator.choice(phones, 15)
        predicted = np.where(generator.random(15) < 0.7, said, generator.choice(phones, 15))
        for at, (one, other) in enumerate(zip(said, predicted, strict=True)):
            span = f"{at * 0.03:.2f}\t{at * 0.03 + 0.03:.2f}"
            gold.append(f"{utterance}\t{utterances[place // 3]}\t{span}\t{one}")
            heard.append(f"{utterance}\t{span}\t{other}\t{generator.random():.3f}")
        near = [np.where(np.array(phones) == phone, 30.0, 0.3) for phone in predicted]
        posteriors[utterance] = np.concatenate([generator.dirichlet(row, 3) for row in near])
    np.savez(folder / "posteriors.npz", **posteriors)
    for name, lines in (("gold", gold), ("predicted", heard)):
        (folder / f"{name}.tsv").write_bytes(("\n".join(lines) + "\n").encode())
    path = folder / "hostile.yaml"
    path.write_text(configuration, encoding="utf-8")
    return path
