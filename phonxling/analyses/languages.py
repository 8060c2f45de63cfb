"""Target languages as the unit: their numbers in order, letters, means over them and groups, and what goes with them.

Every number of a language is its row of the summary. Ordered are the skills of wPER, the headline, and of PER, as
groups that a test tells apart, never a bare ranking; means and groups are tested by whole languages.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from phonxling.analyses.context import CorpusContext
from phonxling.analyses.measures import Measure, above_chance, headline, measure, nearest_measure, stored_estimates
from phonxling.analyses.rates import rate_of, skill_of
from phonxling.core.arrays import Codes, Floats
from phonxling.core.estimate import SIGNIFICANT, Status, join_notes
from phonxling.core.inventory import merge
from phonxling.load.resources import Language, select_numeric
from phonxling.phones.pairing import places_among
from phonxling.results.tables import table_of
from phonxling.stats.jackknife import Clusters
from phonxling.stats.p_values import family_of, with_q
from phonxling.stats.student import (
    FEW_CLUSTERS,
    EstimateSpread,
    contrast,
    effective_clusters,
    freedom_of,
    spread_of,
    spread_of_difference,
)

# Languages of a mean or a test, and of a rank correlation: with two there is one degree of freedom, and of four ranks
# the rarest order still has a p of 0.08.
LEAST, LEAST_PAIRS = 3, 5
MEASURES = (
    ("wper", ""),
    ("per", ""),
    ("pfer", "phoneticxeus"),
    ("skill_wper", "best"),
    ("skill_per", "best"),
    ("conditional_entropy", ""),
)
_MOST_LETTERS = 4  # of a corpus that stand one by one
_Row = dict[Any, Any]


def languages(cases: Sequence[CorpusContext], summary: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of target languages, and of groups of them, by name; of fewer than two languages none."""
    targets = [case for case in cases if case.loaded.role == "target" and case.loaded.corpus is not None]
    if len(targets) < 2:
        return
    codes = [case.experiment.corpora[case.name].language or case.name for case in targets]
    own = [case.loaded.language or Language(code, 0) for case, code in zip(targets, codes, strict=True)]
    about = [(one.family, one.group, one.seen) for one in own]
    described = pd.DataFrame(about, [case.name for case in targets], ["family", "group", "seen"])
    tests, rows, known = order_skills(targets, summary), list[_Row](), dict[str, pd.DataFrame]()
    for name, variant in MEASURES:
        # The targets that have a measure, the best first.
        own_rows = summary[(summary["measure"] == name) & (summary["variant"] == variant) & summary["value"].notna()]
        numbers = own_rows.set_index("corpus")[["value", "low", "high", "status"]]
        table = described.join(numbers.astype({"value": float, "low": float, "high": float}), how="inner")
        rising = nearest_measure(name, variant).direction == "lower"
        table = table.sort_values("value", ascending=rising, kind="stable").rename_axis("corpus").reset_index()
        known[name] = table = table.assign(rank=np.arange(1, len(table) + 1))
        each = table.drop(columns="seen").to_dict("records") * (len(table) > 1)
        rows += ({**row, "measure": name, **tests.get((name, row["corpus"]), {})} for row in each)
    yield "languages", table_of("languages", rows, corpora=True)
    groups = list[_Row]()
    # Of several recognisers, or of one language twice, a mean would be of no sample of languages.
    if len({case.loaded.recogniser for case in targets}) == 1 and len({*codes}) == len(codes):
        level, beside = targets[0].level, _covariate_table(targets, summary, own)
        for name, table in known.items():
            if len(table) >= LEAST:
                values = table.set_index("corpus")["value"]
                made = [*_group_rows(table, level), *_covariate_rows(values, beside, level)]
                groups += ({**row, "measure": name} for row in made)
    yield "language_groups", table_of("language_groups", groups)


def _group_rows(known: pd.DataFrame, level: float) -> Iterator[_Row]:
    """Yield the mean over all languages, then that of each group beside all others of which the same is known."""
    yield {"by": "", "group": "all", **_mean_row(known, level)}
    for column in ("seen", "family", "group"):
        rows, stated = list[_Row](), known[known[column] != ""]
        for name, own in stated.groupby(column):
            others, row = stated.drop(own.index), {"by": column, "group": name, **_mean_row(own, level)}
            if min(len(own), len(others)) >= LEAST:
                sides = [mean_spread(one["value"].to_numpy(), one["family"].tolist()) for one in (own, others)]
                (mean, apart, _), (other, of_others, _) = sides
                test = contrast(mean - other, spread_of_difference(apart, of_others), level)
                row |= {"difference": mean - other, "p": test.p[0]}
                row |= {"difference_low": test.low[0], "difference_high": test.high[0]}
            rows.append(row)
        yield from with_q(rows)


