"""A made benchmark: a table of languages of some families, and one table each of gold and of predicted phones.

Families differ in how often a phone is replaced, languages around their family, speakers around their language; what
replaces a phone is a neighbour in the list of phones, so that there are confusions to see. The recogniser has every
phone but the last ones. `python scripts/made_languages.py FOLDER --languages 100` writes them with a configuration.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.special import expit

_LETTERS = (
    "p b t d k ɡ m n ŋ f v s z ʃ ʒ h l r j w i e ɛ a ɔ o u ɪ ʊ ə y ø œ ɯ ɤ ɨ ʉ ɑ æ ɒ θ ð x ɣ ɲ ʎ c ɟ q ʔ ħ ʕ ɬ ɸ β "
    "t͡s d͡z t͡ʃ d͡ʒ ɹ"
)
PHONES = _LETTERS.split()
CONFIGURATION = """\
languages: languages.tsv
corpora:
  benchmark:
    split_by: lang
    recogniser: {name: made, inventory: inventory.txt}
    gold:      {path: gold.tsv}
    predicted: {path: predicted.tsv}
"""


def write_languages(folder: Path, languages: int = 100, utterances: int = 300, phones: int = 60, seed: int = 1) -> Path:
    """Write the tables and their configuration, of which the path is returned; languages that are seen do better."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    inventory = PHONES[: phones - max(1, phones // 10)]
    about, gold, heard = ["code\tname\tfamily\tseen\thours"], [], []
    offsets = rng.normal(0, 0.5, 8)
    for number in range(languages):
        code, family = f"l{number:03d}", number % len(offsets)
        seen, hours = number // len(offsets) % 2 == 0, round(float(rng.lognormal(2, 1)), 1)
        centre = -1.2 + offsets[family] + rng.normal(0, 0.4) - 0.3 * seen
        about.append(f"{code}\tLanguage {number}\tFamily {family}\t{'yes' if seen else 'no'}\t{hours}")
        own = rng.permutation(phones)[: max(5, int(phones * rng.uniform(0.5, 0.9)))]
        speakers = expit(centre + rng.normal(0, 0.3, 10))
        for utterance in range(utterances):
            speaker = utterance % len(speakers)
            said = rng.choice(own, rng.integers(8, 25))
            wrong = rng.random(len(said)) < speakers[speaker]
            answers = np.where(wrong, said + rng.choice([-1, 1, 2], len(said)), said) % len(inventory)
            kept = answers[rng.random(len(said)) > 0.05]
            name = f"{code}-{speaker}-{utterance}"
            gold.append(f"{name}\t{' '.join(PHONES[one] for one in said)}\t{code}-{speaker}\t{code}")
            heard.append(f"{name}\t{' '.join(PHONES[one] for one in kept)}\t{code}-{speaker}\t{code}")
    header = "utterance\tphones\tspeaker\tlang"
    files = {
        "made.yaml": CONFIGURATION.splitlines(),
        "inventory.txt": inventory,
        "languages.tsv": about,
        "gold.tsv": [header, *gold],
        "predicted.tsv": [header, *heard],
    }
    for file, lines in files.items():
        (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "made.yaml"


def main() -> None:
    """Read the command line and make the benchmark."""
    parser = argparse.ArgumentParser(description="Make a benchmark of many languages.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--languages", type=int, default=100)
    parser.add_argument("--utterances", type=int, default=300)
    parser.add_argument("--phones", type=int, default=60)
    write_languages(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
