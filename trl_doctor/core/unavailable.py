"""Why something cannot be known, as an exception whose message is the reason."""


class Unavailable(Exception):
    """A fact cannot be known; the message is the reason, as a clause: "there is no config.json"."""


class Undecided(Unavailable):
    """Only the user's own code decides it, when it runs; the message says where."""


class Withheld(Unavailable):
    """The Hub answered that it does not give it: it is not there, or not for this user."""


class NotConcerned(Unavailable):
    """The rule speaks of another kind of run; the message says of which."""
