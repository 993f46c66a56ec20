"""With which values a run loads its model, and where it says so."""

from __future__ import annotations

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.arguments.command_model import LOADING, dropping_command
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.kinds import kind_of
from trl_doctor.facts.script.passed import passed
from trl_doctor.files.source.values import LibraryObject, Plain, Table

ATTENTION = "attn_implementation"


def stated_loading(facts: Facts, *names: str) -> dict[tuple[str, ...], str]:
    """The texts that a run gives these arguments of `from_pretrained`, by their place in its file.

    Raises `NotConcerned` if it gives none, the command drops them, or the target is a model alone.
    """
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned(f"a model folder gives no {names[0]}")
    no_other_program(facts)
    given: dict[tuple[str, ...], Json] = {(name,): run.arguments.get(name) for name in names}
    if any(value is not None for value in given.values()) and (command := dropping_command(facts)):
        raise NotConcerned(f"{command} drops {names[0]}")
    more = run.arguments.get(LOADING)
    if isinstance(more, dict):
        given |= {(LOADING, name): more.get(name) for name in names}
    stated = {route: value for route, value in given.items() if isinstance(value, str)}
    if not stated:
        raise NotConcerned(f"the run names no {names[0]}")
    return stated


def keywords_for_loaded_model(facts: Facts) -> bool:
    """Whether a config with `model_init_kwargs` comes with a model that the script has loaded.

    Raises `NotConcerned` if the trainer is not surely given a loaded model and a config.
    """
    values = passed(facts)
    config = values.values.get("args")
    if not isinstance(config, LibraryObject) or kind_of(values.values.get("model")) != "model":
        raise NotConcerned("the trainer is not surely given a loaded model and a config")
    keywords = config.keywords.get(LOADING)
    if keywords is None or keywords.perhaps:
        return False
    none = isinstance(keywords.value, Plain)
    return not none and not (isinstance(keywords.value, Table) and not keywords.value.entries)
