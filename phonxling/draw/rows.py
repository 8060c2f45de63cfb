"""Figures of named rows: a name, what is drawn beside it in one panel or two, and a text at its right end.

Errors: shares of all errors of a corpus, stacked by reason. Phones: how often each is right, its main other answer, and
on request how uncertain its answers are. Features: by their group, how much of each is kept, how often it changes, and
how. Languages: the targets by their skill. Differences: what two items of a comparison differ by.
"""

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
from phonxling.draw.figure import MANY, StoredCorpus, StoredTables, rarest_phones
from phonxling.draw.sheet import (
    NAMES,
    Sheet,
    cut_to_width,
    legend_lines,
    line_spacing,
    name_rows,
    text_size,
    wrap,
    write_beside,
)
from phonxling.draw.style import (
    AMOUNT,
    AXIS_LABEL,
    DARK_GREY,
    EDGE,
    FEW_TOKENS_DRAWN,
    GREY,
    GRID,
    INK,
    LEAST_SIDE,
    LINE,
    MIDDLE,
    PAGE_HEIGHT,
    PHONE,
    PHONES,
    SMALL,
    TEXT,
    FigureOptions,
    palette_colour,
)

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
    options: FigureOptions,
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
    columns, ends = _measure_columns(beside, width)
    first = [place == 0 or group != groups[place - 1] for place, group in enumerate(groups)]
    places = np.arange(len(names), dtype=np.float64) + (0.5 * (np.cumsum(first) - 1) if groups else 0)
    last = float(places[-1]) + 1 if len(places) else 1.0
    foot = EDGE + LINE * len(lines) + 0.8
    bottom = foot + _ENTRY * legend_lines(legend, width) + (_AXIS if dots else _BARS_AXIS)
    size, step = _size(names, PHONE if dots else TEXT, step, (PAGE_HEIGHT - _ABOVE - bottom) / last)
    room = width - max([2.5, *ends]) - (_BETWEEN + _LEAST_PANEL) * len(panels) - 2 * EDGE
    names = [cut_to_width(name, min(width * NAMES, room), size=size) for name in names]
    group = max((text_size(name, SMALL)[0] + 1.5 for name in groups), default=0.0)
    wide = max((text_size(name, size)[0] for name in names), default=0.0)
    left, top = EDGE + (AXIS_LABEL if rows else 0) + group + wide + 2.5, bottom + step * last
    side = (width - left - max([2.5, *ends]) - EDGE - _BETWEEN * (len(panels) - 1)) / len(panels)
    figure = Sheet(width, top + _ABOVE)
    for number, panel in enumerate(panels):
        axes = figure.axes_at(left + (side + _BETWEEN) * number, bottom, side, step * last)
        panel.draw(axes, places)
        axes.set(xlim=(0, panel.most) if panel.most else axes.get_xlim(), ylim=(last - 0.5, -0.5), yticks=[])
        axes.spines["left"].set_visible(False)
        if panel.name:
            axes.hlines(places, 0, 1, color=GRID, linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
            axes.grid(axis="x", color=GRID, linewidth=0.4)
            axes.xaxis.set_major_locator(MaxNLocator(max(int(side / _TICKS), 1), steps=[1, 2, 2.5, 5, 10]))
            axes.set_xlabel(cut_to_width(panel.name, side + 2, size=SMALL), fontsize=SMALL)
        else:
            axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    name_rows(figure.axes[0], places, names, size=size, pad=4.0 if dots else 1.5)
    for (header, texts), end in zip(columns.items(), ends, strict=True):
        write_beside(figure.axes[-1], places, texts, end, min(size, SMALL))
        figure.write(width - EDGE - ends[-1] + end, top + 0.8, header, SMALL, ha="right", va="bottom")
    for place, name in zip(places[first], np.array(groups)[first], strict=True) if groups else ():
        figure.write(EDGE, top - step * (place + 0.5), name, SMALL, va="center", color=DARK_GREY)
    figure.legend_across(EDGE, foot, legend)
    figure.write_title(title)
    if rows:
        figure.write(EDGE, (bottom + top) / 2, rows, rotation=90, va="center")
    figure.finish(lines)
    return figure


def _measure_columns(beside: Mapping[str, Sequence[str]], width: float) -> tuple[dict[str, list[str]], Floats]:
    """Return the texts beside the rows as they fit, by their headers, and where each column ends, in mm."""
    columns = {head: [cut_to_width(text, width * _ASIDE, size=SMALL) for text in own] for head, own in beside.items()}
    widths = [max(text_size(text, SMALL)[0] for text in (head, *own)) + _APART for head, own in columns.items()]
    return columns, np.cumsum(widths)


def _size(names: Sequence[str], size: float, step: float, room: float) -> tuple[float, float]:
    """Return the size of names in points, and a row in mm: smaller ones where a page has less room for a row."""
    for points in (size, *(smaller for smaller in PHONES if smaller < size)):
        high = max((text_size(name, points)[1] for name in names), default=0.0) + 0.2
        if high <= room:
            break
    return points, min(max(step, high), max(room, high))


_DOT: dict[str, Any] = {"marker": "o", "markersize": 3, "markeredgecolor": AMOUNT, "markeredgewidth": 0.7}


def draw_dots(
    axes: Axes, rows: Floats, numbers: Floats, hollow: Bools, lines: Iterable[Mapping[str, Any]] = ()
) -> None:
    """Draw a dot a row, its interval where there is one, and lines: `numbers` are value, low and high, [R, 3]."""
    known = np.isfinite(numbers).all(axis=1)
    for chosen, colour, thick in ((hollow, GREY, 0.5), (~hollow, AMOUNT, 0.9)):
        axes.hlines(rows[known & chosen], *numbers[known & chosen, 1:].T, color=colour, linewidth=thick)
    for chosen, fill in ((~hollow, AMOUNT), (hollow, "white")):  # a dot at 0 stays whole
        axes.plot(numbers[chosen, 0], rows[chosen], color=fill, linestyle="none", clip_on=False, **_DOT)
    for look in lines:
        axes.axvline(**{"linewidth": 0.7, "zorder": 1.5, **look})


def _meanings(numbers: Floats, hollow: Bools, full: str, empty: str) -> dict[str, Artist]:
    """Return the entries of the legend for dots as `draw_dots` draws them."""
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
    high = max(text_size(cut_to_width(name, options.width_mm * NAMES, size=PHONE), PHONE)[1] for name in known["phone"])
    step = max(2.3, LEAST_SIDE / len(known), high + 0.1)
    room = int((PAGE_HEIGHT - _ABOVE - _AXIS - 3 * _ENTRY - _NOTES) / step)
    rare = known.iloc[rarest_phones(known["tokens"].to_numpy(float), room + 1)]
    shown = known.drop(rare.index)
    accuracy = shown[["accuracy", "accuracy_low", "accuracy_high"]].to_numpy(float)
    few = shown["tokens"].to_numpy(float) < FEW_TOKENS_DRAWN
    panels, notes = [Panel("accuracy", partial(draw_dots, numbers=accuracy, hollow=few))], list[str]()
    legend = _meanings(accuracy, few, f"{FEW_TOKENS_DRAWN} tokens or more", f"fewer than {FEW_TOKENS_DRAWN} tokens")
    if options.entropy:
        beside, lines, notes = _entropies(corpus, phones, shown)
        panels.append(beside)
        legend |= lines
    if none := gold.loc[gold["accuracy"].isna(), "phone"].tolist():
        notes.append(f"No tokens: {' '.join(none)}.")
    if len(rare):
        notes.append(f"Left out: the {len(rare)} rarest phones ({' '.join(rare['phone'])}).")
    return row_figure(
        shown["phone"].tolist(),
        panels,
        options,
        title=corpus.titled("phones"),
        beside={"tokens": [f"{tokens:,.0f}" for tokens in shown["tokens"]], "other answer": _other_answers(shown)},
        notes=notes,
        legend=legend,
        rows="gold phone",
        step=step,
    )


def _other_answers(shown: pd.DataFrame) -> list[str]:
    """Return what each phone is most often instead, or ∅, with the share of its tokens; "" where it is always right."""
    deleted = shown["deletion_rate"].fillna(0) > shown["share"].fillna(0)
    answers = shown["confused_with"].mask(deleted, GAP)
    shares = shown["share"].mask(deleted, shown["deletion_rate"])
    return [f"{answer} {100 * share:.0f} %" if answer else "" for answer, share in zip(answers, shares, strict=True)]


def _entropies(
    corpus: StoredCorpus, phones: pd.DataFrame, shown: pd.DataFrame
) -> tuple[Panel, dict[str, Artist], list[str]]:
    """Return the panel of entropies of the phones that are shown, its lines in the legend, and notes."""
    entropy, few = (
        shown[["entropy", "entropy_low", "entropy_high"]].to_numpy(float),
        shown["tokens"].to_numpy() < FEW_TOKENS_DRAWN,
    )
    most, mean = float(np.log2(max((phones["side"] == "predicted").sum(), 1))), corpus.value("conditional_entropy")
    lines: dict[str, dict[str, Any]] = {}  # by their meanings
    if mean is not None and not corpus.options.phones:
        lines[f"H(predicted | gold) = {mean:.2f} bits"] = {"x": mean, "color": INK, "linestyle": ":"}
    if most:
        possible = f"most without ∅: log₂ {2**most:.0f} = {most:.2f} bits"
        lines[possible] = {"x": most, "color": GREY, "linestyle": "--"}

    def draw(axes: Axes, rows: Floats) -> None:
        draw_dots(axes, rows, entropy, few, lines.values())
        axes.set_xlim(0, max(axes.get_xlim()[1], most * 1.02, 0.1))

    looks = {meaning: {key: one for key, one in look.items() if key != "x"} for meaning, look in lines.items()}
    entries: dict[str, Artist] = {meaning: Line2D([], [], linewidth=0.7, **look) for meaning, look in looks.items()}
    ends = entropy[np.isfinite(entropy).all(axis=1), 1:]
    notes = ["Entropy is 0 bits where the answer is always the same, even if wrong. It is corrected for few tokens."]
    if ((ends == 0) | (ends >= most)).any():
        notes.append("Its intervals end at 0 and at the greatest possible value.")
    if 0 < len(ends) < len(entropy):
        notes.append(
            "It has none where fewer than five speakers or utterances have the phone, or all answers are alike."
        )
    return Panel("entropy (bits)", draw, None), entries, notes


class _Reason(NamedTuple):
    colour: str
    hatch: str
    ink: str
    meaning: str

    @property
    def look(self) -> dict[str, Any]:
        lines = GREY if self.hatch and self.ink != "white" else "white"
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": lines, "linewidth": 0.4}


# Neighbours differ in lightness or in hatching, so that parts are told apart in grey and by the colour-blind.
REASONS = {
    "absent": _Reason(palette_colour("absent"), "", "white", "phones that the recogniser’s labels lack"),
    "expected": _Reason(palette_colour("expected"), "", INK, "confused as often as in the {reference} data"),
    "level": _Reason(palette_colour("level"), "////", "white", "confused more often than in the {reference} data"),
    "unexplained": _Reason(palette_colour("unexplained"), "xxxx", INK, "confused, with nothing to compare"),
    "deleted": _Reason(palette_colour("deleted"), "", INK, "deletions"),
    "inserted": _Reason(palette_colour("inserted"), "||", "white", "insertions"),
}
_BAR, _AIR = 0.84, 1.0  # of a row: a bar's height; mm
_ERRORS_ROW, _LOW_ROW = 6.4, 3.4  # mm: a row, one of many
_SIX_TICKS = 50.0  # mm: a bar that has room for them
_NARROW_PART = 0.02  # an interval whose limits need a decimal


def draw_errors(source: StoredCorpus) -> Sheet | None:
    """Return a bar of 100 % a corpus, whose parts are the shares of its errors by reason; None without errors."""
    stored = source.stored
    shown = _shown_rows(stored.targets_first, limits=not stored.many)
    if shown.empty:
        return None
    reference = "reference" if stored.reference is None else stored.title(stored.reference)
    meanings = {name: reason.meaning.format(reference=reference) for name, reason in REASONS.items()}
    occur = set(shown.loc[shown["share"] > 0, "reason"])
    numbers = shown.groupby("corpus", sort=False)["errors"].first()
    unwritten = [0.0]

    def draw_parts(axes: Axes, _: Floats) -> None:
        ends = shown.groupby("corpus", sort=False)["share"].cumsum()
        parts = shown.assign(row=pd.factorize(shown["corpus"])[0], start=ends - shown["share"])
        long = axes.get_position().width * stored.options.width_mm  # of a bar
        for name, same in parts[parts["share"] > 0].groupby("reason", sort=False):
            reason = REASONS[str(name)]
            axes.barh(same["row"], same["share"], _BAR, same["start"], **reason.look)
            box = {"facecolor": reason.colour, "edgecolor": "none", "pad": 0.6} if reason.hatch else None
            look: dict[str, Any] = {"fontsize": SMALL, "color": reason.ink, "bbox": box, "linespacing": line_spacing()}
            for row, start, share, *texts in same[["row", "start", "share", "text", "limits"]].values.tolist():
                if text := _fit_text(texts, share * long):
                    axes.text(start + share / 2, row, text, ha="center", va="center", **look)
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
        legend={meanings[name]: Patch(**reason.look) for name, reason in REASONS.items() if name in occur},
        step=_LOW_ROW if stored.many else _ERRORS_ROW,
    )
    if max(unwritten):
        figure.notes += f" Parts of about {100 * max(unwritten):.0f} % or less may have no room for their number."
    return figure


