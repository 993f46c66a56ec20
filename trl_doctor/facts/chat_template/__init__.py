"""Facts: the chat template of a run, how it ends a turn, and what it prints around messages."""

from __future__ import annotations

import json
from collections.abc import Mapping

from packaging.version import Version

from trl_doctor.asking.rendering import shared
from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.chat_template.chat import Chat, Template, TurnEnd, chat_of
from trl_doctor.facts.tokenizer import Tokenizer, tokenizer
from trl_doctor.files.regular import bytes_of

__all__ = [
    "Chat", "Template", "TurnEnd", "chat", "first_turn_end", "passes_aliases", "template",
    "template_place", "turn_end",
]  # fmt: skip

ALIASES = Version("5.21")
"""The transformers that passes `thinking` and `reasoning` as `reasoning_content`, too."""

PATH, JINJA, MOST = "chat_template_path", (".jinja", ".j2"), 2**20
"""The argument that replaces the template, the files that it takes for one, and their bytes."""


def template(facts: Facts) -> Template:
    """The tokenizer's default chat template, with the variables and tokens that it will get.

    The variables are the special tokens as transformers passes them, and the run's
    `chat_template_kwargs`; an `eos_token` in the run's arguments replaces the tokenizer's. Raises
    `Unavailable` if there is no template, and where the run's `chat_template_path` replaces it
    by that of another model.
    """
    model_tokenizer, text = facts[tokenizer], _replaced(facts)
    if text is None and model_tokenizer.chat_template is None:
        names = ", ".join(sorted(model_tokenizer.chat_templates))
        has = f"has no default chat template, only {names}" if names else "has no chat template"
        raise Unavailable(f"the tokenizer {has}")
    release = facts.environment.version("transformers")
    variables = _special_tokens(model_tokenizer, four=release is not None and release.major < 5)
    eos = facts.run.arguments.get("eos_token")
    if isinstance(eos, str):
        variables["eos_token"] = eos
    template_arguments = _template_arguments(facts.run.arguments.get("chat_template_kwargs"))
    if text is None:
        assert model_tokenizer.chat_template
        text = model_tokenizer.chat_template.text
    return Template(
        text,
        {**variables, **template_arguments},
        _tokens(model_tokenizer),
    )


def template_place(facts: Facts) -> Place:
    """Where the template is written, or named in the run."""
    if facts.run.arguments.get(PATH) is not None:
        return facts.run.place(PATH)
    loaded = facts.get(tokenizer)
    if loaded and loaded.chat_template:
        return loaded.chat_template.place
    return Place(facts.folder.file("tokenizer_config.json"), "/chat_template")


def passes_aliases(facts: Facts) -> bool:
    """Whether transformers gives a template what was thought under each name that it may read."""
    version = facts.environment.version("transformers")
    return version is None or version >= ALIASES


def _replaced(facts: Facts) -> str | None:
    """The template in the file that the run names in place of the tokenizer's."""
    name = facts.run.arguments.get(PATH)
    if name is None:
        return None
    path = dataset.existing_path(facts, name) if isinstance(name, str) else None
    if path is None or path.suffix not in JINJA or not path.is_file():
        raise Unavailable(f"chat_template_path replaces the chat template by {name!r}")
    try:
        return bytes_of(path, MOST).decode()
    except (OSError, ValueError) as error:
        raise Unavailable(f"{path.name} cannot be read: {error}") from None


def chat(facts: Facts) -> Chat:
    """The chat template's renderings of a short conversation, made in a process with limits.

    Raises `chat_rendering.TemplateFailed` if the template cannot render one.
    """
    return chat_of(facts[template], shared())


def turn_end(facts: Facts) -> TurnEnd:
    """How the last turn of a conversation ends, as training sees it."""
    return facts[chat].turn_end


def first_turn_end(facts: Facts) -> TurnEnd:
    """How a turn ends when another question follows: gpt-oss ends it with another token."""
    return facts[chat].first_turn_end


def _special_tokens(tokenizer: Tokenizer, four: bool) -> dict[str, Json]:
    """The special tokens map: transformers 4 omits empty tokens and lists the extra ones."""
    variables: dict[str, Json] = {
        role: token.content for role, token in tokenizer.roles.items() if token.content or not four
    }
    if four and tokenizer.extra:
        variables["additional_special_tokens"] = list(tokenizer.extra)
    return variables


def _tokens(tokenizer: Tokenizer) -> Mapping[str, int | None]:
    """Added and special tokens with their ids; the claimed ids where the vocabulary is unknown."""
    unknown = isinstance(tokenizer.vocabulary_or_reason, Unavailable)
    added = tokenizer.claimed if unknown else tokenizer.added
    tokens: dict[str, int | None] = {token.content: id for id, token in added.items()}
    for token in tokenizer.roles.values():
        tokens.setdefault(token.content, token.id)
    for content in tokenizer.extra:
        tokens.setdefault(content, None if unknown else tokenizer.id(content))
    return tokens


def _template_arguments(value: Json) -> Mapping[str, Json]:
    """`chat_template_kwargs`, which TRL accepts as an object or as its JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}
