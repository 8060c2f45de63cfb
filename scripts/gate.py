#!/usr/bin/env python3
"""Whether a change of the code moves any table: experiments run before and after, their tables compared byte by byte.

    python scripts/gate.py made FOLDER            # data and configurations with every optional part switched on
    python scripts/gate.py run FOLDER CONFIG …    # the tables of each, and of a comparison of them
    python scripts/gate.py compare BEFORE AFTER   # folders of two runs

Runs are without figures and pages. In a folder of an earlier run, finished steps are taken from there, whatever source
made them, so that a change of what is measured from them is checked in seconds; give a new folder to check all.
"""

import argparse
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np

from phonxling.comparison.compare import Choices
from phonxling.configuration.reading import load_configuration
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.pipeline import run
from phonxling.experiment.results import compare_results

RECOGNISED = ("P", "B", "T", "D", "AA", "IY", "UW", "EH", "S", "Z", "N", "SIL")
_SAID, _HEARD = "p b t d ɑ i u ɛ s z n a k͡p ĩ r", "P B T D AA IY UW EH S Z N AA P IY D"
HEARD_AS = dict(zip(_SAID.split(), _HEARD.split(), strict=True))
LANGUAGES = {
    "english": (("p", "b", "t", "d", "ɑ", "i", "u", "ɛ", "s", "z", "n"), 0.12),
    "yoruba": (("b", "t", "d", "a", "i", "ĩ", "k͡p", "s", "r", "n"), 0.35),
}
VOWELS = frozenset("ɑiuɛaĩ") | {"ĩ"}
TONES = ("˥", "˧", "˩")
SHIFT = 0.01
SPEAKERS = 12

CORPUS = """\
  {name}:
    role: {role}
    recogniser: toy
    gold:       {{path: {name}/gold.tsv}}
    gold_second: {{path: {name}/predicted.tsv}}
    predicted:  {{path: {name}/predicted.tsv}}
    posteriors: {{path: {name}/posteriors.npz, symbols: arpabet}}
    speakers:   {{path: {name}/speakers.tsv, groups: [half]}}
    times:      {times}
"""
COMMON = """\
chance:      {replicates: 4}
information: {permutations: 40}
map:         {method: pca, batches: 2}
figures:     {formats: [svg]}
"""
VARIANTS = {
    "everything": """\
entropy:     {estimators: [ml, miller-madow, chao-shen, shrink, grassberger, jeffreys, laplace, nsb], gaps: include}
expected:    {common: features, predicted: all, smoothing: 0.25}
classes:     {nasal vowels: "+syl +nas", high: "+hi"}
context:     position
contrasts:   auto
""",
    "weighted": """\
alignment:   {costs: panphon-weighted}
context:     left
uncertainty: {cluster: utterance, prompts: drawn}
""",
    "forced": """\
""",
    "sclite": """\
alignment:   {costs: sclite}
symbols:     {tone: attach}
""",
    "decoded": """\
decoding:    {min_duration: 0.02}
""",
}


def make_experiments(folder: Path, utterances: int = 60, seed: int = 11) -> list[Path]:
    """Write the data of two languages and a configuration for each variant, and return the configurations."""
    generator = np.random.default_rng(seed)
    for name, (phones, noise) in LANGUAGES.items():
        _make_corpus(folder / name, phones, noise, utterances, generator)
    return [_configuration(folder, variant) for variant in VARIANTS]


def _configuration(folder: Path, variant: str) -> Path:
    roles = zip(LANGUAGES, ("reference", "target"), strict=True)
    times = "forced" if variant == "forced" else "auto"
    corpora = "".join(CORPUS.format(name=name, role=role, times=times) for name, role in roles)
    own = {line.partition(":")[0] for line in VARIANTS[variant].splitlines()}
    common = "".join(line for line in COMMON.splitlines(keepends=True) if line.partition(":")[0] not in own)
    if variant == "decoded":
        corpora = "".join(line for line in corpora.splitlines(keepends=True) if "predicted:" not in line)
    path = folder / f"{variant}.yaml"
    path.write_text(f"name: {variant}\ncorpora:\n{corpora}{common}{VARIANTS[variant]}", encoding="utf-8")
    return path


