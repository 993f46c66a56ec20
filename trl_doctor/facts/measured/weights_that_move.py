"""The dtype of the trained weights, how many of them a step has to move, and who keeps copies."""

from __future__ import annotations

from contextlib import suppress

from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, documents
from trl_doctor.facts.documents import Unreadable
from trl_doctor.facts.library import Accepted
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.script.passed import chain
from trl_doctor.files.folder import Folder
from trl_doctor.files.source.values import LibraryObject, Plain

HARDLY, LITTLE = 0.03, 0.12
"""Shares of the weights with a gradient that move: below the first an error, below the second a
warning."""

AUTO = Version("5.0.0")
"""From this transformers on a model is loaded in the dtype of its checkpoint."""

CASTS = ("to", "float", "half", "bfloat16", "type", "apply", "parameters", "named_parameters")
"""Methods of a model that may cast its weights, or give them to code that does."""

SHARDS = ("deepspeed", "fsdp", "accelerate_config")
DTYPES = ("dtype", "torch_dtype")
PLAIN = ("NO", "MULTI_GPU", "MULTI_CPU", "single_gpu", "multi_gpu")
"""The names of accelerate for training without shards, and TRL's own files for it."""


def refuse_copies(facts: Facts) -> None:
    """Raises `Unavailable` if the optimizer may update float32 copies instead of the weights."""
    for key in SHARDS:
        value = facts.run.arguments.get(key)
        if value and not (key == "accelerate_config" and _plain(facts, value)):
            raise Unavailable(
                f"with {key} float32 copies of the weights may be kept, which was not examined"
            )


def _plain(facts: Facts, names: Json) -> bool:
    """Whether an accelerate_config asks for no shards."""
    if names in PLAIN or not isinstance(names, str):
        return names in PLAIN
    for root in facts.run.roots:
        with suppress(Unreadable):
            return documents.read(root / names).get("distributed_type") in PLAIN
    return False


def stated_dtype(facts: Facts, accepted: Accepted) -> tuple[tuple[str, ...], Json]:
    """The keys that set the dtype of the weights, and the dtype; raises `NotConcerned`.

    `accepted` are the arguments of the run's trainer. Raises `Unavailable` if the script may cast
    the weights after it has loaded them.
    """
    arguments, passes = facts.run.arguments, facts.run.script.passed
    if passes is not None and not rehearsed(facts):
        _refuse_casts(passes)
    more = arguments.get("model_init_kwargs")
    inner = more if isinstance(more, dict) else {}
    routes: dict[tuple[str, ...], Json] = {
        (key,): arguments.get(key) for key in DTYPES if key in accepted.fields
    }
    routes |= {("model_init_kwargs", key): inner.get(key) for key in DTYPES}
    for route, value in routes.items():
        if value is not None:
            return route, _of_checkpoint(facts) if value == "auto" else value
    version = facts.environment.version("transformers")
    if passes is not None and version and version >= AUTO and _loads(passes):
        return ("model_init_kwargs",), _of_checkpoint(facts)
    raise NotConcerned("the dtype of the weights is not known (dtype)")


def _refuse_casts(passes: Passed) -> None:
    """Raises `Unavailable` if the script calls a method of the model that may cast its weights."""
    for call in chain(passes.values.get("model")):
        for deed in call.deeds:
            moves = deed.name == "to" and all(map(_is_device, deed.arguments)) and not deed.keywords
            if deed.name in CASTS and not moves:
                raise Unavailable(f"the script calls {deed.name} of the model, which may cast it")


def _is_device(value: object) -> bool:
    """Whether an argument of `to` is a device: a name, or what torch.device makes."""
    if isinstance(value, Plain):
        return isinstance(value.value, str | int)
    return isinstance(value, LibraryObject) and value.of == "torch.device"


def _loads(passes: Passed) -> bool:
    """Whether the script loads the model by a class of transformers, without a dtype."""
    calls = list(chain(passes.values.get("model")))
    return (
        len(calls) == 1
        and calls[0].short == "from_pretrained"
        and calls[0].of.startswith("transformers.Auto")
        and calls[0].rest is None
    )


def _of_checkpoint(facts: Facts) -> Json:
    """The dtype of the checkpoint by config.json; raises `Unavailable` before it is written."""
    policy = facts.run.models.get("policy")
    if policy is not None and isinstance(policy.folder, Folder) and policy.folder.stands_for:
        raise Unavailable(f"{policy.name} is not here yet, and its dtype is not known")
    config = facts[model_config]
    values = (config.get(*at, key) for at in ((), ("text_config",)) for key in DTYPES)
    return next((value for value in values if value is not None), None)
