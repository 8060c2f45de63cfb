"""What users get wrong: each mistake as tiny files in a folder, and the command that meets it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from support import write

Words = list[list[str]]
GOLD = "k a t u|m a ʃ i|p u l e|d o ŋ a|b i s ɛ|n ɔ k i|t a m u|s e p a"
HEARD = "k a t u|m a s i|p u l i|d o n a|b i s e|n o k i|t a m|s e p a"
ARPABET = {"a": "AA", "u": "UW", "ʃ": "SH", "i": "IY", "e": "EY", "o": "OW", "ŋ": "NG", "ɛ": "EH", "ɔ": "AO"}
XSAMPA = {"ʃ": "S", "ŋ": "N", "ɛ": "E", "ɔ": "O"}
LABELS = ("k", "a", "t", "u", "sil")
SHIFT = 0.01
QUICK = "chance: {replicates: 2}\nuncertainty: {resamples: 20}\nfigures: {formats: [png]}\nreport: {html: false}\n"


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


def swapped(folder: Path) -> list[str]:
    """Give what was heard, with confidences, for gold."""
    intervals(folder / "out.tsv", words(HEARD), confidence=True)
    table(folder / "text.tsv", named(words(GOLD)))
    return checked(folder, "  c: {gold: out.tsv, predicted: text.tsv}\n")


def swapped_with_sets(folder: Path) -> list[str]:
    """Give gold for predicted and predicted for gold, where each is in symbols of its own."""
    table(folder / "gold.tsv", named(words(GOLD)))
    table(folder / "predicted.tsv", named(spelt(words(HEARD), ARPABET, str.upper)))
    return ["score", "predicted.tsv", "gold.tsv", "--symbols", "ipa,arpabet"]


def wrong_set(folder: Path) -> list[str]:
    """Give ARPAbet for IPA."""
    return both(folder, named(words(GOLD)), named(spelt(words(HEARD), ARPABET, str.upper)))


def both_in_the_wrong_set(folder: Path) -> list[str]:
    """Give ARPAbet for IPA on both sides."""
    return both(folder, *(named(spelt(words(text), ARPABET, str.upper)) for text in (GOLD, HEARD)))


def other_ids(folder: Path) -> list[str]:
    """Give ids that have nothing to do with each other."""
    return both(folder, named(words(GOLD), "utterance-{}"), named(words(HEARD), "{:04d}"))


def unspaced(folder: Path) -> list[str]:
    """Give words of IPA without spaces."""
    rows = {name: ["".join(row[:2]), "".join(row[2:])] for name, row in named(words(GOLD)).items()}
    return both(folder, rows, named(words(HEARD)))


def windows(folder: Path) -> list[str]:
    """Write the predictions as Windows does: a mark of the byte order, and line ends of two characters."""
    both(folder, named(words(GOLD)), named(words(HEARD)))
    path = folder / "predicted.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    return checked(folder, "  c: {gold: gold.tsv, predicted: predicted.tsv}\n")


def utf16(folder: Path) -> list[str]:
    """Write the predictions in UTF-16, as spreadsheets do."""
    both(folder, named(words(GOLD)), named(words(HEARD)))
    path = folder / "predicted.tsv"
    path.write_text(path.read_text(encoding="utf-8"), encoding="utf-16")
    return ["score", "gold.tsv", "predicted.tsv"]


def no_tier(folder: Path) -> list[str]:
    """Give a folder of TextGrids for a tier that they do not have."""
    both(folder, named(words(GOLD)), {})
    for name, row in named(words(HEARD)).items():
        write(folder / f"grids/{name}.TextGrid", text_grid(row, "segments"))
    return ["score", "gold.tsv", "grids", "--tier", ";phones"]


def text_grid(row: list[str], tier: str) -> str:
    """Return a TextGrid with a tier of phones."""
    end = len(row)
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", str(end), "<exists>", "2"]
    for name, labels in ((tier, row), ("words", ["".join(row)])):
        step = end / len(labels)
        lines += ['"IntervalTier"', f'"{name}"', "0", str(end), str(len(labels))]
        for place, label in enumerate(labels):
            lines += [f"{place * step:g}", f"{(place + 1) * step:g}", f'"{label}"']
    return "\n".join(lines) + "\n"


def stress_digits(folder: Path) -> list[str]:
    """Give ARPAbet with stress digits for TIMIT's labels."""
    vowels = {letter: f"{label}1" for letter, label in ARPABET.items() if letter not in "ʃŋ"}
    return [
        *both(folder, named(words(GOLD)), named(spelt(words(HEARD), {**ARPABET, **vowels}, str.upper))),
        "--symbols",
        "ipa,timit61",
    ]


