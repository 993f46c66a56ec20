"""What the real transformers makes of the run's files: tokenizer, checkpoints and adapter."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.chat_template.conversation import RENDERINGS
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.run import Role
from trl_doctor.probes.answers.load import (
    LoadAnswer,
    LoadedAdapter,
    LoadedCheckpoint,
    LoadedTokenizer,
    LoadError,
    Part,
)

T = TypeVar("T")
COMPARED = ("conversation", "prompt")
"""The renderings of `chat_template.conversation` that the probe renders too."""


def load(facts: Facts) -> Answer[LoadAnswer]:
    """What the probe answers; one question a run, whichever folder is looked at."""
    asked = question(
        facts, "load", "loading the files", LoadAnswer, chat=_chat(facts), hub=_hub(facts)
    )
    return facts.probes.ask(asked)


def tokenizer_part(facts: Facts) -> Part[LoadedTokenizer]:
    """The training tokenizer as `AutoTokenizer` loads it, or what that raised.

    Raises `Unavailable` where it could not be asked.
    """
    return _asked(facts[load].measured().tokenizer, "loading the tokenizer")


def loaded_tokenizer(facts: Facts) -> LoadedTokenizer:
    """The training tokenizer. Raises `Unavailable`, also where it does not load."""
    return _measured(facts[tokenizer_part], "loading the tokenizer")


def loaded_model(facts: Facts, role: Role) -> LoadedCheckpoint:
    """The checkpoint of a role as `from_pretrained` loads it, without values.

    Raises `Unavailable`, also where nothing can be loaded.
    """
    found = facts[load].measured().models.get(role)
    if found is None:
        raise Unavailable(f"the run names no {role} model")
    return _measured(found, f"loading the {role}")


def adapter(facts: Facts) -> LoadedAdapter:
    """What peft makes of the run's LoRA settings on the policy. Raises `Unavailable`."""
    return _measured(facts[load].measured().adapter, "adapting the model")


def _asked(part: Part[T], label: str) -> Part[T]:
    if part.refused:
        raise Unavailable(f"{label}: {part.refused}")
    return part


def _measured(part: Part[T], label: str) -> T:
    """What was measured; raises `Unavailable` with the reason where nothing was."""
    found = _asked(part, label).measured
    if found is None:
        raise Unavailable(f"{label}: {error_line(part.raised)}")
    return found


def error_line(raised: LoadError | None) -> str:
    """What a part raised, in one line."""
    if raised is None:
        return "nothing was measured"
    text = " ".join(raised.message.split())
    return f"{raised.type}: {text:.300}" if text else raised.type


def _chat(facts: Facts) -> dict[str, Json]:
    """The conversations that we render too, where the tokenizer's own tokens are used."""
    known = facts.at(facts.run.folder_of("tokenizer")).get(chat)
    if known is None or isinstance(facts.run.arguments.get("eos_token"), str):
        return {}
    variables = facts.run.arguments.get("chat_template_kwargs")
    shape = known.renderings.shape
    return {
        name: {
            "messages": [dict(one) for one in shape.messages(RENDERINGS[name][0])],
            "prompt": RENDERINGS[name][1],
            "variables": variables if isinstance(variables, dict) else {},
        }
        for name in COMPARED
    }


def _hub(facts: Facts) -> dict[str, Json]:
    """The Hub ids by the folders in which their files are: transformers looks at the name."""
    return {
        str(model.folder.path.absolute()): model.name.partition("@")[0]
        for model in facts.run.models.values()
        if not isinstance(model.folder, Unavailable) and not Path(model.name).is_dir()
        and "/" in model.name and not any((one / model.name).is_dir() for one in facts.run.roots)
    }  # fmt: skip
