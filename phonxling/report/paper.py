"""paper/: what a paper takes from a folder of results or a comparison, from its stored tables, in LaTeX."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from phonxling.analyses.measures import Measure, headline, measures
from phonxling.core.costs import KINDS
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.files import write_bytes
from phonxling.core.inventory import chart_key
from phonxling.load.resources import corpus_titles
from phonxling.report.findings import stored_groups, stored_numbers
from phonxling.report.first_screen import best_first
from phonxling.report.numbers import named_together, probability, round_alike
from phonxling.report.sections import PARTS, gaps_in_words
from phonxling.results.tables import declared_figures, read_rows, read_table

_TEXTS = files("phonxling.report")
_HEAD, _LABEL = 10, 34  # letters in a line of a column's head, and of a row's label
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
_NUMBER = re.compile(r"(−?[\d,]+(?:\.\d+)?)(?: (\[.*\]))?(\*)?")  # value, limits, star
_NO_NUMBER = re.compile("–?|−?∞|<.*")
_ASIDE = "\\s“”‘’(),;:\\[\\]"  # what stands beside a phone in a sentence
_IN_IPA = re.compile(f"[^{_ASIDE}]*[^\\x00-\xff“”‘’–—…−∞][^{_ASIDE}]*")  # a word with a letter that few fonts have
PREAMBLE = (
    r"% For XeLaTeX or LuaLaTeX: \usepackage{booktabs,fontspec,siunitx,threeparttable}, and a phonetic font, such as",
    r"% \newfontfamily\ipafont{Charis SIL} \newcommand{\ipa}[1]{{\ipafont #1}}",
    r"\providecommand{\ipa}[1]{#1}",
)


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """Cells of text under a header: a number, its limits in brackets and a star make one cell."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()  # below the table
    signatures: Sequence[str] = ()  # for who repeats it; a comment in LaTeX
    phonetic: frozenset[int] = frozenset()  # columns in the phonetic font
    rules: frozenset[int] = frozenset()  # rows with a rule above them
    below: bool = False  # intervals stand below their values, and labels in two lines, where a table is wide


# Tables are for XeLaTeX and LuaLaTeX: rules of booktabs, numbers by their decimal points (siunitx), notes below
# (threeparttable).
def latex(table: PaperTable) -> str:
    r"""Return a tabular environment with its notes, to be input into a document."""
    columns = [_typeset_column(table, place) for place in range(len(table.header))]
    lines = [f"\\begin{{tabular}}{{@{{}}{''.join(one[0] for one in columns)}@{{}}}}", r"\toprule"]
    lines += [" & ".join(one[1] for one in columns) + r" \\", r"\midrule"]
    for row in range(len(table.rows)):
        lines += [r"\addlinespace[2pt]" if table.below else r"\midrule"] * (row in table.rules)
        lines.append(" & ".join(one[2][row] for one in columns) + r" \\")
        under = [one[3][row] for one in columns]
        lines += [" & ".join(under) + r" \\"] * any(under)
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        notes = [f"\\item[] {prose(' '.join(note.split()))}" for note in table.notes]
        lines = [r"\begin{threeparttable}", *lines, r"\begin{tablenotes}[flushleft]\footnotesize", *notes]
        lines += [r"\end{tablenotes}", r"\end{threeparttable}"]
    comments = [f"% {' '.join(line.split())}" for line in table.signatures]
    return "\n".join([*PREAMBLE, *comments, *lines, ""])


