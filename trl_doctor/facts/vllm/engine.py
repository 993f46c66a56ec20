"""The vLLM engine of a run: who starts it, which arguments set its size, which model it loads."""

from collections.abc import Mapping

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program, release
from trl_doctor.facts.library import Fields, accepted
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.vllm.views import concerned

OWN_GPU = "a GPU of its own"


class Engine(Struct, frozen=True):
    """How a run's trainer gets its engine.

    `mode` is "colocate" (in the training processes), "server", or `OWN_GPU` (trl 0.14 and 0.15).
    `fields` are the keys that the run file can have in this release of `trl`.
    """

    trainer: str
    trl: Version
    mode: str
    fields: Fields


def engine(facts: Facts) -> Engine:
    """The engine of the run; if the trainer is not known, the engine of GRPO.

    Raises `NotConcerned` if the run does not generate with vLLM, else `Unavailable`.
    """
    concerned(facts)
    no_other_program(facts)
    run_trainer = facts.run.trainer
    trainer = TRAINERS["grpo"] if isinstance(run_trainer, Unavailable) else run_trainer
    keys = accepted(facts.environment, trainer)
    if keys.absent:
        raise Unavailable(keys.absent)
    if "use_vllm" not in keys.fields:
        raise NotConcerned(f"{trainer.config} has no use_vllm ({keys.source})")
    trl = release(facts.environment, trainer, "trl")
    return Engine(trainer.name, trl, _mode(facts, keys.fields), keys.fields)


def started_by_run(facts: Facts) -> Engine:
    """The engine that the trainer itself starts; raises `NotConcerned` for a server's engine."""
    run_engine = engine(facts)
    if run_engine.mode == "server":
        raise NotConcerned("the engine runs in a server, which has its own arguments")
    return run_engine


def in_process(facts: Facts) -> Engine:
    """The engine in the training processes of any trainer; else raises `NotConcerned`."""
    choice = engine(facts)
    if choice.mode != "colocate":
        raise NotConcerned("only vllm_mode colocate is affected")
    return choice


def colocated(facts: Facts) -> Engine:
    """The engine in the training processes of GRPO or RLOO; else raises `NotConcerned`."""
    run_engine = engine(facts)
    if run_engine.mode != "colocate" or run_engine.trainer not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO with vllm_mode colocate are affected")
    return run_engine


def generation_kwargs(facts: Facts) -> Mapping[str, Json]:
    """The run's own arguments of sampling; empty if it has none, or something else there."""
    kwargs = facts.run.arguments.get("generation_kwargs")
    return kwargs if isinstance(kwargs, dict) else {}


def value(facts: Facts, engine: Engine, key: str) -> Json:
    """An argument, or its default in this release; None if neither is a plain value."""
    if facts.run.arguments.get(key) is not None:
        return facts.run.arguments[key]
    field = engine.fields.get(key)
    return field.literal if field else None


def whole_number(facts: Facts, engine: Engine, key: str) -> int | None:
    """An argument or its default as a whole number of at least 1; else None."""
    if key not in engine.fields:
        return None
    default = value(facts, engine, key)
    number = facts.run.number(key, default if isinstance(default, int) else None)
    return int(number) if number is not None and number >= 1 and number == int(number) else None


def language_model(facts: Facts) -> tuple[str, Mapping[str, Json]]:
    """The part of config.json that describes the language model, with its pointer."""
    config = facts[model_config]
    inner = config.get("text_config")
    return ("/text_config", inner) if isinstance(inner, dict) else ("", config.mapping())


def _mode(facts: Facts, fields: Fields) -> str:
    if "vllm_mode" not in fields:
        return "server" if "vllm_server_host" in fields else OWN_GPU
    mode = facts.run.arguments.get("vllm_mode") or fields["vllm_mode"].literal
    if mode not in ("colocate", "server"):
        raise Unavailable(f"vllm_mode is {mode!r}, not colocate or server")
    return str(mode)
