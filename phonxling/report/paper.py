r"""tables/: what a paper takes from a folder of results or a comparison, from its stored tables.

Tables of all corpora, of languages and of each corpus, in LaTeX and in Markdown; the paragraph on methods; and
numbers.tex: each number of the summary, and each corpus' sentences, by name for LaTeX. Where corpora are more than have
figures of their own, no table is of one corpus, and none has corpora as columns.

Each sentence on methods is made of the settings and signatures of the results, and only of what was done; one that
would hold for some of the corpora only is left out. The sentences, and the words for each choice of a setting, are in
methods.md.jinja; the entries of what they cite in references.bib.

`\phonxling{yoruba}{wper}` sets a number with its interval, `\phonxling{yoruba}{wper value}` the number alone,
`\phonxling{yoruba}{verdict}` whether the rate is better than chance, and `findings` what else is said of the corpus.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure, headline, measures, summarised
from phonxling.core.estimate import FEW_TOKENS, SIGNIFICANT
from phonxling.core.files import write_bytes
from phonxling.core.inventory import GAP, chart_key
from phonxling.load.resources import corpus_titles
from phonxling.report.findings import findings, stored_groups, stored_numbers
from phonxling.report.first_screen import best_first
from phonxling.report.numbers import Numbers, alike, probability, rounded
from phonxling.report.paper_tables import PREAMBLE, PaperTable, escaped, latex, markdown, prose
from phonxling.report.sections import ceiling_sentences, rate_sentences, verdict_sentences
from phonxling.tables.files import NOT_ALIKE, read_numbers, read_table, read_utterance

_OF_ERRORS = (
    "expected_share_kept",
    "expected_js",
    "expected_level",
    "expected_level_p",
    "wper_excess",
    "error_share",
)
_INFORMATION = ("mutual_information", "mutual_information_null", "mutual_information_p", "mutual_information_unrelated")
_OF_POSTERIORS = (
    *(f"{kind}_{name}" for kind in ("posterior", "decision") for name in _INFORMATION),
    "posterior_cross_entropy",
    "forced_certainty",
    "trustworthiness",
    "nce",
    "brier",
    "ece",
    "ece_calibrated",
)
_IN_BRACKETS = "In brackets: {0} confidence intervals."
_DEALT = "Of levels of chance with labels dealt anew, brackets have the range of {0} of the draws."
_ELSEWHERE = "Chance levels and floors have intervals in summary.tsv."
_COLUMNS = {  # of the tables of a corpus: what stands in which columns of the stored one, a number before its limits
    "phones": {
        "phone": "phone",
        "tokens": "tokens",
        "accuracy": "accuracy accuracy_low accuracy_high",
        "deleted": "deletion_rate",
        "entropy (bits)": "entropy entropy_low entropy_high",
        "most often predicted as": "confused_with",
    },
    "mapping": {
        "predicted": "phone",
        "tokens": "tokens",
        "most often the gold phone": "heard_as",
        "entropy (bits)": "entropy entropy_low entropy_high",
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
_PHONETIC = {"phone", "confused_with", "heard_as", "gold", "predicted", "recognised"}
_BY_CHART = {"phones", "association"}  # rules stand between the classes of their phones
_BELOW = {"features", "expected"}  # tables of a corpus that fit a column of 84 mm with their intervals below
_IN_WORDS = {"H(X|Y) bits": "entropy (bits)", "JS to reference": "divergence from reference"}
_ABBREVIATIONS = {  # explained below a table with one in its head
    "wPER": "feature-weighted error rate",
    "PER": "phone error rate",
    "PFER": "phone feature error rate",
    "PMI": "pointwise mutual information",
    "NPMI": "normalised PMI, −1 to 1",
    "q": "p-value, corrected because there are many tests",
}
_VARIANTS = {"best": "", "width": "bins of equal width", "0.5": "0.5 added to each count"}  # in words
_BARE = {"level", "floor", "people"}  # kinds of measures that have no interval in `rates`
_ABREAST = 5  # corpora side by side in a table of a page's width
_LISTED, _DECIMALS = 3, 3  # phones in a list; decimals of what stands side by side, at most
_OF_LANGUAGES = {"pfer": "PFER", "attainable_skill_per": "attainable skill (PER)"}
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
    few = len(corpora) <= manifest["configuration"]["figures"].get("each_up_to", len(corpora))
    stored, titles = stored_numbers(folder, corpora), corpus_titles(corpora)
    titles = {name: titles[name] for name in best_first(stored, stored_groups(folder))}
    tables = [*tables_of_corpora(numbers, signatures, titles)][: None if few else 1]
    tables += tables_of_languages(folder, titles) if (folder / "languages.tsv").exists() else ()
    for corpus, line in signatures.items() if few else ():
        tables += tables_of_corpus(folder, corpus, line)
    intervals = manifest["configuration"]["report"].get("intervals", True)
    text = methods(manifest, numbers, signatures)
    texts = {
        "numbers.tex": numbers_file(summary, stored),
        "methods.tex": cited(text) + "\n",
        "methods.md": text + "\n",
        "references.bib": bibliography(text, manifest["phonxling"]),
    }
    return write_texts(folder, {**dict(typeset(tables, intervals=intervals)), **texts})


def typeset(tables: list[tuple[str, PaperTable]], *, intervals: bool = True) -> Iterator[tuple[str, str]]:
    """Yield each table in LaTeX (where intervals may be left out) and in Markdown, by the name of its file."""
    for name, table in tables:
        words = {*re.findall(r"\w+", " ".join(table.header))}
        known = [f"{short}: {long}" for short, long in _ABBREVIATIONS.items() if short in words]
        whole = replace(table, notes=[*table.notes, *[f"{'; '.join(known)}."] * bool(known)])
        yield f"{name}.tex", latex(whole, intervals=intervals)
        yield f"{name}.md", markdown(whole)


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    for name, text in texts.items():
        write_bytes(folder / "tables" / name, text.encode())
    return [folder / "tables" / name for name in texts]


def tables_of_corpora(
    numbers: pd.DataFrame, signatures: Mapping[str, str], titles: Mapping[str, str]
) -> Iterator[tuple[str, PaperTable]]:
    """Yield `rates`, `summary`, `errors` and `posteriors`, the last two where there are such numbers."""
    rows = {(row["corpus"], row["measure"], row["variant"]): row for row in numbers.to_dict("records")}
    cells = {one: _alike([rows.get((corpus, *one)) for corpus in titles]) for one in {key[1:] for key in rows}}
    level = numbers["level"].dropna()
    notes = [text.format(f"{100 * level.iloc[0]:g} %") for text in (_IN_BRACKETS, _DEALT)] if len(level) else []
    lines = [f"{titles[corpus]}: {signature}" for corpus, signature in signatures.items()]
    told = [one for one in measures() if one.table == "summary" or one.kind == "level"]
    columns = {"corpus": [*titles.values()]}  # of `rates`: what the terminal shows but skill, and PER beside its chance
    for one in headline():
        own = cells.get((one.name, one.variant), [])
        if one.short and one.kind != "skill" and any(own):
            bare = one.kind in _BARE
            columns[_IN_WORDS.get(one.short, one.short)] = [cell.partition(" [")[0] if bare else cell for cell in own]
        if one.name == "per" and any(chance := cells.get(("chance_per", "best"), [])):
            columns["chance PER"] = [cell.partition(" [")[0] for cell in chance]
    of_rates = {"notes": [*notes[:1], _ELSEWHERE], "signatures": lines, "rules": frozenset(range(1, len(titles)))}
    yield "rates", _of_columns(columns, **of_rates, below=True)
    places = [slice(first, first + _ABREAST) for first in range(0, len(titles), _ABREAST)]
    for name, chosen in (
        ("summary", headline()),
        ("errors", [one for name in _OF_ERRORS for one in told if one.name == name]),
        ("posteriors", [one for name in _OF_POSTERIORS for one in told if one.name == name]),
    ):
        body = {_title(one): cells[one.name, one.variant] for one in chosen if (one.name, one.variant) in cells}
        body = {title: own for title, own in body.items() if any(own)}
        for part, place in enumerate(places if body or name == "summary" else (), start=1):
            table = PaperTable(
                header=["measure", *[*titles.values()][place]],
                rows=[[title, *own[place]] for title, own in body.items()],
                notes=notes[:1] if name == "summary" else notes,
                signatures=lines[place],
                rules=frozenset(range(1, len(body))),
                below=True,
            )
            yield f"{name}-{part}" if part > 1 else name, table


def tables_of_languages(folder: Path, titles: Mapping[str, str]) -> Iterator[tuple[str, PaperTable]]:
    """Yield `languages`, by the first measure that has a number, and `language-means`, groups in rows."""
    every = read_table(folder, "languages.tsv")
    if every.empty:
        return
    own = every[every["measure"] == every["measure"].iloc[0]].sort_values("rank", kind="stable")
    short = {**_OF_LANGUAGES, **{one.name: one.short for one in headline() if one.short}}
    columns = {
        "language": [name or titles[corpus] for name, corpus in zip(own["name"], own["corpus"], strict=True)],
        **{name: own[name].tolist() for name in ("family", "group", "seen")},
        short[own["measure"].iloc[0]]: _cells(own, ["value", "low", "high"]),
        "rank": [f"{rank:.0f}" for rank in own["rank"]],
    }
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    told = f"In brackets: {100 * float(own['level'].iloc[0]):g} % confidence intervals."
    yield "languages", _of_columns(columns, notes=[told])
    means = read_table(folder, "language_means.tsv")
    groups = means[["by", "languages_of"]].drop_duplicates().apply(tuple, axis=1).tolist()
    groups.sort(key=lambda group: ["", "seen", "family", "group"].index(group[0]))
    most = means.groupby(["by", "languages_of"])["languages"].max()
    columns = {"languages": [group[1] for group in groups], "number": [f"{most[group]:.0f}" for group in groups]}
    for name, rows in means.groupby("measure", sort=False):
        rows = rows.set_index(["by", "languages_of"]).reindex(groups)
        columns[short.get(str(name), str(name))] = _cells(rows, ["value", "low", "high"])
    rules = frozenset(place for place in range(1, len(groups)) if groups[place][0] != groups[place - 1][0])
    notes = ["Each language counts once; intervals are over languages, or over families where there are five."]
    yield "language-means", _of_columns(columns, notes=notes, rules=rules, below=True)


def _alike(rows: Sequence[Mapping[Any, Any] | None]) -> list[str]:
    """Return a measure's numbers of all corpora with the same decimals; "" where a corpus has none."""
    if any(row and row["unit"] == "probability" for row in rows):
        return [probability(row["value"]) if row else "" for row in rows]
    return alike([(row["value"], row["low"], row["high"]) if row else (math.nan,) for row in rows], _DECIMALS)