def _mean_row(own: pd.DataFrame, level: float) -> _Row:
    mean, spread, families = mean_spread(own["value"].to_numpy(), own["family"].tolist())
    row = {"languages": len(own), "value": mean}
    if len(own) < LEAST:
        return row | {"note": f"no interval of fewer than {LEAST} languages"}
    limits = contrast(mean, spread, level)
    alike = "no interval, because all are alike" * bool(np.isnan(spread.variance[0]))
    aside = "families are left aside: fewer than five are known, or a language has none" * (not families)
    return row | {"low": limits.low[0], "high": limits.high[0], "note": join_notes([alike, aside])}


# Groups (seen or not in training, family, group) are tested by Welch's t of the mean of a group less that of all other
# languages of which the same is known; q is Benjamini & Hochberg's over the tests of one measure and one column. The
# mean is that of k languages, each once. Its variance is s²/k, with k − 1 degrees of freedom; where languages are of
# families, and these of at least five, cluster-robust (Cameron, Gelbach & Miller 2008):
#   G/(G − 1) · Σ_g (Σ_{i∈g} (yᵢ − ȳ))²/k²
# with Kish's effective number of families less 1.
def mean_spread(values: Floats, families: Sequence[str]) -> tuple[float, EstimateSpread, int]:
    """Return the mean over languages, its spread, and of how many families: 0 where these are no clusters."""
    number = len(values)
    shares = np.full(number, 1 / number)
    mean = float((shares * values).sum())
    codes, names = pd.factorize(np.array(families, dtype=object))
    # Languages of one family are alike for reasons of history; below five families they cannot be the clusters.
    clustered = len(names) >= FEW_CLUSTERS and "" not in names
    own = codes if clustered else np.arange(number)
    sums = np.bincount(own, weights=shares * (values - mean))
    clusters = len(sums)
    variance = 0.0 if clusters < 2 else float(clusters / (clusters - 1) * (sums**2).sum())
    # Languages that are all alike have no spread to go by.
    variance = variance if variance > 0 else math.nan
    effective = effective_clusters(np.bincount(own, weights=shares).astype(np.float64))
    return mean, spread_of(variance, float(freedom_of(effective)), effective), clusters * clustered


def _covariate_table(cases: Sequence[CorpusContext], summary: pd.DataFrame, own: Sequence[Language]) -> pd.DataFrame:
    """Return what may go with the numbers, a column each, by corpus."""
    facts = dict[str, _Row]()
    for case in cases:
        gold = case.corpus.gold
        seconds = np.nan if gold.start is None or gold.end is None else float((gold.end - gold.start).sum())
        facts[case.name] = {
            "gold_phones": float(len(np.unique(gold.codes))),
            "phones_per_utterance": len(gold.codes) / max(1, len(gold)),
            "phones_per_second": len(gold.codes) / seconds if seconds > 0 else np.nan,
        }
    beside = pd.DataFrame.from_dict(facts, orient="index")
    plain = summary[summary["variant"] == ""].set_index("corpus")
    floors = (plain.loc[plain["measure"] == f"floor_{rate}", "value"].astype(float) for rate in ("per", "wper"))
    # A floor is what the recogniser's phones leave wrong: phones that it lacks, and how far these are from its own.
    of_per, of_wper = (floor.reindex(beside.index) for floor in floors)
    beside = beside.assign(share_in_inventory=1 - of_per, distance_to_nearest=of_wper)
    return beside.assign(**{name: values for name, values in select_numeric(own).items() if name not in beside})


def _covariate_rows(values: "pd.Series[float]", beside: pd.DataFrame, level: float) -> list[_Row]:
    """Return Spearman's ρ of a measure and each covariate over the languages that have both."""
    rows = list[_Row]()
    for name in beside.columns:
        x: Floats = beside[name].reindex(values.index).to_numpy(float)
        both = np.isfinite(x)
        row: _Row = {"by": name, "group": "", "languages": int(both.sum())}
        if both.sum() < LEAST_PAIRS:
            rows.append({**row, "note": f"fewer than {LEAST_PAIRS} languages have it"})
            continue
        rho, low, high, p = rank_correlation(x[both], np.asarray(values, np.float64)[both], level)
        agree = "ranks agree in all, so there are no limits" if np.isnan(p) else ""
        note = "it is the same in all languages" if np.isnan(rho) else agree
        rows.append({**row, "value": rho, "low": low, "high": high, "p": p, "note": note})
    return with_q(rows)


