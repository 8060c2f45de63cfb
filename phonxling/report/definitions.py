"""The definition of each measure, as the page and the tables' readers need it: name, formula, how to read it."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Definition:
    """What a measure of summary.tsv is."""

    measure: str
    title: str
    formula: str
    reading: str


_PREFIXES = (  # title, formula and reading of what is made of another measure
    (
        "chance_",
        "chance level of the {}",
        "the same of predictions without information, aligned anew",
        "The variant names the model; best: the hardest of them.",
    ),
    ("skill_", "skill of the {}", "1 − value / chance level", "0 at chance, 1 when perfect, negative below chance."),
)
_SUFFIXES = (
    (
        "_null",
        "level without association of the {}",
        "the same with labels or predictions redrawn",
        "What chance gives.",
    ),
    ("_excess", "excess over its null of the {}", "value − its null", "0 on average where there is chance alone."),
    (
        "_p",
        "p-value of the {}",
        "(draws of the null at least as high + 1) / (draws + 1)",
        "Small when chance gives less.",
    ),
)


def definition_of(measure: str) -> Definition | None:
    """Return a measure's definition, that of a null or a p-value made from its measure's; None where there is none.

    Examples
    --------
    >>> definition_of("posterior_mutual_information_p").title
    'p-value of the mutual information'
    """
    known = _definitions()
    if measure in known:
        return known[measure]
    made = [
        *((measure.removesuffix(ending), words) for ending, *words in _SUFFIXES if measure.endswith(ending)),
        *((measure.removeprefix(start), words) for start, *words in _PREFIXES if measure.startswith(start)),
    ]
    found = next(((known[base].title, words) for base, words in made if base in known), None)
    return found and Definition(measure, found[1][0].format(found[0]), *found[1][1:])


@cache
def _definitions() -> dict[str, Definition]:
    text = files("phonxling.report").joinpath("definitions.tsv").read_text(encoding="utf-8")
    lines = [Definition(*line.split("\t")) for line in text.splitlines()[1:]]
    return {line.measure: line for line in lines}
