"""What the code of a run shows: what it passes to its trainer, uses, calls, and never reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from trl_doctor.core.finding import Json, Place

if TYPE_CHECKING:
    from trl_doctor.facts.functions.signatures import Signature
    from trl_doctor.facts.passed import Call, Passed, Refused, RowLoad
    from trl_doctor.files.source.values import Value


class Mention(Struct, frozen=True):
    """A name that the run's own code uses, and its place."""

    name: str
    place: Place


class Unread(Struct, frozen=True):
    """A setting of the run's own code that nothing in it reads.

    `stated` says that a command line, its file or a call gives it its value, `derived` that it is
    of a class that derives from one of a library: the library reads the names that it knows.
    """

    name: str
    value: Json
    place: Place
    stated: bool
    derived: bool = False


class RunScript(Struct, frozen=True):
    """What the code of a run shows beside the arguments of its config; of a run file nothing.

    `passed` are the values that it passes to the trainer's class, None if the run is no code;
    `keywords` are those arguments that this class surely gets by name, and `parsed_beside` those
    that the code passes to a class which TRL's scripts parse besides the config.
    """

    passed: Passed | None = None
    keywords: tuple[Mention, ...] = ()
    parsed_beside: tuple[tuple[str, Mention], ...] = ()

    asks_adapter: Place | None = None
    """Where the values that its parser fills TRL's ModelConfig with ask for an adapter."""

    reward_functions: tuple[Signature, ...] = ()
    """Those whose source is available."""

    row_files: tuple[Mention, ...] = ()
    """The files and folders that it surely loads rows from."""

    row_loads: tuple[RowLoad, ...] = ()
    """Its calls of `load_dataset`."""

    trl_names: tuple[Mention, ...] = ()
    library_names: tuple[Mention, ...] = ()
    """The names that it uses of trl, and of the libraries around it."""

    library_calls: tuple[Call, ...] = ()
    """What it surely calls of all of these."""

    refused_options: tuple[Refused, ...] = ()
    """What its own parser refuses in its command line."""

    unread_settings: tuple[Unread, ...] = ()
    """Its own settings that nothing in it reads."""

    unused_parts: tuple[Mention, ...] = ()
    """What it makes for the training, and never names again."""

    unreadable_parts: tuple[Mention, ...] = ()
    """Parts that are no Python, by the error of each."""

    lacking: tuple[tuple[str, Mention], ...] = ()
    """The names that it imports from modules of its own, by the module, which has no such name."""

    replaced_by: str = ""
    """The package that replaces TRL's classes with its own."""

    def value(self, name: str) -> Value | None:
        """The value that is passed to the trainer's class under a name; None if none is known."""
        return self.passed.values.get(name) if self.passed else None

    def passes(self, name: str) -> bool:
        """Whether the trainer's class surely gets an argument of this name."""
        return any(keyword.name == name for keyword in self.keywords)
