"""The definition of each measure, as the page and the tables' readers need it: name, formula, how to read it."""

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Definition:
    """What a measure of summary.tsv is."""

    measure: str
    title: str
    formula: str
    reading: str


_PREFIXES = (("chance_", "chance level of "), ("skill_", "skill of "))
_SUFFIXES = (
    ("_null", "level without association of "),
    ("_excess", "excess over its null of "),
    ("_adjusted", "value adjusted for its null of "),
    ("_p", "p-value of "),
)


def definition_of(measure: str) -> Definition | None:
    """Return a measure's definition, that of a null or a p-value made from its measure's; None where there is none.

    Examples
    --------
    >>> definition_of("posterior_mutual_information_p").title
    'p-value of the mutual information'
    """
    known = _definitions()
    made = [
        *((measure.removesuffix(ending), words) for ending, words in _SUFFIXES if measure.endswith(ending)),
        *((measure.removeprefix(start), words) for start, words in _PREFIXES if measure.startswith(start)),
    ]
    if measure in known:
        return known[measure]
    found = next(((known[base], words) for base, words in made if base in known), None)
    return found and replace(found[0], measure=measure, title=found[1] + found[0].title)


@cache
def _definitions() -> dict[str, Definition]:
    text = files("phonxling.report").joinpath("definitions.tsv").read_text(encoding="utf-8")
    lines = [Definition(*line.split("\t")) for line in text.splitlines()[1:]]
    return {line.measure: line for line in lines}
