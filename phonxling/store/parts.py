"""What is made of the stored tables, part by part: a part that an earlier run made of the same is left as it is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.store.content import content_digest
from phonxling.store.folder import outputs
from phonxling.store.records import Records
from phonxling.store.versions import versions


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of the results of one run.

    Parameters
    ----------
    records : Records
        Where it is kept what was made of what.
    tables : mapping of str to str
        The sha256 of each table of the results, by its path below their folder.
    reused, named : filled here
        The parts that were left as they are, and the sha256 of each file of all parts.
    """

    records: Records
    tables: Mapping[str, str]
    reused: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)

    def there(self, part: str, settings: object, tables: Iterable[str] | None = None) -> list[Path] | None:
        """Return the files of a part when they are as they would be made now; else None.

        It depends on settings and on the tables of some names, all by default; those that are not there as well.
        """
        found = self.records.read(part, self._key(settings, tables))
        if found is None:
            return None
        self.reused.append(part)
        self.named.update(found.files)
        return [self.records.results / name for name in found.files]

    def done(self, part: str, settings: object, files: Iterable[Path], tables: Iterable[str] | None = None) -> None:
        """Keep what a part was made of, and what it is."""
        made = outputs(self.records.results, files)
        self.named.update(made)
        self.records.write(part, self._key(settings, tables), made)

    def _key(self, settings: object, tables: Iterable[str] | None) -> str:
        chosen = sorted(self.tables) if tables is None else list(tables)
        return content_digest((versions(), settings, [(name, self.tables.get(name)) for name in chosen]))
