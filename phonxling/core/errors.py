"""Errors that a user can act on. Each says what, where, how many, and what to do."""

from collections.abc import Iterable

from phonxling.core.messages import whole_message


class PhonxlingError(Exception):
    """An analysis that cannot go on. The message is for the user; commands print it without a traceback.

    Whatever data the message holds, its text is fit for a terminal (see `core.messages`); `args` has it in full.
    """

    exit_code = 1

    def __str__(self) -> str:
        return whole_message(super().__str__())


class DataError(PhonxlingError):
    """The data cannot be analysed as they are (exit code 1)."""


class ConfigurationError(PhonxlingError):
    """The configuration or the command's usage is wrong (exit code 2)."""

    exit_code = 2


def join_problems(
    headline: str, problems: Iterable[str], remedy: str = "", limit: int | None = None, more: int = 0
) -> str:
    """Return one message: a headline, each problem on a line of its own, what to do.

    With `limit`, so many problems are shown and the rest are counted; `more` are counted that are not given.

    Examples
    --------
    >>> print(join_problems("3 ids have no partner:", ["u1", "u2", "u3"], "Remove them.", limit=2))
    3 ids have no partner:
      u1
      u2
      … and 1 more
    Remove them.
    """
    lines = list(problems)
    shown = [f"  {line}" for line in lines[:limit]]
    left = len(lines) - len(shown) + more
    if left:
        shown.append(f"  … and {left} more")
    return "\n".join([headline, *shown, *([remedy] if remedy else [])])
