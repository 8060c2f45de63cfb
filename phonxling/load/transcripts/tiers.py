"""Which tier of a file holds the phones."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from phonxling.core.errors import DataError, shown

_LISTED = 50  # tiers of a message


def choose_tier(source: str, names: Sequence[str], wanted: str | None) -> int:
    """Return the position of the tier that is wanted; a file's only tier needs no wanting.

    A name that is there goes before a glob: `phones`, `*phones`, `[Pp]hones`, `Mary - *`. Capitals count.

    Raises
    ------
    DataError
        If there is no tier, none or several are meant: those there are, are listed.

    Examples
    --------
    >>> choose_tier("a.TextGrid", ["Mary - words", "Mary - phones"], "* - phones")
    1
    """
    if not names:
        raise DataError(f"{source}: has no tier")
    meant = _meant(names, wanted)
    if len(meant) == 1:
        return meant[0]
    listed = ", ".join(f"'{shown(name)}'" for name in names[:_LISTED]) + " …" * (len(names) > _LISTED)
    if wanted is None:
        what = f"has {len(names)} tiers"
    else:
        what = f"has no tier '{wanted}'" if not meant else f"has {len(meant)} tiers that '{wanted}' stands for"
    renamed = "; tiers of one name cannot be told apart: rename them" if _same(names, meant) else ""
    raise DataError(f"{source}: {what}; choose one with tier: (--tier), by name or glob: {listed}{renamed}")


def _meant(names: Sequence[str], wanted: str | None) -> list[int]:
    if wanted is None:
        return list(range(len(names)))
    exact = [place for place, name in enumerate(names) if name == wanted]
    return exact or [place for place, name in enumerate(names) if fnmatchcase(name, wanted)]


def _same(names: Sequence[str], meant: Sequence[int]) -> bool:
    return len(meant) > len({names[place] for place in meant})
