"""The methods of its trainer that a script calls, and that the installed classes do not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from trl_doctor.core.finding import Place
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.own_trainer import class_texts
from trl_doctor.facts.script.passed import passed
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.values import Deed, LibraryObject, Plain

EVERYWHERE = frozenset(
    ["train", "evaluate", "predict", "save_model", "save_state", "log_metrics", "save_metrics",
     "push_to_hub", "add_callback", "remove_callback", "pop_callback", "is_world_process_zero",
     "is_local_process_zero", "get_train_dataloader", "get_eval_dataloader", "create_optimizer",
     "create_scheduler", "create_model_card"]
)  # fmt: skip
"""Methods that every release's trainers have: no source is read for them."""

RESUMED = "resume_from_checkpoint"


def called_in_vain(facts: Facts) -> tuple[str, list[Deed]]:
    """The trainer's class, and the calls of methods that neither it nor the script defines."""
    name = known_trainer(facts)
    if name is None:
        raise NotConcerned("the trainer is not known")
    values, trainer = passed(facts), TRAINERS[name].trainer
    if values.derived or not (calls := [deed for deed in values.deeds if _is_call(deed)]):
        return trainer, []
    texts, own = class_texts(facts, trainer), {deed.name for deed in values.deeds}
    lacking = (call for call in calls if texts and f"{call.name} =" not in own)
    return trainer, list(_first(call for call in lacking if not _may_have(texts, call.name)))


def place_of(facts: Facts, call: Deed | LibraryObject) -> Place:
    """Where the script makes a call."""
    script = facts.run.file
    return script.places.place("", call.span) if isinstance(script, Script) else facts.run.place()


def _is_call(deed: Deed) -> bool:
    name = deed.name
    return name.isidentifier() and not name.startswith("__") and name not in EVERYWHERE


def _may_have(texts: list[str], name: str) -> bool:
    """Whether a class may have a method or an attribute of this name.

    transformers' Trainer imports some of its methods inside the class.
    """
    plainly = re.compile(rf"\bself\.{name}\b|\bdef {name}\b")
    word = re.compile(rf"(?<![.\w]){name}\b")
    if any(plainly.search(text) for text in texts):
        return True
    return any(word.search(text) and name in _names_of(text) for text in texts)


@lru_cache(maxsize=8)
def _names_of(text: str) -> frozenset[str]:
    """The names that a module binds, imports, or has as texts; raises `Unavailable`."""
    names = set[str]()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unavailable(f"the trainer's source cannot be read: {error}") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)


def _first(calls: Iterator[Deed]) -> Iterator[Deed]:
    reported = set[str]()
    for call in calls:
        if call.name not in reported:
            reported.add(call.name)
            yield call


def resumes(values: Passed) -> bool:
    """Whether the script trains on from a checkpoint that it names, or from the last one."""
    named = [deed.keywords.get(RESUMED) for deed in values.deeds if deed.name == "train"]
    return any(
        isinstance(stated.value, Plain) and bool(stated.value.value) for stated in named if stated
    )
