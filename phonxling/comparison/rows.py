"""The tables of a comparison: differences and tests of all measures, of phones and features, and the ranking."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from phonxling.analyses.differences import cell_differences
from phonxling.analyses.measures import Measure, compared, derived, measure
from phonxling.analyses.orders import letters
from phonxling.analyses.statistics import named
from phonxling.comparison.measured import UNSTORED, Measured, Numbers
from phonxling.comparison.other_gold import ranked, signature_of, unlike
from phonxling.comparison.pairs import Pair, approximate_randomisation
from phonxling.core.arrays import Floats
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.resample.two_corpora import FEW_TOKENS
from phonxling.tables.files import NOT_ALIKE, table_of

RANDOMISATION = "approximate randomisation"
_PARTS = {  # what is compared by phone and by feature, and the measure whose definition it shares
    "phone": {"accuracy": "per_aligned", "entropy": "conditional_entropy"},
    "feature": {"changed": "per_aligned", "transfer": "per_aligned"},
}
_UNDEFINED = {
    "phone": "not defined, for all its tokens were deleted",
    "feature": "not defined: no substitution of phones with features, or the feature has one value only",
}
_CONSTANT = "no test: the resampled values do not differ"
_NOT_TESTED = "not tested: the resampled values of an item do not differ, or are of fewer than five effective clusters"
_Row = dict[str, object]
_Rank = tuple[str, str, float, float, float, float, float]


def comparison_table(pairs: Sequence[Pair], seed: int) -> pd.DataFrame:
    """Return comparison.tsv without q: the bootstrap of each measure, and the checks of pairs of same utterances."""
    return table_of("comparison/comparison", (row for pair in pairs for row in _measure_rows(pair, seed)))


def phone_table(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return phones.tsv without q: accuracy and entropy of each gold phone that both items have."""
    return table_of("comparison/phones", (row for pair in pairs for row in _part_rows(pair, "phone", _phones(pair))))


