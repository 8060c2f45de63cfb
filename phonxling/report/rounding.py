"""Numbers as a paper prints them: as many digits as the uncertainty allows.

A value and its limits have the decimals at which half the interval's width shows two digits (the Particle Data Group's
habit, in short). Without an interval a number has three significant digits; whole numbers stand as they are.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MOST = 6  # decimals
_LEAST_P = 0.001


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
    """Return a p-value in two digits, one below a thousandth as such; "" when it is missing."""
    if math.isnan(p):
        return ""
    return f"{p:.2g}" if p >= _LEAST_P else f"< {_LEAST_P:g}"


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


# Text and tables as papers take them: LaTeX (booktabs, for XeLaTeX and LuaLaTeX) and Markdown.

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


@dataclass(frozen=True)
class PaperTable:
    """Cells of text under a header; phonetic columns are set in the phonetic font."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    phonetic: frozenset[int] = frozenset()


def latex(table: PaperTable) -> str:
    r"""Return a tabular environment, to be input into a document; notes stand above it as comments."""
    body = [
        " & ".join(_cell(text, column in table.phonetic) for column, text in enumerate(row)) + r" \\"
        for row in table.rows
    ]
    return "\n".join(
        [
            *PREAMBLE,
            *(f"% {' '.join(note.split())}" for note in table.notes),
            f"\\begin{{tabular}}{{{'l' * len(table.header)}}}",
            r"\toprule",
            " & ".join(map(prose, table.header)) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def markdown(table: PaperTable) -> str:
    r"""Return a Markdown table, notes below it."""
    lines = [_line(table.header), "|" + "---|" * len(table.header), *map(_line, table.rows)]
    notes = ["", *(f"{note}  " for note in table.notes)] if table.notes else []
    return "\n".join([*lines, *notes, ""])


def escaped(text: str) -> str:
    r"""Return text in which LaTeX's special letters are letters, and minus is a minus."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text).replace("−", "$-$").replace("∞", r"$\infty$")


def prose(text: str) -> str:
    r"""Return a sentence in LaTeX, its phones in the phonetic font, its units on one line with their numbers."""
    phones = _PHONETIC.finditer(text)
    parts, end = [], 0
    for phone in phones:
        parts += [escaped(text[end : phone.start()]), f"\\ipa{{{escaped(phone.group())}}}"]
        end = phone.end()
    return "".join([*parts, escaped(text[end:])]).replace(r" \%", r"~\%").replace("< ", "<~")


def _cell(text: str, phonetic: bool) -> str:
    return f"\\ipa{{{escaped(text)}}}" if phonetic and text else prose(text)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(_as_letters, cells)) + " |"


def _as_letters(text: str) -> str:
    """Return text in which Markdown's signs are letters: X-SAMPA has backticks and underscores."""
    marked = "".join(f"\\{letter}" if letter in "\\`*_~|" else letter for letter in text)
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace("](", "]\\(").replace("\n", " ")
