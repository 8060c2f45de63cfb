"""UMAP's coordinates, by umap-learn: what of it is compiled, and which of its work is done once for several seeds."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from inspect import signature

import numpy as np

from phonxling.analyses.map.planes import Plane, principal_plane
from phonxling.core.arrays import Codes, Floats
from phonxling.core.interface.replaced import replaced
from phonxling.workers.compiled import keep_compiled
from phonxling.workers.postponed import compiled_when_called

_COMPILED = (  # of UMAP, which would compile them in every process
    "distances.euclidean",
    "layouts._nb_optimize_layout_euclidean_single_epoch",
    "umap_.compute_membership_strengths",
    "umap_.smooth_knn_dist",
)
_DISTANCES: dict[object, Floats] = {}  # of the last fit, and of what was placed on it


def umap_plane(points: Floats, others: Floats, n_neighbors: int, seed: int) -> Plane:
    """Return UMAP's coordinates, begun at the principal plane; others [M, K] are transformed together, in their order.

    One seed gives one picture on one machine and set of versions, not on all.
    """
    with compiled_when_called():  # of pynndescent, which is for thousands of points, it would be a hundred functions
        import umap  # takes a second

    keep_compiled(umap, _COMPILED)
    model = umap.UMAP(
        n_neighbors=n_neighbors,
        metric="euclidean",
        init=principal_plane(points, others[:0]).fitted.astype(np.float32),
        random_state=seed,
        n_jobs=1,
    )
    with _less_work(umap.umap_), _one_thread():
        fitted = model.fit_transform(points)
        placed = model.transform(others) if len(others) else np.zeros((0, 2))
    return Plane(np.asarray(fitted, np.float64), np.asarray(placed, np.float64))


@contextmanager
def _less_work(module: object) -> Iterator[None]:
    """Let UMAP find the distances of another seed, and run two short loops as written: compiling them takes seconds."""
    others = {
        "pairwise_distances": _remembering,
        "fast_knn_indices": _uncompiled,
        "submatrix": _uncompiled,
        "compute_membership_strengths": _compiled_once,
    }
    with ExitStack() as stack:
        for name, other in others.items():
            stack.enter_context(replaced(module, name, other))
        yield


def _uncompiled(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function that Numba would compile, as it was written: its loops only copy, or call NumPy once a row."""
    return getattr(function, "py_func", function)


def _compiled_once(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function to which a fit and a transform give the same types, and for each of which it would be compiled.

    A fit has indices of 32 bits and leaves out one of two flags, a transform has those of 64 and leaves out the other.
    """

    def called(indices: Codes, *others: object, **named: object) -> object:
        given = signature(_uncompiled(function)).bind(indices.astype(np.int32, copy=False), *others, **named)
        given.apply_defaults()
        return function(*given.args)

    return called


def _remembering(measured: Callable[..., Floats]) -> Callable[..., Floats]:
    """Return a function to the distances of points, measured pair by pair, that serves further seeds, too."""

    def distances(*points: Floats, **how: object) -> Floats:
        key = *how.items(), *((part.shape, part.tobytes()) for part in points)
        if key not in _DISTANCES:
            for oldest in list(_DISTANCES)[:-1]:
                del _DISTANCES[oldest]
            _DISTANCES[key] = measured(*points, **how)
        return _DISTANCES[key].copy()

    return distances


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let Numba's loops be run by one thread, as UMAP's fit does, but not its transform: others would wait in vain."""
    import numba

    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(threads)
