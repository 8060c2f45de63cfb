"""Errors that a user can act on. Each says what, where, how many, and what to do."""

from collections.abc import Iterable

_SHOWN = 20   # problems printed in full; the rest are counted


class PhonxlingError(Exception):
    """An analysis that cannot go on. The message is for the user; commands print it without a traceback."""

    exit_code = 1


class DataError(PhonxlingError):
    """The data cannot be analysed as they are (exit code 1)."""


class ConfigurationError(PhonxlingError):
    """The configuration or the command's usage is wrong (exit code 2)."""

    exit_code = 2


def join_problems(headline: str, problems: Iterable[str], remedy: str = "") -> str:
    """Return one message: a headline, each problem on its own line (the first 20; the rest counted), what to do.

    Examples
    --------
    >>> print(join_problems("2 ids have no partner:", ["u1", "u2"], "Remove them."))
    2 ids have no partner:
      u1
      u2
    Remove them.
    """
    lines = list(problems)
    shown = [f"  {line}" for line in lines[:_SHOWN]]
    if len(lines) > _SHOWN:
        shown.append(f"  … and {len(lines) - _SHOWN} more")
    return "\n".join([headline, *shown, *([remedy] if remedy else [])])
