"""What users get wrong, each as tiny files, and the words from which the mistake can be mended."""

from collections.abc import Callable
from pathlib import Path

import pytest
from running import Command
from support import write

import phonxling as px

Words = list[list[str]]
GOLD = "k a t u|m a ʃ i|p u l e|d o ŋ a|b i s ɛ|n ɔ k i|t a m u|s e p a"
HEARD = "k a t u|m a s i|p u l i|d o n a|b i s e|n o k i|t a m|s e p a"
ARPABET = {"a": "AA", "u": "UW", "ʃ": "SH", "i": "IY", "e": "EY", "o": "OW", "ŋ": "NG", "ɛ": "EH", "ɔ": "AO"}
MOST_LINES = 8
SHIFT = 0.01


def words(text: str) -> Words:
    """Return the phones of each utterance."""
    return [word.split() for word in text.split("|")]


def named(rows: Words, how: str = "u{}") -> dict[str, list[str]]:
    """Return utterances by id."""
    return {how.format(number): row for number, row in enumerate(rows, 1)}


def spelt(rows: Words, letters: dict[str, str], rest: Callable[[str], str] = str) -> Words:
    """Return utterances in other symbols."""
    return [[letters.get(phone) or rest(phone) for phone in row] for row in rows]


def table(path: Path, rows: dict[str, list[str]], head: str = "utterance\tphones", between: str = " ") -> None:
    """Write a TSV with an utterance a row."""
    write(path, "\n".join([head, *(f"{name}\t{between.join(row)}" for name, row in rows.items())]) + "\n")


def intervals(path: Path, rows: Words, *, confidence: bool = False, shift: float = SHIFT) -> None:
    """Write a TSV with an interval of ten frames a row."""
    lines = ["\t".join(["utterance", "start", "end", "phone", *(["confidence"] if confidence else [])])]
    for name, row in named(rows).items():
        for place, phone in enumerate(row):
            cells = [name, f"{place * 10 * shift:.2f}", f"{(place + 1) * 10 * shift:.2f}", phone]
            lines.append("\t".join([*cells, *([f"0.{place + 5}"] if confidence else [])]))
    write(path, "\n".join(lines) + "\n")


def both(folder: Path, gold: dict[str, list[str]], predicted: dict[str, list[str]]) -> list[str]:
    """Write both sides, and return the command that scores them."""
    table(folder / "gold.tsv", gold)
    table(folder / "predicted.tsv", predicted)
    return ["score", "gold.tsv", "predicted.tsv"]


def checked(folder: Path, corpora: str) -> list[str]:
    """Write a configuration, and return the command that checks it."""
    write(folder / "experiment.yaml", f"corpora:\n{corpora}")
    return ["check", "experiment.yaml"]


SAID, TOLD = named(words(GOLD)), named(words(HEARD))
HEARD_ARPABET = named(spelt(words(HEARD), ARPABET, str.upper))
SIDES = "  c: {gold: gold.tsv, predicted: predicted.tsv}\n"
Made = Callable[[Path], list[str]]
GOLD_ARPABET = named(spelt(words(GOLD), ARPABET, str.upper))


def scored(gold: dict[str, list[str]], predicted: dict[str, list[str]], *options: str) -> Made:
    """Return what writes both sides, and the command that scores them."""
    return lambda folder: [*both(folder, gold, predicted), *options]


def swapped(folder: Path) -> list[str]:
    intervals(folder / "out.tsv", words(HEARD), confidence=True)
    table(folder / "text.tsv", SAID)
    return checked(folder, "  c: {gold: out.tsv, predicted: text.tsv}\n")


def columns_of_one_file(folder: Path) -> list[str]:
    heard = spelt(words(HEARD), {**ARPABET, "ɛ": "err"}, str.upper)
    heard[1][1] = "err"
    sides = zip(words(GOLD), heard, strict=True)
    lines = [f"u{n}\t{' '.join(gold)}\t{' '.join(row)}" for n, (gold, row) in enumerate(sides)]
    write(folder / "both.tsv", "\n".join(["sample\tsaid\theard", *lines]) + "\n")
    columns = "utterance=sample,phones=said;utterance=sample,phones=heard"
    return ["score", "both.tsv", "both.tsv", "--columns", columns, "--symbols", "ipa,arpabet"]


def swapped_columns(folder: Path) -> list[str]:
    both(folder, SAID, TOLD)
    rows = [f"{' '.join(row)}\t{name}" for name, row in {**SAID, **named(words(GOLD)[::-1], "v{}")}.items()]
    write(folder / "gold.tsv", "\n".join(["utterance\tphones", *dict.fromkeys(rows)]) + "\n")
    return ["score", "gold.tsv", "predicted.tsv"]


def other_speakers(folder: Path) -> list[str]:
    write(folder / "speakers.tsv", "utterance\tspeaker\n" + "".join(f"x{name}\ts\n" for name in SAID))
    return [*both(folder, SAID, TOLD), "--speakers", "speakers.tsv"]


