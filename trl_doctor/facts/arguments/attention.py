"""Which attention implementation a run names, and where."""

from __future__ import annotations

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.arguments.command_model import dropping_command
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.facts import Facts

ATTENTION = "attn_implementation"


def stated_attention(facts: Facts) -> dict[tuple[str, ...], str]:
    """The implementations that a run file or a script names, by their place in the run file.

    Raises `NotConcerned` if the command drops the argument, or the target is a model alone.
    """
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned("a model folder names no attention implementation")
    no_other_program(facts)
    outer = run.arguments.get(ATTENTION)
    if outer is not None and (command := dropping_command(facts)):
        raise NotConcerned(f"{command} drops {ATTENTION}")
    more = run.arguments.get("model_init_kwargs")
    inner = more.get(ATTENTION) if isinstance(more, dict) else None
    by_route = {(ATTENTION,): outer, ("model_init_kwargs", ATTENTION): inner}
    found = {route: value for route, value in by_route.items() if isinstance(value, str)}
    if not found:
        raise NotConcerned("the run names no attention implementation")
    return found
