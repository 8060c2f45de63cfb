"""Corpora of text, an utterance a row: workload W, written in blocks of 20,000; and languages of one recogniser."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from benchmarks.workload import PHONES, SEED, Side, blocks
from numpy.typing import NDArray

from phonxling.core.arrays import offsets_of

_MARKS = ("", "ʷ", "ʲ", "ː", "ʰ", "ˤ", "ˠ", "̃", "̥", "ʷː", "ʲː", "ʰː", "ˤː", "ˀ", "̃ː", "̥ː", "ʷ̃", "ʲ̃")
POOL = tuple(dict.fromkeys(phone + mark for mark, phone in product(_MARKS, PHONES)))  # 810 phones
MOST_PHONES = len(POOL) * 2 // 3  # of a language
_NEAR = 4  # places of the pool, which a phone is misheard by


def write_text(folder: Path, utterances: int, speakers: int = 0) -> Path:
    """Write gold.tsv and predicted.tsv and the configuration that names them, and return its path.

    With `speakers` the gold side names one of so many in each row.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [(folder / f"{side}.tsv").open("w", encoding="utf-8") for side in ("gold", "predicted")]
    with files[0] as gold, files[1] as predicted:
        first = 0
        for said, heard in blocks(utterances):
            gold.writelines(_rows(said, first, speakers))
            predicted.writelines(_rows(heard, first, 0))
            first += len(said.offsets) - 1
    return _configured(folder, "  made:\n    gold: {path: gold.tsv}\n    predicted: {path: predicted.tsv}\n")


def write_languages(folder: Path, languages: int, utterances: int, phones: int, speakers: int) -> Path:
    """Write so many languages of so many phones, heard by one recogniser that was trained on the first of them.

    Two thirds of the phones are those of all languages, the others are drawn from half as many again. Speakers and
    languages differ in how often a phone is misheard, by 0.1 to 0.4. The recogniser has the reference's phones.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(languages):
        generator = np.random.default_rng([SEED, languages, phones, speakers, number])
        others = np.arange(phones * 2 // 3, phones * 3 // 2)
        drawn = np.sort(generator.permutation(others)[: phones - phones * 2 // 3]) if number else others
        own = np.concatenate([np.arange(phones * 2 // 3), drawn])[:phones]
        said, heard = _language(generator, own, utterances=utterances, phones=phones, speakers=speakers)
        for side, rows in (("gold", _rows(said, 0, speakers, POOL)), ("predicted", _rows(heard, 0, 0, POOL))):
            (folder / f"l{number:02}-{side}.tsv").write_text("".join(rows), encoding="utf-8")
        role = "" if number else "role: reference, "
        files = f"gold: {{path: l{number:02}-gold.tsv}}, predicted: {{path: l{number:02}-predicted.tsv}}"
        lines.append(f"  l{number:02}: {{{role}recogniser: one, {files}}}\n")
    return _configured(folder, "".join(lines))


def _configured(folder: Path, corpora: str) -> Path:
    configuration = folder / "made.yaml"
    configuration.write_text(f"corpora:\n{corpora}", encoding="utf-8")
    return configuration


def _language(
    generator: np.random.Generator, own: NDArray[np.int64], *, utterances: int, phones: int, speakers: int
) -> tuple[Side, Side]:
    """Return what is said of a language's own phones, by their places in the pool, and what is heard of it."""
    offsets = offsets_of(np.clip(generator.normal(40, 15, utterances).round(), 3, 120).astype(np.int64))
    common = 1 / (generator.permutation(len(own)) + 3.0)
    said = own[generator.choice(len(own), offsets[-1], p=common / common.sum())]
    wrong = generator.uniform(0.1, 0.2) + generator.uniform(0.0, 0.2, max(speakers, 1))
    of_token = wrong[np.repeat(np.arange(utterances), np.diff(offsets)) % len(wrong)]
    apart = generator.integers(1, _NEAR + 1, len(said)) * generator.choice([-1, 1], len(said))
    missed = generator.random(len(said)) < of_token
    heard = np.where(missed | (said >= phones), (said + apart) % phones, said)
    fate = generator.random(len(said))
    copies = np.select([fate < 0.03, fate > 0.97], [0, 2], 1)  # deleted, and said twice
    copies[offsets[:-1]] = 1
    ends = np.concatenate([[0], np.cumsum(copies)])[offsets]
    return Side(said.astype(np.int32), offsets), Side(np.repeat(heard, copies).astype(np.int32), ends)


def name_of(number: int) -> str:
    """Return an utterance's id, u00000007 for 7."""
    return f"u{number:08}"


def _rows(side: Side, first: int, speakers: int, inventory: Sequence[str] = PHONES) -> Iterator[str]:
    """Yield the lines of a side's utterances, of which the first has this number; above number 0 there is a header."""
    if not first:
        yield "utterance\tspeaker\tphones\n" if speakers else "utterance\tphones\n"
    phones = [inventory[code] for code in side.codes.tolist()]
    for number, (start, stop) in enumerate(pairwise(side.offsets.tolist()), start=first):
        speaker = f"s{number % speakers:05}\t" if speakers else ""
        yield f"{name_of(number)}\t{speaker}{' '.join(phones[start:stop])}\n"
