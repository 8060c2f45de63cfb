r"""Tables of all corpora side by side, from the stored numbers.

tables/numbers.tex: each number of the summary, and each corpus' sentences, by name for LaTeX.

`\phonxling{yoruba}{wper}` sets a number with its interval, `\phonxling{yoruba}{wper value}` the number alone,
`\phonxling{yoruba}{verdict}` whether the rate is better than chance, and `findings` what else is said of the corpus.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure, headline, measures, summarised
from phonxling.core.files import write_bytes
from phonxling.report.findings import findings, stored_numbers
from phonxling.report.methods import bibliography, cited, methods
from phonxling.report.numbers import Numbers
from phonxling.report.rounding import PREAMBLE, PaperTable, escaped, latex, markdown, probability, prose, rounded
from phonxling.report.sections import ceiling_sentences, rate_sentences, verdict_sentences
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.store.folder import note
from phonxling.tables.files import NOT_ALIKE, read_numbers, read_table

_OF_ERRORS = (
    "expected_share_kept",
    "expected_js",
    "expected_level",
    "expected_level_p",
    "expected_pattern",
    "expected_pattern_p",
    "wper_excess",
    "error_share",
    "error_share_null",
)
_OF_POSTERIORS = (
    "posterior_mutual_information",
    "posterior_mutual_information_null",
    "posterior_mutual_information_p",
    "posterior_mutual_information_unrelated",
    "decision_mutual_information",
    "decision_mutual_information_null",
    "decision_mutual_information_p",
    "decision_mutual_information_unrelated",
    "posterior_cross_entropy",
    "forced_certainty",
    "feature_distance_correlation",
    "trustworthiness",
    "nce",
    "brier",
    "ece",
    "ece_calibrated",
)

_NULLS = "; for what chance alone gives where labels or speakers are dealt anew, the range of {} of the draws."


def tables_of_corpora(numbers: pd.DataFrame, signatures: Mapping[str, str]) -> Iterator[tuple[str, PaperTable]]:
    """Yield `rates`, `summary`, `errors` and `posteriors`, the last two where there are such numbers."""
    cells = {(row["corpus"], row["measure"], row["variant"]): _cell(row) for row in numbers.to_dict("records")}
    level = numbers["level"].dropna()
    share = f"{100 * level.iloc[0]:g} %" if len(level) else ""
    notes = [f"In brackets: {share} confidence intervals{_NULLS.format(share)}"] if share else []
    notes += [f"{corpus}: {signature}" for corpus, signature in signatures.items()]
    yield "rates", _rates(cells, list(signatures), notes)
    for name, chosen in (
        ("summary", headline()),
        ("errors", _named(_OF_ERRORS)),
        ("posteriors", _named(_OF_POSTERIORS)),
    ):
        rows = _by_measure(cells, chosen, list(signatures))
        if rows or name == "summary":
            yield name, PaperTable(["measure", *signatures], rows, notes)


def _named(names: Sequence[str]) -> Iterator[Measure]:
    """Yield the recommended rows of these measures, and their levels of chance, in the order of the names."""
    chosen = [one for one in measures() if one.table == "summary" or one.kind == "level"]
    return (one for name in names for one in chosen if one.name == name)


def _rates(cells: Mapping[tuple[str, str, str], str], corpora: Sequence[str], notes: Sequence[str]) -> PaperTable:
    """Return corpora in rows and what the terminal shows in columns, the intervals below the values."""
    shown = [one for one in headline() if one.short]
    shown = [one for one in shown if any(cells.get((corpus, one.name, one.variant)) for corpus in corpora)]
    rows = []
    for corpus in corpora:
        parts = [cells.get((corpus, one.name, one.variant), "").partition(" ") for one in shown]
        rows.append([corpus, *(value for value, _, _ in parts)])
        rows += [["", *(limits for _, _, limits in parts)]] if any(limits for _, _, limits in parts) else []
    return PaperTable(["corpus", *(one.short for one in shown)], rows, notes)


def _by_measure(
    cells: Mapping[tuple[str, str, str], str], chosen: Iterable[Measure], corpora: Sequence[str]
) -> list[list[str]]:
    """Return measures in rows and corpora in columns, without measures that no corpus has."""
    rows = [[_title(one), *(cells.get((corpus, one.name, one.variant), "") for corpus in corpora)] for one in chosen]
    return [row for row in rows if any(row[1:])]


def _title(one: Measure) -> str:
    """Return a measure's title, with its variant where the title does not tell it from another."""
    alike = sum(other.title == one.title for other in measures())
    return f"{one.title} ({one.variant})" if one.variant and (one.headline or alike > 1) else one.title


