"""The two tokenizers of a run that generates with vLLM: the trained one, and the engine's."""

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model_files import generation_config
from trl_doctor.facts.tokenizer import Tokenizer, tokenizer


class Views(Struct, frozen=True):
    """`trained` is the training tokenizer, `loaded` the one in the folder that vLLM loads."""

    trained: Tokenizer
    loaded: Tokenizer
    listed: tuple[int, ...]

    @property
    def engine_stops(self) -> set[int]:
        """The ids at which the engine stops by itself: its tokenizer's eos, and the listed ids."""
        eos = self.loaded.eos
        return {*self.listed, *([eos.id] if eos and eos.id is not None else [])}


def views(facts: Facts) -> Views:
    """Raises `NotConcerned` where the run does not generate with vLLM."""
    concerned(facts)
    listed = facts.get(generation_config)
    ids = listed.get("eos_token_id") if listed else None
    id_list = ids if isinstance(ids, list) else [ids]
    return Views(
        facts.at(facts.run.folder_of("tokenizer"))[tokenizer],
        facts[tokenizer],
        tuple(id for id in id_list if isinstance(id, int)),
    )


def concerned(facts: Facts) -> None:
    """Raises `NotConcerned` where the run does not generate with vLLM."""
    if isinstance(facts.run.file, Unavailable):
        raise facts.run.file
    if not facts.run.flag("use_vllm"):
        raise NotConcerned("the run does not generate with vLLM (use_vllm)")
