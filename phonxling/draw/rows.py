"""Figures of named rows: a name, what is drawn beside it in one panel or two, and a text at its right end."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, PercentFormatter

from phonxling.analyses.languages import short_letters
from phonxling.core.arrays import Bools, Floats
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.inventory import GAP
from phonxling.core.spelling import feature_name
from phonxling.draw import sheet, style
from phonxling.draw.figure import MANY, StoredCorpus, StoredTables, rarest_phones
from phonxling.draw.sheet import Sheet, cut_to_width, text_size, wrap
from phonxling.draw.style import AMOUNT, EDGE, FEW_TOKENS_DRAWN, GREY, INK, LINE, PHONE, SMALL

_ABOVE, _AXIS, _ENTRY, _ROW = 8.4, 7.4, 2.8, 3.0  # mm: title and header, the axis, a line of the legend, a row
_BARS_AXIS, _BETWEEN, _TICKS = 6.0, 5.0, 9.0  # mm: an axis without a name, between panels, between ticks
_APART, _ASIDE = 2.0, 0.22  # mm left of texts beside the rows, and how wide they may be, of the figure
_LEAST_PANEL = 12.0  # mm that long names leave to a panel


class Panel(NamedTuple):
    """What stands beside the rows, drawn on axes at the rows' places: the name of its axis, and where this ends.

    Without a name it has bars of 100 %; `most` is None where the axis ends as it is drawn.
    """

    name: str
    draw: Callable[[Axes, Floats], object]
    most: float | None = 1.0


def row_figure(
    names: Sequence[str],
    panels: Sequence[Panel],
    options: style.FigureOptions,
    *,
    title: str,
    notes: Iterable[str] = (),
    legend: Mapping[str, Artist],
    beside: Mapping[str, Sequence[str]] = MappingProxyType({}),
    rows: str = "",
    groups: Sequence[str] = (),
    step: float = _ROW,
) -> Sheet:
    """Return a figure of named rows with panels; it keeps to the page where smaller names have room on it.

    `beside` are texts right of each row, by their headers; `rows` is what the rows are, `groups` what each belongs to:
    a group stands apart, and its name left of its first row. `step` is a row in mm, at least.
    """
    width, lines = options.width_mm, wrap(notes, options.width_mm)
    dots = any(panel.name for panel in panels)
    columns = {head: [cut_to_width(text, width * _ASIDE, size=SMALL) for text in own] for head, own in beside.items()}
    widths = [max(text_size(text, SMALL)[0] for text in (head, *own)) + _APART for head, own in columns.items()]
    ends, right = np.cumsum(widths), max(2.5, sum(widths))
    first = [place == 0 or group != groups[place - 1] for place, group in enumerate(groups)]
    places = np.arange(len(names), dtype=np.float64) + (0.5 * (np.cumsum(first) - 1) if groups else 0)
    last = float(places[-1]) + 1 if len(places) else 1.0
    foot = EDGE + LINE * len(lines) + 0.8
    bottom = foot + _ENTRY * sheet.legend_lines(legend, width) + (_AXIS if dots else _BARS_AXIS)
    most = (style.PAGE_HEIGHT - _ABOVE - bottom) / last  # of a row
    usual = PHONE if dots else style.TEXT
    # The largest letters whose lines have room on one page; where not even the smallest have, the page is longer.
    for size in (usual, *(smaller for smaller in style.PHONES if smaller < usual)):
        lowest = max((text_size(name, size)[1] for name in names), default=0.0) + 0.2
        if lowest <= most:
            break
    step = min(max(step, lowest), max(most, lowest))
    room = width - right - (_BETWEEN + _LEAST_PANEL) * len(panels) - 2 * EDGE
    names = [cut_to_width(name, min(width * sheet.NAMES, room), size=size) for name in names]
    group = max((text_size(name, SMALL)[0] + 1.5 for name in groups), default=0.0)
    wide = max((text_size(name, size)[0] for name in names), default=0.0)
    left, top = EDGE + (style.AXIS_LABEL if rows else 0) + group + wide + 2.5, bottom + step * last
    side = (width - left - right - EDGE - _BETWEEN * (len(panels) - 1)) / len(panels)
    figure = Sheet(width, top + _ABOVE)
    for number, panel in enumerate(panels):
        axes = figure.axes_at(left + (side + _BETWEEN) * number, bottom, side, step * last)
        panel.draw(axes, places)
        axes.set(xlim=(0, panel.most) if panel.most else axes.get_xlim(), ylim=(last - 0.5, -0.5), yticks=[])
        _finish_panel(axes, panel, places, side)
    sheet.name_rows(figure.axes[0], places, names, size=size, pad=4.0 if dots else 1.5)
    for (header, texts), end in zip(columns.items(), ends, strict=True):
        sheet.write_beside(figure.axes[-1], places, texts, end, min(size, SMALL))
        figure.write(width - EDGE - ends[-1] + end, top + 0.8, header, SMALL, ha="right", va="bottom")
    for place, name in zip(places[first], np.array(groups)[first], strict=True) if groups else ():
        figure.write(EDGE, top - step * (place + 0.5), name, SMALL, va="center", color=style.DARK_GREY)
    figure.legend_across(EDGE, foot, legend)
    figure.write_title(title)
    if rows:
        figure.write(EDGE, (bottom + top) / 2, rows, rotation=90, va="center")
    figure.finish(lines)
    return figure


def _finish_panel(axes: Axes, panel: Panel, places: Floats, side: float) -> None:
    axes.spines["left"].set_visible(False)
    if not panel.name:
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        return
    axes.hlines(places, 0, 1, color=style.GRID, linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
    axes.grid(axis="x", color=style.GRID, linewidth=0.4)
    axes.xaxis.set_major_locator(MaxNLocator(max(int(side / _TICKS), 1), steps=[1, 2, 2.5, 5, 10]))
    axes.set_xlabel(cut_to_width(panel.name, side + 2, size=SMALL), fontsize=SMALL)


_DOT: dict[str, Any] = {"marker": "o", "markersize": 3, "markeredgecolor": AMOUNT, "markeredgewidth": 0.7}


def draw_dots(
    axes: Axes, rows: Floats, numbers: Floats, hollow: Bools, lines: Iterable[tuple[float, Mapping[str, Any]]] = ()
) -> None:
    """Draw a dot a row, its interval where there is one, and lines: `numbers` are value, low and high, [R, 3]."""
    known = np.isfinite(numbers).all(axis=1)
    for chosen, colour, thick in ((hollow, GREY, 0.5), (~hollow, AMOUNT, 0.9)):
        axes.hlines(rows[known & chosen], *numbers[known & chosen, 1:].T, color=colour, linewidth=thick)
    for chosen, fill in ((~hollow, AMOUNT), (hollow, "white")):  # a dot at 0 stays whole
        axes.plot(numbers[chosen, 0], rows[chosen], color=fill, linestyle="none", clip_on=False, **_DOT)
    for x, look in lines:
        axes.axvline(x, linewidth=0.7, zorder=1.5, **look)


def _legend_of_dots(numbers: Floats, hollow: Bools, full: str, empty: str) -> dict[str, Artist]:
    known = np.isfinite(numbers).all(axis=1).any()
    legend: dict[str, Artist] = {"interval": LineCollection([], color=AMOUNT, linewidth=0.9)} if known else {}
    for chosen, fill, meaning in ((~hollow, AMOUNT, full), (hollow, "white", empty)):
        legend |= {meaning: Line2D([], [], color=fill, linestyle="none", **_DOT)} if chosen.any() else {}
    return legend


_NOTES = 16.0  # mm that a full page keeps for notes


def draw_phones(corpus: StoredCorpus) -> Sheet | None:
    """Return the accuracy of each gold phone, the worst first, with intervals and the most frequent other answer.

    Dots of phones of few tokens are hollow. Where a page has no room the rarest phones are left out. Where asked for,
    the entropy of a phone's answers stands beside, with lines at H(predicted | gold) and at the most that is possible
    without ∅, log₂ of the number of predicted phones.
    """
    table, options = corpus.tables["phones"], corpus.options
    phones = table[table["phone"] != GAP]
    gold = phones[phones["side"] == "gold"]
    gold = gold[gold["phone"].isin(options.chosen(gold["phone"]))]
    known = gold[gold["accuracy"].notna()].sort_values(["accuracy", "tokens"], ascending=[True, False], kind="stable")
    if known.empty:
        return None
    names = [cut_to_width(name, options.width_mm * sheet.NAMES, size=PHONE) for name in known["phone"]]
    high = max(text_size(name, PHONE)[1] for name in names)
    step = max(2.3, style.LEAST_SIDE / len(known), high + 0.1)
    room = int((style.PAGE_HEIGHT - _ABOVE - _AXIS - 3 * _ENTRY - _NOTES) / step)
    rare = known.iloc[rarest_phones(known["tokens"].to_numpy(float), room + 1)]
    shown = known.drop(rare.index)
    accuracy = shown[["accuracy", "accuracy_low", "accuracy_high"]].to_numpy(float)
    few = shown["tokens"].to_numpy(float) < FEW_TOKENS_DRAWN
    panels, notes = [Panel("accuracy", partial(draw_dots, numbers=accuracy, hollow=few))], list[str]()
    meanings = f"{FEW_TOKENS_DRAWN} tokens or more", f"fewer than {FEW_TOKENS_DRAWN} tokens"
    legend = _legend_of_dots(accuracy, few, *meanings)
    if options.entropy:
        panel, lines, notes = _entropies(corpus, phones, shown)
        panels.append(panel)
        legend |= lines
    if none := gold.loc[gold["accuracy"].isna(), "phone"].tolist():
        notes.append(f"No tokens: {' '.join(none)}.")
    if len(rare):
        notes.append(f"Left out: the {len(rare)} rarest phones ({' '.join(rare['phone'])}).")
    deleted = shown["deletion_rate"].fillna(0) > shown["share"].fillna(0)  # ∅ is an answer, too
    answers = shown["confused_with"].mask(deleted, GAP)
    shares = shown["share"].mask(deleted, shown["deletion_rate"])
    others = [f"{answer} {100 * share:.0f} %" if answer else "" for answer, share in zip(answers, shares, strict=True)]
    return row_figure(
        shown["phone"].tolist(),
        panels,
        options,
        title=corpus.titled("phones"),
        beside={"tokens": [f"{tokens:,.0f}" for tokens in shown["tokens"]], "other answer": others},
        notes=notes,
        legend=legend,
        rows="gold phone",
        step=step,
    )


def _entropies(
    corpus: StoredCorpus, phones: pd.DataFrame, shown: pd.DataFrame
) -> tuple[Panel, dict[str, Artist], list[str]]:
    """Return the panel of entropies of the phones that are shown, its lines in the legend, and notes."""
    entropy = shown[["entropy", "entropy_low", "entropy_high"]].to_numpy(float)
    few = shown["tokens"].to_numpy() < FEW_TOKENS_DRAWN
    most, mean = float(np.log2(max((phones["side"] == "predicted").sum(), 1))), corpus.value("conditional_entropy")
    lines: dict[str, tuple[float, dict[str, Any]]] = {}  # by their meanings
    if mean is not None and not corpus.options.phones:
        lines[f"H(predicted | gold) = {mean:.2f} bits"] = mean, {"color": INK, "linestyle": ":"}
    if most:
        possible = f"most without ∅: log₂ {2**most:.0f} = {most:.2f} bits"
        lines[possible] = most, {"color": GREY, "linestyle": "--"}

    def draw(axes: Axes, rows: Floats) -> None:
        draw_dots(axes, rows, entropy, few, lines.values())
        axes.set_xlim(0, max(axes.get_xlim()[1], most * 1.02, 0.1))

    entries: dict[str, Artist] = {
        meaning: Line2D([], [], linewidth=0.7, **look) for meaning, (_, look) in lines.items()
    }
    ends = entropy[np.isfinite(entropy).all(axis=1), 1:]
    notes = ["Entropy is 0 bits where the answer is always the same, even if wrong. It is corrected for few tokens."]
    if ((ends == 0) | (ends >= most)).any():
        notes.append("Its intervals end at 0 and at the greatest possible value.")
    if 0 < len(ends) < len(entropy):
        few_clusters = "fewer than five speakers or utterances have the phone, or all answers are alike"
        notes.append(f"It has none where {few_clusters}.")
    return Panel("entropy (bits)", draw, None), entries, notes


# Neighbours differ in lightness or in hatching, so that parts are told apart in grey and by the colour-blind.
REASONS = {  # by the names of their colours: hatching, ink, meaning
    "absent": ("", "white", "phones that the recogniser’s labels lack"),
    "expected": ("", INK, "confused as often as in the {reference} data"),
    "level": ("////", "white", "confused more often than in the {reference} data"),
    "unexplained": ("xxxx", INK, "confused, with nothing to compare"),
    "deleted": ("", INK, "deletions"),
    "inserted": ("||", "white", "insertions"),
}
_BAR, _AIR = 0.84, 1.0  # of a row: a bar's height; mm
_ERRORS_ROW, _LOW_ROW = 6.4, 3.4  # mm: a row, one of many
_SIX_TICKS = 50.0  # mm: a bar that has room for them
_NARROW_PART = 0.02  # an interval whose limits need a decimal


def draw_errors(source: StoredCorpus) -> Sheet | None:
    """Return a bar of 100 % a corpus, whose parts are the shares of its errors by reason; None without errors."""
    stored = source.stored
    shown = _error_parts(stored.targets_first, limits=not stored.many)
    if shown.empty:
        return None
    reference = "reference" if stored.reference is None else stored.title(stored.reference)
    looks: dict[str, dict[str, Any]] = {
        name: {
            "facecolor": style.palette_colour(name),
            "hatch": hatch,
            "edgecolor": GREY if hatch and ink != "white" else "white",
            "linewidth": 0.4,
        }
        for name, (hatch, ink, _) in REASONS.items()
    }
    occur = set(shown.loc[shown["share"] > 0, "reason"])
    numbers = shown.groupby("corpus", sort=False)["errors"].first()
    unwritten = [0.0]

    def draw_parts(axes: Axes, _: Floats) -> None:
        ends = shown.groupby("corpus", sort=False)["share"].cumsum()
        parts = shown.assign(row=pd.factorize(shown["corpus"])[0], start=ends - shown["share"])
        long = axes.get_position().width * stored.options.width_mm  # of a bar
        for name, same in parts[parts["share"] > 0].groupby("reason", sort=False):
            (hatch, ink), look = REASONS[str(name)][:2], looks[str(name)]
            axes.barh(same["row"], same["share"], _BAR, same["start"], **look)
            box = {"facecolor": look["facecolor"], "edgecolor": "none", "pad": 0.6} if hatch else None
            of_text: dict[str, Any] = {
                "fontsize": SMALL,
                "color": ink,
                "bbox": box,
                "linespacing": sheet.line_spacing(),
            }
            for row, start, share, text, limits in same[["row", "start", "share", "text", "limits"]].values.tolist():
                # A share above its limits, the share alone, or nothing, as there is room.
                fits = {one: text_size(one, SMALL)[0] + _AIR <= share * long for one in (text, limits)}
                if fits[text]:
                    written = f"{text}\n{limits}" if limits and fits[limits] else text
                    axes.text(start + share / 2, row, written, ha="center", va="center", **of_text)
                else:
                    unwritten.append(share)
        axes.set_xticks(np.arange(6) / 5 if long >= _SIX_TICKS else [0, 0.5, 1])

    figure = row_figure(
        [stored.title(str(name)) for name in numbers.index],
        [Panel("", draw_parts)],
        stored.options,
        title="Errors by reason",
        beside={"errors": [f"{number:,.0f}" for number in numbers]},
        notes=_errors_notes(stored, shown),
        legend={
            meaning.format(reference=reference): Patch(**looks[name])
            for name, (*_, meaning) in REASONS.items()
            if name in occur
        },
        step=_LOW_ROW if stored.many else _ERRORS_ROW,
    )
    if max(unwritten):
        figure.notes += f" Parts of about {100 * max(unwritten):.0f} % or less may have no room for their number."
    return figure


def _error_parts(summary: pd.DataFrame, *, limits: bool) -> pd.DataFrame:
    """Return corpus, reason, share, errors of each part of a bar in order, with its share and limits in writing."""
    known = summary[(summary["measure"] == "error_share") & summary["variant"].isin(REASONS) & summary["value"].notna()]
    renamed = known.rename(columns={"variant": "reason", "value": "share", "n": "errors"})
    order = {"corpus": list(dict.fromkeys(renamed["corpus"])), "reason": list(REASONS)}
    ordered = renamed.sort_values([*order], key=lambda names: names.map(order[str(names.name)].index))
    ends = ordered[["low", "high"]].to_numpy(float) if limits else np.full((len(ordered), 2), np.nan)
    places = int((ends[:, 1] - ends[:, 0] < _NARROW_PART).any())

    def round_to_whole(shares: "pd.Series[float]") -> Floats:
        # Rounded so that they sum to 100 %: up those of the largest remainders.
        parts = shares.to_numpy(float) * 100 * 10**places
        whole = np.floor(parts)
        whole[np.argsort(whole - parts, kind="stable")[: round(float((parts - whole).sum()))]] += 1
        return np.asarray(whole / 10**places)

    shares = ordered.groupby("corpus", sort=False)["share"].transform(round_to_whole)
    written = [f"{100 * low:.{places}f}–{100 * high:.{places}f}" if np.isfinite(low) else "" for low, high in ends]
    known = ordered.assign(text=[f"{share:.{places}f}" for share in shares], limits=written)
    return known[["corpus", "reason", "share", "errors", "text", "limits"]].reset_index(drop=True)


def _errors_notes(stored: StoredTables, shown: pd.DataFrame) -> Iterator[str]:
    """Yield what is not drawn, and which corpora's test does not show that they have more errors than expected."""
    every = stored.targets_first
    missing = every[(every["measure"] == "error_share") & ~every["corpus"].isin(shown["corpus"])]
    errors = missing.groupby("corpus", sort=False)["n"].max()
    for why, own in (
        ("without errors", ~(errors > 0)),
        ("because nothing shows that answers depend on the gold phones", errors > 0),
    ):
        if own.any():
            yield f"Left out, {why}: {_join_first([stored.title(str(name)) for name in errors.index[own]])}."
    if shown["limits"].any():
        yield "Below a share stands its interval, where there is room."
    q = stored.values("expected_level_p", "q")
    more = shown.loc[(shown["reason"] == "level") & (shown["share"] > 0), "corpus"]
    if unclear := [stored.title(name) for name in more if not q.get(name, 1) < SIGNIFICANT]:
        yield f"More often than in the reference data, but not clearly so: {_join_first(unclear)}."


