"""A small corpus as a CTC recogniser leaves it: gold phones without times, logits with a blank, and nothing else."""

from pathlib import Path

import numpy as np

HEARD = ("p", "b", "t", "a", "i", "u", "s")
HEARD_AS = {**{phone: phone for phone in HEARD}, "ɑ": "a", "ĩ": "i"}
SHIFT = 0.02
CONFIGURATION = """\
name: ctc
corpora:
  english:
    role: reference
    recogniser: toy
    gold:       {path: english/gold.tsv}
    posteriors: {path: english/logits.npz, scale: logit, blank: <blk>}
    speakers:   {path: english/speakers.tsv}
  yoruba:
    recogniser: toy
    gold:       {path: yoruba/gold.tsv}
    posteriors: {path: yoruba/logits.npz, scale: logit, blank: <blk>}
    speakers:   {path: yoruba/speakers.tsv}
decoding:    {method: none}
information: {permutations: 5}
map:         {method: pca, batches: 2}
figures:     {formats: [png]}
"""


def make_ctc_experiment(folder: Path, utterances: int = 16, seed: int = 5) -> Path:
    """Write gold phones, logits and speakers of two languages, and return the configuration's path."""
    generator = np.random.default_rng(seed)
    make_ctc_corpus(folder / "english", ("p", "b", "t", "ɑ", "i", "u", "s"), 0.05, utterances, generator)
    make_ctc_corpus(folder / "yoruba", ("b", "t", "ɑ", "i", "ĩ", "s"), 0.2, utterances, generator)
    path = folder / "ctc.yaml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    return path


def make_ctc_corpus(
    folder: Path, phones: tuple[str, ...], noise: float, utterances: int, generator: np.random.Generator
) -> None:
    """Write gold.tsv, true.tsv (with times), logits.npz and speakers.tsv: each phone is one peak among blanks."""
    folder.mkdir(parents=True)
    gold, true, speakers = ["utterance\tphones"], ["utterance\tstart\tend\tphone"], ["utterance\tspeaker"]
    logits: dict[str, np.ndarray] = {"phones": np.array([*HEARD, "<blk>"]), "frame_shift_s": np.array(SHIFT)}
    for number in range(utterances):
        name, said = f"{folder.name}_{number:02d}", [str(phone) for phone in generator.choice(phones, 9)]
        frames = np.full((7 * len(said), len(HEARD) + 1), -4.0) + generator.normal(
            0, 0.5, (7 * len(said), len(HEARD) + 1)
        )
        frames[:, -1] += 9
        for place, phone in enumerate(said):
            heard = HEARD_AS[phone] if generator.random() > noise else str(generator.choice(HEARD))
            peak = 7 * place + int(generator.integers(2, 5))
            frames[peak, HEARD.index(heard)] += 12
            true.append(f"{name}\t{7 * place * SHIFT:.4f}\t{7 * (place + 1) * SHIFT:.4f}\t{phone}")
        logits[name] = frames.astype(np.float16)
        gold.append(f"{name}\t{' '.join(said)}")
        speakers.append(f"{name}\tspeaker{number % 4}")
    np.savez_compressed(folder / "logits.npz", **logits)
    for name, lines in (("gold", gold), ("true", true), ("speakers", speakers)):
        (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
