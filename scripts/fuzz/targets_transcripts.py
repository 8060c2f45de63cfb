"""Everything that reads transcripts and tables of phones, and symbols of any letters."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzzing import check_pairing, check_symbols, readers
from valid_files import OTHERS


def _of_file(read: Callable[[Path], object], scratch: Path, data: bytes) -> None:
    scratch.write_bytes(data)
    read(scratch)


def targets(scratch: Path) -> dict[str, tuple[Callable[[bytes], object], tuple[bytes, ...]]]:
    """Return, by name, what is called with each input, and the valid inputs to start from."""
    files = {name: (partial(_of_file, read, scratch), seeds) for name, (read, seeds) in readers().items()}
    words = tuple(text.encode() for text in ("a t͡ʃʰ ɛ̃́ kp aɪ̯", "tcl t AA1 d`z`_h", "ⁿd ŋ͡m̩ a˥˩ ˈa.b ∅ sil"))
    symbols = {
        "symbols": (partial(check_symbols, ways=2), words),
        "pairing": (check_pairing, (b"u1 u2 a_u1|u2 u1 u1", *OTHERS["speakers"])),
    }
    return {**files, **symbols}