def _title(one: Measure) -> str:
    """Return a measure's title, with its variant where the title does not tell it from another."""
    alike = sum(other.title == one.title for other in measures())
    variant = _VARIANTS.get(one.variant, one.variant) if one.headline or alike > 1 else ""
    return f"{one.title} ({variant})" if variant else one.title


def tables_of_corpus(folder: Path, corpus: str, signature: str) -> Iterator[tuple[str, PaperTable]]:
    """Yield `<corpus>-<table>` for each table that the corpus has."""
    signed = [signature] * bool(signature)
    for name, columns in _COLUMNS.items():
        file = f"{corpus}/{_TABLES.get(name, name)}.tsv"
        if (folder / file).exists():
            chosen, notes = _rows_told(name, read_table(folder, file))
            if name == "mapping":
                heard = _stands_for(read_table(folder, f"{corpus}/confusions.tsv"))
                chosen = chosen.assign(heard_as=chosen["phone"].map(heard).fillna(""))
            cells = {head: _cells(chosen, names.split()) for head, names in columns.items()}
            absent = _absent(folder, corpus) & {*chosen["phone"]} if name == "phones" else set()
            if absent:
                both = zip(chosen["phone"], cells["accuracy"], strict=True)
                cells["accuracy"] = ["–" if phone in absent else cell for phone, cell in both]
                notes += ["–: the recogniser has no such phone."]
            table = _of_columns(
                cells,
                notes=notes,
                signatures=signed,
                phonetic=frozenset(place for place, names in enumerate(columns.values()) if names in _PHONETIC),
                rules=_between_classes(next(iter(cells.values()))) if name in _BY_CHART else frozenset(),
                below=name in _BELOW,
            )
            yield f"{corpus}-{name}", table
    if (folder / corpus / "alignments.tsv").exists():
        notes = ["By wPER, or by PER where there is no wPER; of equal ones the first. ∅ is no phone."]
        header, rows = ["", "rate", "side", *[""] * _PAIRS], [*_aligned(folder, corpus)]
        phonetic = frozenset(range(3, len(header)))
        table = PaperTable(header=header, rows=rows, notes=notes, signatures=signed, phonetic=phonetic)
        yield f"{corpus}-alignments", table


