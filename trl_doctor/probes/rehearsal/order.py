"""What the doctor asks of a rehearsal: read by every process of the user's command."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

VARIABLE = "TRL_DOCTOR_REHEARSAL"
"""Names the file with the order; where it is not set, nothing is done."""


@dataclasses.dataclass
class Order:
    """`scratch` is the only folder that is written to, but for `records`, where processes tell
    what happened; `folder` in it replaces the user's `own`, and `root` above it what is around
    that. `begun` is a time.

    `stand_ins` are folders by the name of a model or data set, `fetched` those of a model's own
    small files; `columns` those of data sets that
    are not here. `processes` are started; `asked` is how many the job has (0: the launcher says
    it). `caches` may be written to as well: the libraries were imported with them. After
    `seconds` every process writes down where it is. A `wide` rehearsal keeps the run's own sizes
    of batches, groups and completions, as far as they are moderate.
    """

    scratch: Path
    records: Path
    root: Path
    folder: Path
    own: Path
    begun: float
    seconds: float = 240.0
    steps: int = 2
    rows: int = 64
    wide: bool = False
    columns: tuple[str, ...] = ()
    stand_ins: dict[str, str] = dataclasses.field(default_factory=dict)
    fetched: dict[str, str] = dataclasses.field(default_factory=dict)
    trusted: bool = False
    processes: int = 0
    asked: int = 0
    disk: int = 16 * 1024**3
    caches: tuple[Path, ...] = ()

    @property
    def models(self) -> Path:
        """Where small models are kept."""
        return self.scratch / "models"

    def is_small(self, folder: str) -> bool:
        """Whether a folder is in that of the small models."""
        return self.models in Path(folder).parents

    def users(self, path: Path) -> Path:
        """The user's own file or folder where a path means its copy."""
        if not path.is_relative_to(self.root):
            return path
        depth = len(self.folder.relative_to(self.root).parts)
        return (self.own, *self.own.parents)[depth] / path.relative_to(self.root)

    def become(self, other: Order) -> None:
        """Hold what another order holds: objects that were made for no rehearsal yet follow it."""
        vars(self).update(vars(other))

    def written(self, file: Path) -> None:
        """Write it down for the processes to come."""
        fields = {key: _plain(value) for key, value in dataclasses.asdict(self).items()}
        file.write_text(json.dumps(fields), "utf-8")


def read_order() -> Order | None:
    """The order of this process; None if it is in no rehearsal."""
    name = os.environ.get(VARIABLE)
    return of_file(Path(name)) if name else None


def of_file(file: Path) -> Order:
    """An order as it was written."""
    fields = json.loads(file.read_text("utf-8"))
    paths: dict[str, Any] = {
        name: Path(fields.pop(name)) for name in ("scratch", "records", "root", "folder", "own")
    }
    lists = {"columns": tuple(fields["columns"]), "caches": tuple(map(Path, fields["caches"]))}
    return Order(**paths, **{**fields, **lists})


def none_yet() -> Order:
    """The order of a process that imports the libraries before a rehearsal is asked for."""
    nowhere = Path("/nonexistent")
    return Order(nowhere, nowhere, nowhere, nowhere, nowhere, 0.0)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else value
