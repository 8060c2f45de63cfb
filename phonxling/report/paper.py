r"""tables/: what a paper takes from a folder of results or a comparison, from its stored tables.

Tables of all corpora side by side and of each corpus, in LaTeX and in Markdown; the paragraph on methods; and
numbers.tex: each number of the summary, and each corpus' sentences, by name for LaTeX.

Each sentence on methods is made of the settings and signatures of the results, and only of what was done; one that
would hold for some of the corpora only is left out. The sentences, and the words for each choice of a setting, are in
methods.md.jinja; the entries of what they cite in references.bib.

`\phonxling{yoruba}{wper}` sets a number with its interval, `\phonxling{yoruba}{wper value}` the number alone,
`\phonxling{yoruba}{verdict}` whether the rate is better than chance, and `findings` what else is said of the corpus.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure, headline, measures, summarised
from phonxling.core.files import write_bytes
from phonxling.report.findings import findings, stored_numbers
from phonxling.report.numbers import Numbers
from phonxling.report.rounding import PREAMBLE, PaperTable, escaped, latex, markdown, probability, prose, rounded
from phonxling.report.sections import ceiling_sentences, rate_sentences, verdict_sentences
from phonxling.resample.entropies import FEW_TOKENS
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.store.folder import note
from phonxling.tables.files import NOT_ALIKE, read_numbers, read_table, read_utterance

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
_INFORMATION = ("mutual_information", "mutual_information_null", "mutual_information_p", "mutual_information_unrelated")
_OF_POSTERIORS = (
    *(f"{kind}_{name}" for kind in ("posterior", "decision") for name in _INFORMATION),
    "posterior_cross_entropy",
    "forced_certainty",
    "feature_distance_correlation",
    "trustworthiness",
    "nce",
    "brier",
    "ece",
    "ece_calibrated",
)
_IN_BRACKETS = (
    "In brackets: {0} confidence intervals; for what chance alone gives where labels or speakers are dealt anew, the "
    "range of {0} of the draws."
)
_COLUMNS = {  # of the tables of a corpus: what stands in which columns of the stored one, a number before its limits
    "phones": {
        "phone": "phone",
        "tokens": "tokens",
        "accuracy": "accuracy accuracy_low accuracy_high",
        "deleted": "deletion_rate",
        "entropy (bits)": "entropy entropy_low entropy_high",
        "most often confused with": "confused_with",
    },
    "mapping": {
        "predicted": "phone",
        "tokens": "tokens",
        "most often stands for": "heard_as",
        "entropy (bits)": "entropy entropy_low entropy_high",
    },
    "correspondences": {
        "phone": "phone",
        "most often heard as": "heard_as",
        "most similar by features": "most_similar",
    },
    "features": {
        "feature": "feature",
        "changed": "changed",
        "+ to −": "plus_to_minus",
        "− to +": "minus_to_plus",
        "share of wPER": "share_of_wper",
        "transmitted": "transfer_corrected transfer_low transfer_high",
    },
    "expected": {
        "gold": "gold",
        "predicted": "predicted",
        "observed": "observed",
        "expected": "expected",
        "residual": "residual low high",
        "q": "q",
    },
    "association": {
        "gold": "gold",
        "recognised": "recognised",
        "PMI (bits)": "pmi",
        "NPMI": "npmi low high",
        "q": "q",
    },
}
_PHONETIC = {"phone", "confused_with", "heard_as", "most_similar", "gold", "predicted", "recognised"}
_LISTED = 3  # phones in a list
_TABLES = {"mapping": "phones"}  # the stored table, where it has another name
_PAIRS = 12  # aligned pairs in a line
_CELLS = 12  # cells that differ from the reference
_CITATION = re.compile(r" ?\[@([\w-]+)\]")
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


def write_paper_files(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Write the files for papers below a folder of results, and return them; DataError when a table cannot be read."""
    corpora = manifest["configuration"]["corpora"]
    summary, numbers = read_table(folder, "summary.tsv"), read_numbers(folder)
    signatures = {}  # of the weighted rate, or a corpus' first where it has no such rate
    for corpus in corpora:
        rows = summary[summary["corpus"] == corpus]
        weighted = rows.loc[rows["measure"] == "wper", "signature"]
        signatures[corpus] = next(iter([*weighted, *rows["signature"]]), "")
    tables = [*tables_of_corpora(numbers, signatures)]
    tables += [named for corpus, line in signatures.items() for named in tables_of_corpus(folder, corpus, line)]
    text = methods(manifest, numbers, signatures)
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
    note(folder, [f"tables/{name}" for name in texts])
    for name, text in texts.items():
        write_bytes(folder / "tables" / name, text.encode())
    return [folder / "tables" / name for name in texts]