def _of_columns(columns: Mapping[str, Sequence[str]], **about: Any) -> PaperTable:  # noqa: ANN401 - other fields
    return PaperTable(header=[*columns], rows=[*zip(*columns.values(), strict=True)], **about)


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


def _stands_for(confusions: pd.DataFrame) -> dict[str, str]:
    """Return the gold phones that each predicted phone is most often aligned with, with shares."""
    pairs, lists = confusions[(confusions["gold"] != GAP) & (confusions["predicted"] != GAP)], {}
    for phone, own in pairs.groupby("predicted", sort=False):
        most = (own["count"] / own["count"].sum()).sort_values(ascending=False, kind="stable").head(_LISTED)
        named = zip(own.loc[most.index, "gold"], most, strict=True)
        lists[str(phone)] = ", ".join(f"{one} ({rounded(share, places=2)})" for one, share in named)
    return lists


def _cells(table: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return a column: texts as they stand, p-values, or numbers with their limits and the same decimals."""
    if names == ["q"]:
        return [probability(q) for q in table["q"]]
    if not pd.api.types.is_numeric_dtype(table[names[0]]):
        return [*table[names[0]]]
    return alike(table[[*names]].to_numpy(float).tolist())


def _absent(folder: Path, corpus: str) -> set[str]:
    """Return the gold phones that the recogniser's declared inventory lacks."""
    if not (folder / corpus / "missed.tsv").exists():
        return set()
    table = read_table(folder, f"{corpus}/missed.tsv")
    return {*table.loc[table["in_inventory"] == "no", "phone"]}


def _between_classes(phones: Sequence[str]) -> frozenset[int]:
    """Return the rows that begin another class of the chart; none where phones stand in another order."""
    ranks = [chart_key(phone)[0] for phone in phones]
    if ranks != sorted(ranks):
        return frozenset()
    return frozenset(row for row in range(1, len(ranks)) if ranks[row] != ranks[row - 1])


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
            sizes=_sizes(numbers, corpus_titles(settings["corpora"])),
            reference=next((name for name, one in settings["corpora"].items() if one["role"] == "reference"), ""),
        )
    )
    return re.sub(r"[ \n]+", " ", text).strip()


