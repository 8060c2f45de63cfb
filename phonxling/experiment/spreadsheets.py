"""Names that a spreadsheet would take for formulas: the tables hold them as they are, and the run says so."""

from collections.abc import Iterable, Iterator

from phonxling.analyses.case.loaded import LoadedCorpus

_FORMULA = ("=", "+", "-", "@")


def spreadsheet_note(corpora: Iterable[LoadedCorpus]) -> str:
    """Return what to say of names that begin like formulas and are more than that sign; "" when there are none."""
    found = sorted({name for loaded in corpora for name in _names(loaded) if is_formula(name)})
    if not found:
        return ""
    number = "1 name begins" if len(found) == 1 else f"{len(found):,} names begin"
    shown = f"with =, +, - or @, such as '{found[0][:40]}'"
    return f"{number} {shown}: import the tables into a spreadsheet as text (docs/scale.md)"


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would compute a cell.

    Examples
    --------
    >>> [is_formula(text) for text in ("=1+1", "@_^", "@", "-", "a=", "")]
    [True, True, False, False, False, False]
    """
    return len(text) > 1 and text.startswith(_FORMULA)


def _names(loaded: LoadedCorpus) -> Iterator[str]:
    yield from loaded.gold.utterances
    yield from loaded.gold.inventory
    for audit in loaded.audits.values():
        yield from (name for row in audit for name in (row.raw, row.symbol))
    if loaded.corpus is not None:
        yield from loaded.corpus.predicted_inventory
        yield from loaded.corpus.speakers or ()
