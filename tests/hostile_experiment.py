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
LONG = (  # 3,000 letters each: without spaces, with them, from right to left, with marks on each letter
    *("x" * 3000, "of the north " * 230 + "coast 1234", "עברית" * 600, "a\u0301\u0323" * 1000, "x" * 2999 + "y"),
)
FILES = "    {side}: {{path: {side}.{end}, symbols: raw}}\n"
SETTINGS = """\
alignment:   {costs: unit}
pairing:     {check_posteriors: false}
chance:      {models: [unigram], replicates: 2}
information: {permutations: 5}
map:         {method: pca}
"""


def configuration(name: str, corpora: dict[str, str], natural: str, figures: str) -> str:
    """Return the configuration of two corpora of the same files: names with their recognisers, and a natural class."""
    sides = [FILES.format(side=side, end="tsv") for side in ("gold", "predicted")]
    (first, one), (second, other) = corpora.items()
    return (
        f"name: {name}\ncorpora:\n"
        f'  {first}:\n    role: reference\n    recogniser: "{one}"\n{"".join(sides)}'
        f"{FILES.format(side='posteriors', end='npz')}"
        f'  {second}:\n    recogniser: "{other}"\n{"".join(sides)}'
        f'classes: {{"{natural}": +syl}}\nfigures: {figures}\n{SETTINGS}'
    )


def composed(phone: str) -> str:
    """Return a phone as labels are written, in Unicode's NFC."""
    return unicodedata.normalize("NFC", phone)


def make_hostile_experiment(folder: Path) -> Path:
    """Write the data and the configuration, and return the configuration's path."""
    mark = f"<b>{{{{{MARK}}}}}"
    corpora = {"first": mark, "second": mark}
    text = configuration("hostile", corpora, f"=</script><script>{MARK}(3)</script>", "{formats: [svg], kinds: [all]}")
    return _make(folder, text, PHONES, UTTERANCES)


def make_long_experiment(folder: Path) -> Path:
    """Write the same with names of 3,000 letters, and of phones, "a" and "b" beside these."""
    text = configuration("n" * 100, {"y" * 100: LONG[1], "ש" * 50: LONG[3]}, "c" * 100, "{formats: [png]}")
    return _make(folder, text, (*LONG, "a", "b"), [f"{name}{at}" for at in range(3) for name in LONG])


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
