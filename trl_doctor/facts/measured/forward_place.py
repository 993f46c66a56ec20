"""What the rules about the model's forward share: their place, and answers for examples."""

from trl_doctor.core.finding import Place, pointer
from trl_doctor.facts import Facts
from trl_doctor.facts.model_files import CONFIG


def place(facts: Facts) -> Place:
    """Where config.json says which class the model is."""
    return Place(facts.folder.file(CONFIG), pointer("architectures"))