def _make_corpus(
    folder: Path, phones: tuple[str, ...], noise: float, utterances: int, generator: np.random.Generator
) -> None:
    """Write gold, predictions with confidences, posteriors and speakers; vowels bear tones that are partly misheard."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = {
        "gold": ["utterance\tstart\tend\tphone"],
        "predicted": ["utterance\tstart\tend\tphone\tconfidence"],
        "speakers": ["utterance\tspeaker\thalf"],
    }
    posteriors: dict[str, np.ndarray] = {"phones": np.array(RECOGNISED), "frame_shift_s": np.array(SHIFT)}
    ipa = {heard: phone for phone, heard in reversed(HEARD_AS.items())}
    for number in range(utterances):
        name, time, rows = f"{folder.name}_{number:03d}", 0.0, []
        lines["speakers"].append(f"{name}\tspeaker{number % SPEAKERS}\t{number % SPEAKERS // 6}")
        for phone in [str(phone) for phone in generator.choice(phones, int(generator.integers(5, 12)))]:
            frames, kind = int(generator.integers(3, 9)), generator.random()
            heard = str(generator.choice(RECOGNISED[:-1])) if kind < noise else HEARD_AS[phone]
            row = generator.dirichlet(np.where(np.array(RECOGNISED) == heard, 25.0, 0.3), frames)
            tone = str(generator.choice(TONES)) if phone in VOWELS else ""
            said = tone if generator.random() > noise else str(generator.choice(TONES))
            more = kind > 1 - noise / 6
            end = time + frames * SHIFT
            middle = time + frames // 2 * SHIFT if more else end
            lines["gold"].append(f"{name}\t{time:.4f}\t{end:.4f}\t{phone}{tone}")
            sure = row[:, RECOGNISED.index(heard)].mean()
            if kind > noise / 6:  # the rest is deleted
                phone_and_tone = ipa[heard] + said * (ipa[heard] in VOWELS)
                lines["predicted"].append(f"{name}\t{time:.4f}\t{middle:.4f}\t{phone_and_tone}\t{sure:.4f}")
            if more:  # as many phones are inserted
                lines["predicted"].append(f"{name}\t{middle:.4f}\t{end:.4f}\tn\t0.5000")
            rows.append(row)
            time += frames * SHIFT
        posteriors[name] = np.concatenate(rows).astype(np.float16)
    np.savez_compressed(folder / "posteriors.npz", **posteriors)
    for name, text in lines.items():
        (folder / f"{name}.tsv").write_text("\n".join(text) + "\n", encoding="utf-8")


def run_tables(configuration: Path, folder: Path) -> None:
    """Write the tables of an experiment to a folder."""
    with (
        patch("phonxling.experiment.results.draw_figures", lambda *_: ([], {})),
        patch("phonxling.experiment.results.write_documents", lambda *_: []),
        patch("phonxling.results.kept.source_digest", lambda: "any source"),
    ):
        run(load_configuration(configuration), folder, SERIAL, SilentProgress())


def compare_folders(results: list[Path], folder: Path) -> None:
    """Write the comparison of results to a folder, without its figure."""
    choices = Choices(allow_different=True)
    with patch("phonxling.experiment.results.draw_comparison", lambda *_: []):
        compare_results(results, folder, choices, SilentProgress())


def moved_tables(before: Path, after: Path) -> list[str]:
    """Return the tables that only one of two folders has, or that are not the same bytes."""
    names = {path.relative_to(side) for side in (before, after) for path in side.rglob("*.tsv")}
    both = [(name.as_posix(), before / name, after / name) for name in sorted(names)]
    return [
        name for name, old, new in both if not (old.exists() and new.exists() and old.read_bytes() == new.read_bytes())
    ]


def main() -> int:
    """Do what the command line says; 1 when a table has moved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("made", "run", "compare"))
    parser.add_argument("paths", type=Path, nargs="+")
    verb, (folder, *others) = vars(parser.parse_args()).values()
    if verb == "made":
        print(*make_experiments(folder), sep="\n")
        return 0
    if verb == "run":
        for path in others:
            run_tables(path, folder / path.stem)
        compare_folders([folder / path.stem for path in others], folder / "compared")
        return 0
    moved = moved_tables(folder, *others)
    print(*moved, f"{len(moved)} tables have moved", sep="\n")
    return int(bool(moved))


if __name__ == "__main__":
    sys.exit(main())
