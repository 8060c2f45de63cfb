"""Tables and text as papers print them, in LaTeX (booktabs, for XeLaTeX and LuaLaTeX).

Numbers stand by their decimal points (siunitx), and notes stand below the table (threeparttable).
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

_HEAD, _LABEL = 10, 34  # letters in a line of a column's head, and of a row's label
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_NUMBER = re.compile(r"(−?[\d,]+(?:\.\d+)?)(?: (\[.*\]))?(\*)?")  # value, limits, star
_NO_NUMBER = re.compile("–?|−?∞|<.*")
_ASIDE = "\\s“”‘’(),;:\\[\\]"  # what stands beside a phone in a sentence
_PHONETIC = re.compile(f"[^{_ASIDE}]*[^\\x00-\xff“”‘’–—…−∞][^{_ASIDE}]*")  # a word with a letter that few fonts have
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


def latex(table: PaperTable) -> str:
    r"""Return a tabular environment with its notes, to be input into a document."""
    columns = [_column(table, place) for place in range(len(table.header))]
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


def _column(table: PaperTable, place: int) -> tuple[str, str, list[str], list[str]]:
    """Return a column's type in LaTeX, its header, its cells, and what stands below these."""
    texts, blank = [row[place] for row in table.rows], [""] * len(table.rows)
    if place in table.phonetic:
        phones = [f"\\ipa{{{escaped(text)}}}" if text else "" for text in texts]
        return "l", _head(table.header[place], "l", texts), phones, blank
    found = [_NUMBER.fullmatch(text) for text in texts]
    if not any(found) or any(not _NUMBER.fullmatch(text) and not _NO_NUMBER.fullmatch(text) for text in texts):
        labels = [_in_two(text) if table.below else (text, "") for text in texts]
        first, second = ([prose(label[line]) for label in labels] for line in (0, 1))
        return "l", _head(table.header[place], "l", texts), first, second
    head = _head(table.header[place], "c")
    plain = [one[1].replace(",", "").replace("−", "-") if one else "" for one in found]
    whole, part = (max(len(text.strip("-").partition(".")[side]) for text in plain) for side in (0, 2))
    form = "-" * any(text.startswith("-") for text in plain) + f"{whole}.{part}".removesuffix(".0")
    star = ",table-space-text-post={*}" * any(one is not None and bool(one[3]) for one in found)
    kind = f"S[table-format={form}{star}]"
    cells = [
        number + "{*}" * bool(one[3]) if one else f"{{{prose(text)}}}" * bool(text)
        for one, number, text in zip(found, plain, texts, strict=True)
    ]
    limits = [escaped(one[2] or "") if one else "" for one in found]
    if not any(limits):
        return kind, f"{{{head}}}", cells, blank
    if table.below:
        return kind, f"{{{head}}}", cells, [f"{{\\scriptsize {text}}}" * bool(text) for text in limits]
    beside = [f"{cell} & {text}" for cell, text in zip(cells, limits, strict=True)]
    return f"{kind}@{{\\,}}l", f"\\multicolumn{{2}}{{c}}{{{head}}}", beside, blank


def _head(text: str, side: str, cells: Sequence[str] = ()) -> str:
    """Return a column's head, in several lines where it is longer than its cells."""
    width = max([_HEAD, *map(len, cells)])
    lines = [prose(line) for line in textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)]
    broken = r"\\".join(lines)
    return f"\\shortstack[{side}]{{{broken}}}" if len(lines) > 1 else broken


def _in_two(text: str) -> tuple[str, str]:
    """Return a row's label in two lines, where it is long; the second stands beside the intervals."""
    first, *others = textwrap.wrap(text, _LABEL, break_long_words=False, break_on_hyphens=False) or [""]
    return first, " ".join(others)


def escaped(text: str) -> str:
    r"""Return text in which LaTeX's special letters are letters, and minus is a minus."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text).replace("−", "$-$").replace("∞", r"$\infty$")


def prose(text: str) -> str:
    r"""Return a sentence in LaTeX, its phones in the phonetic font, its units on one line with their numbers."""
    parts, end = [], 0
    for phone in _PHONETIC.finditer(text):
        parts += [escaped(text[end : phone.start()]), f"\\ipa{{{escaped(phone.group())}}}"]
        end = phone.end()
    return "".join([*parts, escaped(text[end:])]).replace(r" \%", r"~\%").replace("< ", "<~")
