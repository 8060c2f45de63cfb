"""Names from data as figures can show them: letters that can be seen, and few enough to leave room for the figure."""

import hashlib

import pandas as pd

from phonxling.core.messages import printable

LONGEST = 40  # letters


def drawable(name: str) -> str:
    r"""Return a name as a figure shows it: what cannot be seen is escaped, what is too long is cut.

    A cut name ends in a mark of its own, so that two names stay two.

    Examples
    --------
    >>> drawable("k͡p"), drawable("a\u202eb"), drawable("x" * 1000)
    ('k͡p', 'a\\u202eb', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…44f8354')
    """
    if len(name) <= LONGEST and name.isprintable():
        return name
    seen = printable(name).replace("\n", r"\n")
    if len(seen) <= LONGEST:
        return seen
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:7]
    return f"{seen[: LONGEST - len(mark) - 1]}…{mark}"


def with_drawable_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts can be drawn; the same table when they all can."""
    changed: dict[str, pd.Series[str]] = {}
    for column in map(str, table.select_dtypes(exclude="number")):
        names = {name: drawable(name) for name in table[column].unique()}
        if any(name != seen for name, seen in names.items()):
            changed[column] = table[column].map(names)
    return table.assign(**changed) if changed else table