def _cell(row: Mapping[Any, Any]) -> str:
    if row["unit"] == "probability":
        return probability(row["value"])
    return rounded(row["value"], row["low"], row["high"])


# Tables of one corpus: its phones, features, correspondences, what was not expected, and associations.

_LISTED = 3  # phones in a list
_CELLS = 12  # cells that differ from the reference


def tables_of_corpus(folder: Path, corpus: str, signature: str) -> Iterator[tuple[str, PaperTable]]:
    """Yield `<corpus>-<table>` for each table that the corpus has."""
    for name, table in _TABLES.items():
        if (folder / corpus / f"{name}.tsv").exists():
            made = table(read_table(folder, f"{corpus}/{name}.tsv"))
            notes = [*made.notes, *[signature] * bool(signature)]
            yield f"{corpus}-{name}", PaperTable(made.header, made.rows, notes, made.phonetic)


def _phones(table: pd.DataFrame) -> PaperTable:
    """Return gold phones in rows: tokens, accuracy, deletions, entropy, and what they are confused with."""
    rows = [
        [
            row["phone"],
            rounded(row["tokens"]),
            rounded(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
            rounded(row["deletion_rate"]),
            rounded(row["entropy"], row["entropy_low"], row["entropy_high"]),
            row["confused_with"],
        ]
        for row in table[table["side"] == "gold"].to_dict("records")
    ]
    header = ["phone", "tokens", "accuracy", "deleted", "entropy (bits)", "most often confused with"]
    return PaperTable(header, rows, phonetic=frozenset({0, 5}))


def _correspondences(table: pd.DataFrame) -> PaperTable:
    """Return gold phones in rows, each with what it is heard as (shares in brackets) and what is most like it."""
    chosen = table[(table["given"] == "gold") & (table["rank"] <= _LISTED)]
    rows = [
        [
            str(phone),
            ", ".join(f"{x} ({rounded(p)})" for x, p in zip(own["heard_as"], own["heard_as_share"], strict=True) if x),
            ", ".join(x for x in own["most_similar"] if x),
        ]
        for phone, own in chosen.groupby("phone", sort=False)
    ]
    notes = ["Shares are of the tokens that were not deleted. The phone itself may be in either list."]
    return PaperTable(["phone", "most often heard as", "most similar by features"], rows, notes, frozenset({0, 1, 2}))


def _features(table: pd.DataFrame) -> PaperTable:
    """Return features in rows: how often substitutions change them, their part of the rate, what is transmitted."""
    changing = table[(table["changed"] != 0) | (table["transfer_corrected"] > 0)]
    rows = [
        [
            row["feature"],
            *(rounded(row[name]) for name in ("changed", "plus_to_minus", "minus_to_plus", "share_of_wper")),
            rounded(row["transfer_corrected"], row["transfer_low"], row["transfer_high"]),
        ]
        for row in changing.to_dict("records")
    ]
    header = ["feature", "changed", "+ to −", "− to +", "share of wPER", "transmitted"]
    notes = ["Changes are shares of the substituted pairs; transmitted is I(F;F′)/H(F), corrected for few tokens."]
    return PaperTable(header, rows, notes)


def _expected(table: pd.DataFrame) -> PaperTable:
    """Return the tested cells that are farthest from what the reference leads one to expect, the farthest first."""
    tested = table[table["q"].notna()]
    order = tested["residual"].abs().sort_values(ascending=False, kind="stable").index
    rows = [
        [
            row["gold"],
            row["predicted"],
            rounded(row["observed"]),
            rounded(row["expected"]),
            rounded(row["residual"], row["low"], row["high"]),
            probability(row["q"]),
        ]
        for row in tested.loc[order[:_CELLS]].to_dict("records")
    ]
    notes = [
        f"The {len(rows)} of {len(tested)} tested cells that are farthest from what is expected; joint probabilities."
    ]
    return PaperTable(
        ["gold", "predicted", "observed", "expected", "residual", "q"], rows, notes, phonetic=frozenset({0, 1})
    )


def _association(table: pd.DataFrame) -> PaperTable:
    """Return gold phones in rows, each with the recognised phone that it is most associated with."""
    strongest = table[table["npmi"].notna()].sort_values("npmi", ascending=False, kind="stable")
    first = strongest.drop_duplicates("gold").sort_index()
    rows = [
        [row["gold"], row["recognised"], rounded(row["pmi"]), rounded(row["npmi"], row["low"], row["high"]), q]
        for row in first.to_dict("records")
        for q in [probability(row["q"])]
    ]
    notes = ["The recognised phone of the highest NPMI for each gold phone, from posteriors."]
    return PaperTable(["gold", "recognised", "PMI (bits)", "NPMI", "q"], rows, notes, frozenset({0, 1}))


_TABLES: Mapping[str, Callable[[pd.DataFrame], PaperTable]] = {
    "phones": _phones,
    "correspondences": _correspondences,
    "features": _features,
    "expected": _expected,
    "association": _association,
}


# tables/numbers.tex: each number of the summary, and each corpus' sentences, by name for LaTeX.

_HOW = r"""% Every number of these results by name, so that none has to be typed. In the preamble, after \ipa:
%   \input{tables/numbers}
% and in the text, with the names that stand below:
%   \phonxling{CORPUS}{wper}            0.163 [0.147, 0.180]
%   \phonxling{CORPUS}{wper value}      0.163
%   \phonxling{CORPUS}{verdict}         the rate, whether it is better than chance, and the ceiling, in sentences
%   \phonxling{CORPUS}{findings}        what else the results say of the corpus, in sentences
% A name that is not here stops LaTeX with a message, and so does one that two results have."""
_MACROS = r"""\providecommand{\phonxling}[2]{\ifcsname phonxling:#1:#2\endcsname\csname phonxling:#1:#2\endcsname
  \else\errmessage{phonxling has no number #2 of #1: see tables/numbers.tex}\fi}
\providecommand{\phonxlingdefine}[3]{\ifcsname phonxling:#1:#2\endcsname
  \errmessage{phonxling has two numbers #2 of #1: the corpora of two results have one name}\fi
  \expandafter\gdef\csname phonxling:#1:#2\endcsname{#3}}"""


def numbers_file(summary: pd.DataFrame, by_corpus: Mapping[str, Numbers]) -> str:
    """Return the file of all numbers of a summary, and of the sentences that are made of the numbers."""
    lines = [line for row in summary.to_dict("records") for line in _numbers_defined(row)]
    sentences = [line for corpus, numbers in by_corpus.items() for line in _sentences(corpus, numbers)]
    return definitions([*lines, *sentences])


def definitions(lines: Iterable[str]) -> str:
    """Return a file of definitions, with what they need and how they are used."""
    return "\n".join([_HOW, *PREAMBLE, _MACROS, *lines, ""])


def defined(corpus: str, name: str, text: str, what: str = "") -> str:
    """Return the line that gives a LaTeX text its name, and says what it is."""
    return f"\\phonxlingdefine{{{corpus}}}{{{name}}}{{{text}}}" + (f"% {' '.join(what.split())}" if what else "%")


def with_limits(value: float, low: float, high: float) -> str:
    """Return a number with its limits in LaTeX, held together on a line."""
    return escaped(rounded(value, low, high)).replace(" ", "~", 1)


@cache
def _names() -> Mapping[tuple[str, str], tuple[str, str]]:
    """Return the name and the title of each number: its variant is named where it is not the measure's main row."""
    variants = Counter(name for name, _ in summarised())
    chosen = [one for one in measures() if one.table == "summary"]
    alone = {one for one in chosen if one.headline or variants[one.name] == 1}
    return {
        (one.name, one.variant): (one.name if one in alone else f"{one.name} {one.variant}".strip(), one.title)
        for one in chosen
    }


def _numbers_defined(row: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the definitions of a row of the summary, or a comment that says why there is none."""
    key = row["measure"], row["variant"]
    name, title = _names().get(key, (" ".join(key).strip(), ""))
    text = with_limits(row["value"], row["low"], row["high"])
    if not text:
        yield f"% {row['corpus']}, {name}: not defined: {' '.join(row['note'].split())}"
        return
    if row["unit"] == "probability":
        text = probability(row["value"])
    yield defined(row["corpus"], name, text, f"{title}, {row['unit']}")
    yield defined(row["corpus"], f"{name} value", text.split("~")[0])


def _sentences(corpus: str, numbers: Numbers) -> Iterator[str]:
    """Yield the definitions of a corpus' sentences."""
    verdict = [*rate_sentences(numbers), *verdict_sentences(numbers)]
    others = [sentence for sentence in findings(numbers) if sentence not in verdict]
    yield defined(corpus, "verdict", prose(" ".join(map(str, [*verdict, *ceiling_sentences(numbers)]))))
    yield defined(corpus, "findings", prose(" ".join(map(str, others))))


# What a paper takes from a comparison: the differences in a table, and by name for LaTeX.


def differences(comparison: pd.DataFrame, shown: Sequence[Measure]) -> PaperTable:
    """Return pairs in rows and measures in columns, each difference with its interval, * where q is small."""
    rows = _by_bootstrap(comparison)
    cells = {
        (row["item"], row["other"], row["measure"]): rounded(
            row["difference"], row["difference_low"], row["difference_high"]
        )
        + ("*" if row["q"] < SIGNIFICANT else "")
        for row in rows.to_dict("records")
    }
    pairs = dict.fromkeys(zip(rows["item"], rows["other"], strict=True))
    body = [[" − ".join(pair), *(cells.get((*pair, one.name), "") for one in shown)] for pair in pairs]
    return PaperTable(["pair", *(one.short for one in shown)], body, [*_notes(rows)])


def difference_numbers(comparison: pd.DataFrame) -> str:
    r"""Return the definitions for LaTeX: \phonxling{yoruba - english}{wper} is a difference, {wper q} its q."""
    return definitions(line for row in _by_bootstrap(comparison).to_dict("records") for line in _defined(row))


def _defined(row: Mapping[Any, Any]) -> Iterator[str]:
    pair, name = f"{row['item']} - {row['other']}", str(row["measure"])
    difference, low, high, p, q = (
        float(row[key]) for key in ("difference", "difference_low", "difference_high", "p", "q")
    )
    if text := with_limits(difference, low, high):
        yield defined(pair, name, text, f"difference, {row['unit']}")
        yield defined(pair, f"{name} value", text.split("~")[0])
    yield from (defined(pair, f"{name} {key}", probability(one)) for key, one in (("p", p), ("q", q)) if one == one)


def _notes(rows: pd.DataFrame) -> Iterator[str]:
    if len(rows):
        first = rows.iloc[0]
        yield f"In brackets: {100 * first['level']:g} % confidence intervals; {' and '.join(rows['test'].unique())}."
        yield f"* q < {SIGNIFICANT} ({first['correction']}, over {first['comparisons']:.0f} comparisons)."
    reasons = [text.partition(NOT_ALIKE)[2] for text in rows["note"].unique() if NOT_ALIKE in text]
    yield from (f"Careful: {NOT_ALIKE}{reason}." for reason in reasons)


def _by_bootstrap(comparison: pd.DataFrame) -> pd.DataFrame:
    return comparison[comparison["test"].str.endswith("bootstrap")]


# tables/: what a paper takes from a folder of results, from its stored tables.


def write_paper_files(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Write the files for papers below a folder of results, and return them; DataError when a table cannot be read."""
    corpora = manifest["configuration"]["corpora"]
    summary, numbers = read_table(folder, "summary.tsv"), read_numbers(folder)
    signatures = {corpus: _signature(summary[summary["corpus"] == corpus]) for corpus in corpora}
    tables = [*tables_of_corpora(numbers, signatures)]
    tables += [named for corpus, line in signatures.items() for named in tables_of_corpus(folder, corpus, line)]
    text = " ".join(methods(manifest, numbers, signatures))
    texts = {
        "numbers.tex": numbers_file(summary, stored_numbers(folder, corpora)),
        "methods.tex": cited(text) + "\n",
        "methods.md": text + "\n",
        "references.bib": bibliography(text, manifest["phonxling"]),
    }
    return write_texts(folder, {**dict(typeset(tables)), **texts})


def typeset(tables: list[tuple[str, PaperTable]]) -> Iterator[tuple[str, str]]:
    """Yield each table in LaTeX and in Markdown, by the name of its file."""
    for name, table in tables:
        yield f"{name}.tex", latex(table)
        yield f"{name}.md", markdown(table)


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts to tables/ below a folder, and return the files."""
    note(folder, [f"tables/{name}" for name in texts])
    for name, text in texts.items():
        write_bytes(folder / "tables" / name, text.encode())
    return [folder / "tables" / name for name in texts]


def _signature(rows: pd.DataFrame) -> str:
    """Return the signature of a corpus' weighted rate, or its first where it has no such rate."""
    weighted = rows.loc[rows["measure"] == "wper", "signature"]
    return next(iter([*weighted, *rows["signature"]]), "")