def _shown_rows(summary: pd.DataFrame, *, limits: bool) -> pd.DataFrame:
    known = summary[(summary["measure"] == "error_share") & summary["variant"].isin(REASONS) & summary["value"].notna()]
    renamed = known.rename(columns={"variant": "reason", "value": "share", "n": "errors"})
    order = {"corpus": list(dict.fromkeys(renamed["corpus"])), "reason": list(REASONS)}
    ordered = renamed.sort_values([*order], key=lambda names: names.map(order[str(names.name)].index))
    ends = ordered[["low", "high"]].to_numpy(float) if limits else np.full((len(ordered), 2), np.nan)
    places = int((ends[:, 1] - ends[:, 0] < _NARROW_PART).any())
    written = [f"{100 * low:.{places}f}–{100 * high:.{places}f}" if np.isfinite(low) else "" for low, high in ends]
    shares = ordered.groupby("corpus", sort=False)["share"].transform(_round_to_whole, places)
    texts = [f"{share:.{places}f}" for share in shares]
    known = ordered.assign(text=texts, limits=written)
    return known[["corpus", "reason", "share", "errors", "text", "limits"]].reset_index(drop=True)


def _round_to_whole(shares: "pd.Series[float]", places: int) -> Floats:
    """Return shares of a whole in per cent, so rounded that they sum to 100: up those of the largest remainders."""
    parts = shares.to_numpy(float) * 100 * 10**places
    whole = np.floor(parts)
    whole[np.argsort(whole - parts, kind="stable")[: round(float((parts - whole).sum()))]] += 1
    return np.asarray(whole / 10**places)