def rank_correlation(x: Floats, y: Floats, level: float) -> tuple[float, float, float, float]:
    """Return Spearman's ρ over at least five languages, its limits (Bonett & Wright) and its p (Student's t)."""
    ranks = [pd.Series(one).rank().to_numpy() for one in (x, y)]
    if any(np.ptp(one) == 0 for one in ranks):
        return (math.nan,) * 4
    rho = float(np.corrcoef(ranks[0], ranks[1])[0, 1].clip(-1, 1))
    number = len(x)
    if abs(rho) > 1 - 1e-12:
        return rho, math.nan, math.nan, math.nan
    # Bonett & Wright (2000): Fisher's z of ranks has the variance (1 + ρ²/2) / (n − 3).
    reach = float(scipy.special.ndtri((1 + level) / 2)) * math.sqrt((1 + rho**2 / 2) / (number - 3))
    t = abs(rho) * math.sqrt((number - 2) / (1 - rho**2))
    p = 2 * float(scipy.special.stdtr(number - 2, -t))
    return rho, math.tanh(math.atanh(rho) - reach), math.tanh(math.atanh(rho) + reach), p


# Skills in order, and their letters


# Which corpora does the recogniser serve better? Each two are tested by Student's t of their difference, from their
# skills without each cluster: unpaired by Welch's degrees of freedom; where both are of the same utterances, of two
# systems, the same clusters are left out of both. q is over all pairs of both measures. Two that are not told apart (q
# ≥ .05) share a letter, two that are share none: a compact letter display. There is no test of other utterances where
# speakers are unknown or too few, nor of a corpus that is not above chance.
class _Skill(NamedTuple):
    """A corpus' skill with what it is the ratio of by utterance, [U]; its status says why it is not tested."""

    case: CorpusContext
    clusters: Clusters
    value: float
    above: Floats
    below: Floats
    status: Status


def order_skills(targets: Sequence[CorpusContext], summary: pd.DataFrame) -> dict[tuple[str, str], _Row]:
    """Return the letters, tests and status of the targets' skills, by measure and corpus."""
    skills = {rate: _known_skills(rate, targets, summary) for rate in ("wper", "per")}
    pairs = [(rate, *pair) for rate, own in skills.items() for pair in combinations(own, 2)]
    level = targets[0].level if targets else 0.95
    tested = [_test_skills(one, other, level) for _, one, other in pairs]
    every_q, every_least = family_of([p for p, _ in tested], [apart for _, apart in tested], level)
    places = {(rate, one.case.name, other.case.name): at for at, (rate, one, other) in enumerate(pairs)}
    rows = dict[tuple[str, str], _Row]()
    for rate, own in skills.items():
        names = [one.case.name for one in own]
        groups = letters_of_tests(names, {pair[1:]: every_q[at] for pair, at in places.items() if pair[0] == rate})
        for one, name, following in zip(own, names, [*names[1:], ""], strict=False):
            # q and the least difference are of the next corpus in the order of the skill.
            at = places.get((rate, name, following))
            q, least = (math.nan, math.nan) if at is None else (every_q[at], every_least[at])
            row = {"letters": groups[name], "q": q, "least_difference": least, "status": one.status}
            rows[f"skill_{rate}", name] = row
    return rows


def _known_skills(name: str, cases: Sequence[CorpusContext], summary: pd.DataFrame) -> list[_Skill]:
    """Return the skills of the corpora that have one, the highest first; none of one corpus alone."""
    skills, rows = list[_Skill](), [dict[Any, Any](row) for row in summary.to_dict("records")]
    for case in cases:
        rate, clusters = rate_of(name, case), case.clusters
        if rate.lowest is None or rate.skill is None or (name == "wper" and not case.costs.as_rate):
            continue
        value = skill_of(rate.cost, rate.lowest.cost, rate.least, clusters).value
        above = above_chance(stored_estimates(row for row in rows if row["corpus"] == case.name))
        if not math.isnan(value):
            skills.append(_Skill(case, clusters, value, *rate.skill, clusters.status if above else "not-above-chance"))
    return sorted(skills, key=lambda one: -one.value) if len(skills) > 1 else []


