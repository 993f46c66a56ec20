"""Where a turn ends by the chat template, and at which tokens generation ends by the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from packaging.version import Version

from trl_doctor.asking.rendering import shared
from trl_doctor.core.finding import Json
from trl_doctor.core.trainer import ONLINE, TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.chat_template import turn_end
from trl_doctor.facts.chat_template.chat import Template, TurnEnd, chat_of
from trl_doctor.facts.model_files import GENERATION, model_config
from trl_doctor.facts.special_tokens import TOKENIZER, known_trainer, listed, trained, trl_of
from trl_doctor.facts.tokenizer import Unloadable, tokenizer

Data: TypeAlias = Literal["conversations", "text", "open"]

READS_LIST = {"grpo": "1.14.2", "rloo": "1.14.2", "online_dpo": "1.15.0", "xpo": "", "nash_md": ""}
"""The first trl whose trainer ends completions at generation_config.json's eos list too; "" never.

Before that it knows the eos of the tokenizer only.
"""

CAUSES = (
    "chat-template-turn-end-is-not-eos",
    "eos-list-unknown-to-trainer",
    "ppo-never-stops-at-eos",
    "eos-differs-between-files",
)
"""The rules that find in the files why generation does not end."""

SCORES = frozenset({"reward", "prm"})


@dataclass(frozen=True)
class Ends:
    """`turn` ends a turn; `eos` and `eos_id` are the tokenizer's; `listed` ends `generate`."""

    turn: TurnEnd
    eos: str | None
    eos_id: int | None
    listed: tuple[int, ...]

    @property
    def stops(self) -> tuple[int, ...]:
        """The ids at which generation ends by any of the files."""
        own = () if self.eos_id is None else (self.eos_id,)
        return tuple(dict.fromkeys((*own, *self.listed)))

    @property
    def turn_stops(self) -> bool:
        """Whether generation ends where a turn does, by any of the files.

        Raises `Unavailable` where the turn end's id is not known and might be among the ids.
        """
        if self.turn.id is None and self.turn.token != self.eos and len(self.listed) > 1:
            raise Unavailable(f"the id of {self.turn.token} is in none of the files that are here")
        return self.turn.token == self.eos or self.turn.id in self.stops


def ends(facts: Facts) -> Ends:
    """How turns and generation end in this run. Raises `Unavailable`."""
    turn, eos, id = _turn(facts)
    said = facts.run.arguments.get("eos_token")
    if isinstance(said, str):
        known = trained(facts).get(tokenizer)
        eos, id = said, known.id(said) if known else None
    return Ends(turn, eos, id, listed(facts))


def turn(facts: Facts) -> TurnEnd:
    """How a turn ends in this run. Raises `Unavailable`."""
    return _turn(facts)[0]


def _turn(facts: Facts) -> tuple[TurnEnd, str | None, int | None]:
    concerned(facts)
    seen = trained(facts)
    try:
        found, eos = seen[turn_end], seen[tokenizer].eos
    except Unloadable:
        return _by_files(seen)
    return found, *((eos.content, eos.id) if eos else (None, None))


def concerned(facts: Facts) -> None:
    """Raises `NotConcerned` where the run's model ends no turn at all."""
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


def data(facts: Facts) -> Data:
    """What the rows are; "open" where nobody says."""
    kind = facts.get(dataset.kind)
    return "open" if kind is None else "conversations" if kind.conversational else "text"


def generates(facts: Facts) -> bool:
    """Whether the run's trainer lets the model write while it trains."""
    return known_trainer(facts) in ONLINE


def reads_list(facts: Facts) -> bool:
    """Whether the run's trainer ends completions at generation_config.json's eos list too.

    The newest release answers where trl's version is not known.
    """
    since, trl = READS_LIST.get(known_trainer(facts) or "", "0"), trl_of(facts)
    return since != "" and (trl is None or trl >= Version(since))


def shown(facts: Facts, ids: tuple[int, ...]) -> str:
    """Ids with their tokens, as a reader looks for them: `<|endoftext|> (296)`."""
    known = facts.get(trained_tokens) or {}
    return ", ".join(f"{known[id]} ({id})" if id in known else str(id) for id in ids) or "none"


def trained_tokens(facts: Facts) -> dict[int, str]:
    """The contents of the special and added tokens of the training tokenizer, by id."""
    known = trained(facts)[tokenizer]
    added = {id: token.content for id, token in known.claimed.items()}
    if not isinstance(known.vocabulary_or_reason, Unavailable):
        added = {id: token.content for id, token in known.added.items()}
    roles = {one.id: one.content for one in known.roles.values() if one.id is not None}
    return {**added, **roles}


def sources(facts: Facts, found: Ends) -> tuple[str, ...]:
    """What template and files say about the end, for a finding's evidence."""
    tail = found.turn.tail if len(found.turn.tail) <= 60 else f"{found.turn.tail[:60]}…"
    source = GENERATION if facts.folder.has(GENERATION) else "config.json"
    return (
        f"after an answer the template writes {tail!r}",
        f"eos_token of the tokenizer: {found.eos or 'none'}",
        *([f"eos_token_id of {source}: {shown(facts, found.listed)}"] if found.listed else ()),
    )


def _by_files(seen: Facts) -> tuple[TurnEnd, str | None, int | None]:
    """The same by tokenizer_config.json alone, where only the folder's own code loads it."""
    options = seen.folder.document(TOKENIZER).mapping()
    text = options.get("chat_template")
    if not isinstance(text, str):
        seen[turn_end]
        raise Unavailable("the tokenizer has no chat template")
    roles = {key: _content(value) for key, value in options.items() if key.endswith("_token")}
    decoder = options.get("added_tokens_decoder")
    added = decoder.items() if isinstance(decoder, dict) else ()
    ids = {_content(token): int(id) for id, token in added if id.isdigit()}
    named = {role: token for role, token in roles.items() if token}
    tokens = {**{token: ids.get(token) for token in named.values()}, **ids}
    eos = named.get("eos_token")
    turn = chat_of(Template(text, dict(named), tokens), shared()).turn_end
    return turn, eos, ids.get(eos or "")


def _content(value: Json) -> str:
    found = value.get("content") if isinstance(value, dict) else value
    return found if isinstance(found, str) else ""
