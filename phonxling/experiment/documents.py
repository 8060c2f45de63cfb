"""The tables for papers and the page of a folder of results, from its stored tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phonxling.comparison.definitions import ranked
from phonxling.core.progress import Progress
from phonxling.report.paper.comparison import difference_numbers, differences
from phonxling.report.paper.files import typeset, write_paper_files, write_texts
from phonxling.store.cache import Parts
from phonxling.store.folder import PAGE
from phonxling.store.journal import note
from phonxling.tables.files import read_table


def write_documents(
    folder: Path, manifest: Mapping[str, Any], progress: Progress, earlier: Parts | None = None
) -> list[Path]:
    """Write the tables for papers, and the page where it is wanted, and return the files.

    `earlier` knows what an earlier run wrote of the same tables, which is left as it is.

    DataError when a table cannot be read, or a file cannot be written.
    """
    from phonxling.report.page.results import write_page  # its template engine waits until a page is written

    if earlier is not None and (files := earlier.unchanged("tables and the page", manifest)) is not None:
        return files
    progress.step("writing tables and the page")
    note(folder, [PAGE])
    page = [write_page(folder, manifest)] if manifest["configuration"]["report"]["html"] else []
    files = [*write_paper_files(folder, manifest), *page]
    if earlier is not None:
        earlier.add("tables and the page", manifest, files)
    return files


def write_comparison_files(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Write what a paper takes from a comparison, and its page where it is wanted, and return the files.

    DataError when a table cannot be read, or a file cannot be written.
    """
    from phonxling.report.page.comparison import write_comparison_page

    rows = read_table(folder, "comparison.tsv")
    table = differences(rows, [one for one in ranked() if one.short])
    texts = {**dict(typeset([("differences", table)])), "numbers.tex": difference_numbers(rows)}
    note(folder, [PAGE])
    wanted = manifest.get("report")  # which a comparison of an older version does not have
    page = [write_comparison_page(folder, manifest)] if isinstance(wanted, dict) and wanted.get("html") else []
    return [*write_texts(folder, texts), *page]
