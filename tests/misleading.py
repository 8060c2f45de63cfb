"""Corpora made to mislead: what each recogniser does is known, and no sentence may say anything else of it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from running import write_tables_of
from support import speakers_file, transcript

from phonxling.configuration.reading import load_configuration
from phonxling.experiment.pipeline import describe_experiment
from phonxling.report.findings import findings, numbers_alone, stored_numbers
from phonxling.report.numbers import Numbers
from phonxling.results.folder import write_manifest

PHONES = ["p", "b", "t", "d", "k", "m", "n", "s", "z", "l", "i", "u", "e", "o", "a"]
Words = list[list[str]]
Recogniser = Callable[[Words, np.random.Generator], Words]
SETTINGS = "chance: {replicates: 5}\nreport: {html: false}\n"
NEAR = dict(zip("pbtdkmnszliueoa", "bpdttnmzsneoiuo", strict=True))
FAR = dict(zip("pbtdkmnszliueoa", "iueoapbtdkmnszl", strict=True))  # each phone another, one to one, and unlike it


def confuses(share: float) -> Recogniser:
    """Return a recogniser that confuses a share of the phones with their neighbours."""
    return lambda words, draws: [[NEAR[one] if draws.random() < share else one for one in word] for word in words]


def renames(words: Words, _: np.random.Generator) -> Words:
    """Write each phone as another, always the same."""
    return [[FAR[one] for one in word] for word in words]


def deletes(words: Words, draws: np.random.Generator) -> Words:
    """Delete nine phones in ten."""
    return [[one for one in word if draws.random() < 0.1] for word in words]


def inserts(words: Words, draws: np.random.Generator) -> Words:
    """Insert up to four phones after each."""
    return [[each for one in word for each in (one, *draws.choice(PHONES, draws.integers(5)))] for word in words]


def guesses(words: Words, draws: np.random.Generator) -> Words:
    """Say phones at random."""
    return [draws.choice(PHONES, len(word)).tolist() for word in words]


def likes_e(words: Words, draws: np.random.Generator) -> Words:
    """Say e six times in ten and any other phone else, whatever is said."""
    others = [one for one in PHONES if one != "e"]
    return [["e" if draws.random() < 0.6 else str(draws.choice(others)) for _ in word] for word in words]


def never_alike(words: Words, _: np.random.Generator) -> Words:
    """Answer each of p, t, k, f by a phone that is like it but not among the phones said."""
    return [[dict(zip("ptkf", "bdɡv", strict=True))[one] for one in word] for word in words]


def make_corpus(
    folder: Path, recogniser: Recogniser, *, phones: Sequence[str] = PHONES, speakers: int = 12, utterances: int = 96
) -> str:
    """Write gold, predictions and speakers of a corpus, and return its entry in a configuration."""
    draws = np.random.default_rng([len(folder.name), speakers, utterances])
    folder.mkdir(parents=True)
    words = [draws.choice(list(phones), 12).tolist() for _ in range(utterances)]
    for name, spoken in (("gold", words), ("predicted", recogniser(words, draws))):
        transcript(folder / f"{name}.tsv", spoken)
    owners = {f"u{number}": f"speaker{number % speakers}" for number in range(utterances)}
    speakers_file(folder / "speakers.tsv", owners)
    files = ", ".join(f"{name}: {folder.name}/{name}.tsv" for name in ("gold", "predicted", "speakers"))
    return f"  {folder.name}: {{{files}}}\n"


def sentences(folder: Path, corpora: str, reference: str = "") -> dict[str, str]:
    """Return all sentences on each corpus of an experiment, with the tables of its results in `results`."""
    written = corpora.replace(f"  {reference}: {{", f"  {reference}: {{role: reference, ") if reference else corpora
    (folder / "c.yaml").write_text(f"corpora:\n{written}{SETTINGS}", encoding="utf-8")
    write_tables_of(folder / "c.yaml", folder / "results")
    write_manifest(folder / "results", describe_experiment(load_configuration(folder / "c.yaml")), {})
    return {name: "\n".join(map(str, findings(numbers))) for name, numbers in told_numbers(folder, reference).items()}


def told_numbers(folder: Path, reference: str = "") -> dict[str, Numbers]:
    """Return the numbers of each corpus of an experiment's results."""
    names = numbers_alone(folder / "results")
    return stored_numbers(
        folder / "results", {name: {"role": "reference" if name == reference else "target"} for name in names}
    )