def _fit_text(texts: Sequence[str], width: float) -> str:
    """Return what has room in `width` mm: a share above its limits, the share alone, or nothing."""
    choices = ["\n".join(filter(None, texts)), texts[0]]
    widths = {text: max(text_size(line, SMALL)[0] for line in text.split("\n")) for text in choices}
    return next((text for text, wide in widths.items() if wide + _AIR <= width), "")


def _errors_notes(stored: StoredTables, shown: pd.DataFrame) -> Iterator[str]:
    """Yield what is not drawn, and which corpora's test does not show that they have more errors than expected."""
    every = stored.targets_first
    known = every.loc[every["measure"] == "error_share", "corpus"].drop_duplicates()
    if none := [stored.title(name) for name in known if name not in {*shown["corpus"]}]:
        yield f"Left out, without errors: {_join_first(none)}."
    if shown["limits"].any():
        yield "Below a share stands its interval, where there is room."
    q = stored.values("expected_level_p", "q")
    more = shown.loc[(shown["reason"] == "level") & (shown["share"] > 0), "corpus"]
    if unclear := [stored.title(name) for name in more if not q.get(name, 1) < SIGNIFICANT]:
        yield f"More often than in the reference data, but not clearly so: {_join_first(unclear)}."


def _join_first(names: Sequence[str]) -> str:
    """Return names of corpora for a note, the first of many."""
    return ", ".join([*names[:MANY], *[f"and {len(names) - MANY} more"] * (len(names) > MANY)])