def _test_skills(one: _Skill, other: _Skill, level: float) -> tuple[float, EstimateSpread]:
    """Return p of the difference of two skills, NaN where there is no test, and how far it may be off."""
    places, statuses = same_utterances(one.case, other.case), {one.status, other.status}
    if places is None:
        sides = ((side, side.clusters.ratio_without(side.above, side.below)) for side in (one, other))
        apart = spread_of_difference(*(side.clusters.spread(left[None], value=side.value) for side, left in sides))
    else:
        # On the same utterances the two skills vary together, which makes their difference surer.
        shared = shared_clusters(one.clusters, other.clusters.at(places))
        first = shared.ratio_without(one.above, one.below)
        second = shared.ratio_without(other.above[places], other.below[places])
        apart = shared.spread((first - second)[None], value=one.value - other.value)
    if "not-above-chance" in statuses or (places is None and any(statuses)):
        return math.nan, apart
    return float(contrast(one.value - other.value, apart, level).p[0]), apart


def shared_clusters(first: Clusters, second: Clusters) -> Clusters:
    """Return who is left out of both of two systems on the same utterances: the speakers, fewest where these differ."""
    return min((one for one in (first, second) if one.unit == "speaker"), key=lambda one: one.number, default=first)


def same_utterances(first: CorpusContext, second: CorpusContext) -> Codes | None:
    """Return where the first's utterances stand in the second; None unless all have the same gold phones."""
    own, other = first.corpus.gold, second.corpus.gold
    # The ids of each two of many languages would take minutes; their lengths tell most apart.
    as_long = np.array_equal(np.sort(own.lengths), np.sort(other.lengths))
    places = places_among(own.utterances, other.utterances) if as_long else None
    if places is None:
        return None
    every, moved = merge(own.inventory, other.inventory), other.select(places)
    alike = np.array_equal(own.offsets, moved.offsets)
    return places if alike and np.array_equal(own.recode(every).codes, moved.recode(every).codes) else None


def letters_of_tests(names: Sequence[str], q: Mapping[tuple[str, str], float]) -> dict[str, str]:
    """Return the letters of names of which each two are tested, "" for the others, which no test separates or joins."""
    tested = [pair for pair, own in q.items() if math.isfinite(own)]
    own = [name for name in names if any(name in pair for pair in tested)]
    if len(tested) < math.comb(len(own), 2):
        own = []
    apart = [pair for pair in tested if q[pair] < SIGNIFICANT]
    return dict.fromkeys(names, "") | (letters(own, apart) if own else {})


def ranked_measures() -> list[Measure]:
    """Return the measures by which items are ranked: of those that stand first, rates, entropy and skills."""
    return [one for one in headline() if one.compared and (one.direction == "lower" or one.kind == "skill")]


def ranked_items(differences: pd.DataFrame, name: str) -> dict[str, tuple[float, str]]:
    """Return the items by a measure of a comparison, the best first: the value of each, and its letters, if any."""
    rows = differences[differences["measure"] == name]
    sides = (rows[["item", "value"]], rows[["other", "other_value"]])
    values = {str(item): float(value) for side in sides for item, value in side.itertuples(index=False)}
    values = {item: value for item, value in values.items() if not math.isnan(value)}
    better = -1 if measure(name).direction == "higher" else 1
    order = sorted(values, key=lambda item: better * values[item])
    groups = letters_of_tests(order, dict(zip(zip(rows["item"], rows["other"], strict=True), rows["q"], strict=True)))
    return {item: (values[item], groups[item]) for item in order}


def letters(names: Sequence[str], apart: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the letters of names in their order: two share one exactly where they are not told apart."""
    groups = [frozenset(names)]
    for pair in map(frozenset, apart):
        # A group with two that differ is replaced by one without either (Piepho 2004, insert and absorb).
        split = dict.fromkeys(group - {one} if pair <= group else group for group in groups for one in sorted(pair))
        groups = [group for group in split if not any(group < other for other in split)]
    place = {name: number for number, name in enumerate(names)}
    ordered = sorted(groups, key=lambda group: sorted(place[name] for name in group))
    labels = [*ascii_lowercase, *map("".join, product(ascii_lowercase, repeat=2))]
    return {
        name: "".join(label for label, group in zip(labels, ordered, strict=False) if name in group) for name in names
    }


def short_letters(groups: Mapping[str, str]) -> dict[str, str]:
    """Return letters of groups, more than four of them as a range (a–k), or cut where some are missing between."""
    every = sorted({letter for own in groups.values() for letter in own})
    # Where the alphabet does not suffice, `letters` gives two letters to a group, which a range would misread.
    if len(every) >= len(ascii_lowercase):
        return {}
    short = dict(groups)
    for name, own in groups.items():
        if len(own) > _MOST_LETTERS:
            whole = every.index(own[-1]) - every.index(own[0]) + 1 == len(own)
            short[name] = f"{own[0]}–{own[-1]}" if whole else f"{own[: _MOST_LETTERS - 1]}…"
    return short
