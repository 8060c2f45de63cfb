"""A page of one corpus made from arrays, without a run: as long as a test asks for."""

import base64
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

from phonxling.report.render import CorpusPart, Page, PagePairs, packed_pairs, packed_table, page_html

SPEAKERS = 40
PHONES = ("a", "b", "t", "s", "i", "k͡p")


def unpack(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def make_long_page(file: Path, *, utterances: int, pairs: int, phones: int) -> Path:
    """Write a page of random utterances, a tenth of their phones misheard, and its alignments as TSV beside it."""
    generator = np.random.default_rng(3)
    names = [*PHONES, *(f"phone{number}" for number in range(phones))][:phones]
    gold = generator.integers(0, phones, utterances * pairs).astype(np.uint16)
    wrong = generator.random(gold.size) < 0.1
    heard = np.where(wrong, generator.integers(0, phones + 1, gold.size), gold).astype(np.uint16)
    gold[(heard < phones) & (generator.random(gold.size) < 0.05)] = phones  # an insertion
    rates = (gold != heard).reshape(utterances, pairs).mean(axis=1)
    made = PagePairs(
        utterances=[f"utterance_{number:05d}" for number in range(utterances)],
        speakers=[f"speaker{number % SPEAKERS}" for number in range(utterances)],
        lengths=np.full(utterances, pairs),
        gold=gold,
        predicted=heard,
    )
    every = np.arange(utterances)
    table = pd.DataFrame({"wper": rates * generator.random(utterances), "per": rates})
    alignments = packed_pairs(made, table, every)
    data = {"gold": names, "predicted": names, "alignments": alignments, "sampled": ""}
    corpus = CorpusPart(name="long", title="Long", role="target", data=data)
    tables = {"long/confusions": packed_table(_confusions(names, gold, heard).encode())}
    long = Page(title="Long", version="1", corpora=[corpus], tables=tables)
    spelled = np.array([*names, "∅"])
    pairs_of = {"utterance": np.repeat(made.utterances, pairs), "gold": spelled[gold], "predicted": spelled[heard]}
    pd.DataFrame(pairs_of).to_csv(file.with_suffix(".tsv"), sep="\t", index=False)
    file.write_text(page_html(long), encoding="utf-8")
    return file


def _confusions(names: list[str], gold: np.ndarray, heard: np.ndarray) -> str:
    pairs, counts = np.unique(np.stack([gold, heard]), axis=1, return_counts=True)
    spelled = [*names, "∅"]
    lines = (f"{spelled[row]}\t{spelled[column]}\t{count}" for row, column, count in zip(*pairs, counts, strict=True))
    return "\n".join(["gold\tpredicted\tcount", *lines]) + "\n"
