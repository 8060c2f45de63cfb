"""Text that came from data, in messages: nothing that a terminal would obey, one line, and an end.

A file's cells and names can hold control characters and escape sequences, marks that turn the direction of what
follows, line ends, and megabytes.
"""

LONGEST_LINE, LONGEST = 10_000, 100_000  # letters of a line, and of a message
_PIECE = 100


def printable(text: str) -> str:
    r"""Return a text whose letters all can be seen: what cannot is written as Python escapes it. Line ends stay.

    Examples
    --------
    >>> print(printable("u1\x1b[2J\u202e"))
    u1\x1b[2J\u202e
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else _escaped(letter) for letter in text)


def shown(piece: str, most: int = _PIECE) -> str:
    r"""Return a piece of data as a message shows it: printable, on one line, and cut.

    Examples
    --------
    >>> print(shown("two\nlines"), shown("a" * 1000, most=3))
    two\nlines aaa… (1,000 letters)
    """
    text = printable(piece[:most]).replace("\n", r"\n")
    return text if len(piece) <= most else f"{text}… ({len(piece):,} letters)"


def whole_message(text: str) -> str:
    """Return a message as it can be printed: `printable`, its lines and itself cut where they have no end.

    Examples
    --------
    >>> print(whole_message("a short one"))
    a short one
    """
    if len(text) <= LONGEST_LINE and text.isprintable():
        return text
    lines = printable(text[: LONGEST + 1]).split("\n")
    whole = "\n".join(shown(line, LONGEST_LINE) for line in lines)
    return whole if len(text) <= LONGEST else f"{whole[:LONGEST]}\n  … and {len(text) - LONGEST:,} more letters"


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