def _typeset_column(table: PaperTable, place: int) -> tuple[str, str, list[str], list[str]]:
    """Return a column's type in LaTeX, its header, its cells, and what stands below these."""
    texts, blank = [row[place] for row in table.rows], [""] * len(table.rows)
    if place in table.phonetic:
        phones = [f"\\ipa{{{escape_latex(text)}}}" if text else "" for text in texts]
        return "l", _typeset_head(table.header[place], "l", texts), phones, blank
    # A column is of numbers, which siunitx sets by their points, only where each cell is one, or says that it has none.
    numbers = [_NUMBER.fullmatch(text) for text in texts]
    if not any(numbers) or any(not _NUMBER.fullmatch(text) and not _NO_NUMBER.fullmatch(text) for text in texts):
        # A long label has two lines where the second can stand beside the intervals.
        lines = [textwrap.wrap(text, _LABEL, **_WHOLE_WORDS) or [""] if table.below else [text] for text in texts]
        first, second = [prose(own[0]) for own in lines], [prose(" ".join(own[1:])) for own in lines]
        return "l", _typeset_head(table.header[place], "l", texts), first, second
    head = _typeset_head(table.header[place], "c")
    plain = [one[1].replace(",", "").replace("−", "-") if one else "" for one in numbers]
    whole, part = (max(len(text.strip("-").partition(".")[side]) for text in plain) for side in (0, 2))
    form = "-" * any(text.startswith("-") for text in plain) + f"{whole}.{part}".removesuffix(".0")
    star = ",table-space-text-post={*}" * any(one is not None and bool(one[3]) for one in numbers)
    kind = f"S[table-format={form}{star}]"
    cells = [
        number + "{*}" * bool(one[3]) if one else f"{{{prose(text)}}}" * bool(text)
        for one, number, text in zip(numbers, plain, texts, strict=True)
    ]
    limits = [escape_latex(one[2] or "") if one else "" for one in numbers]
    if not any(limits):
        return kind, f"{{{head}}}", cells, blank
    if table.below:
        return kind, f"{{{head}}}", cells, [f"{{\\scriptsize {text}}}" * bool(text) for text in limits]
    beside = [f"{cell} & {text}" for cell, text in zip(cells, limits, strict=True)]
    return f"{kind}@{{\\,}}l", f"\\multicolumn{{2}}{{c}}{{{head}}}", beside, blank


def _typeset_head(text: str, side: str, cells: Sequence[str] = ()) -> str:
    """Return a column's head, in several lines where it is longer than its cells."""
    width = max([_HEAD, *map(len, cells)])
    lines = [prose(line) for line in textwrap.wrap(text, width, **_WHOLE_WORDS)]
    broken = r"\\".join(lines)
    return f"\\shortstack[{side}]{{{broken}}}" if len(lines) > 1 else broken


