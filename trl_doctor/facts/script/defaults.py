"""What the config classes of TRL and transformers take where a script gives nothing."""

from __future__ import annotations

from ast import literal_eval

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import config_fields, lost_names, releases
from trl_doctor.files.source.command_line.keys import from_json
from trl_doctor.files.source.state import Question
from trl_doctor.files.source.values import Many, Plain, Value
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


def taken(environment: Environment, cls: str) -> Many | None:
    """The names of all that a class takes; None where its release is not known.

    Those of transformers' arguments that some releases lack are left open without its version.
    """
    trl = environment.version("trl")
    if trl is None and cls != releases.ARGUMENTS:
        return None
    given = releases.trainer_arguments(trl, cls) if trl else None
    if given:
        return Many([Plain(name.lstrip("*")) for name in given], kind="set")
    names, open_ = {*fields_of(environment, cls)}, environment.version("transformers") is None
    if open_:
        oldest = dict(releases.training_arguments(releases.line("transformers").versions[0]) or {})
        inherited = dict(releases.training_arguments(releases.newest_release("transformers")) or {})
        names -= {*inherited} - {*oldest}
    return Many([Plain(name) for name in sorted(names)], kind="set", grows=open_) if names else None


def imports(environment: Environment, module: str, name: str) -> Value | None:
    """Whether a name can be imported from a module of trl; None if that is not known."""
    trl = environment.version("trl")
    if trl is None or environment.own:
        return None
    if module != "trl" and lost_names.missing(trl, module):
        return Plain(False)
    if module != "trl" and not module.startswith("trl.experimental."):
        return None  # what a module inside offers besides its own names is not recorded
    if lost_names.missing(trl, name, module):
        return Plain(False)
    lives = lost_names.lifetimes(name) if module == "trl" else ()
    had = any(life.first <= trl and not (life.gone_in and life.gone_in <= trl) for life in lives)
    return Plain(True) if had or module in releases.trainer_homes(trl, name) else None


def default(environment: Environment, question: Question) -> Value | None:
    """The default of a field; None if it is not plain."""
    if question.imported:
        return imports(environment, question.cls, question.field)
    if not question.field:
        return taken(environment, question.cls)
    fields = fields_of(environment, question.cls)
    source = fields.get(question.field)
    if source is None:
        return None
    try:
        return from_json(literal_eval(source))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
