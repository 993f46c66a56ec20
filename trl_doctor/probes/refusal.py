"""How a probe says that its question cannot be asked of this candidate."""


class Refused(Exception):
    """The question cannot be asked; the message is the reason, as a clause."""
