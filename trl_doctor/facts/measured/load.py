"""How the real transformers loads the run's files: tokenizer, checkpoints and adapter."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from trl_doctor.core.finding import Json
from trl_doctor.core.plain import excerpt
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
LEFT = ("grpo", "rloo")
"""Trainers that load the tokenizer with padding on the left, whatever its files say."""

COMPARED = ("conversation", "prompt")
"""The renderings of `chat_template.conversation` that the probe makes too."""


def load(facts: Facts) -> Answer[LoadAnswer]:
    """The probe's answer; one question per run, for all its folders."""
    question_ = question(
        facts, "load", "loading the files", LoadAnswer,
        chat=_chat(facts), hub=_hub(facts), side=_side(facts),
    )  # fmt: skip
    return facts.probes.ask(question_)


def tokenizer_part(facts: Facts) -> Part[LoadedTokenizer]:
    """The training tokenizer as `AutoTokenizer` loads it, or its error.

    Raises `Unavailable` if the probe did not try it.
    """
    return _tried(facts[load].measured().tokenizer, "loading the tokenizer")


def loaded_tokenizer(facts: Facts) -> LoadedTokenizer:
    """The training tokenizer. Raises `Unavailable`, also if it does not load."""
    return _measured(facts[tokenizer_part], "loading the tokenizer")


def loaded_model(facts: Facts, role: Role) -> LoadedCheckpoint:
    """The checkpoint of a role as `from_pretrained` loads it, without values.

    Raises `Unavailable`, also if nothing can be loaded.
    """
    part = facts[load].measured().models.get(role)
    if part is None:
        raise Unavailable(f"the run names no {role} model")
    return _measured(part, f"loading the {role}")


def adapter(facts: Facts) -> LoadedAdapter:
    """How peft applies the run's LoRA settings to the policy. Raises `Unavailable`."""
    return _measured(facts[load].measured().adapter, "adapting the model")


def _tried(result: Part[T], label: str) -> Part[T]:
    if result.refused:
        raise Unavailable(f"{label}: {result.refused}")
    return result


def _measured(result: Part[T], label: str) -> T:
    """The measured value; raises `Unavailable` with the reason if there is none."""
    value = _tried(result, label).measured
    if value is None:
        raise Unavailable(f"{label}: {error_line(result.raised)}")
    return value


def error_line(raised: LoadError | None) -> str:
    """The error of a part, in one line."""
    if raised is None:
        return "nothing was measured"
    text = " ".join(raised.message.split())
    return f"{raised.type}: {excerpt(text, 300)}" if text else raised.type


def _side(facts: Facts) -> str | None:
    """The padding side that the trainer itself asks for where it loads the tokenizer."""
    trainer, passed = facts.run.trainer, facts.run.script.passed
    if isinstance(trainer, Unavailable) or trainer.name not in LEFT:
        return None
    return None if passed and (passed.values.get("processing_class") or passed.rest) else "left"


def _chat(facts: Facts) -> dict[str, Json]:
    """The conversations that trl-doctor renders too, if the tokenizer's own tokens are used."""
    chat_format = facts.at(facts.run.folder_of("tokenizer")).get(chat)
    if chat_format is None or isinstance(facts.run.arguments.get("eos_token"), str):
        return {}
    variables = facts.run.arguments.get("chat_template_kwargs")
    shape = chat_format.renderings.shape
    return {
        name: {
            "messages": [dict(message) for message in shape.messages(RENDERINGS[name][0])],
            "prompt": RENDERINGS[name][1],
            "variables": variables if isinstance(variables, dict) else {},
        }
        for name in COMPARED
    }


def _hub(facts: Facts) -> dict[str, Json]:
    """The Hub ids by folder: transformers looks at the name of a model."""
    return {
        str(model.folder.path.absolute()): model.name.partition("@")[0]
        for model in facts.run.models.values()
        if not isinstance(model.folder, Unavailable) and not Path(model.name).is_dir()
        and "/" in model.name and not any((root / model.name).is_dir() for root in facts.run.roots)
    }  # fmt: skip
