"""How many token ids have an embedding in the model, and where this is stated."""

from msgspec import Struct

from trl_doctor.core.finding import Place, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.embeddings import input_rows
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.files.changes import Resize
from trl_doctor.files.document import Document


class RowCount(Struct, frozen=True):
    """A number of rows. `source` is a clause before it: "vocab_size of config.json says"."""

    rows: int
    source: str
    place: Place


class Stated(Struct, frozen=True):
    """The size of a vocabulary in config.json, and the keys that lead to it."""

    route: tuple[str, ...]
    size: int


ROUTES = (("text_config", "vocab_size"), ("vocab_size",))
"""A model that sees images is made of its text_config; some keep another number beside it."""


def stated_vocabulary(config: Document) -> Stated | None:
    """The size that transformers makes the embedding of; None if config.json has none."""
    for route in ROUTES:
        size = config.get(*route)
        if isinstance(size, int):
            return Stated(route, size)
    return None


def row_count(facts: Facts) -> RowCount:
    """The rows of the trained model, after the run resized it; raises `Unavailable`."""
    resized = [change for change in facts.folder.changes if isinstance(change, Resize)]
    if not resized:
        return stored_row_count(facts)
    last = resized[-1]
    if last.why is not None or last.rows is None:
        raise last.why or Unavailable("the size of the resized model is not known")
    if isinstance(last.rows, int):
        return RowCount(last.rows, "resize_token_embeddings gives", last.place)
    rows = facts.at(facts.run.folder_of("tokenizer"))[tokenizer].length
    return RowCount(rows, "resize_token_embeddings gives", last.place)


def stored_row_count(facts: Facts) -> RowCount:
    """The rows of the weights, else of config.json; raises `Unavailable`."""
    table = facts.get(input_rows)
    if table:
        return RowCount(table.rows, f"{table.tensor} in {table.file} has", Place(facts.folder.path))
    config = facts[model_config]
    if stated := stated_vocabulary(config):
        source = f"{'/'.join(stated.route)} of config.json says"
        return RowCount(stated.size, source, Place(config.path, pointer(*stated.route)))
    raise Unavailable("config.json gives no vocab_size, and there are no weights to count rows in")