def feature_table(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return features.tsv without q: share of substitutions that change a feature, and how much of it comes through."""
    rows = (row for pair in pairs for row in _part_rows(pair, "feature", _features(pair)))
    return table_of("comparison/features", rows)


def cell_table(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return cells.tsv without q: p(predicted | gold) of the cells of which both items have tokens enough."""
    return table_of("comparison/cells", (row for pair in pairs for row in _cell_rows(pair)))


def ranking_table(items: Sequence[Measured], pairs: Sequence[Pair], tests: pd.DataFrame) -> pd.DataFrame:
    """Return ranking.tsv; of each measure the best value first, skill where an item has no attainable skill."""
    chosen = [measure(one.name.removeprefix("attainable_")) if _unknown(one, items) else one for one in ranked()]
    rows: list[tuple[object, ...]] = []
    for one in chosen:
        order = _ranked(one, items)
        groups = _groups([row[1] for row in order], tests[tests["measure"] == one.name])
        rows += [(*row, groups.get(row[1], ""), _unranked(one, pairs)) for row in order]
    return table_of("comparison/ranking", rows)


def _groups(names: Sequence[str], tests: pd.DataFrame) -> Mapping[str, str]:
    """Return the letters of items; none where not all pairs were compared, or nothing could be tested."""
    own = tests[tests["test"].str.endswith("bootstrap")]
    if len(own) < math.comb(len(names), 2) or own["q"].isna().all():
        return {}
    apart = own[(own["q"] < SIGNIFICANT) & own["item"].isin(names) & own["other"].isin(names)]
    return letters(names, list(zip(apart["item"], apart["other"], strict=True)))


def _unknown(one: Measure, items: Sequence[Measured]) -> bool:
    """Return whether an attainable skill is missing for an item that has a plain one."""
    plain = f"skill_{one.of}"
    return one.kind == "attainable" and any(
        math.isnan(item.estimates[one.name].value) and not math.isnan(item.estimates[plain].value) for item in items
    )


def _ranked(one: Measure, items: Sequence[Measured]) -> list[_Rank]:
    return sorted(_ranks(one, items), key=lambda row: row[2], reverse=one.direction == "higher")


def _unranked(one: Measure, pairs: Sequence[Pair]) -> str:
    """Return what is to be said beside a measure whose numbers are not alike in all items."""
    apart = any(_apart(pair, one.name, one.variant) for pair in pairs)
    return "not defined alike in all items: see comparison.tsv" * apart


def _ranks(one: Measure, items: Sequence[Measured]) -> Iterator[_Rank]:
    levels = [] if named(one.name) else [level for level in derived(one.name) if level.kind == "level"]
    for item in items:
        number = item.estimates[one.name]
        row = item.item.stored(levels[0].name, levels[0].variant) if levels else None
        if not math.isnan(number.value):
            nothing_heard = 0.0 if one.of else math.nan
            chance = nothing_heard if row is None else row["value"]
            floor = item.item.stored(f"floor_{one.name}")
            least = math.nan if floor is None else floor["value"]
            yield one.name, item.item.name, number.value, number.low, number.high, chance, least


def _row(pair: Pair, values: tuple[float, float]) -> _Row:
    """Return the columns that all rows of a pair have."""
    return {
        "item": pair.first.item.name,
        "value": values[0],
        "other": pair.second.item.name,
        "other_value": values[1],
        "difference": values[0] - values[1],
        "test": "paired bootstrap" if pair.paired else "unpaired bootstrap",
        "paired": "yes" if pair.paired else "no",
        "level": pair.first.resampling.level,
    }


def _measure_rows(pair: Pair, seed: int) -> Iterator[_Row]:
    tests, spread = pair.contrast(pair.first.compared, pair.second.compared)
    rows = {one.name: _measure_row(pair, one) for one in compared()}
    for place, one in enumerate(compared()):
        notes = [_missing(pair, one)]
        if not notes[0]:
            notes += [(pair.untested or _CONSTANT) if math.isnan(tests.p[place]) else "", pair.weakness]
            notes += [f"{spread.lost[place]:.0%} of the replicates have no value"] * bool(spread.lost[place])
        yield {
            **rows[one.name],
            "difference_low": tests.low[place],
            "difference_high": tests.high[place],
            "p": tests.p[place],
            "note": _joined(*notes, rows[one.name]["note"]),
        }
    if pair.paired and not pair.untested:
        for name, p in _randomised(pair, seed):
            yield {**rows[name], "p": p, "test": RANDOMISATION}


def _measure_row(pair: Pair, one: Measure) -> _Row:
    first, second = (side.estimates[one.name] for side in pair.sides)
    signatures = dict.fromkeys(signature_of(side.item, one.name, one.variant) for side in pair.sides)
    return {
        **_row(pair, (first.value, second.value)),
        "measure": one.name,
        "variant": one.variant,
        "low": first.low,
        "high": first.high,
        "other_low": second.low,
        "other_high": second.high,
        "n": pair.first.tokens.sum(),
        "other_n": pair.second.tokens.sum(),
        "unit": one.unit,
        "note": _apart(pair, one.name, one.variant),
        "signatures": " / ".join(signatures),
    }


def _apart(pair: Pair, name: str, variant: str) -> str:
    differ = _joined(pair.other_gold, unlike(pair.first.item, pair.second.item, name, variant))
    return f"{NOT_ALIKE}{differ}" if differ else ""


def _joined(*notes: object) -> str:
    return "; ".join(str(note) for note in notes if note)


def _missing(pair: Pair, one: Measure) -> str:
    """Return why there is no difference, "" when there is one."""
    side = next((side for side in pair.sides if math.isnan(side.estimates[one.name].value)), None)
    return "" if side is None else f"{side.item.name}: {_undefined(side, one)}"


def _undefined(side: Measured, one: Measure) -> str:
    if named(one.name) and side.item.averaged:
        return UNSTORED
    row = side.item.stored(one.name, one.variant) or side.item.stored(one.of or one.name)
    if row is not None and row["note"] and math.isnan(row["value"]):
        return str(row["note"])
    return "its results do not keep what it is made of by utterance" if one.of else "it is not defined"


def _randomised(pair: Pair, seed: int) -> Iterator[tuple[str, float]]:
    """Yield the p of rates, then of statistics, when the two systems' outputs of a cluster are swapped."""
    drawn, rates = pair.first.resampling, [one for one in compared() if not (one.of or named(one.name))]
    errors = [drawn.by_cluster(pair.first.errors(one.name) - pair.second.errors(one.name)) for one in rates]
    p = approximate_randomisation(np.nan_to_num(np.stack(errors, axis=1)), seed)
    yield from ((one.name, value) for one, value in zip(rates, p.tolist(), strict=True) if not _missing(pair, one))
    if not any(side.item.averaged for side in pair.sides):
        yield from ((name, value) for name, value in pair.randomised(seed).items() if not math.isnan(value))


def _phones(pair: Pair) -> list[str]:
    """Return the gold phones with tokens in both, in the order of the first."""
    first, second = (_phone_tokens(side) for side in pair.sides)
    return [phone for phone in first.index[first > 0] if second.get(phone, 0) > 0]


def _features(pair: Pair) -> list[str]:
    tables = [side.features for side in pair.sides]
    return list(tables[0].features) if tables[0] and tables[1] else []


def _part_rows(pair: Pair, kind: str, names: Sequence[str]) -> Iterator[_Row]:
    """Yield the rows of all measures of phones or of features."""
    for name, like in _PARTS[kind].items() if names else ():
        first, second = (_part(side, kind, name, names) for side in pair.sides)
        tokens = [_tokens(side, kind, name, names) for side in pair.sides]
        tests, _ = pair.contrast(first, second)
        apart = _apart(pair, like, measure(like).variant)
        for place, part in enumerate(names):
            few = min(tokens[0][place], tokens[1][place]) < FEW_TOKENS
            low, high, p = (math.nan if few else float(one[place]) for one in (tests.low, tests.high, tests.p))
            values = float(first.value[place]), float(second.value[place])
            why = _why_untested(pair, kind, values, few=few) or pair.untested or (_NOT_TESTED if math.isnan(p) else "")
            yield {
                **_row(pair, values),
                kind: part,
                "measure": name,
                "difference_low": low,
                "difference_high": high,
                "p": p,
                "n": tokens[0][place],
                "other_n": tokens[1][place],
                "unit": measure(like).unit,
                "note": _joined(why or pair.weakness, apart),
            }


def _cell_rows(pair: Pair) -> Iterator[_Row]:
    if any(side.item.averaged for side in pair.sides):
        return
    apart = _apart(pair, "conditional_entropy", measure("conditional_entropy").variant)
    names = {"item": pair.first.item.name, "other": pair.second.item.name, "paired": "yes" if pair.paired else "no"}
    for row in cell_differences(*(side.cells for side in pair.sides), same=pair.paired):
        yield {**names, **row, "note": _joined(row["note"] or pair.weakness, apart)}


def _why_untested(pair: Pair, kind: str, values: tuple[float, float], *, few: bool) -> str:
    for side, value in zip(pair.sides, values, strict=True):
        if side.item.averaged:
            return f"{side.item.name}: {UNSTORED}"
        if math.isnan(value):
            return f"{side.item.name}: {_UNDEFINED[kind]}"
    return f"not tested: fewer than {FEW_TOKENS} tokens" if few else ""


def _part(side: Measured, kind: str, name: str, names: Sequence[str]) -> Numbers:
    """Return a measure of these phones or features."""
    numbers = side.confusions[kind, name]
    if kind == "feature":
        return numbers
    codes = [side.item.path.gold_inventory.code(phone) for phone in names]
    drawn = np.ascontiguousarray(numbers.drawn[:, codes])
    return Numbers(numbers.value[codes], drawn, side.clusters_with(names))


def _tokens(side: Measured, kind: str, name: str, names: Sequence[str]) -> Floats:
    if kind == "phone":
        return _phone_tokens(side)[list(names)].to_numpy(float)
    counts = side.item.stack.total()
    same = counts.substitutions[counts.same_symbol()].sum() if name == "changed" else 0.0
    return np.full(len(names), counts.substitutions.sum() - same)


def _phone_tokens(side: Measured) -> pd.Series:
    rows = side.item.phones
    return rows[rows["side"] == "gold"].set_index("phone")["tokens"]
