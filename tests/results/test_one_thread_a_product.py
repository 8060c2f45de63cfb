"""Matrix products sum in one order, however many cores there are: one thread each, wherever tasks are done."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tasks import blas_threads
from threadpoolctl import threadpool_limits

from phonxling.core.work import SERIAL, Record, Work, one_thread
from phonxling.experiment.scoring import score_files


@pytest.fixture(autouse=True)
def two_cores() -> Iterator[None]:
    with threadpool_limits(limits=2, user_api="blas"):
        yield


def threads(work: Work) -> set[int]:
    return {int(number) for record in work.map(blas_threads, None, [1, 2]) for number in record["threads"]}


def test_products_are_computed_by_one_thread_until_the_end_of_it() -> None:
    assert threads(SERIAL) == {2}
    with one_thread():
        assert threads(SERIAL) == {1}
    assert threads(SERIAL) == {2}


class Noting:
    """Work here, one task after the other, before each of which it is noted how products are computed."""

    workers = 1

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def map(self, function: Callable[..., Record], common: object, tasks: Sequence[object]) -> Iterator[Record]:
        for task in tasks:
            self.seen |= {int(number) for number in blas_threads(None, task)["threads"]}
            yield function(common, task)


def test_a_score_is_computed_so(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("utterance\tphones\nu1\ta b\nu2\tb a\n", encoding="utf-8")
    (tmp_path / "heard.tsv").write_text("utterance\tphones\nu1\ta b\nu2\tb b\n", encoding="utf-8")
    sides = {side: {"path": str(tmp_path / f"{file}.tsv")} for side, file in (("gold", "gold"), ("predicted", "heard"))}
    work = Noting()
    score_files({"name": "s", "corpora": {"c": {"recogniser": {"name": "toy"}, **sides}}}, work)
    assert work.seen == {1}
