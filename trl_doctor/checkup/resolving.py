"""Finds the folder of a model by the name that a run or a script gives it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Closed, Unavailable, Withheld
from trl_doctor.files.folder import Folder
from trl_doctor.files.launch.shell.named import Mounted, on_this_machine


class Resolvers(Struct):
    """One resolver a revision.

    `bases` are the folders that names start at, after the working folder; `mounts` are paths inside
    the run's container. `moved` maps folders to where they are found instead, `withheld` says why
    models are not asked for.
    """

    bases: tuple[Path, ...]
    mounts: Mounted
    moved: Mapping[Path, Path]
    withheld: Mapping[str, str]
    offline: bool
    known: dict[str | None, Resolver] = field(default_factory=dict)

    def of(self, revision: Json) -> Resolver:
        """The resolver of names without a revision of their own."""
        key = revision if isinstance(revision, str) else None
        return self.known.setdefault(key, Resolver(self, key))

    def folder(self, name: str, revision: str | None) -> Folder | Unavailable:
        """The folder of a name in code."""
        return self.of(revision).folder(name)


GRANT = "permission denied; `chmod -R u+rX` by its owner, or another user, can open it"
"""What to do about a folder that is closed to this user."""


class Resolver(Struct):
    """Finds folders; each name is looked for once."""

    shared: Resolvers
    revision: str | None
    known: dict[str, Folder | Unavailable] = field(default_factory=dict)

    def folder(self, name: str) -> Folder | Unavailable:
        """The folder of a name in a run file: one object a folder, so that files are read once."""
        if name not in self.known:
            self.known[name] = self._search(name)
        return self.known[name]

    def _places(self, name: str) -> Iterator[Path]:
        # TRL takes a relative path from the working folder; a checkout is also checked from above
        if inside := on_this_machine(name, self.shared.mounts):
            yield inside
        yield from (root / Path(name).expanduser() for root in (Path.cwd(), *self.shared.bases))

    def _search(self, name: str) -> Folder | Unavailable:
        try:
            for path in self._places(name):
                if path.is_dir():
                    if not os.access(path, os.X_OK):
                        return Closed(f"the folder {name:.200} may not be read: {GRANT}")
                    path = Path(os.path.realpath(path)) if ".." in path.parts else path
                    return Folder(self.shared.moved.get(path, path), name)
        except (OSError, RuntimeError) as error:
            why = (isinstance(error, OSError) and error.strerror) or error
            return Unavailable(f"the folder {name:.200} cannot be reached: {why}")
        from trl_doctor.files import hub

        if not hub.looks_like_hub_id(name):
            return Unavailable(f"there is no folder {name:.200}")
        if name in self.shared.withheld:
            return Withheld(self.shared.withheld[name])
        identity = hub.parse(name)
        if self.revision is not None and identity.revision is None:
            identity = replace(identity, revision=self.revision)
        try:
            snapshot = hub.resolve(identity, offline=self.shared.offline)
        except Unavailable as reason:
            if isinstance(reason, Withheld) or name in str(reason):
                return reason
            return Unavailable(f"there is no folder {name:.200}, and {reason}")
        if snapshot.lacks_more_than_weights:
            return Unavailable(f"{name}: {snapshot.note}")
        path = self.shared.moved.get(snapshot.path, snapshot.path)
        return Folder(path, snapshot.label, bool(snapshot.lacks))
