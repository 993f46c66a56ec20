"""Where a turn ends in the chat template, and at which tokens generation stops."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct
from packaging.version import Version

from trl_doctor.asking.rendering import shared
from trl_doctor.core.finding import Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.trainer import ONLINE, TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.chat_template import turn_end
from trl_doctor.facts.chat_template.chat import Template, TurnEnd, chat_of
from trl_doctor.facts.model.files import GENERATION, model_config
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import TOKENIZER, generation_stop_ids, tokenizer_facts
from trl_doctor.facts.tokenizer import Unloadable, tokenizer

Data: TypeAlias = Literal["conversations", "text", "open"]

READS_LIST = {"grpo": "1.14.2", "rloo": "1.14.2", "online_dpo": "1.15.0", "xpo": "", "nash_md": ""}
"""The first trl whose trainer also uses the eos list of generation_config.json; "" never.

Before that it uses only the eos of the tokenizer.
"""

CAUSES = (
    "chat-template-turn-end-is-not-eos",
    "eos-list-unknown-to-trainer",
    "ppo-never-stops-at-eos",
    "eos-differs-between-files",
)
"""The rules that find in the files why generation does not stop."""

CHAT_NAME = re.compile(r"(?i)(?:^|[-_/.])(?:instruct|chat|it|sft|assistant)(?:$|[-_/.])")
SCORES = frozenset({"reward", "prm"})


class Ends(Struct, frozen=True):
    """`turn` ends a turn; `eos`, `eos_id` are the tokenizer's; `listed` are ids of `generate`."""

    turn: TurnEnd
    eos: str | None
    eos_id: int | None
    listed: tuple[int, ...]

    @property
    def stops(self) -> tuple[int, ...]:
        """The ids at which generation stops by any of the files."""
        eos = () if self.eos_id is None else (self.eos_id,)
        return tuple(dict.fromkeys((*eos, *self.listed)))

    @property
    def turn_stops(self) -> bool:
        """Whether generation stops where a turn ends, by any of the files.

        Raises `Unavailable` if the turn end's id is not known and can be among the ids.
        """
        if self.turn.id is None and self.turn.token != self.eos and len(self.listed) > 1:
            raise Unavailable(f"the id of {self.turn.token} is in none of the files that are here")
        return self.turn.token == self.eos or self.turn.id in self.stops


def ends(facts: Facts) -> Ends:
    """How turns end and generation stops in this run. Raises `Unavailable`."""
    turn, eos, id = _turn(facts)
    argument = facts.run.arguments.get("eos_token")
    if isinstance(argument, str):
        model_tokenizer = tokenizer_facts(facts).get(tokenizer)
        eos, id = argument, model_tokenizer.id(argument) if model_tokenizer else None
    return Ends(turn, eos, id, generation_stop_ids(facts))


def turn(facts: Facts) -> TurnEnd:
    """How a turn ends in this run. Raises `Unavailable`."""
    return _turn(facts)[0]


def _turn(facts: Facts) -> tuple[TurnEnd, str | None, int | None]:
    concerned(facts)
    view = tokenizer_facts(facts)
    try:
        end, eos = view[turn_end], view[tokenizer].eos
    except Unloadable:
        return _by_files(view)
    return end, *((eos.content, eos.id) if eos else (None, None))


def concerned(facts: Facts) -> None:
    """Raises `NotConcerned` if the run's model does not end turns at all."""
    name = known_trainer(facts)
    if name in SCORES:
        raise NotConcerned(f"{TRAINERS[str(name)].trainer} trains a model that generates no turns")
    config = facts.get(model_config)
    if config is None:
        return
    kinds = config.get("architectures")
    writers = ("CausalLM", "LMHead", "ConditionalGeneration")
    other = isinstance(kinds, list) and kinds and not any(w in str(kinds) for w in writers)
    if other or config.get("is_encoder_decoder") is True:
        raise NotConcerned("the model does not generate text")


def named_for_chat(facts: Facts) -> bool:
    """Whether the name of the run's model says that it was trained to chat."""
    policy = facts.run.models.get("policy")
    return policy is not None and CHAT_NAME.search(policy.name) is not None


def data_kind(facts: Facts) -> Data:
    """The kind of the rows; "open" if it is not known."""
    kind = facts.get(dataset.kind)
    return "open" if kind is None else "conversations" if kind.conversational else "text"


def generates(facts: Facts) -> bool:
    """Whether the run's trainer generates with the model while it trains."""
    return known_trainer(facts) in ONLINE


def reads_list(facts: Facts) -> bool:
    """Whether the run's trainer also uses the eos list of generation_config.json.

    Without a known version of trl, the newest release is assumed.
    """
    since, trl = READS_LIST.get(known_trainer(facts) or "", "0"), trl_of(facts)
    return since != "" and (trl is None or trl >= Version(since))


def shown_ids(facts: Facts, ids: tuple[int, ...]) -> str:
    """Ids with their tokens, for messages: `<|endoftext|> (296)`."""
    tokens = facts.get(trained_tokens) or {}
    return ", ".join(f"{tokens[id]} ({id})" if id in tokens else str(id) for id in ids) or "none"


def trained_tokens(facts: Facts) -> dict[int, str]:
    """The contents of the special and added tokens of the training tokenizer, by id."""
    model_tokenizer = tokenizer_facts(facts)[tokenizer]
    roles = {
        special.id: special.content
        for special in model_tokenizer.roles.values()
        if special.id is not None
    }
    return {**added_tokens(facts), **roles}


def added_tokens(facts: Facts) -> dict[int, str]:
    """The contents of the added tokens of the training tokenizer, by id: no words of a text."""
    model_tokenizer = tokenizer_facts(facts)[tokenizer]
    known = not isinstance(model_tokenizer.vocabulary_or_reason, Unavailable)
    added = model_tokenizer.added if known else model_tokenizer.claimed
    return {id: token.content for id, token in added.items()}


def end_evidence(facts: Facts, run_ends: Ends) -> tuple[str, ...]:
    """How the template and the files end a turn, for a finding's evidence."""
    tail = excerpt(run_ends.turn.tail)
    source = GENERATION if facts.folder.has(GENERATION) else "config.json"
    return (
        f"after an answer the template writes {tail!r}",
        f"eos_token of the tokenizer: {run_ends.eos or 'none'}",
        *(
            [f"eos_token_id of {source}: {shown_ids(facts, run_ends.listed)}"]
            if run_ends.listed
            else ()
        ),
    )


def _by_files(view: Facts) -> tuple[TurnEnd, str | None, int | None]:
    """The same from tokenizer_config.json alone, where only the folder's own code loads it."""
    options = view.folder.document(TOKENIZER).mapping()
    text = options.get("chat_template")
    if not isinstance(text, str):
        view[turn_end]
        raise Unavailable("the tokenizer has no chat template")
    roles = {key: _content(value) for key, value in options.items() if key.endswith("_token")}
    decoder = options.get("added_tokens_decoder")
    added = decoder.items() if isinstance(decoder, dict) else ()
    ids = {_content(token): int(id) for id, token in added if id.isdigit()}
    present = {role: token for role, token in roles.items() if token}
    tokens = {**{token: ids.get(token) for token in present.values()}, **ids}
    eos = present.get("eos_token")
    turn = chat_of(Template(text, dict(present), tokens), shared()).turn_end
    return turn, eos, ids.get(eos or "")


def _content(value: Json) -> str:
    content = value.get("content") if isinstance(value, dict) else value
    return content if isinstance(content, str) else ""
