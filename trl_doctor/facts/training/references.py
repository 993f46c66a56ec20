"""Where the weights of a script's models come from, and whether one may have another's."""

from __future__ import annotations

import ast
import re

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.script.passed import constructed, plain_text
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.values import LibraryObject

EARLIER = re.compile(
    r"(?<![a-z])(?:dpo|kto|ipo|pref\w*|pairs?|round|iter\w*|stage[-_]?\d(?![-_\w]*sft))(?![a-z])",
    re.IGNORECASE,
)
"""What the path of weights says that an earlier training against a reference has made."""

LOADS = "load_state_dict"
WRAPS = ("get_peft_model", "prepare_model_for_kbit_training")
"""Functions that return the model that they are given, with the same weights and perhaps more."""

COPIES = ("copytree", "copy_tree", "symlink", "symlink_to", "rename", "move", "snapshot_download")
"""Calls that give the folder of a model another name, or another folder its files."""


def of_earlier_run(path: str) -> bool:
    """Whether the path of a model or adapter says so: it goes on with that run's reference."""
    return EARLIER.search(path) is not None


def adapter_path(call: LibraryObject) -> str:
    """Where an adapter is loaded from; "" if that is not known."""
    auto = "Auto" in call.of
    name = "pretrained_model_name_or_path" if auto else "model_id"
    return plain_text(call.argument(name, 0 if auto else 1))


def weights_of(values: Passed, name: str) -> str:
    """What a passed model is loaded from; "" if something else than a library's class makes it."""
    model = values.given(name)
    call = constructed(model)
    while call is not None and call.short in WRAPS:
        model = call.argument("model", 0)
        call = constructed(model)
    if call is None:
        return plain_text(model)
    loads = call.short == "from_pretrained" and ".Auto" in call.of
    return plain_text(call.argument("pretrained_model_name_or_path", 0)) if loads else ""


def has_random_weights(model: LibraryObject) -> bool:
    """Whether a model is made of a config alone, and gets no weights later."""
    return model.short == "from_config" and not any(deed.name == LOADS for deed in model.deeds)


def gives_weights(facts: Facts, values: Passed, begins: str, held: str) -> bool:
    """Whether the script itself gives the weights of its policy to its reference, or back.

    The paths are those from which the policy and the reference are loaded.
    """
    policy, reference = constructed(values.given("model")), constructed(values.given("ref_model"))
    calls = [node for node in facts[code].nodes if isinstance(node, ast.Call)]
    if any(last_name(call.func) in COPIES or _saves(call, held) for call in calls):
        return True
    return _hands(policy, held) or _hands(reference, begins)


def _saves(call: ast.Call, path: str) -> bool:
    """Whether a trainer saves its model there: perhaps the policy, which it has trained."""
    first = call.args[0] if call.args else None
    return last_name(call.func) == "save_model" and getattr(first, "value", None) == path


def _hands(model: LibraryObject | None, other: str) -> bool:
    """Whether a model gets other weights, or is saved where the other one is loaded from."""
    return model is not None and any(
        deed.name == LOADS
        or (
            deed.name == "save_pretrained" and plain_text(next(iter(deed.arguments), None)) == other
        )
        for deed in model.deeds
    )