def _sizes(numbers: pd.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """Return how many utterances, of how many speakers, each corpus has, where they are counted."""
    table = numbers[numbers["measure"].isin(["utterances", "speakers"])].pivot_table("value", "corpus", "measure")
    sizes = []
    for corpus, title in titles.items():
        own = {name: table[name].get(corpus, math.nan) for name in table}
        if own.get("utterances", 0) > 0:
            of = f" of {own['speakers']:,.0f} speakers" if own.get("speakers", 0) > 0 else ""
            sizes.append(f"{own['utterances']:,.0f} utterances{of} ({title})")
    return sizes


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
        cells[row["item"], row["other"], row["measure"]] = "*" * (row["q"] < SIGNIFICANT)
    for name, own in rows.groupby("measure", sort=False):
        texts = alike(own[["difference", "difference_low", "difference_high"]].to_numpy(float).tolist())
        for item, other, text in zip(own["item"], own["other"], texts, strict=True):
            cells[item, other, name] = text + cells[item, other, name]
    pairs = dict.fromkeys(zip(rows["item"], rows["other"], strict=True))
    body = [[" − ".join(pair), *(cells.get((*pair, one.name), "") for one in shown)] for pair in pairs]
    notes = []
    if len(rows):
        level, correction, comparisons = rows[["level", "correction", "comparisons"]].iloc[0]
        tests = " and ".join(rows["test"].unique())
        notes = [
            f"In brackets: {100 * level:g} % confidence intervals; {tests}.",
            f"* q < {SIGNIFICANT} ({correction.title()}, over {comparisons:.0f} comparisons).",
        ]
    unlike = [text.partition(NOT_ALIKE)[1:] for text in rows["note"].unique() if NOT_ALIKE in text]
    notes += [f"Careful: {''.join(reason)}." for reason in unlike]
    header = ["pair", *(_IN_WORDS.get(one.short, one.short) for one in shown)]
    return PaperTable(header=header, rows=body, notes=notes, rules=frozenset(range(1, len(body))), below=True)


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
