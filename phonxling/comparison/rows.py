"""The tables of a comparison: differences and tests of all measures, of phones and features, and the ranking.

A row holds both values, their difference with its interval, p, and a note that says why something is not tested, what
weakens it, or what is not defined alike. q and the number of comparisons are put beside p when a table is whole.
"""

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
from phonxling.resample.replicates import clusters_with
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


def comparison_table(pairs: Sequence[Pair], seed: int) -> pd.DataFrame:
    """Return comparison.tsv without q: the bootstrap of each measure, and the checks of pairs of same utterances."""
    return table_of("comparison/comparison", (row for pair in pairs for row in _measure_rows(pair, seed)))


def part_table(pairs: Sequence[Pair], kind: str) -> pd.DataFrame:
    """Return phones.tsv or features.tsv without q: of each gold phone that both items have, or of each feature."""
    return table_of(f"comparison/{kind}s", (row for pair in pairs for row in _part_rows(pair, kind)))


def cell_table(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return cells.tsv without q: p(predicted | gold) of the cells of which both items have tokens enough."""
    return table_of("comparison/cells", (row for pair in pairs for row in _cell_rows(pair)))


def ranking_table(items: Sequence[Measured], pairs: Sequence[Pair], tests: pd.DataFrame) -> pd.DataFrame:
    """Return ranking.tsv; of each measure the best value first, skill where an item has no attainable skill."""
    rows: list[tuple[object, ...]] = []
    for one in ranked():
        estimates = [item.estimates for item in items]
        if one.kind == "attainable" and any(
            math.isnan(own[one.name].value) and not math.isnan(own[f"skill_{one.of}"].value) for own in estimates
        ):
            one = measure(one.name.removeprefix("attainable_"))
        known = [item for item in items if not math.isnan(item.estimates[one.name].value)]
        known.sort(key=lambda item: item.estimates[one.name].value, reverse=one.direction == "higher")
        groups = _groups([item.item.name for item in known], tests[tests["measure"] == one.name])
        apart = "not defined alike in all items: see comparison.tsv" * any(_apart(pair, one) for pair in pairs)
        level = None if named(one.name) else next((own for own in derived(one.name) if own.kind == "level"), None)
        for item in known:
            number, name = item.estimates[one.name], item.item.name
            row = item.item.stored(level.name, level.variant) if level else None
            floor = item.item.stored(f"floor_{one.name}")
            chance = (0.0 if one.of else math.nan) if row is None else row["value"]  # skill: nothing was heard
            least = math.nan if floor is None else floor["value"]
            numbers = number.value, number.low, number.high, chance, least
            rows.append((one.name, name, *numbers, groups.get(name, ""), apart))
    return table_of("comparison/ranking", rows)


def _groups(names: Sequence[str], tests: pd.DataFrame) -> Mapping[str, str]:
    """Return the letters of items; none where not all pairs were compared, or nothing could be tested."""
    own = tests[tests["test"].str.endswith("bootstrap")]
    if len(own) < math.comb(len(names), 2) or own["q"].isna().all():
        return {}
    apart = own[(own["q"] < SIGNIFICANT) & own["item"].isin(names) & own["other"].isin(names)]
    return letters(names, list(zip(apart["item"], apart["other"], strict=True)))


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


def _apart(pair: Pair, one: Measure) -> str:
    """Return how two items' definitions of a measure differ, "" when they are alike."""
    differ = _joined(pair.other_gold, unlike(pair.first.item, pair.second.item, one.name, one.variant))
    return f"{NOT_ALIKE}{differ}" if differ else ""


def _joined(*notes: object) -> str:
    return "; ".join(str(note) for note in notes if note)


def _measure_rows(pair: Pair, seed: int) -> Iterator[_Row]:
    tests, spread = pair.contrast(pair.first.compared, pair.second.compared)
    rows: dict[str, _Row] = {}  # without limits and p
    for place, one in enumerate(compared()):
        first, second = (side.estimates[one.name] for side in pair.sides)
        signatures = dict.fromkeys(signature_of(side.item, one.name, one.variant) for side in pair.sides)
        apart, missing = _apart(pair, one), _missing(pair, one)
        lost = f"{spread.lost[place]:.0%} of the replicates have no value" * bool(spread.lost[place])
        constant = (pair.untested or _CONSTANT) if math.isnan(tests.p[place]) else ""
        rows[one.name] = {
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
            "note": apart,
            "signatures": " / ".join(signatures),
        }
        yield {
            **rows[one.name],
            "difference_low": tests.low[place],
            "difference_high": tests.high[place],
            "p": tests.p[place],
            "note": _joined(missing, apart) if missing else _joined(constant, pair.weakness, lost, apart),
        }
    if pair.paired and not pair.untested:
        for name, p in _randomised(pair, seed):
            yield {**rows[name], "p": p, "test": RANDOMISATION}


def _missing(pair: Pair, one: Measure) -> str:
    """Return why there is no difference, "" when there is one."""
    side = next((side for side in pair.sides if math.isnan(side.estimates[one.name].value)), None)
    if side is None:
        return ""
    why = "its results do not keep what it is made of by utterance" if one.of else "it is not defined"
    row = side.item.stored(one.name, one.variant) or side.item.stored(one.of or one.name)
    if named(one.name) and side.item.averaged:
        why = UNSTORED
    elif row is not None and row["note"] and math.isnan(row["value"]):
        why = row["note"]
    return f"{side.item.name}: {why}"


def _randomised(pair: Pair, seed: int) -> Iterator[tuple[str, float]]:
    """Yield the p of rates, then of statistics, when the two systems' outputs of a cluster are swapped."""
    drawn, rates = pair.first.resampling, [one for one in compared() if not (one.of or named(one.name))]
    errors = [drawn.by_cluster(pair.first.errors(one.name) - pair.second.errors(one.name)) for one in rates]
    p = approximate_randomisation(np.nan_to_num(np.stack(errors, axis=1)), seed)
    yield from ((one.name, value) for one, value in zip(rates, p.tolist(), strict=True) if not _missing(pair, one))
    if not any(side.item.averaged for side in pair.sides):
        yield from ((name, value) for name, value in pair.randomised(seed).items() if not math.isnan(value))


def _part_rows(pair: Pair, kind: str) -> Iterator[_Row]:
    """Yield the rows of all measures of the gold phones that both items have, or of features."""
    if kind == "phone":
        first, second = (_phone_tokens(side) for side in pair.sides)
        parts = [phone for phone in first.index[first > 0] if second.get(phone, 0) > 0]
    else:
        tables = [side.features for side in pair.sides]
        parts = list(tables[0].features) if tables[0] and tables[1] else []
    for name, like in _PARTS[kind].items() if parts else ():
        (own, tokens), (other, other_tokens) = (_part(side, kind, name, parts) for side in pair.sides)
        tests, _ = pair.contrast(own, other)
        apart = _apart(pair, measure(like))
        for place, part in enumerate(parts):
            few = min(tokens[place], other_tokens[place]) < FEW_TOKENS
            low, high, p = (math.nan if few else float(one[place]) for one in (tests.low, tests.high, tests.p))
            values = float(own[0][place]), float(other[0][place])
            undefined = (
                f"{side.item.name}: {UNSTORED if side.item.averaged else _UNDEFINED[kind]}"
                for side, value in zip(pair.sides, values, strict=True)
                if side.item.averaged or math.isnan(value)
            )
            why = next(undefined, f"not tested: fewer than {FEW_TOKENS} tokens" if few else pair.untested)
            yield {
                **_row(pair, values),
                kind: part,
                "measure": name,
                "difference_low": low,
                "difference_high": high,
                "p": p,
                "n": tokens[place],
                "other_n": other_tokens[place],
                "unit": measure(like).unit,
                "note": _joined(why or (_NOT_TESTED if math.isnan(p) else pair.weakness), apart),
            }


def _part(side: Measured, kind: str, name: str, parts: Sequence[str]) -> tuple[Numbers, Floats]:
    """Return a measure of these phones or features, and the tokens that it is of."""
    value, drawn, clusters = side.confusions[kind, name]
    if kind == "feature":
        counts = side.item.stack.total()
        same = counts.substitutions[counts.same_symbol()].sum() if name == "changed" else 0.0
        return (value, drawn, clusters), np.full(len(parts), counts.substitutions.sum() - same)
    path, tokens = side.item.path, _phone_tokens(side)[list(parts)].to_numpy(float)
    codes, phones = [path.gold_inventory.code(phone) for phone in parts], len(path.gold_inventory)
    said, owner = path.gold.astype(np.int64), path.pair_utterances()
    _, number = clusters_with(said, groups=phones, owner=owner, resampling=side.resampling)
    return (value[codes], np.ascontiguousarray(drawn[:, codes]), number[codes]), tokens


def _phone_tokens(side: Measured) -> pd.Series:
    rows = side.item.phones
    return rows[rows["side"] == "gold"].set_index("phone")["tokens"]


def _cell_rows(pair: Pair) -> Iterator[_Row]:
    if any(side.item.averaged for side in pair.sides):
        return
    apart = _apart(pair, measure("conditional_entropy"))
    names = {"item": pair.first.item.name, "other": pair.second.item.name, "paired": "yes" if pair.paired else "no"}
    for row in cell_differences(*(side.cells for side in pair.sides), same=pair.paired):
        yield {**names, **row, "note": _joined(row["note"] or pair.weakness, apart)}
