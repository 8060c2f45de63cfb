"""A small experiment: a reference and a target with times and posteriors, without UMAP."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

_COLUMNS = ("P", "T", "AA", "IY", "SIL")
_PHONES = {
    "english": ("p", "t", "ɑ", "i"),
    "yoruba": ("k͡p", "t", "a", "ĩ"),
}
_HEARD = {"p": 0, "k͡p": 0, "t": 1, "ɑ": 2, "a": 2, "i": 3, "ĩ": 3}
_SHIFT, _PHONES_EACH, _FRAMES = 0.01, 8, 5
_CORPORA = {
    "english": """\
  english:
    role: reference
    recogniser: toy
    gold:       {path: english/gold.tsv}
    posteriors: {path: english/posteriors.npz, symbols: arpabet}
""",
    "yoruba": """\
  yoruba:
    recogniser: toy
    gold:       {path: yoruba/gold.tsv}
    predicted:  {path: yoruba/predicted.tsv, symbols: arpabet}
    posteriors: {path: yoruba/posteriors.npz, symbols: arpabet}
""",
}
_SETTINGS = """\
chance:      {models: [constant, unigram], replicates: 2}
uncertainty: {resamples: 20}
information: {permutations: 5}
embedding:   {method: pca, batches: 2}
figures:     {formats: [png], width: 60 mm}
"""


def make(folder: Path, corpora: Sequence[str] = ("english", "yoruba"), utterances: int = 12) -> Path:
    """Write the data and the configuration of these corpora into a folder, and return the configuration's path."""
    generator = np.random.default_rng(1)
    for name in corpora:
        _corpus(folder / name, utterances, generator)
    path = folder / "small.yaml"
    parts = ["name: small\ncorpora:\n", *(_CORPORA[name] for name in corpora), _SETTINGS]
    path.write_text("".join(parts), encoding="utf-8")
    return path


def _corpus(folder: Path, utterances: int, generator: np.random.Generator) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    gold, predicted = ["utterance\tstart\tend\tphone"], ["utterance\tphones"]
    arrays: dict[str, np.ndarray] = {"phones": np.array(_COLUMNS), "frame_shift_s": np.array(_SHIFT)}
    for number in range(utterances):
        name, said = f"{folder.name}_{number:02d}", generator.choice(_PHONES[folder.name], _PHONES_EACH)
        heard = [_HEARD[phone] if generator.random() < 0.8 else int(generator.integers(4)) for phone in said]
        for place, phone in enumerate(said):
            start, end = (step * _FRAMES * _SHIFT for step in (place, place + 1))
            gold.append(f"{name}\t{start:.2f}\t{end:.2f}\t{phone}")
        predicted.append(f"{name}\t{' '.join(_COLUMNS[code] for code in heard)}")
        weights = np.repeat(np.where(np.eye(5)[heard] > 0, 30.0, 0.3), _FRAMES, axis=0)
        rows = generator.gamma(weights)
        arrays[name] = (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)
    np.savez(folder / "posteriors.npz", **arrays)  # type: ignore[arg-type]
    for name, lines in (("gold", gold), ("predicted", predicted)):
        (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
