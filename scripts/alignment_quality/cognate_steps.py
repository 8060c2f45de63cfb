"""The steps from panphon's costs to the `cognate` costs, each with one idea more: what docs/cognate.md tabulates."""

from dataclasses import replace
from fractions import Fraction

from alignment_quality.agreement import MakeCosts, named_costs
from phonxling.alignment.costs.cognate import CognateSettings, cognate_costs


def cognate_steps() -> dict[str, MakeCosts]:
    """Return makers of costs by the name of the step, in order; the last is the preset.

    Examples
    --------
    >>> list(cognate_steps())[-1]
    'gaps by class (cognate)'
    """
    whole = CognateSettings()
    one = Fraction(1)
    no_classes = replace(whole, liquid=one, nasal=one, glide=one, laryngeal=one, syllabic=one, vowel=one, schwa=one)
    no_late = replace(no_classes, ties="identical")
    no_opening = replace(no_late, opening=Fraction(0))
    # a gap of 0.3 under panphon-weighted, whose weights sum to 8.75, is worth 2.625 of its Σ w |f − g| / 2
    no_limit = replace(no_opening, scale=Fraction(2, 5), dissimilar=whole.never)
    settings = {
        "classes apart, vowels alike": no_limit,
        "consonants dearer, to a limit": no_opening,
        "opening of gaps": no_late,
        "gaps late": no_classes,
        "gaps by class (cognate)": whole,
    }
    return {
        "panphon, gap 1": named_costs("panphon"),
        "panphon, gap 0.3": named_costs("panphon", 0.3),
        "panphon-weighted, gap 0.3": named_costs("panphon-weighted", 0.3),
        **{name: _maker(chosen) for name, chosen in settings.items()},
    }


def _maker(settings: CognateSettings) -> MakeCosts:
    return lambda phones, table: cognate_costs(phones, phones, table, settings)
