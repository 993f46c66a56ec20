"""Shared by the rules about the model's forward: the place of their findings."""

from trl_doctor.core.finding import Place, pointer
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import CONFIG


def place(facts: Facts) -> Place:
    """The place where config.json names the model's class."""
    return Place(facts.folder.file(CONFIG), pointer("architectures"))
