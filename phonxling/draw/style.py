"""How every figure looks: its font, its size in millimetres, and settings that no user's matplotlibrc changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib as mpl

from phonxling.core.errors import ConfigurationError
from phonxling.draw.fonts import FALLBACK_FONT, choose_font

ONE_COLUMN, TWO_COLUMNS, PAGE_HEIGHT = 84.0, 174.0, 234.0  # mm
TEXT, PHONE, SMALL = 7.0, 6.5, 5.5  # points; nothing smaller is drawn
FEW = 20  # tokens; what rests on fewer is drawn paler
EDGE, LINE = 1.5, 2.5  # mm: a figure's margin, a line of small text
FORMATS = ("pdf", "png", "svg")
ORDERS = ("similarity", "features", "frequency", "inventory")
CELLS = ("probability", "count")


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """What a user may choose: formats (pdf, png, svg), width in mm (84 one column, 174 two), font family or `auto`.

    `order` is that of phones in the confusion heat map: similarity (of rows), features, frequency or inventory; `cells`
    are what it shows, probability or count.

    Raises
    ------
    ConfigurationError
        If a format is not one of pdf, png, svg, or none is given.
        If the width is below 60 or above 400 mm.
        If there is no such order, or no such kind of cells.
    """

    formats: tuple[str, ...] = ("pdf", "png")
    width_mm: float = ONE_COLUMN
    font: str = "auto"
    order: str = "similarity"
    cells: str = "probability"

    def __post_init__(self) -> None:
        unknown = [name for name in self.formats if name not in FORMATS]
        if unknown or not self.formats:
            raise ConfigurationError(f"figure formats are {', '.join(FORMATS)}; given: {', '.join(unknown) or 'none'}")
        if not 60 <= self.width_mm <= 400:
            raise ConfigurationError(f"a figure is 60 to 400 mm wide (a column has 84, two 174), not {self.width_mm}")
        for what, given, known in (("order", self.order, ORDERS), ("cells", self.cells, CELLS)):
            if given not in known:
                raise ConfigurationError(f"figures' {what}: one of {', '.join(known)}, not {given!r}")


@contextmanager
def house_style(font: str = "auto") -> Iterator[None]:
    """Draw with the house's settings and matplotlib's defaults, whatever the process has set; put all back after."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": list(dict.fromkeys([choose_font(font), FALLBACK_FONT])),
                "font.size": TEXT,
                "text.parse_math": False,  # a phone may be written $x$
                "text.hinting": "none",  # so that widths do not depend on the resolution
                "figure.dpi": 300,
                "axes.linewidth": 0.5,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.labelsize": TEXT,
                "axes.labelpad": 2,
                "axes.axisbelow": True,
                "xtick.labelsize": SMALL,
                "ytick.labelsize": SMALL,
                "xtick.major.width": 0.4,
                "ytick.major.width": 0.4,
                "xtick.major.size": 2,
                "ytick.major.size": 2,
                "xtick.major.pad": 1.5,
                "ytick.major.pad": 1.5,
                "legend.fontsize": SMALL,
                "legend.frameon": False,
                "hatch.linewidth": 0.4,
                "pdf.fonttype": 42,
                "svg.fonttype": "none",  # text stays text; matplotlib's PDF copies clusters twice
                "svg.hashsalt": "phonxling",
            }
        )
        yield
