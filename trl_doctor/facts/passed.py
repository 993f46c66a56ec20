"""The values that a script passes to the trainer's class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.values import Deed, Plain, Unknown, Value

Handed: TypeAlias = Literal["set", "unknown", "unset"]


class Method(Struct, frozen=True, eq=False):
    """A method that a class of the script defines, and its place."""

    function: Function
    place: Place


class Call(Struct, frozen=True, eq=False):
    """A call of a function or a class of a library that the script surely makes.

    `of` is its full name, `count` the number of values without names. `keywords` are the places of
    those with names, `open` says that there can be others.
    """

    of: str
    count: int
    keywords: Mapping[str, Place]
    open: bool
    place: Place


class RowLoad(Struct, frozen=True):
    """A call of `load_dataset` that the script surely makes, with texts that are written there.

    `path` is its first value and `name` its second, that of a configuration. `files` are those of
    `data_files` by the name of the split that they become. `split` is the split that is asked for.
    "" stands for what is not given or not known; `closed` says that nothing else is given.
    """

    path: str
    name: str
    files: Mapping[str, tuple[str, ...]]
    split: str
    place: Place
    split_place: Place
    closed: bool


class Refused(Struct, frozen=True):
    """What the run's own parser refuses: the option, a clause about the parser, and the place.

    `near` is the option that is most like one that it does not know; "" for none.
    """

    flag: str
    clause: str
    place: Place
    near: str = ""


class Passed(Struct, frozen=True, eq=False):
    """The values by the names of the constructor's arguments, and the place of each.

    `rest` is the reason why there can be other values; empty if there are none. `deeds` are what
    the script does to the trainer after that; `variables` are those of the environment that it
    sets. `methods` are those of a class of the script that derives from the trainer's; `derived`
    says that there is such a class.
    """

    values: Mapping[str, Value]
    places: Mapping[str, Place]
    rest: str = ""
    deeds: Sequence[Deed] = ()
    variables: frozenset[str] = frozenset()
    methods: Mapping[str, Method] = {}
    derived: bool = False

    def given(self, name: str) -> Value | None:
        """A value that is not None; raises `Unavailable` if that is not known."""
        value = self.values.get(name)
        if value is None and self.rest:
            raise Unavailable(f"whether {name} is given is not known: {self.rest}")
        if isinstance(value, Unknown):
            raise Unavailable(f"{name} is not known: {value.why}")
        return None if isinstance(value, Plain) and value.value is None else value

    def has(self, name: str) -> bool:
        """Whether a value is passed under this name, whatever it is."""
        value = self.values.get(name)
        if value is None and self.rest:
            raise Unavailable(f"whether {name} is given is not known: {self.rest}")
        return not (value is None or (isinstance(value, Plain) and value.value is None))

    def empty(self, name: str) -> bool:
        """Whether the script passes a name or a call, which gives None as far as it was read."""
        value = self.values.get(name)
        return isinstance(value, Plain) and value.value is None and not value.literal

    def only_bare(self, method: str) -> bool:
        """Whether the script calls this method of the trainer, and never with an argument."""
        calls = [deed for deed in self.deeds if deed.name == method]
        return bool(calls) and not any(
            call.arguments or call.keywords or call.rest for call in calls
        )

    def firsts(self, method: str, name: str) -> Iterator[tuple[Value, bool]]:
        """The first argument of each call of this method of the trainer, called `name`.

        With each: whether the call is perhaps not made.
        """
        for call in self.deeds:
            keyword = call.keywords.get(name)
            value = keyword.value if keyword else next(iter(call.arguments), None)
            if call.name == method and value is not None:
                yield value, bool(call.guards)

    def hands(self, method: str, name: str) -> Handed:
        """Whether the script calls this method of the trainer with this argument.

        "set" to a value that counts as true, "unknown", or "unset": also where the method is
        perhaps not called.
        """
        arguments = [
            deed.keywords[name].value
            for deed in self.deeds
            if deed.name == method and name in deed.keywords and not deed.guards
        ]
        if any(isinstance(value, Plain) and value.value for value in arguments):
            return "set"
        return "unknown" if any(not isinstance(value, Plain) for value in arguments) else "unset"
