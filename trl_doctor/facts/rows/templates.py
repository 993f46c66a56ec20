"""What the run's own tokenizer gives a function of the script: its tokens, and rendered texts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain as joined

import msgspec

from trl_doctor.asking.rendering import Render, Rendered, TemplateFailed, shared
from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.chat_template import Template, passes_aliases, template
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.changes import ADDITIONAL, ROLES
from trl_doctor.facts.script.models import NAMES
from trl_doctor.facts.script.passed import chain
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.files.source.applied import json_of
from trl_doctor.files.source.objects import Arguments
from trl_doctor.files.source.values import LibraryObject, Many, Plain, Span, Value, text_in

METHOD = "apply_chat_template"
OWN = frozenset({"enable_thinking", "thinking", "reasoning_effort", "date_string"})
"""Arguments that are variables of well-known templates, and nothing else."""

STATED = OWN | {"conversation", "tokenize", "add_generation_prompt", "tools"}
"""Arguments of the method that are understood here."""

REPLACED = ("chat_template_kwargs", "chat_template_path", "eos_token")
"""Arguments of the run by which its trainer renders otherwise than the tokenizer does."""

DEEDS = frozenset({"chat_template =", "add_special_tokens", "add_tokens",
                   *(f"{role} =" for role in joined(ROLES, ADDITIONAL))})  # fmt: skip
"""What a script does to a tokenizer that changes what it gives."""

TO_BE_RENDERED = Plain("\ue000")
"""What stands for a text until it is rendered, in a process of its own: all rows are at once."""


class Templates:
    """Answers for the tokenizer of the run; `call` is where the function is handed over."""

    def __init__(self, facts: Facts, call: Span) -> None:
        self._facts, self._call = facts, call
        self._texts: dict[bytes, Rendered | TemplateFailed] = {}
        self._asked: dict[bytes, Render] = {}

    def value(self, owner: LibraryObject, name: str, handed: Arguments | None) -> Value | None:
        """A special token, or the text of conversations; None for anything else.

        Raises `Unavailable` if that is not known.
        """
        concerns = name == METHOD if handed is not None else name in ROLES
        if not concerns or not self._is_of_run(owner):
            return None
        if handed is not None:
            return self._rendered(handed)
        token = tokenizer_facts(self._facts)[tokenizer].roles.get(name)
        return Plain(token.content if token else None)

    def render(self) -> bool:
        """Render what was asked for since the last time; whether that was anything."""
        if not self._asked:
            return False
        answers = shared().render_all(self._template.text, list(self._asked.values()))
        self._texts.update(zip(self._asked, answers, strict=True))
        self._asked.clear()
        return True

    @property
    def _template(self) -> Template:
        return tokenizer_facts(self._facts)[template]

    def _is_of_run(self, owner: LibraryObject) -> bool:
        """Whether it is the tokenizer that the trainer gets, as it stays from the function on."""
        if any(self._facts.run.arguments.get(key) is not None for key in REPLACED):
            return False
        script = self._facts.run.script
        given = script.value("processing_class") or script.value("tokenizer")
        if given is None or (isinstance(given, Plain) and given.value is None):
            policy = self._facts.run.models.get("policy")
            name = next((v for key in NAMES if (v := owner.argument(key, 0)) is not None), None)
            same = policy is not None and text_in(name) == policy.name
            return same and not any(deed.name in DEEDS for deed in owner.deeds)
        links = list(chain(given))
        return any(link is owner for link in links) and not any(
            deed.name in DEEDS and self._is_later(deed.span)
            for link in links
            for deed in link.deeds
        )

    def _is_later(self, span: Span) -> bool:
        return (span.source, span.line) > (self._call.source, self._call.line)

    def _rendered(self, handed: Arguments) -> Value | None:
        """The text of a conversation, or the texts of several; None if that is not understood."""
        keywords = {name: json_of(entry.value) for name, entry in handed.keywords.items()}
        values = [json_of(value) for value in handed.values]
        values += [keywords["conversation"]] if "conversation" in keywords else []
        if len(values) != 1 or handed.rest is not None or not STATED.issuperset(keywords):
            return None
        if keywords.get("tokenize") is not False:
            return None
        messages = values[0]
        if _is_conversation(messages):
            return self._text(messages, keywords)
        if isinstance(messages, list) and messages and all(map(_is_conversation, messages)):
            return Many([self._text(each, keywords) for each in messages])
        return None

    def _text(self, messages: Json, keywords: Mapping[str, Json]) -> Plain:
        tools = keywords.get("tools")
        own = {name: value for name, value in keywords.items() if name in OWN}
        render = Render(
            messages,  # type: ignore[arg-type]
            {**self._template.variables, **own},
            bool(keywords.get("add_generation_prompt")),
            tools if isinstance(tools, list) else None,
            passes_aliases(self._facts),
        )
        key = msgspec.json.encode(render)
        answer = self._texts.get(key)
        if answer is None:
            self._asked[key] = render
            return TO_BE_RENDERED
        if isinstance(answer, TemplateFailed):
            raise Unavailable(f"the script renders a row, and {answer}")
        return Plain(answer.text)


def _is_conversation(messages: Json) -> bool:
    """Whether it is a list of messages with the same keys, as the library makes them."""
    turns = messages if isinstance(messages, list) else []
    keys = [frozenset(turn) if isinstance(turn, dict) else frozenset[str]() for turn in turns]
    return bool(turns) and "role" in keys[0] and len(set(keys)) == 1
