"""The analysis of where a corpus' phones stand on the phone map."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.map.mantel import feature_rows
from phonxling.settings.sections import Embedding


def phone_map(case: Case, settings: Embedding) -> Items:
    """Yield embedding.tsv, nearest.tsv, the rows on how far the map can be trusted, and those of mantel.py."""
    yield from feature_rows(case, settings.metric)
    if case.phone_map is None:
        return
    for name, tables in (("embedding", case.phone_map.embedding), ("nearest", case.phone_map.nearest)):
        if case.name in tables:
            yield name, tables[case.name]
    yield from case.phone_map.rows.get(case.name, ())
