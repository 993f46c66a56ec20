"""The two tokenizers of a run that generates with vLLM: the trained one, and the engine's."""

from collections.abc import Collection

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import generation_config
from trl_doctor.facts.tokenizer import Tokenizer, tokenizer

BY_IDS = Version("1.0.0")
"""From this trl on GRPO and others tokenize prompts themselves; before, the engine did."""

BY_TEXT = ("online_dpo",)
"""Trainers whose prompts the engine still tokenizes."""

MATCHED = ("stop", "bad_words")
"""What the engine finds by its own tokenizer, of a run's generation_kwargs."""


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
    """Raises `NotConcerned` if the run does not generate with vLLM."""
    concerned(facts)
    listed = facts.get(generation_config)
    ids = listed.get("eos_token_id") if listed else None
    id_list = ids if isinstance(ids, list) else [ids]
    return Views(
        facts.at(facts.run.folder_of("tokenizer"))[tokenizer],
        facts[tokenizer],
        tuple(id for id in id_list if isinstance(id, int)),
    )


def unread(facts: Facts, tokens: Collection[str]) -> str:
    """Why the engine need not know tokens that only the training tokenizer has; else empty."""
    trl, trainer = facts.environment.version("trl"), facts.run.trainer
    if trl is None or trl < BY_IDS or isinstance(trainer, Unavailable) or trainer.name in BY_TEXT:
        return ""
    kwargs = facts.run.arguments.get("generation_kwargs")
    texts = [kwargs.get(key) for key in MATCHED] if isinstance(kwargs, dict) else [kwargs]
    if any(token in str(text) for token in tokens for text in texts):
        return ""
    return f"trl {trl} passes token ids to vLLM, and no stop string has these tokens"


def concerned(facts: Facts) -> None:
    """Raises `NotConcerned` if the run does not generate with vLLM."""
    if isinstance(facts.run.file, Unavailable):
        raise facts.run.file
    if not facts.run.flag("use_vllm"):
        raise NotConcerned("the run does not generate with vLLM (use_vllm)")
