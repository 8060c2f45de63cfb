"""Phones written as two letters without a tie bar, and as letters that are better written as superscripts.

A symbol that was given as one is one phone (it is never split), so two letters in it are one phone too, if the rules
know what: an affricate (tʂ is t͡ʂ), a labial-velar (ŋm is ŋ͡m), a prenasalised obstruent (nd and n͡d are ⁿd), a click
with its accompaniment (ɡǃ and ɡ͡ǃ are ᶢǃ).
"""

from dataclasses import replace

from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.spelling import TIE, joined, parse

_SUPERSCRIPTS = {"m": "ᵐ", "ɱ": "ᶬ", "n": "ⁿ", "ɳ": "ᶯ", "ɲ": "ᶮ", "ŋ": "ᵑ", "ɴ": "ᶰ", "k": "ᵏ", "ɡ": "ᶢ"}
_PLACES = ("+lab", "+cor")


def tied_form(segment: str, table: FeatureTable) -> str | None:
    """Return two letters with the tie bar that they lack; None when they are not one phone.

    A row of the table is one. So are, by rule, a stop and a fricative of the same place (labial, coronal, or neither)
    and voice, a dorsal and a labial nasal, and a click and a consonant.
    """
    parts = parse(segment)
    if len(parts) != 2 or parts[0].tie or parts[1].tie:
        return None
    first, second = (str(replace(part, modifiers="")) for part in parts)
    form = joined([replace(parts[0], tie=TIE), parts[1]])
    if table.spelling(form) is not None:
        return form
    if parts[0].modifiers:
        return None
    if table.matches(first, "+velaric") and table.matches(second, "-syl"):
        return form
    affricate = table.matches(first, "-son -cont -delrel") and table.matches(second, "-son +cont")
    nasals = table.matches(first, "+son +nas -lab -cor") and table.matches(second, "+son +nas +lab")
    return form if nasals or (affricate and _alike(table, first, second, (*_PLACES, "+voi"))) else None


def with_superscript(segment: str, table: FeatureTable) -> str | None:
    """Return a nasal before an obstruent, or a velar before a click, as a superscript; None for anything else."""
    first, *rest = parse(segment)
    if not rest or first.letter not in _SUPERSCRIPTS or first.modifiers:
        return None
    release = joined(rest)
    release = tied_form(release, table) or release
    letter = first.letter + first.marks
    nasal = table.matches(letter, "+son +nas") and table.matches(release, "-son")
    homorganic = bool(first.tie) or _alike(table, letter, release, _PLACES)
    if table.matches(release, "+velaric") or (nasal and homorganic):
        return _SUPERSCRIPTS[first.letter] + first.marks + release
    return None


def _alike(table: FeatureTable, first: str, second: str, values: tuple[str, ...]) -> bool:
    return all(table.matches(first, value) == table.matches(second, value) for value in values)
