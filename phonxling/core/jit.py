"""Numba, which all kernels take from here: it has a folder by then in which compiled code can be kept."""

import numba

from phonxling.core.compiled import keep_compiled_code

__all__ = ["numba"]
keep_compiled_code()
