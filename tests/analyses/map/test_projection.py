"""Projections: against scikit-learn and by loops, UMAP's repeatability, refusals."""

import math

import numpy as np
import pytest
from made_posteriors import phone_means
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from phonxling.analyses.map import Projection, principal_plane, project, spread_of_batches, umap_plane
from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import PhoneMeans

Floats = NDArray[np.float64]


def clouds(phones: int, width: int, seed: int, batches: int = 4) -> PhoneMeans:
    generator = np.random.default_rng(seed)
    centres = generator.dirichlet(np.full(width, 0.3), phones)
    parts = np.stack([generator.dirichlet(200 * centre + 0.01, batches) for centre in centres])
    return phone_means(parts.mean(axis=1), parts)


def test_pca_is_scikit_learns() -> None:
    reference, target = clouds(12, 9, 1), clouds(7, 9, 2)
    found = project(reference, target, method="pca", metric="hellinger")
    points = np.sqrt(np.concatenate([reference.means, reference.batch_means]) / 2)
    oracle = PCA(n_components=2, svd_solver="full").fit(points)
    assert found.method == "pca"
    together = np.concatenate([found.reference, found.batches, *found.targets])
    expected = oracle.transform(np.concatenate([points, np.sqrt(target.means / 2)]))
    np.testing.assert_allclose(together, expected * np.sign((together * expected).sum(axis=0)), atol=1e-9)
    assert found.variance_kept == pytest.approx(oracle.explained_variance_ratio_.sum())
    assert [len(part) for part in (found.reference, found.batches, found.targets[0])] == [12, 48, 7]


def test_the_farthest_point_of_an_axis_is_positive_so_mirrored_data_give_one_map() -> None:
    for seed in range(8):
        reference = clouds(9, 7, seed)
        found = project(reference, method="pca")
        every = np.concatenate([found.reference, found.batches])
        assert (every.max(axis=0) >= -every.min(axis=0)).all()
        order = np.random.default_rng(seed).permutation(9)
        turned = project(phone_means(reference.means[order]), method="pca").reference
        straight = project(phone_means(reference.means), method="pca").reference
        assert turned == pytest.approx(straight[order], abs=1e-9)


def test_points_on_a_line_have_no_second_axis() -> None:
    flat = principal_plane(np.outer(np.arange(4.0), [1.0, 2.0, 0.5]), np.ones((1, 3)))
    assert flat[0][:, 1].tolist() == [0.0] * 4


def test_spread_is_the_mean_distance_of_batches() -> None:
    reference = clouds(5, 6, 8)
    found = project(reference, method="pca")
    for phone, width in enumerate(spread_of_batches(found, reference)):
        mine = [row for row, owner in zip(found.batches, reference.batch_phones, strict=True) if owner == phone]
        assert width == pytest.approx(sum(math.dist(row, found.reference[phone]) for row in mine) / len(mine))
    alone = phone_means(reference.means)  # one batch shows no spread
    assert np.isnan(spread_of_batches(project(alone, method="pca"), alone)).all()


@pytest.mark.slow  # umap compiles itself for several seconds
class TestUmap:
    def run(self, seed: int) -> Projection:
        return project(clouds(15, 10, 1, batches=3), clouds(8, 10, 2), method="umap", n_neighbors=4, seed=seed)

    def test_one_seed_gives_one_map(self) -> None:
        first, again = self.run(20), self.run(20)
        parts, others = ((one.reference, one.batches, one.targets[0]) for one in (first, again))
        assert [len(part) for part in parts] == [15, 45, 8]
        assert np.array_equal(np.concatenate(parts), np.concatenate(others))
        assert np.isfinite(np.concatenate(parts)).all()

    def test_it_is_umaps_own_begun_at_the_principal_plane(self) -> None:
        import umap

        points, others = np.split(np.random.default_rng(5).random((40, 4)).round(1), [30])
        fitted, placed, _ = umap_plane(points, others, 5, 2)
        start = principal_plane(points, others)[0].astype(np.float32)
        alone = umap.UMAP(n_neighbors=5, init=start, random_state=2, n_jobs=1).fit(points)
        assert np.array_equal(fitted, alone.embedding_)
        assert np.array_equal(placed, alone.transform(others))

    def test_two_groups_stay_apart_and_the_smallest_reference_works(self) -> None:
        generator = np.random.default_rng(0)
        front, back = generator.dirichlet([40, 40, 1, 1], 8), generator.dirichlet([1, 1, 40, 40], 8)
        found = project(phone_means(np.concatenate([front, back])), phone_means(front[:3]), n_neighbors=7).reference
        gap = np.linalg.norm(found[:8].mean(axis=0) - found[8:].mean(axis=0))
        assert gap > 2 * max(found[:8].std(axis=0).max(), found[8:].std(axis=0).max())
        four = project(phone_means(np.eye(4)), phone_means(np.eye(4)[:1]), n_neighbors=1000)
        assert np.isfinite(np.concatenate([four.reference, *four.targets])).all()
        alone = project(phone_means(np.eye(4)), n_neighbors=1000)
        assert (len(alone.batches), alone.targets) == (4, ())


@pytest.mark.parametrize(
    ("means", "why"),
    [
        ((clouds(3, 5, 1),), "at least 4 reference phones with frames; there are 3"),
        ((clouds(5, 4, 1), phone_means(np.eye(4), columns=["e1", "e2", "e3", "e4"])), "only one side has: e0 e4"),
        ((clouds(5, 2, 1), phone_means(np.eye(2), columns=["e1", "e0"])), "in another order"),
        ((phone_means(np.repeat(np.eye(2), 3, axis=0)),), "the reference's phones have 2"),
    ],
)
def test_what_makes_no_map_is_refused(means: tuple[PhoneMeans, ...], why: str) -> None:
    with pytest.raises(DataError, match=why):
        project(*means, method="pca")
