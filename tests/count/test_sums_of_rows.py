"""Rows are added by their codes, whatever the arrays are like; all by one compiled loop."""

from itertools import product

import numpy as np

from phonxling.count.kernel import _add_rows, add_rows


def test_rows_are_added_by_their_codes_and_all_by_one_loop() -> None:
    generator, compiled = np.random.default_rng(3), set()
    for kind, order, writeable in product([np.int32, np.int64], ["C", "F"], [True, False]):
        rows, weights, codes = generator.random((20, 3)), generator.random(20), generator.integers(0, 4, 20, kind)
        given, total = np.array(rows, order=order), np.zeros((4, 3))  # type: ignore[call-overload]
        given.flags.writeable = codes.flags.writeable = writeable
        add_rows(given, weights, codes, total)
        assert np.allclose(total, np.eye(4)[codes].T @ (rows * weights[:, None]), atol=1e-12)
        assert given.flags.writeable is writeable
        compiled.add(len(_add_rows.signatures))
    assert len(compiled) == 1