def escape_latex(text: str) -> str:
    r"""Return text in which LaTeX's special letters are letters, and minus is a minus."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text).replace("−", "$-$").replace("∞", r"$\infty$")


def prose(text: str) -> str:
    r"""Return a sentence in LaTeX, its phones in the phonetic font, its units on one line with their numbers."""
    parts, end = [], 0
    for phone in _IN_IPA.finditer(text):
        parts += [escape_latex(text[end : phone.start()]), f"\\ipa{{{escape_latex(phone.group())}}}"]
        end = phone.end()
    return "".join([*parts, escape_latex(text[end:])]).replace(r" \%", r"~\%").replace("< ", "<~")


_OF_ERRORS = {("expected_js", ""), ("expected_level", ""), *(("error_share", part) for part in PARTS)}
_IN_BRACKETS = "In brackets: {0} confidence intervals."
_ELSEWHERE = "Chance levels and floors have intervals in summary.tsv."
_COLUMNS = {  # of `phones`: what stands in which columns of the stored table, a number before its limits
    "phone": ("phone",),
    "tokens": ("tokens",),
    "accuracy": ("accuracy", "accuracy_low", "accuracy_high"),
    "deleted": ("deletion_rate",),
    "entropy (bits)": ("entropy", "entropy_low", "entropy_high"),
    "most often predicted as": ("confused_with",),
}
_PHONETIC = {"phone", "most often predicted as"}
_IN_WORDS = {"H(X|Y) bits": "entropy (bits)", "JS to reference": "divergence from reference"}
_ABBREVIATIONS = {  # explained below a table with one in its head
    "wPER": "feature-weighted error rate",
    "PER": "phone error rate",
}
_UNNAMED = {"best", "q"}  # variants that the title has, or needs no word
_BARE = {"level", "floor", "people"}  # kinds of measures that have no interval in `rates`
_ABREAST = 5  # corpora side by side in a table of a page's width
EACH_UP_TO = 12  # corpora up to which each has figures and a table of its own
_DECIMALS = 3  # of what stands side by side, at most
_CITATION = re.compile(r" ?\[@([\w-]+)\]")
_HOW = r"""% The caption of each figure, by the name of its file. In the preamble, after \ipa:
%   \input{paper/captions}
% and in the text:
%   \includegraphics{figures/NAME} \caption{\figurecaption{NAME}}
% A name that is not here stops LaTeX with a message."""
_COMMAND = r"""\DeclareRobustCommand{\figurecaption}[1]{\ifcsname figurecaption:#1\endcsname
  \csname figurecaption:#1\endcsname\else\errmessage{no figure #1 was drawn: see paper/captions.tex}\fi}"""


# Tables of all corpora, and of each corpus' gold phones; the captions of the figures; and the paragraph on methods. Of
# more than a dozen corpora there is one table, in which each is a row.
def write_paper_files(folder: Path, manifest: Mapping[str, Any], captions: Mapping[str, str]) -> list[Path]:
    """Write the files for papers below a folder of results, and return them; DataError when a table cannot be read.

    `captions` are those of the figures that were drawn, by name.
    """
    settings, signatures = manifest["configuration"], manifest["signatures"]
    corpora, numbers = settings["corpora"], read_table(folder, "summary")
    stored, titles = stored_numbers(folder, corpora), corpus_titles(corpora)
    titles = {name: titles[name] for name in best_first(stored, stored_groups(folder))}
    tables = [*tables_of_corpora(numbers, signatures, titles, settings["uncertainty"]["level"])]
    if len(corpora) > EACH_UP_TO:
        del tables[1:]
    else:
        known = {row["corpus"] for row in read_rows(folder, "phones")}
        of_phones = (name for name in corpora if name in known)
        tables += [(f"phones-{name}", table_of_phones(folder, name, signatures[name])) for name in of_phones]
    text = methods(manifest, numbers)
    texts = {
        "captions.tex": captions_file(captions),
        "methods.tex": cite(text) + "\n",
        "references.bib": bibliography(text, manifest["phonxling"]),
    }
    return write_texts(folder, {**dict(typeset(tables)), **texts})


def typeset(tables: Iterable[tuple[str, PaperTable]]) -> Iterator[tuple[str, str]]:
    for name, table in tables:
        words = {*re.findall(r"\w+", " ".join(table.header))}
        known = [f"{short}: {long}" for short, long in _ABBREVIATIONS.items() if short in words]
        yield f"{name}.tex", latex(replace(table, notes=[*table.notes, *[f"{'; '.join(known)}."] * bool(known)]))


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    for name, text in texts.items():
        write_bytes(folder / "paper" / name, text.encode())
    return [folder / "paper" / name for name in texts]


# `\figurecaption{yoruba-confusions}` sets the caption of a figure: its title, how to read it, and its notes.
def captions_file(captions: Mapping[str, str]) -> str:
    """Return the file that gives LaTeX the captions of figures by name; how several are read stands there once."""
    readings = {text.reading: name for (_, name), text in declared_figures().items()}
    shared = [one for one in readings if sum(one in caption for caption in captions.values()) > 1]
    define = "\\expandafter\\def\\csname figure{}:{}\\endcsname{{{}}}%".format
    lines = [define("reading", readings[one], prose(one)) for one in shared]
    for name, caption in captions.items():
        of = next((one for one in shared if one in caption), "")
        before, _, behind = caption.partition(of) if of else (caption, "", "")
        middle = f"\\csname figurereading:{readings[of]}\\endcsname{{}}" if of else ""  # {} keeps the space
        lines.append(define("caption", name, prose(before) + middle + prose(behind)))
    return "\n".join([_HOW, *PREAMBLE, _COMMAND, *lines, ""])


def tables_of_corpora(
    numbers: pd.DataFrame, signatures: Mapping[str, str], titles: Mapping[str, str], level: float
) -> Iterator[tuple[str, PaperTable]]:
    """Yield `rates`, `summary`, and `errors` where there are such numbers."""
    cells: dict[Any, list[str]] = {}  # a measure's numbers of all corpora, with the same decimals; "" for none
    for key, rows in numbers.groupby(["measure", "variant"], sort=False):
        values = rows.set_index("corpus")[["value", "low", "high"]].reindex([*titles]).to_numpy(float).tolist()
        of_p = (rows["unit"] == "probability").any()
        cells[key] = [probability(value) for value, *_ in values] if of_p else round_alike(values, _DECIMALS)
    notes = [_IN_BRACKETS.format(f"{100 * level:g} %")] if numbers["low"].notna().any() else []
    columns = {"corpus": [*titles.values()]}  # of `rates`: what the terminal shows, and PER beside its chance
    for one in headline():
        own = cells.get((one.name, one.variant), [])
        if one.short and any(own):
            bare = one.kind in _BARE
            columns[_IN_WORDS.get(one.short, one.short)] = [cell.partition(" [")[0] if bare else cell for cell in own]
        if one.name == "per" and any(chance := cells.get(("chance_per", "best"), [])):
            columns["chance PER"] = [cell.partition(" [")[0] for cell in chance]
    of_rates = {"notes": [*notes, _ELSEWHERE], "rules": frozenset(range(1, len(titles)))}
    yield "rates", _of_columns(columns, **of_rates, signatures=_sign_corpora(titles, signatures, titles), below=True)
    places = [slice(first, first + _ABREAST) for first in range(0, len(titles), _ABREAST)]
    for name, chosen in (
        ("summary", headline()),
        ("errors", [one for one in measures() if (one.name, one.variant) in _OF_ERRORS]),
    ):
        body = {_row_title(one): cells[one.name, one.variant] for one in chosen if (one.name, one.variant) in cells}
        body = {title: own for title, own in body.items() if any(own)}
        for part, place in enumerate(places if body or name == "summary" else (), start=1):
            table = PaperTable(
                header=["measure", *[*titles.values()][place]],
                rows=[[title, *own[place]] for title, own in body.items()],
                notes=notes,
                signatures=_sign_corpora([*titles][place], signatures, titles),
                rules=frozenset(range(1, len(body))),
                below=True,
            )
            yield f"{name}-{part}" if part > 1 else name, table


def _sign_corpora(corpora: Iterable[str], signatures: Mapping[str, str], titles: Mapping[str, str]) -> list[str]:
    """Return the signatures of corpora, a line for all that have the same."""
    return [": ".join(both) for both in named_together((titles[name], signatures[name]) for name in corpora)]


def _row_title(one: Measure) -> str:
    """Return a measure's title, with its variant where the title does not tell it from another, and with bits."""
    alike = sum(other.title == one.title for other in measures())
    is_named = one.variant and one.variant not in _UNNAMED and (one.headline or alike > 1)
    name = f"{one.title} ({one.variant})" if is_named else one.title
    return f"{name} (bits)" if one.unit == "bits" else name


def table_of_phones(folder: Path, corpus: str, signature: str) -> PaperTable:
    """Return the gold phones of a corpus, those that the recogniser lacks with – as their accuracy."""
    phones = read_table(folder, "phones", corpus)
    phones = phones[phones["side"] == "gold"]
    cells = {  # texts as they stand, numbers with their limits and the same decimals
        head: round_alike(phones[[*names]].to_numpy(float).tolist())
        if pd.api.types.is_numeric_dtype(phones[names[0]])
        else [*phones[names[0]]]
        for head, names in _COLUMNS.items()
    }
    absent = {row["gold"] for row in read_rows(folder, "errors", corpus) if row["reason"] == "absent" and row["count"]}
    both = zip(phones["phone"], cells["accuracy"], strict=True)
    cells["accuracy"] = ["–" if phone in absent else cell for phone, cell in both]
    # A rule above each class of the chart; none where phones stand in another order.
    ranks = [chart_key(phone)[0] for phone in cells["phone"]]
    rules = [row for row in range(1, len(ranks)) if ranks[row] != ranks[row - 1]] if ranks == sorted(ranks) else []
    return _of_columns(
        cells,
        notes=["–: the recogniser has no such phone."] * bool(absent),
        signatures=[signature] * bool(signature),
        phonetic=frozenset(place for place, head in enumerate(_COLUMNS) if head in _PHONETIC),
        rules=frozenset(rules),
    )


def _of_columns(columns: Mapping[str, Sequence[str]], **about: Any) -> PaperTable:  # noqa: ANN401 - other fields
    return PaperTable(header=[*columns], rows=[*zip(*columns.values(), strict=True)], **about)


# Each sentence on methods is made of the settings of the results, and only of what was done; one that would hold for
# some of the corpora only is left out. The sentences, and the words for each choice of a setting, are in
# methods.md.jinja; the entries of what they cite in references.bib.
def methods(manifest: Mapping[str, Any], numbers: pd.DataFrame) -> str:
    """Return the sentences on how the numbers of a result came about."""
    from jinja2 import Environment, StrictUndefined  # waits until a text is written

    settings = manifest["configuration"]
    costs = str(settings["alignment"]["costs"])
    # Who was left out for the intervals of all corpora.
    status = numbers.loc[numbers["measure"].isin(["wper", "per"]), "status"].fillna("")
    of_utterances = status.isin(["no-speakers", "these-speakers-alone"])
    clusters = "speakers, or utterances where they are unknown or too few" if of_utterances.any() else "speakers"
    if settings["uncertainty"]["cluster"] == "utterance" or of_utterances.all():
        clusters = "utterances"
    sizes = list[str]()
    counted = numbers[numbers["measure"].isin(["utterances", "speakers"])].set_index(["corpus", "measure"])["value"]
    for corpus, title in corpus_titles(settings["corpora"]).items():
        if (utterances := counted.get((corpus, "utterances"), 0)) > 0:
            speakers = counted.get((corpus, "speakers"), 0)
            of = f" of {speakers:,.0f} speakers" if speakers > 0 else ""
            sizes.append(f"{utterances:,.0f} utterances{of} ({title})")
    options: dict[str, Any] = {"undefined": StrictUndefined, "trim_blocks": True}
    template = Environment(**options).from_string(_TEXTS.joinpath("methods.md.jinja").read_text(encoding="utf-8"))  # noqa: S701 - plain text, not to be escaped
    text = template.render(
        version=manifest["phonxling"],
        panphon=settings["features"]["table"].removeprefix("panphon-"),
        settings=settings,
        shared=_shared_rules(settings),
        clusters=clusters,
        costs=costs,
        gaps=gaps_in_words(settings["alignment"]),
        ties=settings["alignment"]["ties"].replace("auto", KINDS[costs].ties if costs in KINDS else ""),
        done=set(numbers.loc[numbers["value"].notna(), "measure"]),
        sizes=sizes,
        reference=next((name for name, one in settings["corpora"].items() if one["role"] == "reference"), ""),
    )
    return re.sub(r"[ \n]+", " ", text).strip()


def _shared_rules(settings: Mapping[str, Any]) -> dict[str, Any]:
    corpora = settings["corpora"].values()
    sides = {"gold": ("gold", "segments"), "predicted": ("predicted", "posteriors")}
    files = {side: [one[first] or one[second] for one in corpora] for side, (first, second) in sides.items()}
    every = [file for own in files.values() for file in own if file]
    values = {rule: {file.get(rule) or usual for file in every} for rule, usual in settings["symbols"].items()}
    for side, own in files.items():
        sets = ([file["symbols"]] if isinstance(file["symbols"], str) else file["symbols"] for file in own if file)
        values[side] = {"+".join(Path(one).name for one in names) for names in sets}
    alike = {key: own.pop() for key, own in values.items() if len(own) == 1}
    return {**alike, "decoded": not any(one["predicted"] for one in corpora)}


def cite(text: str) -> str:
    parts = _CITATION.split(text)
    return "".join(f"~\\cite{{{part}}}" if place % 2 else prose(part) for place, part in enumerate(parts))


def bibliography(text: str, version: str) -> str:
    """Return the entries of what a text cites, the version of this program filled in."""
    stored = _TEXTS.joinpath("references.bib").read_text(encoding="utf-8")
    entries = {re.split(r"[{,]", entry)[1]: entry.strip() for entry in stored.split("\n\n") if entry.strip()}
    chosen = [entries[key] for key in dict.fromkeys(_CITATION.findall(text))]
    return "\n\n".join(chosen).replace("VERSION", version) + "\n"


def differences(rows: pd.DataFrame, shown: Sequence[Measure], level: float) -> PaperTable:
    """Return pairs in rows and measures in columns, each difference with its interval, * where q is small."""
    cells = {}
    for name, own in rows.groupby("measure", sort=False):
        texts = round_alike(own[["difference", "low", "high"]].to_numpy(float).tolist())
        for item, other, q, text in zip(own["item"], own["other"], own["q"], texts, strict=True):
            cells[item, other, name] = text + "*" * (q < SIGNIFICANT)
    pairs = dict.fromkeys(zip(rows["item"], rows["other"], strict=True))
    body = [[" − ".join(pair), *(cells.get((*pair, one.name), "") for one in shown)] for pair in pairs]
    notes = [f"In brackets: {100 * level:g} % confidence intervals by the jackknife over clusters."] * bool(len(rows))
    if tests := " and ".join(kind for kind in rows["test"].unique() if kind != "none"):
        number = rows["p"].count()
        notes.append(f"* q < {SIGNIFICANT} ({tests} t tests; Benjamini–Hochberg over {number} comparisons).")
    notes += [f"Careful, not alike: {text}." for text in rows["unlike"].unique() if text]
    header = ["pair", *(_IN_WORDS.get(one.short, one.short) for one in shown)]
    return PaperTable(header=header, rows=body, notes=notes, rules=frozenset(range(1, len(body))), below=True)
