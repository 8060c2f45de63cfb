"""Numbers, text and tables as papers print them: LaTeX (booktabs, for XeLaTeX and LuaLaTeX) and Markdown.

Numbers have as many digits as the uncertainty allows. A value and its limits have the decimals at which half the
interval's width shows two digits (the Particle Data Group's habit, in short). Without an interval a number has three
significant digits; whole numbers stand as they are.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

_MOST = 6  # decimals
_LEAST_P = 0.001
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_ASIDE = "\\s“”‘’(),;:\\[\\]"  # what stands beside a phone in a sentence
_PHONETIC = re.compile(f"[^{_ASIDE}]*[^\\x00-\xff“”‘’–—…−∞][^{_ASIDE}]*")  # a word with a letter that few fonts have
PREAMBLE = (
    r"% For XeLaTeX or LuaLaTeX: \usepackage{booktabs,fontspec}, and a font that has the phonetic letters, such as",
    r"% \newfontfamily\ipafont{Charis SIL} \newcommand{\ipa}[1]{{\ipafont #1}}",
    r"\providecommand{\ipa}[1]{#1}",
)


def rounded(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """Return a number, with its limits in brackets where it has some; "" when it is missing."""
    if math.isnan(value):
        return ""
    if math.isnan(low) or math.isnan(high):
        return _plain(value)
    places = decimals((high - low) / 2)
    return f"{_fixed(value, places)} [{_fixed(low, places)}, {_fixed(high, places)}]"


def decimals(spread: float) -> int:
    """Return the decimals at which a spread shows two digits, 0 to 6."""
    if not spread > 0 or math.isinf(spread):
        return _MOST if spread == 0 else 0
    return min(_MOST, max(0, 1 - math.floor(math.log10(float(f"{spread:.1e}")))))


def probability(p: float) -> str:
    """Return a p-value in two digits, three where two would say .05; below a thousandth as such; "" when missing."""
    if math.isnan(p):
        return ""
    shown = f"{p:.3g}" if f"{p:.2g}" == "0.05" else f"{p:.2g}"
    return shown if p >= _LEAST_P else f"< {_LEAST_P:g}"


def equals(p: float) -> str:
    """Return a p-value as it stands behind its letter: `= 0.02`, `< 0.001`."""
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _plain(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value):
        return _fixed(value, 0)
    return _fixed(value, min(_MOST, max(0, 2 - math.floor(math.log10(abs(value))))))


def _fixed(value: float, places: int) -> str:
    if math.isinf(value):
        return _plain(value)
    return f"{value:z,.{places}f}".replace("-", "−")


@dataclass(frozen=True)
class PaperTable:
    """Cells of text under a header; phonetic columns are set in the phonetic font."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    phonetic: frozenset[int] = frozenset()


def latex(table: PaperTable) -> str:
    r"""Return a tabular environment, to be input into a document; notes stand above it as comments."""
    lines = [*PREAMBLE, *(f"% {' '.join(note.split())}" for note in table.notes)]
    lines += [f"\\begin{{tabular}}{{{'l' * len(table.header)}}}", r"\toprule"]
    lines += [" & ".join(map(prose, table.header)) + r" \\", r"\midrule"]
    for row in table.rows:
        cells = [
            f"\\ipa{{{escaped(text)}}}" if column in table.phonetic and text else prose(text)
            for column, text in enumerate(row)
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def markdown(table: PaperTable) -> str:
    r"""Return a Markdown table, notes below it."""
    head, *rows = ("| " + " | ".join(map(_as_letters, cells)) + " |" for cells in (table.header, *table.rows))
    notes = ["", *(f"{note}  " for note in table.notes)] if table.notes else []
    return "\n".join([head, "|" + "---|" * len(table.header), *rows, *notes, ""])


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


def _as_letters(text: str) -> str:
    """Return text in which Markdown's signs are letters: X-SAMPA has backticks and underscores."""
    marked = "".join(f"\\{letter}" if letter in "\\`*_~|" else letter for letter in text)
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace("](", "]\\(").replace("\n", " ")