def tables_of_corpora(numbers: pd.DataFrame, signatures: Mapping[str, str]) -> Iterator[tuple[str, PaperTable]]:
    """Yield `rates`, `summary`, `errors` and `posteriors`, the last two where there are such numbers."""
    cells = {
        (row["corpus"], row["measure"], row["variant"]): probability(row["value"])
        if row["unit"] == "probability"
        else rounded(row["value"], row["low"], row["high"])
        for row in numbers.to_dict("records")
    }
    level = numbers["level"].dropna()
    notes = [_IN_BRACKETS.format(f"{100 * level.iloc[0]:g} %")] if len(level) else []
    notes += [f"{corpus}: {signature}" for corpus, signature in signatures.items()]
    yield "rates", _rates(cells, list(signatures), notes)
    told = [one for one in measures() if one.table == "summary" or one.kind == "level"]
    for name, chosen in (
        ("summary", headline()),
        ("errors", [one for name in _OF_ERRORS for one in told if one.name == name]),
        ("posteriors", [one for name in _OF_POSTERIORS for one in told if one.name == name]),
    ):
        rows = [[_title(one), *(cells.get((each, one.name, one.variant), "") for each in signatures)] for one in chosen]
        rows = [row for row in rows if any(row[1:])]
        if rows or name == "summary":
            yield name, PaperTable(["measure", *signatures], rows, notes)


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


def _title(one: Measure) -> str:
    """Return a measure's title, with its variant where the title does not tell it from another."""
    alike = sum(other.title == one.title for other in measures())
    return f"{one.title} ({one.variant})" if one.variant and (one.headline or alike > 1) else one.title


def tables_of_corpus(folder: Path, corpus: str, signature: str) -> Iterator[tuple[str, PaperTable]]:
    """Yield `<corpus>-<table>` for each table that the corpus has."""
    for name, columns in _COLUMNS.items():
        file = f"{corpus}/{_TABLES.get(name, name)}.tsv"
        if (folder / file).exists():
            chosen, notes = _rows_told(name, read_table(folder, file))
            if name == "mapping" and (folder / corpus / "correspondences.tsv").exists():
                heard = _heard_as(read_table(folder, f"{corpus}/correspondences.tsv"), "predicted")
                chosen = chosen.assign(heard_as=chosen["phone"].map(heard).fillna(""))
            rows = [[_cell(row, names.split()) for names in columns.values()] for row in chosen.to_dict("records")]
            phonetic = frozenset(place for place, names in enumerate(columns.values()) if names in _PHONETIC)
            notes += [signature] * bool(signature)
            yield f"{corpus}-{name}", PaperTable(list(columns), rows, notes, phonetic)
    if (folder / corpus / "alignments.tsv").exists():
        notes = ["By wPER, or by PER where there is no wPER; of equal ones the first. ∅ is no phone."]
        notes += [signature] * bool(signature)
        header = ["", "rate", "side", *[""] * _PAIRS]
        yield f"{corpus}-alignments", PaperTable(header, [*_aligned(folder, corpus)], notes, frozenset(range(3, 99)))


