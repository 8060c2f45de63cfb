"""Colours that the colour-blind and a grey printer can tell apart: ramps even in lightness, and a few inks."""

import numpy as np
from matplotlib.colors import Colormap, ListedColormap, to_rgb

from phonxling.core.arrays import Floats

BLUE, ORANGE, GREY, DARK_GREY, INK = "#1f5288", "#9c4400", "#8c8c8c", "#707070", "#1a1a1a"
MIDDLE_BLUE = "#598fc6"  # the middle of the map for shares
PASSING, RIM_BLUE, RIM_ORANGE = "#d2d2d2", "#bfd6ec", "#f0c9a4"  # lines that a name may stand on
PALE_BLUE, PALE_ORANGE, PALE_GREY = "#dbe7f3", "#fbe3cc", "#e6e6e6"
OUTLINE = "#cc4400"  # seen on the palest and on the darkest cell

# Oklab (B. Ottosson 2020, "A perceptual color space for image processing"): linear sRGB → cone responses → L, a, b
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def to_oklab(rgb: Floats) -> Floats:
    """Return sRGB colours [n, 3] in Oklab; the first column is lightness, 0 black to 1 white."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T)


def _from_oklab(lab: Floats) -> Floats:
    linear = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T
    linear = np.clip(linear, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055))


def _ramp(stops: list[str], steps: int) -> Floats:
    lab = to_oklab(np.array([to_rgb(stop) for stop in stops]))
    at = np.linspace(0, len(stops) - 1, steps)
    return _from_oklab(np.column_stack([np.interp(at, range(len(stops)), lab[:, axis]) for axis in range(3)]))


def sequential() -> Colormap:
    """Return the map for shares: from nearly white to dark blue, even steps of lightness."""
    return ListedColormap(_ramp(["#f5f8fb", MIDDLE_BLUE, "#0a2050"], 256), name="phonxling-share")


def diverging() -> Colormap:
    """Return the map for signed values: brown (less) by nearly white (0) to purple (more)."""
    return ListedColormap(_ramp(["#7f3b00", "#d98a3d", "#f7f7f7", "#8f7cc0", "#2d1160"], 257), name="phonxling-signed")
