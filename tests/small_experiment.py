"""A small experiment made on the spot: a reference and a target with times, confidences, posteriors and speakers."""

from pathlib import Path

import numpy as np

RECOGNISED = ("P", "B", "T", "AA", "IY", "UW", "S", "SIL")
IPA = {"P": "p", "B": "b", "T": "t", "AA": "ɑ", "IY": "i", "UW": "u", "S": "s"}
HEARD_AS = {"p": "P", "b": "B", "t": "T", "ɑ": "AA", "i": "IY", "u": "UW", "s": "S", "a": "AA", "k͡p": "P", "ĩ": "IY"}
SHIFT = 0.01

CONFIGURATION = """\
name: small
corpora:
  english:
    role: reference
    recogniser: toy
    gold:       {path: english/gold.tsv}
    predicted:  {path: english/predicted.tsv, symbols: arpabet}
    posteriors: {path: english/posteriors.npz, symbols: arpabet}
    speakers:   {path: english/speakers.tsv}
  yoruba:
    recogniser: toy
    gold:       {path: yoruba/gold.tsv}
    predicted:  {path: yoruba/predicted.tsv, symbols: arpabet}
    posteriors: {path: yoruba/posteriors.npz, symbols: arpabet}
    speakers:   {path: yoruba/speakers.tsv}
chance:      {replicates: 3}
information: {permutations: 20}
map:         {method: pca, batches: 2}
figures:     {formats: [png], kinds: [all]}
"""


def make_experiment(folder: Path, utterances: int = 24, seed: int = 4) -> Path:
    """Write the data and the configuration of a small experiment, and return the configuration's path."""
    generator = np.random.default_rng(seed)
    make_corpus(folder / "english", ("p", "b", "t", "ɑ", "i", "u", "s"), 0.1, utterances, generator)
    make_corpus(folder / "yoruba", ("b", "t", "a", "i", "ĩ", "k͡p", "s"), 0.4, utterances, generator)
    path = folder / "small.yaml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    return path


def make_corpus(
    folder: Path, phones: tuple[str, ...], noise: float, utterances: int, generator: np.random.Generator
) -> None:
    """Write gold.tsv, predicted.tsv, posteriors.npz and speakers.tsv: every phone lasts 30 to 90 ms."""
    folder.mkdir(parents=True)
    gold, speakers = ["utterance\tstart\tend\tphone"], ["utterance\tspeaker"]
    predicted = [f"{gold[0]}\tconfidence"]
    posteriors: dict[str, np.ndarray] = {"phones": np.array(RECOGNISED), "frame_shift_s": np.array(SHIFT)}
    for number in range(utterances):
        name, time, rows = f"{folder.name}_{number:02d}", 0.0, []
        speakers.append(f"{name}\tspeaker{number % 12}")
        for phone in ["sil", *generator.choice(phones, 8), "sil"]:
            frames = int(generator.integers(3, 10))
            heard = _heard(phone, noise, generator)
            row = generator.dirichlet(np.where(np.array(RECOGNISED) == heard, 30.0, 0.3), frames)
            span = f"{name}\t{time:.4f}\t{time + frames * SHIFT:.4f}"
            gold.append(f"{span}\t{phone}")
            predicted.append(f"{span}\t{heard}\t{row[:, RECOGNISED.index(heard)].mean():.4f}")
            rows.append(row)
            time += frames * SHIFT
        posteriors[name] = np.concatenate(rows).astype(np.float16)
    np.savez_compressed(folder / "posteriors.npz", **posteriors)
    for name, lines in (("gold", gold), ("predicted", predicted), ("speakers", speakers)):
        (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _heard(phone: str, noise: float, generator: np.random.Generator) -> str:
    if phone == "sil":
        return "SIL"
    return str(generator.choice(RECOGNISED[:-1])) if generator.random() < noise else HEARD_AS[phone]
