"""How a probe answers that its question does not apply to this candidate."""


class Refused(Exception):
    """The question cannot be asked; the message is the reason, as a clause."""
