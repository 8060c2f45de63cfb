r"""tables/numbers.tex: each number of the summary, and each corpus' sentences, by name for LaTeX.

`\phonxling{yoruba}{wper}` sets a number with its interval, `\phonxling{yoruba}{wper value}` the number alone,
`\phonxling{yoruba}{verdict}` whether the rate is better than chance, and `findings` what else is said of the corpus.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import pandas as pd

from phonxling.analyses.measures import measures, summarised
from phonxling.report.findings import findings
from phonxling.report.findings.numbers import Numbers
from phonxling.report.findings.rates import ceiling_sentences, rate_sentences, verdict_sentences
from phonxling.report.rounding import probability, rounded
from phonxling.report.typesetting import PREAMBLE, escaped, prose

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
    lines = [line for row in summary.to_dict("records") for line in _defined(row)]
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


def _defined(row: Mapping[Any, Any]) -> Iterator[str]:
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
