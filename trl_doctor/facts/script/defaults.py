"""What the config classes of TRL and transformers take where a script gives nothing."""

from __future__ import annotations

from ast import literal_eval

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import config_fields, releases
from trl_doctor.files.source.command_line.keys import from_json
from trl_doctor.files.source.state import Question
from trl_doctor.files.source.values import Value
from trl_doctor.machine.environment import Environment


def fields_of(environment: Environment, cls: str) -> dict[str, str | None]:
    """The fields of a config class and their defaults as source; empty where they are not known."""
    transformers = environment.version("transformers") or releases.newest_release("transformers")
    inherited = dict(releases.training_arguments(transformers) or {})
    if cls == releases.ARGUMENTS:
        return inherited
    try:
        fields = config_fields(environment, cls)
    except Unavailable:
        fields = None
    if fields is not None:
        return {name: field.default for name, field in fields.items()}
    trl = environment.version("trl") or releases.newest_release()
    own = dict(releases.fields(trl, cls) or {})
    return {**(inherited if own and releases.extends(trl, cls) else {}), **own}


def default(environment: Environment, question: Question) -> Value | None:
    """The default of a field; None if it is not plain."""
    fields = fields_of(environment, question.cls)
    source = fields.get(question.field)
    if source is None:
        return None
    try:
        return from_json(literal_eval(source))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
