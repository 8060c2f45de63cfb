"""What was measured, as a table for people and as JSON for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Goal:
    """What is aimed at; `met` is None where a scaled-down workload cannot tell."""

    ratio: float | None = None
    seconds: float | None = None
    megabytes: float | None = None

    def __str__(self) -> str:
        parts = {"≥ {:,g}×": self.ratio, "≤ {:g} s": self.seconds, "≤ {:,g} MB": self.megabytes}
        return ", ".join(form.format(value) for form, value in parts.items() if value is not None)


@dataclass(frozen=True)
class Row:
    """One comparison; the names are the keys of the JSON.

    `ratio` is the peer's time over ours (or its memory over ours), so more is better; `ratio_low` and `ratio_high` are
    its quartiles over the rounds. `peer_seconds` is for the whole work, also where the peer did a share of it.
    """

    section: str
    work: str
    against: str
    goal: Goal | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    ours_seconds: float | None = None
    peer_seconds: float | None = None
    megabytes: float | None = None
    repeats: int = 0
    note: str = ""


def write_json(rows: Sequence[Row], versions: dict[str, str], settings: dict[str, object], path: Path) -> None:
    """Write the rows with the versions and settings under which they came about."""
    held = [{**asdict(row), "goal": str(row.goal) if row.goal else None} for row in rows]
    text = json.dumps({"settings": settings, "versions": versions, "rows": held}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def show(rows: Sequence[Row], versions: dict[str, str], console: Console) -> None:
    """Print the table of ratios and the versions."""
    table = Table(title="How many times faster than others (median, quartiles in brackets)", title_justify="left")
    for name in ("work", "against", "goal", "ratio", "ours", "other", "note"):
        table.add_column(name, justify="right" if name in {"goal", "ratio", "ours", "other"} else "left")
    section = ""
    for row in rows:
        if row.section != section:
            table.add_section()
            section = row.section
        ours = ", ".join(filter(None, (_seconds(row.ours_seconds), _megabytes(row.megabytes))))
        table.add_row(
            f"{section}: {row.work}",
            row.against,
            str(row.goal or ""),
            _ratio(row),
            ours,
            _seconds(row.peer_seconds),
            row.note,
        )
    console.print(table)
    console.print("versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()))


def _ratio(row: Row) -> str:
    if row.ratio is None:
        return "–"
    spread = f" ({_digits(row.ratio_low)}–{_digits(row.ratio_high)})" if row.ratio_low and row.ratio_high else ""
    return f"{_digits(row.ratio)}×{spread}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"


def _megabytes(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f} MB" if value >= 10 else f"{value:.2g} MB"
