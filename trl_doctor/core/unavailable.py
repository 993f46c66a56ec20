"""Why something cannot be known, as an exception whose message is the reason."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

MOST = 3
"""The number of reasons that one message gives."""


class Unavailable(Exception):
    """A fact cannot be known; the message is the reason, as a clause: "there is no config.json"."""


class Undecided(Unavailable):
    """The value depends on the user's own code at run time; the message names the place."""


class Withheld(Unavailable):
    """The Hub answered that it does not give it: it is not there, or not for this user."""


class Closed(Unavailable):
    """It is there, and this user may not read it: another one may."""


class NotConcerned(Unavailable):
    """The rule applies to another kind of run; the message names it."""


COMMAND_LINE = "the command line may set it: give it after --"
"""Why an argument of a script is open whose command line was not given."""

OF_A_KEY = " is set is not known: "
"""Stands between a key and the reason why it is open whether the key is set."""


def without_key(reason: str) -> str:
    """The reason alone, where the same one is given for many keys."""
    return reason.rpartition(OF_A_KEY)[2]


def several(reasons: Sequence[str]) -> Unavailable:
    """One exception for several reasons; it gives each once, and the first three in words."""
    different = list(dict.fromkeys(reasons))
    return Unavailable("; ".join(different[:MOST]) + ("; …" if len(different) > MOST else ""))


class Reasons:
    """Collects why parts cannot be known, while the other parts are examined."""

    def __init__(self) -> None:
        self.texts = list[str]()

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the reason of a part that cannot be known."""
        try:
            yield
        except Unavailable as reason:
            self.texts.append(str(reason))

    def raise_any(self) -> None:
        """Raises `Unavailable` with the reasons, if there are any."""
        if self.texts:
            raise several(self.texts)
