"""The analysis of where a corpus' phones stand on the phone map."""

from phonxling.analyses.case.case import Case, Items
from phonxling.settings.sections import Embedding


def phone_map(case: Case, _: Embedding) -> Items:
    """Yield embedding.tsv, nearest.tsv and the rows on how far the map can be trusted."""
    if case.phone_map is None:
        return
    for name, tables in (("embedding", case.phone_map.embedding), ("nearest", case.phone_map.nearest)):
        if case.name in tables:
            yield name, tables[case.name]
    yield from case.phone_map.rows.get(case.name, ())