def posteriors(folder: Path, change: Callable[[np.ndarray], np.ndarray], number: int, gold_shift: float) -> None:
    """Write gold with times, ten frames a phone, and posteriors in npz."""
    rows = [["k", "a", "t", "u"]] * number
    intervals(folder / "gold.tsv", rows, shift=gold_shift)
    frames = np.repeat(np.eye(5)[[0, 1, 2, 3]] * 0.8 + 0.04, 10, axis=0)
    arrays = {name: change(frames) for name in named(rows)}
    np.savez(folder / "posteriors.npz", **arrays, phones=np.array(LABELS))


def log_posteriors(folder: Path) -> list[str]:
    """Give logarithms for probabilities."""
    posteriors(folder, np.log, 8, SHIFT)
    return checked(folder, f"  c: {{gold: gold.tsv, posteriors: {{path: posteriors.npz, frame_shift: {SHIFT}}}}}\n")


def many_bad_posteriors(folder: Path) -> list[str]:
    """Give posteriors of 150 utterances none of which sums to 1."""
    posteriors(folder, lambda frames: frames * 0.5, 150, SHIFT)
    return checked(folder, f"  c: {{gold: gold.tsv, posteriors: {{path: posteriors.npz, frame_shift: {SHIFT}}}}}\n")


def frame_shift_in_milliseconds(folder: Path) -> list[str]:
    """Give 10 for a frame shift of 10 milliseconds."""
    posteriors(folder, np.asarray, 8, SHIFT)
    return checked(folder, "  c: {gold: gold.tsv, posteriors: {path: posteriors.npz, frame_shift: 10}}\n")


def empty_predictions(folder: Path) -> list[str]:
    """Give predictions of which many are empty."""
    heard = {name: row if place < 3 else [] for place, (name, row) in enumerate(named(words(HEARD)).items())}
    both(folder, named(words(GOLD)), heard)
    return checked(folder, "  c: {gold: gold.tsv, predicted: predicted.tsv}\n")


def columns_of_one_file(folder: Path) -> list[str]:
    """Give two columns of one table, of which one holds an unknown symbol that is near a known one."""
    heard = spelt(words(HEARD), {**ARPABET, "ɛ": "err"}, str.upper)
    heard[1][1] = "err"
    lines = [
        f"u{n}\t{' '.join(gold)}\t{' '.join(row)}" for n, (gold, row) in enumerate(zip(words(GOLD), heard, strict=True))
    ]
    write(folder / "both.tsv", "\n".join(["sample\tsaid\theard", *lines]) + "\n")
    return [
        "score",
        "both.tsv",
        "both.tsv",
        "--columns",
        "utterance=sample,phones=said;utterance=sample,phones=heard",
        "--symbols",
        "ipa,arpabet",
    ]


def xsampa_as_ipa(folder: Path) -> list[str]:
    """Give X-SAMPA for IPA."""
    return both(folder, named(spelt(words(GOLD), XSAMPA)), named(words(HEARD)))


def other_alphabets(folder: Path) -> list[str]:
    """Use letters that look like IPA's own: Cyrillic ones, and a macron below for the minus sign."""
    rows = spelt(words(GOLD), {"a": "ӕ", "p": "\u0440", "e": "e\u0331"})
    return both(folder, named(rows), named(words(HEARD)))


def ids_in_capitals(folder: Path) -> list[str]:
    """Write ids in capitals on one side."""
    return both(folder, named(words(GOLD)), named(words(HEARD), "U{}"))


def ids_with_a_prefix(folder: Path) -> list[str]:
    """Put the speaker before the ids of one side."""
    return both(folder, named(words(GOLD)), named(words(HEARD), "anna-u{}"))