def _aligned(folder: Path, corpus: str) -> Iterator[list[str]]:
    """Yield the rows of the best, the median and the worst alignment, some pairs a line."""
    table = read_table(folder, f"{corpus}/utterances.tsv")
    rate = "wper" if table["wper"].notna().any() else "per"
    ranked = table[table[rate].notna()].sort_values(rate, kind="stable").reset_index(drop=True)
    last = len(ranked) - 1
    for title, place in {"best": 0, "median": last // 2, "worst": last}.items() if last >= 0 else ():
        name = str(ranked["utterance"].iloc[place])
        pairs = read_utterance(folder, f"{corpus}/alignments.tsv", name)
        beside = [f"{title}: {name}", rounded(float(ranked[rate].iloc[place]))]
        for first in range(0, len(pairs), _PAIRS):
            for side in ("gold", "predicted"):
                cells = pairs[side].iloc[first : first + _PAIRS].tolist()
                yield [*beside, side, *cells, *[""] * (_PAIRS - len(cells))]
                beside = ["", ""]


def _heard_as(table: pd.DataFrame, given: str) -> dict[str, str]:
    """Return what each phone of a side is most often aligned with, with shares."""
    chosen, lists = table[(table["given"] == given) & (table["rank"] <= _LISTED)], {}
    for phone, own in chosen.groupby("phone", sort=False):
        heard = zip(own["heard_as"], own["heard_as_share"], strict=True)
        lists[str(phone)] = ", ".join(f"{one} ({rounded(share)})" for one, share in heard if one)
    return lists


def _cell(row: Mapping[Any, Any], names: Sequence[str]) -> str:
    value = row[names[0]]
    if isinstance(value, str):
        return value
    return probability(value) if names == ["q"] else rounded(*(row[name] for name in names))


def _rows_told(name: str, table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of a corpus' table that a paper tells, in its order, and notes."""
    if name == "phones":
        return table[table["side"] == "gold"], []
    if name == "mapping":
        chosen = table[(table["side"] == "predicted") & (table["tokens"] > 0)]
        chosen = chosen.assign(few=chosen["tokens"] < FEW_TOKENS).sort_values(["few", "entropy"], kind="stable")
        notes = [f"The least ambiguous first; last those of fewer than {FEW_TOKENS} tokens, too few for any estimate."]
        return chosen, notes
    if name == "features":
        notes = ["Changes are shares of the substituted pairs; transmitted is I(F;F′)/H(F), corrected for few tokens."]
        return table[(table["changed"] != 0) | (table["transfer_corrected"] > 0)], notes
    if name == "correspondences":
        chosen, heard = table[(table["given"] == "gold") & (table["rank"] <= _LISTED)], _heard_as(table, "gold")
        alike = chosen.groupby("phone", sort=False)["most_similar"].agg(lambda own: ", ".join(filter(None, own)))
        rows = [(phone, heard[str(phone)], own) for phone, own in alike.items()]
        notes = ["Shares are of the tokens that were not deleted. The phone itself may be in either list."]
        return pd.DataFrame(rows, columns=list(_COLUMNS[name].values())), notes
    if name == "expected":
        tested = table[table["q"].notna()]
        order = tested["residual"].abs().sort_values(ascending=False, kind="stable").index[:_CELLS]
        which = f"The {len(order)} of {len(tested)} tested cells that are farthest from what is expected"
        return tested.loc[order], [f"{which}; joint probabilities."]
    strongest = table[table["npmi"].notna()].sort_values("npmi", ascending=False, kind="stable")
    notes = ["The recognised phone of the highest NPMI for each gold phone, from posteriors."]
    return strongest.drop_duplicates("gold").sort_index(), notes


def methods(manifest: Mapping[str, Any], numbers: pd.DataFrame, signatures: Mapping[str, str]) -> str:
    """Return the sentences on how the numbers of a result came about."""
    from jinja2 import Environment, StrictUndefined  # waits until a text is written

    settings = manifest["configuration"]
    first, *others = (
        dict(part.split(":", 1) for part in line.split("|") if ":" in part) for line in signatures.values()
    )
    options: dict[str, Any] = {"undefined": StrictUndefined, "trim_blocks": True}
    text = (
        Environment(**options)  # noqa: S701 - plain text, not to be escaped
        .from_string(_stored("methods.md.jinja"))
        .render(
            version=manifest["phonxling"],
            panphon=manifest["libraries"]["panphon"],
            settings=settings,
            # what the signatures of all corpora have alike
            shared={key: value for key, value in first.items() if all(other.get(key) == value for other in others)},
            done=set(numbers.loc[numbers["value"].notna(), "measure"]),
            reference=next((name for name, one in settings["corpora"].items() if one["role"] == "reference"), ""),
        )
    )
    return re.sub(r"[ \n]+", " ", text).strip()


def cited(text: str) -> str:
    r"""Return a text in LaTeX, its citations as \cite."""
    parts = _CITATION.split(text)
    return "".join(f"~\\cite{{{part}}}" if place % 2 else prose(part) for place, part in enumerate(parts))


def bibliography(text: str, version: str) -> str:
    """Return the entries of what a text cites, the version of this program filled in."""
    stored = _stored("references.bib")
    entries = {re.split(r"[{,]", entry)[1]: entry.strip() for entry in stored.split("\n\n") if entry.strip()}
    chosen = [entries[key] for key in dict.fromkeys(_CITATION.findall(text))]
    return "\n\n".join(chosen).replace("VERSION", version) + "\n"


def _stored(name: str) -> str:
    return files("phonxling.report").joinpath(name).read_text(encoding="utf-8")


def numbers_file(summary: pd.DataFrame, by_corpus: Mapping[str, Numbers]) -> str:
    """Return the file of all numbers of a summary, and of the sentences that are made of the numbers."""
    lines = []
    for row in summary.to_dict("records"):
        corpus, key = row["corpus"], (row["measure"], row["variant"])
        name, title = _names().get(key, (" ".join(key).strip(), ""))
        text = _with_limits(row["value"], row["low"], row["high"])
        if not text:
            lines.append(f"% {corpus}, {name}: not defined: {' '.join(row['note'].split())}")
            continue
        text = probability(row["value"]) if row["unit"] == "probability" else text
        lines.append(_defined(corpus, name, text, f"{title}, {row['unit']}"))
        lines.append(_defined(corpus, f"{name} value", text.split("~")[0]))
    for corpus, numbers in by_corpus.items():
        verdict = [*rate_sentences(numbers), *verdict_sentences(numbers)]
        others = [sentence for sentence in findings(numbers) if sentence not in verdict]
        for name, told in (("verdict", [*verdict, *ceiling_sentences(numbers)]), ("findings", others)):
            lines.append(_defined(corpus, name, prose(" ".join(map(str, told)))))
    return _definitions(lines)


@cache
def _names() -> Mapping[tuple[str, str], tuple[str, str]]:
    """Return the name and the title of each number: its variant is named where it is not the measure's main row."""
    variants = Counter(name for name, _ in summarised())
    names = {}
    for one in measures():
        if one.table == "summary":
            alone = one.headline or variants[one.name] == 1
            names[one.name, one.variant] = one.name if alone else f"{one.name} {one.variant}".strip(), one.title
    return names


def _definitions(lines: Iterable[str]) -> str:
    """Return a file of definitions, with what they need and how they are used."""
    return "\n".join([_HOW, *PREAMBLE, _MACROS, *lines, ""])


def _defined(corpus: str, name: str, text: str, what: str = "") -> str:
    """Return the line that gives a LaTeX text its name, and says what it is."""
    return f"\\phonxlingdefine{{{corpus}}}{{{name}}}{{{text}}}" + (f"% {' '.join(what.split())}" if what else "%")


def _with_limits(value: float, low: float, high: float) -> str:
    """Return a number with its limits in LaTeX, held together on a line."""
    return escaped(rounded(value, low, high)).replace(" ", "~", 1)


def differences(comparison: pd.DataFrame, shown: Sequence[Measure]) -> PaperTable:
    """Return pairs in rows and measures in columns, each difference with its interval, * where q is small."""
    rows, cells = _by_bootstrap(comparison), {}
    for row in rows.to_dict("records"):
        text = rounded(row["difference"], row["difference_low"], row["difference_high"])
        cells[row["item"], row["other"], row["measure"]] = text + "*" * (row["q"] < SIGNIFICANT)
    pairs = dict.fromkeys(zip(rows["item"], rows["other"], strict=True))
    body = [[" − ".join(pair), *(cells.get((*pair, one.name), "") for one in shown)] for pair in pairs]
    notes = []
    if len(rows):
        level, correction, comparisons = rows[["level", "correction", "comparisons"]].iloc[0]
        tests = " and ".join(rows["test"].unique())
        notes = [
            f"In brackets: {100 * level:g} % confidence intervals; {tests}.",
            f"* q < {SIGNIFICANT} ({correction}, over {comparisons:.0f} comparisons).",
        ]
    unlike = [text.partition(NOT_ALIKE)[1:] for text in rows["note"].unique() if NOT_ALIKE in text]
    notes += [f"Careful: {''.join(reason)}." for reason in unlike]
    return PaperTable(["pair", *(one.short for one in shown)], body, notes)


def difference_numbers(comparison: pd.DataFrame) -> str:
    r"""Return the definitions for LaTeX: \phonxling{yoruba - english}{wper} is a difference, {wper q} its q."""
    lines = []
    for row in _by_bootstrap(comparison).to_dict("records"):
        pair, name = f"{row['item']} - {row['other']}", str(row["measure"])
        if text := _with_limits(*(float(row[f"difference{end}"]) for end in ("", "_low", "_high"))):
            lines.append(_defined(pair, name, text, f"difference, {row['unit']}"))
            lines.append(_defined(pair, f"{name} value", text.split("~")[0]))
        lines += [_defined(pair, f"{name} {key}", probability(row[key])) for key in "pq" if row[key] == row[key]]
    return _definitions(lines)


def _by_bootstrap(comparison: pd.DataFrame) -> pd.DataFrame:
    return comparison[comparison["test"].str.endswith("bootstrap")]
