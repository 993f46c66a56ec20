"""The side on which a script's tokenizer pads."""

from __future__ import annotations

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.passed import chain
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.files.source.values import LibraryObject, Plain, Value

NAME = "padding_side"
LEFT = ("CodeLlama", "Cohere", "CpmAnt", "Gemma", "Llama", "XLNet")
"""The beginnings of classes whose tokenizers pad on the left by default."""


def side(facts: Facts, value: Value | None) -> str:
    """ "left" or "right" for a tokenizer that the script loads; raises `Unavailable`."""
    if not isinstance(value, LibraryObject):
        raise Unavailable("how the script makes its tokenizer is not known")
    stated: Value | None = None
    loaded = False
    for call in reversed([*chain(value)]):
        loaded = loaded or call.short == "from_pretrained"
        if call.rest is not None and NAME not in call.keywords:
            raise Unavailable(f"whether {NAME} is given is not known: {call.rest.why}")
        if NAME in call.keywords:
            stated = call.keywords[NAME].value
        for deed in call.deeds:
            if deed.name.removeprefix("tokenizer.") == f"{NAME} =":
                if any(guard not in call.guards for guard in deed.guards):
                    raise Unavailable(f"the script sets {NAME} under a condition")
                stated = deed.arguments[0]
    if stated is None:
        if not loaded:
            raise Unavailable("how the script makes its tokenizer is not known")
        return _of_files(facts)
    if isinstance(stated, Plain) and stated.value in ("left", "right"):
        return str(stated.value)
    raise Unavailable(f"{NAME} is not known")


def _of_files(facts: Facts) -> str:
    """What the tokenizer's files say, or the default of its class."""
    folder = facts.run.folder_of("tokenizer")
    if isinstance(folder, Unavailable):
        raise folder
    if folder.has("tokenizer_config.json"):
        stated = folder.document("tokenizer_config.json").mapping().get(NAME)
        if stated in ("left", "right"):
            return str(stated)
    return "left" if facts.at(folder)[tokenizer].class_name.startswith(LEFT) else "right"
