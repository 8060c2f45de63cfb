"""A plan's own small files: plan.tsv, and the curve of what designs find."""

from pathlib import Path

from phonxling.comparison.planning.plan import Plan
from phonxling.core.errors import ConfigurationError
from phonxling.store.folder import MANIFEST
from phonxling.tables.files import write_table


def write_plan(plan: Plan, folder: Path) -> list[Path]:
    """Write a plan's table and figure into a folder, and return the files; an earlier plan there is replaced.

    ConfigurationError where the folder holds results; DataError when a file cannot be written.
    """
    from phonxling.draw.figures.plan import draw_plan  # matplotlib takes long to import
    from phonxling.draw.save import save
    from phonxling.draw.style import FigureOptions

    if (folder / MANIFEST).exists():
        raise ConfigurationError(f"{folder}: holds results; choose another folder for the plan")
    options = FigureOptions()
    drawing = draw_plan(plan.table, options)
    write_table(folder, "plan.tsv", plan.table)
    return [folder / "plan.tsv", *(save(drawing, folder, options.formats) if drawing else [])]
