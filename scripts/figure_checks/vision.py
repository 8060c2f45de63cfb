"""How a figure is seen in a grey print, and by a deuteranope.

Grey is luminance (ITU-R BT.709). Deuteranopia is the matrix of full severity of Machado, Oliveira & Fernandes (2009),
"A physiologically-based model for simulation of color vision deficiency", IEEE Transactions on Visualization and
Computer Graphics 15(6), 1291-1298. Both are of linear light.
"""

import numpy as np
from numpy.typing import NDArray

SEEN = {
    "grey": np.full((3, 1), 1.0) @ np.array([[0.2126, 0.7152, 0.0722]]),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def as_seen(picture: NDArray[np.uint8], matrix: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return a picture [height, width, 3 or 4] in sRGB as seen, without transparency."""
    colours, back = np.unique(picture[..., :3].reshape(-1, 3), axis=0, return_inverse=True)
    share = colours / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4) @ matrix.T
    light = np.clip(light, 0, 1)
    seen = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * seen).astype(np.uint8)[back].reshape(*picture.shape[:2], 3)
