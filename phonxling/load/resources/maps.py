"""A user's symbol map: a TSV of two columns, symbol and ipa."""

import unicodedata
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.load.text import check_symbol, read_lines


def load_symbol_map(path: Path) -> dict[str, str]:
    """Return IPA by symbol from a two-column TSV; a first row "symbol, ipa" is a header.

    Symbols are kept in NFC. Several phones are separated by spaces; an empty second cell drops the symbol (the audit
    counts it).

    Raises
    ------
    DataError
        If the file is missing or empty, a row has not two cells, or a symbol has two different rows.
        If a cell holds a control character, more than 10,000 letters, or 100 marks in a row.
    """
    table: dict[str, str] = {}
    for line, text in read_lines(path):
        cells = text.split("\t")
        if len(cells) != 2 or not cells[0].strip():
            raise DataError(f"{path}:{line}: a symbol map has two cells a row (symbol, ipa), separated by a tab")
        for cell in cells:
            check_symbol(cell.strip(), f"{path}:{line}")
        symbol, ipa = unicodedata.normalize("NFC", cells[0].strip()), cells[1].strip()
        if line == 1 and (symbol.lower(), ipa.lower()) == ("symbol", "ipa"):
            continue
        if table.get(symbol, ipa) != ipa:
            symbols = f"to '{shown(ipa)}' after '{shown(table[symbol])}'"
            raise DataError(f"{path}:{line}: '{shown(symbol)}' is mapped a second time, {symbols}")
        table[symbol] = ipa
    if not table:
        raise DataError(f"{path}: the symbol map is empty")
    return table