MISTAKES: dict[str, tuple[Made, int, tuple[str, ...]]] = {
    "sides swapped": (swapped, 0, ("note: gold has confidences and predicted has none: were the two swapped?",)),
    "other ids": (
        scored(named(words(GOLD), "utterance-{}"), named(words(HEARD), "{:04d}")),
        1,
        (
            "only in gold.tsv (8): utterance-1",
            "No two look alike. If the 8 utterances stand in the same order in both files, copy the ids",
        ),
    ),
    "ids with a prefix": (
        scored(SAID, named(words(HEARD), "anna-u{}")),
        1,
        ("8 of them are equal but for the prefix 'anna-': 'u1' in gold.tsv, 'anna-u1' in pred",),
    ),
    "unpaired": (
        scored(SAID, dict([*TOLD.items()][:6])),
        1,
        ("2 of 8 utterances lack a partner", "(for score: --set pairing.allow_unpaired=0.25)"),
    ),
    "columns of one file": (
        columns_of_one_file,
        1,
        ("both.tsv (predicted, column heard): 1 of 15 symbols", "symbols: [arpabet, extra.tsv] for"),
    ),
    "both in the wrong set": (
        scored(GOLD_ARPABET, HEARD_ARPABET),
        1,
        ("arpabet for gold.", 'For score: --symbols arpabet,arpabet; in Python: symbols=("arpabet", "arpabet")'),
    ),
    "sides swapped, with sets": (
        scored(HEARD_ARPABET, SAID, "--symbols", "ipa,arpabet"),
        1,
        ("Each side fits the other's symbol set: were gold and predicted swapped?",),
    ),
    "columns swapped": (
        swapped_columns,
        1,
        (
            "gold.tsv:1: the column phones holds what looks like ids (u1)",
            "and utterance holds phones (k a t u): swapped?",
        ),
    ),
    "speakers of others": (other_speakers, 1, ("speakers.tsv: no speaker for 8 of 8 utterances: u1 u2 u3 u4 u5 …",)),
}


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_the_message_names_the_remedy(name: str, phonxling: Command, tmp_path: Path) -> None:
    made, code, words = MISTAKES[name]
    done = phonxling(*made(tmp_path))
    printed = done.stderr + done.stdout
    assert done.code == code, printed
    for part in words:
        assert part in printed, printed
    assert str(tmp_path) not in printed
    assert "did you mean" not in printed
    assert len(printed.splitlines()) <= MOST_LINES, printed


UNITS = {
    "frames": (1 / SHIFT, 10, "numbers of frames: multiply them by the frame shift"),
    "milliseconds": (1000.0, 100, "milliseconds, 1,000 times too long: divide them by 1,000"),
    "htk": (1e7, 1_000_000, "units of 100 ns: divide them by 10,000,000"),
}


@pytest.mark.parametrize("unit", UNITS)
def test_times_in_another_unit_are_named_by_how_long_phones_would_last(
    unit: str, phonxling: Command, tmp_path: Path
) -> None:
    """Phones of 0.1 s, written in a unit: the median that is told is that of a phone in this unit."""
    factor, median, words_of_it = UNITS[unit]
    for path, shift in ((tmp_path / "gold.tsv", SHIFT * factor), (tmp_path / "predicted.tsv", SHIFT)):
        intervals(path, words(GOLD if path.stem == "gold" else HEARD), shift=shift)
    done = phonxling(*checked(tmp_path, SIDES))
    assert done.code == 1
    assert f"gold.tsv: half of the phones last {median:,g} s or longer" in done.stderr
    assert words_of_it in done.stderr
    intervals(tmp_path / "gold.tsv", words(GOLD), shift=SHIFT)
    assert phonxling(*checked(tmp_path, SIDES)).code == 0


def test_nothing_can_be_written_there(phonxling: Command, tmp_path: Path) -> None:
    if not Path("/proc/self").exists():
        pytest.skip("there is no /proc")
    both(tmp_path, SAID, TOLD)
    checked(tmp_path, SIDES)
    done = phonxling("run", "experiment.yaml", "--output", "/proc/x")
    assert (done.code, done.stderr.endswith("): choose another folder\n")) == (1, True)
    assert done.stderr.startswith("error: /proc/x: cannot be made, because nothing can be written in /proc (")


def test_labels_without_features_have_no_costs() -> None:
    with pytest.raises(px.DataError, match=r"2 of 3 labels have no features, so they have no costs: AA xx"):
        px.feature_costs(["p", "AA"], ["xx", "p"])
    kept = px.feature_costs(["p", "AA"], ["p", "AA"], unknown="keep")
    assert (kept.cost("AA", "AA"), kept.cost("AA", "p"), kept.cost("p", "p")) == (0, 1, 0)
    assert px.feature_costs(["AA"], ["xx"], "unit").cost("AA", "xx") == 1
