"""A function of a library in another's place for a while."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def replaced(owner: object, name: str, other: Callable[[Any], object]) -> Iterator[None]:
    """Put what `other` makes of a function of a library in its place, and that back in the end; none that is not there.

    Examples
    --------
    >>> import math
    >>> with replaced(math, "sqrt", lambda root: lambda number: -root(number)):
    ...     math.sqrt(4)
    -2.0
    >>> math.sqrt(4)
    2.0
    """
    original = vars(owner).get(name)
    if original is None:
        yield
        return
    setattr(owner, name, other(original))
    try:
        yield
    finally:
        setattr(owner, name, original)
