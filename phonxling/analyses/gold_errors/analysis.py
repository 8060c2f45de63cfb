"""gold_errors.tsv and gold_error_claims.tsv: numbers and claims if some of the gold phones were wrong."""

import math
from collections.abc import Iterable, Iterator, Sequence

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.gold_errors.claims import claims
from phonxling.analyses.gold_errors.counts import Rewriting
from phonxling.analyses.gold_errors.errors import WritingErrors, by_features, of_table
from phonxling.analyses.gold_errors.numbers import Number, confusions, drawn, entropies, error_rates, most_confused
from phonxling.analyses.gold_errors.reference import beyond_reference, comparison_of
from phonxling.core.arrays import Codes
from phonxling.core.estimate import Estimate, joined
from phonxling.load.remote.urls import local
from phonxling.load.resources.gold_errors import load_gold_errors
from phonxling.settings.gold_errors import GoldErrors
from phonxling.tables.files import table_of

_CONFUSIONS = 10  # the most frequent ones, which have rows
_TIMES = 10  # that errors are added to the gold and aligned anew


def gold_errors(case: Case, settings: GoldErrors) -> Items:
    """Yield the numbers at each rate of errors, and the claims of the findings with the rate up to which they hold."""
    try:
        errors, own = _errors(case, settings)
    except ValueError as error:
        nothing = Number(math.nan, "per", Estimate(math.nan), note=str(error))
        yield "gold_errors", table_of("gold_errors", [_row(nothing)])
        yield "gold_error_claims", table_of("gold_error_claims", [])
        return
    wanted = sorted({*settings.rates, *own})
    refused = {rate: why for rate in wanted if (why := errors.refusal(rate))}
    rates = (0.0, *(rate for rate in wanted if rate not in refused))
    matrix = case.counted.matrix
    cells = most_confused(matrix.substitutions, matrix.same_symbol())[:_CONFUSIONS]
    numbers = list(numbers_at(case, errors, rates, cells))
    missing = [Number(rate, "per", Estimate(math.nan), note=why) for rate, why in refused.items()]
    yield "gold_errors", table_of("gold_errors", [_row(number, errors.note) for number in [*numbers, *missing]])
    possible = possible_rates(numbers)
    comparison = comparison_of(case)
    beyond = list(beyond_reference(comparison, errors, possible)) if comparison else []
    phones = (comparison.confusions.gold, comparison.confusions.predicted) if comparison else None
    said = claims([one for one in numbers if one.rate in possible], beyond, phones)
    yield "gold_error_claims", table_of("gold_error_claims", [one.row(possible) for one in said])


def _errors(case: Case, settings: GoldErrors) -> tuple[WritingErrors, Sequence[float]]:
    """Return which phones are written for which, and the rate of a table; ValueError where that cannot be said."""
    matrix = case.counted.matrix
    if case.experiment.alignment.method == "posterior":
        raise ValueError("what is counted from posteriors is not of single gold phones")
    if settings.table is not None:
        errors, rate = of_table(matrix.gold, matrix.tokens, load_gold_errors(local(settings.table)))
        return errors, (rate,)
    if case.loaded.raw:
        raise ValueError("raw symbols have no phonological features; give a table of errors")
    return by_features(matrix.gold, matrix.tokens, case.features, settings.nearness), ()


def numbers_at(case: Case, errors: WritingErrors, rates: tuple[float, ...], cells: Codes) -> Iterator[Number]:
    """Yield the numbers of a case at each rate of errors, the first 0; of confusions those of cells [K, 2]."""
    writing = Rewriting(errors, max(rates) or 1.0, _TIMES, case.generator("gold errors"))
    first = list(error_rates("per", case, writing, rates))
    yield from first
    possible = possible_rates(first)
    yield from error_rates("wper", case, writing, possible)
    draws = drawn(case, errors, possible, cells)
    yield from entropies(case, errors, possible, draws.bits)
    yield from confusions(case, errors, possible, cells=cells, draws=draws.cells)


def possible_rates(numbers: Iterable[Number]) -> tuple[float, ...]:
    """Return the rates at which the phone error rate is above 0."""
    return tuple(one.rate for one in numbers if one.measure == "per" and not math.isnan(one.estimate.value))


def _row(number: Number, how: str = "") -> dict[str, object]:
    one = number.estimate
    return {
        "rate": number.rate,
        "measure": number.measure,
        "gold": number.gold,
        "predicted": number.predicted,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "level": one.level,
        "rank": number.rank or math.nan,
        "verdict": number.verdict,
        "note": joined([number.note, one.note, how if number.rate else ""]),
    }