def _join_first(names: Sequence[str]) -> str:
    return ", ".join([*names[:MANY], *[f"and {len(names) - MANY} more"] * (len(names) > MANY)])


_GROUPS = {
    "class": ("syl", "son", "cons"),
    "manner": ("cont", "delrel", "lat", "nas", "strid"),
    "larynx": ("voi", "sg", "cg"),
    "place": ("ant", "cor", "distr", "lab", "velaric"),
    "vowel": ("hi", "lo", "back", "round", "tense", "long"),
    "tone": ("hitone", "hireg"),
}
_KEPT = "The information kept is too high where tokens are few."
_DIRECTIONS = {
    "plus_to_minus": ("+ to −", AMOUNT, ""),
    "minus_to_plus": ("− to +", style.MIDDLE, "////"),
    "zero": ("to or from 0", GREY, ""),
}


def draw_features(corpus: StoredCorpus) -> Sheet | None:
    """Return for each feature the share of wrong pairs in which it changed, beside the information that is kept."""
    features = corpus.tables["features"]
    own = features[features["changed"].notna()]
    if own.empty:
        return None
    still = (own["changed"] == 0) & own["transferred"].isna()
    group_of = {name: group for group, names in _GROUPS.items() for name in names}
    group = own["feature"].map(lambda name: group_of.get(name, "other"))
    ordered = own.assign(group=pd.Categorical(group, [*_GROUPS, "other"], ordered=True))[~still]
    shown = ordered.sort_values(["group", "changed"], ascending=[True, False], kind="stable").reset_index(drop=True)
    shown["zero"] = (shown["changed"] - shown["plus_to_minus"] - shown["minus_to_plus"]).clip(lower=0)
    kept = np.pad(shown[["transferred"]].to_numpy(float), ((0, 0), (0, 2)), constant_values=np.nan)
    never = np.zeros(len(shown), dtype=bool)
    looks: dict[str, dict[str, Any]] = {
        name: {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        for name, (_, colour, hatch) in _DIRECTIONS.items()
    }

    def draw_changes(axes: Axes, places: Floats) -> None:
        start = np.zeros(len(shown))
        for name, look in looks.items():
            share = shown[name].to_numpy(float)
            axes.barh(places, share, 0.66, start, **look)
            start = start + share
        axes.set_xlim(0, max(float(start.max(initial=0)) * 1.05, 0.01))

    alike = ", ".join(map(feature_name, own[still]["feature"]))
    kept_panel = Panel("information kept", partial(draw_dots, numbers=kept, hollow=never))
    return row_figure(
        [feature_name(name) for name in shown["feature"]],
        [kept_panel, Panel("changed", draw_changes, None)],
        corpus.options,
        title=corpus.titled("features"),
        notes=[_KEPT, *[f"Not shown, because all phones here are alike in them: {alike}."] * bool(alike)],
        legend={_DIRECTIONS[name][0]: Patch(**look) for name, look in looks.items()},
        groups=shown["group"].tolist(),
        step=3.2,
    )


_LETTERS = f"Languages that share a letter do not differ clearly (q < {SIGNIFICANT:g})."
_SKILLS = {"skill_wper": "skill (wPER)", "wper": "wPER"}


def draw_languages(source: StoredCorpus) -> Sheet | None:
    """Return the target languages by their skill, the best first, with intervals and the letters of their groups."""
    stored = source.stored
    every = stored.of_all("languages")
    known = every[every["value"].notna()] if len(every) else every
    measure = next((name for name in _SKILLS if len(known) and (known["measure"] == name).any()), None)
    if measure is None:
        return None
    shown = known[known["measure"] == measure].sort_values("rank", kind="stable")
    numbers = shown[["value", "low", "high"]].to_numpy(float)
    untested = (shown["status"] != "").to_numpy(bool)
    families = shown["family"] if len({*shown["family"]}) > 1 else [""] * len(shown)
    short = short_letters({name: own for name, own in zip(shown["corpus"], shown["letters"], strict=True) if own})
    chance: dict[str, Any] = {"color": INK, "linewidth": 0.7, "linestyle": ":"}
    has_chance = measure != "wper"  # a skill of 0

    def draw(axes: Axes, rows: Floats) -> None:
        draw_dots(axes, rows, numbers, untested)
        axes.set_xlim(min(0, axes.get_xlim()[0]), axes.get_xlim()[1])
        if has_chance:
            axes.axvline(0, zorder=1.5, **chance)

    legend = _legend_of_dots(numbers, untested, "language", "not tested")
    return row_figure(
        [
            stored.title(name) + f" ({family})" * bool(family)
            for name, family in zip(shown["corpus"], families, strict=True)
        ],
        [Panel(_SKILLS[measure], draw, None)],
        stored.options,
        title="Languages by skill" if has_chance else "Languages by error rate",
        beside={"group": [short.get(name, "") for name in shown["corpus"]]} if short else {},
        notes=[_LETTERS] * bool(short),
        legend=legend | ({"chance": Line2D([], [], **chance)} if has_chance else {}),
        step=3.4,
    )


_RATES = {"wper": "wPER", "per": "PER", "per_vowels": "PER of vowels", "per_consonants": "PER of consonants"}
_MOST_PAIRS, _WITH_VALUES = 60, 100.0  # pairs; mm: the width that has room for the values of one measure, too


def draw_differences(comparison: StoredCorpus) -> Sheet | None:
    """Return what two items differ by, a − b, with intervals, so that right of 0 a is better.

    Of two items every rate has a row; of more, each two have one, in panels of wPER and PER: of many the best item's.
    """
    every, options = comparison.tables["differences"], comparison.options
    table = every[every["measure"].isin(_RATES) & (every["variant"] == "") & every["difference"].notna()]
    pairs, notes = [*dict.fromkeys(zip(table["item"], table["other"], strict=True))], list[str]()
    alone = len(pairs) == 1
    measures = [name for name in [*_RATES][: None if alone else 2] if (table["measure"] == name).any()]
    if not measures:
        return None
    if len(pairs) > _MOST_PAIRS:
        own = table[table["measure"] == measures[0]]
        sides = own[["value", "item"]], own[["other_value", "other"]]
        best = min((value, name) for side in sides for value, name in side.itertuples(index=False))[1]
        notes.append(f"Of many pairs, those of {best} alone: its {_RATES[measures[0]]} is the lowest.")
        pairs = [pair for pair in pairs if best in pair][:_MOST_PAIRS]
    shown = table.set_index(["measure", "item", "other"]).reindex([(name, *two) for name in measures for two in pairs])
    if unlike := sorted({name for name, *_ in shown.index[shown["unlike"].fillna("") != ""]}):
        rates = ", ".join(_RATES[name] for name in unlike)
        notes.append(f"Not defined alike everywhere: {rates}; differences.tsv says how.")
    numbers, q = shown[["difference", "low", "high"]].to_numpy(float), shown["q"].to_numpy(float)
    unclear = ~(q < SIGNIFICANT)

    def draw(axes: Axes, rows: Floats, part: slice) -> None:
        draw_dots(axes, rows, numbers[part], unclear[part], [(0, {"color": INK})])
        axes.invert_xaxis()  # of rates the lower is better

    half = options.width_mm * sheet.NAMES / 2 - 1.5
    if alone:
        names, of = [_RATES[name] for name in measures], "rates"
        panels = [Panel(f"{pairs[0][0]} better →", partial(draw, part=slice(None)), None)]
        title = " − ".join(cut_to_width(name, options.width_mm / 2 - 2 * EDGE, bold=True) for name in pairs[0])
    else:
        names = [" − ".join(cut_to_width(name, half, size=PHONE) for name in two) for two in pairs]
        parts = {name: slice(place * len(pairs), (place + 1) * len(pairs)) for place, name in enumerate(measures)}
        panels = [Panel(f"{_RATES[name]}, a better →", partial(draw, part=part), None) for name, part in parts.items()]
        of, title = _RATES[measures[0]], "Differences, a − b"
    values = shown[["value", "other_value"]].to_numpy(float)[: len(names)]
    texts = {f"{of} of a, b": [f"{one:.3f}, {other:.3f}" for one, other in values]}
    untested = "no clear difference" + ", or not tested" * bool(np.isnan(q).any())
    return row_figure(
        names,
        panels,
        options,
        title=title,
        beside=texts if options.width_mm >= _WITH_VALUES else {},
        notes=notes,
        legend=_legend_of_dots(numbers, unclear, f"clear difference (q < {SIGNIFICANT:g})", untested),
        step=4.0,
    )