_GROUPS = {
    "class": ("syl", "son", "cons"),
    "manner": ("cont", "delrel", "lat", "nas", "strid"),
    "larynx": ("voi", "sg", "cg"),
    "place": ("ant", "cor", "distr", "lab", "velaric"),
    "vowel": ("hi", "lo", "back", "round", "tense", "long"),
    "tone": ("hitone", "hireg"),
    "other": (),
}
_KEPT = "The information kept is too high where tokens are few."
_DIRECTIONS = {
    "plus_to_minus": ("+ to −", AMOUNT, ""),
    "minus_to_plus": ("− to +", MIDDLE, "////"),
    "zero": ("to or from 0", GREY, ""),
}


def draw_features(corpus: StoredCorpus) -> Sheet | None:
    """Return for each feature the share of wrong pairs in which it changed, beside the information that is kept."""
    features = corpus.tables["features"]
    own = features[features["changed"].notna()]
    if own.empty:
        return None
    still = (own["changed"] == 0) & own["transferred"].isna()
    group = own["feature"].map(lambda name: next((key for key, names in _GROUPS.items() if name in names), "other"))
    ordered = own.assign(group=pd.Categorical(group, [*_GROUPS], ordered=True))[~still]
    shown = ordered.sort_values(["group", "changed"], ascending=[True, False], kind="stable").reset_index(drop=True)
    shown["zero"] = (shown["changed"] - shown["plus_to_minus"] - shown["minus_to_plus"]).clip(lower=0)
    kept = np.pad(shown[["transferred"]].to_numpy(float), ((0, 0), (0, 2)), constant_values=np.nan)
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

    never, alike = np.zeros(len(shown), dtype=bool), ", ".join(map(feature_name, own[still]["feature"]))
    notes = [_KEPT, f"Not shown, because all phones here are alike in them: {alike}." if alike else ""]
    return row_figure(
        [feature_name(name) for name in shown["feature"]],
        [
            Panel("information kept", lambda axes, places: draw_dots(axes, places, kept, never)),
            Panel("changed", draw_changes, None),
        ],
        corpus.options,
        title=corpus.titled("features"),
        notes=notes,
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
    if every.empty:
        return None
    known = [name for name in _SKILLS if every.loc[every["measure"] == name, "value"].notna().any()]
    if not known:
        return None
    shown = every[(every["measure"] == known[0]) & every["value"].notna()].sort_values("rank", kind="stable")
    numbers = shown[["value", "low", "high"]].to_numpy(float)
    letters = dict(zip(shown["corpus"], shown["letters"], strict=True))
    untested = (shown["status"] != "").to_numpy(bool)
    families = shown["family"] if len({*shown["family"]}) > 1 else [""] * len(shown)
    names = [
        stored.title(name) + f" ({family})" * bool(family)
        for name, family in zip(shown["corpus"], families, strict=True)
    ]
    short = short_letters({name: own for name, own in letters.items() if own})
    chance = Line2D([], [], color=INK, linewidth=0.7, linestyle=":")

    def draw(axes: Axes, rows: Floats) -> None:
        draw_dots(axes, rows, numbers, untested)
        axes.set_xlim(min(0, axes.get_xlim()[0]), axes.get_xlim()[1])
        if known[0] != "wper":
            axes.axvline(0, zorder=1.5, color=chance.get_color(), linewidth=0.7, linestyle=":")

    return row_figure(
        names,
        [Panel(_SKILLS[known[0]], draw, None)],
        stored.options,
        title="Languages by skill" if known[0] != "wper" else "Languages by error rate",
        beside={"group": [short.get(name, "") for name in shown["corpus"]]} if short else {},
        notes=[_LETTERS] * bool(short),
        legend=_meanings(numbers, untested, "language", "not tested")
        | ({"chance": chance} if known[0] != "wper" else {}),
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
    alone = len(table[["item", "other"]].drop_duplicates()) == 1
    measures = [name for name in [*_RATES][: None if alone else 2] if (table["measure"] == name).any()]
    if not measures:
        return None
    pairs, notes = _choose_pairs(table, measures[0])
    shown = table.set_index(["measure", "item", "other"]).reindex([(name, *two) for name in measures for two in pairs])
    if unlike := sorted({name for name, *_ in shown.index[shown["unlike"].fillna("") != ""]}):
        notes.append(
            f"Not defined alike everywhere: {', '.join(_RATES[name] for name in unlike)}; differences.tsv says how."
        )
    numbers, q = shown[["difference", "low", "high"]].to_numpy(float), shown["q"].to_numpy(float)
    unclear = ~(q < SIGNIFICANT)

    def draw(axes: Axes, rows: Floats, part: slice) -> None:
        draw_dots(axes, rows, numbers[part], unclear[part], [{"x": 0, "color": INK}])
        axes.invert_xaxis()  # of rates the lower is better

    half = options.width_mm * NAMES / 2 - 1.5
    if alone:
        names, of = [_RATES[name] for name in measures], "rates"
        panels = [Panel(f"{pairs[0][0]} better →", partial(draw, part=slice(None)), None)]
        title = " − ".join(cut_to_width(name, options.width_mm / 2 - 2 * EDGE, bold=True) for name in pairs[0])
    else:
        names, of = (
            [" − ".join(cut_to_width(name, half, size=PHONE) for name in two) for two in pairs],
            _RATES[measures[0]],
        )
        parts = {name: slice(place * len(pairs), (place + 1) * len(pairs)) for place, name in enumerate(measures)}
        panels = [Panel(f"{_RATES[name]}, a better →", partial(draw, part=part), None) for name, part in parts.items()]
        title = "Differences, a − b"
    values = shown[["value", "other_value"]].to_numpy(float)[: len(names)]
    texts = {f"{of} of a, b": [f"{one:.3f}, {other:.3f}" for one, other in values]}
    return row_figure(
        names,
        panels,
        options,
        title=title,
        beside=texts if options.width_mm >= _WITH_VALUES else {},
        notes=notes,
        legend=_meanings(
            numbers,
            unclear,
            f"clear difference (q < {SIGNIFICANT:g})",
            "no clear difference" + ", or not tested" * bool(np.isnan(q).any()),
        ),
        step=4.0,
    )


def _choose_pairs(table: pd.DataFrame, measure: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the pairs of items that are shown, and a note where these are the best item's alone."""
    pairs = [*dict.fromkeys(zip(table["item"], table["other"], strict=True))]
    if len(pairs) <= _MOST_PAIRS:
        return pairs, []
    own = table[table["measure"] == measure]
    sides = own[["value", "item"]], own[["other_value", "other"]]
    best = min((value, name) for side in sides for value, name in side.itertuples(index=False))[1]
    note = f"Of many pairs, those of {best} alone: its {_RATES[measure]} is the lowest."
    return [pair for pair in pairs if best in pair][:_MOST_PAIRS], [note]
