"""Natural classes of phones: the manners of the IPA chart as a partition, and a user's own beside them.

Conventions
-----------
The default classes follow the IPA chart (2020) and stand in its order. A phone is in the first class of
`DEFAULT_CLASSES` that holds it, so that they never overlap. Where PanPhon's features leave the chart, the query does
not: PanPhon has ʔ, h and ɦ as sonorants, here ʔ is a stop and h and ɦ are fricatives. Clicks, nasal ones too, are one
class; prenasalised stops are stops; nasalised approximants, laterals and taps (w̃, l̃, ɾ̃) are what they are without
nasality. A syllabic ɹ and a rhotic vowel (ə˞) have a vowel's features. Whatever no class holds is in `other`: phones
without features (kept silences and unknown symbols), and tone letters.

References
----------
International Phonetic Association (2020), The International Phonetic Alphabet. Mortensen et al. (2016), PanPhon.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from phonxling.core.arrays import Bools, read_only
from phonxling.core.display import Shown, cells, counted, listed
from phonxling.core.errors import DataError, shown
from phonxling.core.features import FeatureTable
from phonxling.core.inventory import CHART, Inventory
from phonxling.core.queries import DEFAULT_CLASSES, OTHER, RESERVED, Query

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NaturalClasses(Shown):
    """Classes of phones, and which phones belong to each.

    Parameters
    ----------
    phones : tuple of str
        P phones.
    names : tuple of str
        C classes: the default ones, `other`, then the user's.
    default : int
        How many of them are default classes, `other` included; these partition the phones. 0 when the feature table
        lacks the features that they ask for.
    members : bool array [C, P]
        Which phones belong.
    """

    phones: tuple[str, ...]
    names: tuple[str, ...]
    default: int
    members: Bools

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", read_only(self.members, np.bool_))

    def _facts(self) -> Iterator[str]:
        yield counted(len(self.phones), "phone")
        yield f"{counted(len(self.names), 'class', 'classes')}: {listed(self.names, len(self.names))}"

    def to_frame(self, *, wide: bool = False) -> "pd.DataFrame":
        """Return class, phone, belongs: a row for each phone of a class; with `wide`, all, classes down."""
        names = "class", "phone", "belongs"
        return cells(self.members, (self.names, self.phones), names, wide=wide, kept=self.members)

    def of(self, phones: Iterable[str]) -> Bools:
        """Return the members among phones in another order, bool [C, P']; DataError for phones that are not known."""
        listed, known = list(phones), Inventory(self.phones)
        if missing := [phone for phone in listed if phone not in known]:
            remedy = "make them with px.symbols.natural_classes of all phones"
            raise DataError(f"the classes lack phones ({len(missing)}: {shown(' '.join(missing))}); {remedy}")
        return self.members[:, list(map(known.code, listed))]

    @property
    def tell(self) -> bool:
        """Whether any phone is in a default class other than `other`."""
        return bool(self.members[: max(self.default - 1, 0)].any())

    def default_of(self, phone: str) -> str:
        """Return the default class of one of the phones, `other` where there are no default classes."""
        row = self.members[: self.default, Inventory(self.phones).code(phone)]
        return self.names[int(np.argmax(row))] if row.any() else OTHER


def natural_classes(
    phones: Iterable[str], table: FeatureTable, classes: Mapping[str, str] | None = None
) -> NaturalClasses:
    """Return which phones belong to which class.

    Parameters
    ----------
    phones : list of str
        The phones.
    table : FeatureTable
        Their features.
    classes : mapping of str to str, optional
        Further classes: a query (see `Query`) by name. They may overlap, with each other and with the default ones.

    Raises
    ------
    ValueError
        If a query cannot be read, or asks for a feature that the table lacks.
        If a class has the name of a default class.

    Examples
    --------
    >>> from phonxling.load.resources import panphon_features
    >>> classes = natural_classes(["ã", "h", "ʔ", "d͡ʒ"], panphon_features(), {"nasal vowels": "+syl +nas"})
    >>> {name: "".join(np.array(classes.phones)[row]) for name, row in zip(classes.names, classes.members) if row.any()}
    {'vowels': 'ã', 'stops': 'ʔ', 'affricates': 'd͡ʒ', 'fricatives': 'h', 'nasal vowels': 'ã'}
    """
    listed, own = Inventory(tuple(phones)).phones, {name: Query(text) for name, text in (classes or {}).items()}
    for name, query in own.items():
        if name in RESERVED:
            raise ValueError(f"'{name}' is the name of a default class; choose another")
        if missing := [feature for feature in query.features if feature not in table.features]:
            raise ValueError(f"'{name}' asks for {', '.join(missing)}, which the feature table {table.name} lacks")
    defaults = _partition(listed, table)
    rows = [*defaults.values(), *(query.members(listed, table) for query in own.values())]
    return NaturalClasses(
        phones=listed,
        names=(*defaults, *own),
        default=len(defaults),
        members=np.array(rows, dtype=bool).reshape(len(rows), len(listed)),
    )


def _partition(phones: tuple[str, ...], table: FeatureTable) -> dict[str, Bools]:
    """Return the default classes' members, and the rest as `other`; nothing when the table lacks a feature."""
    queries = {name: Query(text) for name, text in DEFAULT_CLASSES.items()}
    if not {feature for query in queries.values() for feature in query.features} <= set(table.features):
        return {}
    members, left = {}, np.ones(len(phones), dtype=bool)
    for name, query in queries.items():
        members[name] = np.array(query.members(phones, table), dtype=bool) & left
        left &= ~members[name]
    return {name: members[name] for name in CHART if name in members} | {OTHER: left}
