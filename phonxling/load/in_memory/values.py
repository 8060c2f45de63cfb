"""What callers give as lists and texts of Python's own: columns of pandas, arrays, missing values."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.text import is_number
from phonxling.load.transcripts.build import Line, wrong_kind

Data: TypeAlias = Transcript | Mapping[Any, Any] | Iterable[Any]  # of which pandas' tables and columns are some
NUMBERS = ("start", "end", "confidence")


def is_pandas(data: object, kind: str) -> bool:
    """Return whether data are of a type of pandas; without an import, which takes a third of a second."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, kind))


def items_of(side: str, data: Any) -> Sequence[Any] | Iterator[Any]:  # noqa: ANN401 - anything can be given
    """Return the items of what is not a mapping, as they are if they are a list; DataError when there are none."""
    for method in ("to_dicts", "to_pylist"):  # tables of polars and of pyarrow
        data = getattr(data, method, lambda data=data: data)()
    if isinstance(data, str | bytes | set | frozenset) or not hasattr(data, "__iter__"):
        known = "lists of phones, texts of spaced phones, a mapping by id, a DataFrame, or records"
        raise DataError(f"{side}: a path is needed, or phones in memory ({known}), not {type(data).__name__}")
    return data if isinstance(data, list | tuple) else iter(data)


def as_texts(
    where: Callable[[Line], str], values: Iterable[Any], what: str, lines: Sequence[Line] | None = None
) -> list[str]:
    """Return ids or speakers as texts: whole numbers are written out, anything else is refused."""
    listed = list(values)
    if set(map(type, listed)) <= {str}:
        return listed
    plain = [as_python(value) for value in listed]
    for line, value in zip(plain if lines is None else lines, plain, strict=True):
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise wrong_kind(where(line), f"the {what}", value, "a text or a whole number")
    return list(map(str, plain))


def row_labels(data: Any) -> list[Any] | None:  # noqa: ANN401 - pandas' Series and DataFrame
    """Return the labels of the rows; None when they are the mere count of the rows."""
    index = data.index
    counted = index.name is None and type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
    return None if counted else list(index.tolist())


def columns_of_frame(side: str, frame: Any, titles: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401
    """Return the columns of a DataFrame by name, and its index where that has the name of the ids."""
    names = list(map(str, frame.columns))
    if len(set(names)) < len(names):
        raise DataError(f"{side}: a column name occurs twice: {shown(', '.join(names), 400)}")
    table = {str(name): frame[name] for name in frame.columns}
    named = frame.index.name in {titles["utterance"], "id"}
    return {str(frame.index.name): frame.index, **table} if named else table


def columns_of_mapping(side: str, data: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """Return a mapping's columns by name; DataError when they differ in length."""
    table = {str(name): list(values) for name, values in data.items()}
    if len(set(map(len, table.values()))) > 1:
        sizes = ", ".join(f"{name} {len(values)}" for name, values in table.items())
        raise DataError(f"{side}: the columns differ in length: {shown(sizes, 400)}")
    return table


def cells_of(column: Any, name: str) -> list[Any]:  # noqa: ANN401 - a Series or a list
    """Return the cells of a column: what is missing is empty, and a number as text is a number, as in a TSV."""
    listed = list(column)
    plain = listed if set(map(type, listed)) <= {str, list} else list(map(as_python, listed))
    if name in NUMBERS:
        return [float(value) if isinstance(value, str) and is_number(value) else value for value in plain]
    return ["" if value is None else value for value in plain]


def as_python(value: Any) -> Any:  # noqa: ANN401
    """Return a value as Python's own: arrays as lists, missing ones as None."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str(value)  # of NumPy's texts, Python's
    if isinstance(value, Mapping):
        return {name: as_python(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_python(each) for each in value] if value and isinstance(value[0], Mapping) else value
    plain = value.tolist() if hasattr(value, "tolist") else value
    missing = (isinstance(plain, float) and plain != plain) or type(plain).__name__ in {"NAType", "NaTType"}
    return None if missing else plain