def ids_with_an_ending(folder: Path) -> list[str]:
    """Give names of 300 files for ids."""
    rows = words(GOLD) * 40
    return both(folder, named(rows[:300]), named(rows[:300], "clips/u{}.wav"))


def tabs_in_csv(folder: Path) -> list[str]:
    """Call a tab-separated table CSV."""
    both(folder, named(words(GOLD)), named(words(HEARD)))
    (folder / "predicted.tsv").rename(folder / "predicted.csv")
    return ["score", "gold.tsv", "predicted.csv"]


def semicolons(folder: Path) -> list[str]:
    """Separate the cells by semicolons, as spreadsheets of many countries do."""
    both(folder, named(words(GOLD)), named(words(HEARD)))
    lines = [f"{name};{' '.join(row)}" for name, row in named(words(HEARD)).items()]
    write(folder / "predicted.csv", "\n".join(["utterance;phones", *lines]) + "\n")
    return checked(folder, "  c: {gold: gold.tsv, predicted: predicted.csv}\n")


def no_header(folder: Path) -> list[str]:
    """Leave the names of the columns out."""
    both(folder, named(words(GOLD)), named(words(HEARD)))
    path = folder / "predicted.tsv"
    path.write_text(path.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    return ["score", "gold.tsv", "predicted.tsv"]


def no_ids(folder: Path) -> list[str]:
    """Give a table without a column of ids."""
    both(folder, named(words(GOLD)), {})
    write(folder / "predicted.csv", "\n".join(["path,prediction", *(f"x,{' '.join(row)}" for row in words(HEARD))]))
    return ["score", "gold.tsv", "predicted.csv"]


def twice_as_long(folder: Path) -> list[str]:
    """Say every phone twice, as frames do."""
    heard = [[phone for phone in row for _ in range(3)] for row in words(HEARD)]
    both(folder, named(words(GOLD)), named(heard))
    return checked(folder, "  c: {gold: gold.tsv, predicted: predicted.tsv}\n")


def folding_set(folder: Path) -> list[str]:
    """Read the CMU dictionary's labels as TIMIT's 39 classes, which have one label for two of them."""
    both(folder, named(words(GOLD)), named(spelt(words(GOLD), ARPABET, str.upper)))
    return checked(folder, "  c: {gold: gold.tsv, predicted: {path: predicted.tsv, symbols: timit39}}\n")


def worse_reference(folder: Path) -> list[str]:
    """Take the language that the recogniser was trained on for the other one."""
    both(folder, named(words(GOLD)), named(words(HEARD)))
    table(folder / "far.tsv", named(words(GOLD)[::-1]))
    reference = "  english: {role: reference, gold: gold.tsv, predicted: far.tsv}\n"
    checked(folder, f"{reference}  yoruba: {{gold: gold.tsv, predicted: predicted.tsv}}\n{QUICK}")
    return ["run", "experiment.yaml"]


TEN: dict[str, Callable[[Path], list[str]]] = {
    "swapped gold and predicted": swapped,
    "wrong symbol set": wrong_set,
    "ids that do not match": other_ids,
    "unspaced IPA": unspaced,
    "Windows line ends": windows,
    "UTF-16": utf16,
    "TextGrid folder without the tier": no_tier,
    "ARPAbet with stress digits": stress_digits,
    "log-posteriors as probabilities": log_posteriors,
    "empty predictions": empty_predictions,
}
FIFTEEN: dict[str, Callable[[Path], list[str]]] = {
    "side and column, and a tempting neighbour": columns_of_one_file,
    "X-SAMPA as IPA": xsampa_as_ipa,
    "letters of other alphabets": other_alphabets,
    "ids in capitals": ids_in_capitals,
    "ids with a prefix": ids_with_a_prefix,
    "300 ids that are names of files": ids_with_an_ending,
    "tabs in a CSV": tabs_in_csv,
    "semicolons in a CSV": semicolons,
    "no header line": no_header,
    "no column of ids": no_ids,
    "predictions thrice as long as gold": twice_as_long,
    "a set that fits where another fits better": folding_set,
    "reference worse than target": worse_reference,
    "frame shift in milliseconds": frame_shift_in_milliseconds,
    "150 utterances with the same fault": many_bad_posteriors,
}
