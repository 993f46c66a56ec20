"""How many token ids the model has an embedding for, and where that stands."""

from dataclasses import dataclass

from trl_doctor.core.finding import Place, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.embeddings import input_rows
from trl_doctor.facts.model_files import model_config
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.files.changes import Resize


@dataclass(frozen=True)
class Counted:
    """`said` is a clause that the number of rows completes: "vocab_size of config.json says"."""

    rows: int
    said: str
    place: Place


def counted(facts: Facts) -> Counted:
    """Those of the model that is trained, resized as the run does it; raises `Unavailable`."""
    resized = [one for one in facts.folder.changes if isinstance(one, Resize)]
    if not resized:
        return stored(facts)
    last = resized[-1]
    if last.why is not None or last.rows is None:
        raise last.why or Unavailable("the size of the resized model is not known")
    if isinstance(last.rows, int):
        return Counted(last.rows, "resize_token_embeddings gives", last.place)
    rows = facts.at(facts.run.folder_of("tokenizer"))[tokenizer].length
    return Counted(rows, "resize_token_embeddings gives", last.place)


def stored(facts: Facts) -> Counted:
    """From the weights where they show it, else from config.json; raises `Unavailable`."""
    found = facts.get(input_rows)
    if found:
        return Counted(found.rows, f"{found.tensor} in {found.file} has", Place(facts.folder.path))
    config = facts[model_config]
    for route in (("vocab_size",), ("text_config", "vocab_size")):
        size = config.get(*route)
        if isinstance(size, int):
            said = f"{'/'.join(route)} of config.json says"
            return Counted(size, said, Place(config.path, pointer(*route)))
    raise Unavailable("config.json gives no vocab_size, and there are no weights to count rows in")
