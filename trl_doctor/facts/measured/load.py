"""What the real transformers makes of the run's files: tokenizer, checkpoints and adapter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.chat_template.conversation import RENDERINGS
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.run import Role

COMPARED = ("conversation", "prompt")
"""The renderings of `chat_template.conversation` that the probe renders too."""


def load(facts: Facts) -> Answer[dict[str, Any]]:
    """What the probe answers; one question a run, whichever folder is looked at."""
    asked = question(facts, "load", "loading the files", dict, chat=_chat(facts), hub=_hub(facts))
    return facts.probes.ask(asked)


def loaded_tokenizer(facts: Facts) -> Mapping[str, Any]:
    """The training tokenizer as `AutoTokenizer` loads it.

    `class`, `length`, `special` (role to token and id), `chat` (the texts of `COMPARED`),
    `differs` (the samples whose ids are not those of tokenizer.json), `samples`, `tried`.
    Or only `raised`. Raises `Unavailable`.
    """
    return _measured(facts[load].measured()["tokenizer"], "loading the tokenizer")


def loaded_model(facts: Facts, role: Role) -> Mapping[str, Any]:
    """The checkpoint of a role as `from_pretrained` loads it, without values.

    `class`, `missing`, `unused`, `differing` (name, stored and model's shape), `counts`.
    Raises `Unavailable`, also where nothing can be loaded.
    """
    found = facts[load].measured()["models"].get(role)
    if found is None:
        raise Unavailable(f"the run names no {role} model")
    return _without_error(_measured(found, f"loading the {role}"), f"loading the {role}")


def adapter(facts: Facts) -> Mapping[str, Any]:
    """What peft makes of the run's LoRA settings on the modules of the policy.

    `targets`, `matched` (modules a target), `linear` (names of linear modules), `adapted` (how
    many modules), `adapted_head`, `head_refused` (the trainer refuses that), `refusal` (what peft
    says where it makes no adapter). Raises `Unavailable`.
    """
    found = _measured(facts[load].measured()["adapter"], "adapting the model")
    return _without_error(found, "adapting the model")


def _measured(part: Mapping[str, Any], label: str) -> Mapping[str, Any]:
    if "refused" in part:
        raise Unavailable(f"{label}: {part['refused']}")
    return part


def _without_error(part: Mapping[str, Any], label: str) -> Mapping[str, Any]:
    if "raised" in part:
        raise Unavailable(f"{label}: {error_line(part)}")
    return part


def error_line(part: Mapping[str, Any]) -> str:
    """What a part raised, in one line."""
    raised = part["raised"]
    text = " ".join(str(raised["message"]).split())
    return f"{raised['type']}: {text:.300}" if text else str(raised["type"])


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
